"""Texts of random values: what a field reads of an object, and what it loads from a client's data."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence

__all__ = ["ANY", "Make", "anything", "of", "rows_of"]

Make = Callable[[random.Random], str]
"""Makes the Python text of a value."""


def of(*texts: str) -> Make:
    """One of some texts."""
    return lambda r: r.choice(texts)


ANY: Sequence[str] = (
    *("None", "True", "False", "0", "1", "-1", "3", "10**30", "1.5", "-0.0", "1e300", "float('nan')", "float('inf')"),
    *(
        "''",
        "' '",
        "' abc '",
        "'abc'",
        "'题0'",
        "'é' * 9",
        "'1'",
        "'1.50'",
        "' 2 '",
        "'true'",
        "'null'",
        "'red'",
        "'\\x00'",
    ),
    *("'\\ud800'", "'2020-01-02'", "'2020-01-02T03:04:05Z'", "'20:15'", "'1 02:03:04'", "'a@b.de'", "'http://a.de/'"),
    *("'00000000-0000-0000-0000-000000000007'", "'127.0.0.1'", "'::1'", "'a-b'", "'{}'", "'[1]'", "'9' * 40"),
    *(
        "[]",
        "{}",
        "[1]",
        "['a', 'b']",
        "{'a': 1}",
        "{'f0': 1}",
        "(1, 2)",
        "{1, 2}",
        "[[1]]",
        "[None]",
        "[{}]",
        "b'abc'",
    ),
    *("decimal.Decimal('1.10')", "decimal.Decimal('NaN')", "decimal.Decimal('1E+3')", "decimal.Decimal('-0')"),
    *("datetime.date(2020, 1, 2)", "datetime.datetime(2020, 1, 2, 3, 4, 5, 6)", "datetime.time(20, 15)"),
    *("datetime.datetime(2020, 7, 2, 3, 4, 5, tzinfo=UTC)", "datetime.timedelta(1, 5, 7)", "uuid.UUID(int=7)"),
    *(
        "datetime.datetime(2020, 3, 29, 2, 30)",
        "datetime.datetime(1, 1, 1, tzinfo=UTC)",
        "datetime.time(1, tzinfo=UTC)",
    ),
    *(
        "Number.ONE",
        "Colour.RED",
        "Text('abc')",
        "Whole(3)",
        "gettext_lazy('Yes')",
        "Odd()",
        "LoudText('abc')",
        "empty",
    ),
    *("object", "limit", "len", "Thing()", "OtherThing(f0=1)", "LoudDict(f0=1)", "collections.OrderedDict(f0=1)"),
    *("SimpleLazyObject(lambda: 'abc')", "SimpleUploadedFile('a.txt', b'x')", "1j", "range(3)", "bytearray(b'x')"),
)


def anything(r: random.Random) -> str:
    """The text of a value of any type."""
    if r.random() < 0.1:
        return f"[{', '.join(anything(r) for _ in range(r.randrange(4)))}]"
    if r.random() < 0.1:
        return (
            "{" + ", ".join(f"{r.choice(['f0', 'f1', 'a', 'b'])!r}: {anything(r)}" for _ in range(r.randrange(3))) + "}"
        )
    return r.choice(ANY)


def at_times_wrong(r: random.Random, text: str, share: float) -> str:
    """The text, or that of another value."""
    return anything(r) if r.random() < share else text


_QUERIES = (
    *(".all()", ".order_by('pk')", ".order_by('-pk')[:3]", ".filter(pk__lt=3)", ".none()", ".filter(pk__in=[2, 4])"),
    *(
        ".select_related('seller')",
        ".select_related('seller', 'category__parent', 'replaces')",
        ".select_related('detail')",
    ),
    *(".prefetch_related('tags')", ".prefetch_related('tags', 'reviews', 'seller')", ".only('title', 'seller')"),
    *(".defer('price', 'data')", ".prefetch_related(Prefetch('tags', queryset=Tag.objects.filter(pk=1)))"),
    *(
        ".prefetch_related(Prefetch('reviews', to_attr='some'))",
        ".annotate(double=F('stock') * 2)",
        ".select_related()",
    ),
    *(".prefetch_related('seller__items', 'replaced_by')", ".select_related('replaced_by__seller', 'special')"),
)


def rows_of(r: random.Random, model: str) -> str:
    """The text of a query, for the rows of a model."""
    if model not in ("Item", "Shown"):
        return f"{model}.objects{r.choice(['.all()', '.order_by(chr(112) + chr(107))', '.filter(pk__isnull=True)'])}"
    text = f"{model}.objects{r.choice(_QUERIES)}"
    if r.random() < 0.3 and "[" not in text:
        text += r.choice(_QUERIES[:2] + _QUERIES[6:])
    return text.replace(".order_by('-pk')[:3].order_by('-pk')[:3]", ".order_by('-pk')[:3]")


DATA_OF_MODELS: dict[str, Make] = {
    "title": of("'new'", "'题0'", "' t '", "''", "'x' * 13"),
    "summary": of("''", "'long'", "None"),
    "price": of("'1.50'", "1", "2.5", "'12345.67'", "decimal.Decimal('1.1')", "'1.234'"),
    "rating": of("1.5", "None", "'2'", "1"),
    "stock": of("1", "'2'", "-1", "40000"),
    "big": of("1", "2**62", "2**64"),
    "created_at": of("'2020-01-02T03:04:05Z'", "'2020-07-02T03:04'", "'2020-01-02'", "datetime.datetime(2020, 1, 2)"),
    "day": of("'2020-01-02'", "None", "'x'", "datetime.date(2020, 1, 2)"),
    "at": of("'20:15'", "None", "'20:15:00.5'"),
    "span": of("'1 02:03:04'", "'5'", "5"),
    "ref": of("'00000000-0000-0000-0000-000000000007'", "'7'", "7"),
    "colour": of("'red'", "'blue'", "'odd'", "''"),
    "size": of("1", "'3'", "None", "''"),
    "active": of("True", "'false'", "None"),
    "maybe": of("None", "True", "''"),
    "data": of("{}", "[1, 'é']", "None", "{'a': {'b': 1.5}}"),
    "email": of("'a@b.de'", "''", "'a'"),
    "url": of("'http://a.de/'", "''", "'a'"),
    "ip": of("'127.0.0.1'", "'::1'", "None", "'a'"),
    "points": of("3", "'x'", "None"),
    "seller": of("1", "2", "'3'", "9", "None", "'/seller/1/'", "True"),
    "category": of("'root'", "None", "'leaf'", "'x'", "''"),
    "tags": of("[]", "[1, 2]", "[2, '3']", "[9]", "1", "[1, 1]", "['/tag/1/']"),
    "replaces": of("None", "1", "3"),
    "name": of("'王'", "'new'", "'b'"),
    "city": of("'Köln'", "None", "''"),
    "since": of("'2020-01-02'", "'x'"),
    "slug": of("'root'", "'fresh'", "'no slug!'"),
    "parent": of("None", "'root'"),
    "item": of("1", "2", "7", "'x'"),
    "note": of("'n'", "''", "'x' * 11"),
    "stars": of("1", "'2'", "-1"),
    "text": of("'t0'", "'new'", "''"),
    "extra": of("'e'", "'x' * 9"),
}
"""What a client sends for the fields of the models."""
