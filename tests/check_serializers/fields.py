"""Texts of random fields: a stock class with options, or a class of a user derived from it."""

# ruff: noqa: E501 - the text of a program's part stays on its line

from __future__ import annotations

import inspect
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from rest_framework import serializers

from check_serializers.values import Make, anything, at_times_wrong, of

__all__ = ["FieldText", "random_field"]


@dataclass(kw_only=True)
class Kind:
    """A class of fields: what it reads and loads, and texts of its own options."""

    cls: str
    reads: Make
    loads: Make
    options: Sequence[str] = ()
    needs: Sequence[str] = ()
    """Options of which one is always given."""
    validators: Sequence[str] = ()


@dataclass(kw_only=True)
class FieldText:
    """The text of a field in a class, and what makes the texts of its values."""

    name: str
    text: str
    reads: Make
    loads: Make
    key: str = ""
    """The attribute that it reads, the name without `source`."""
    methods: list[str] = field(default_factory=list)
    """Methods of the serializer that belong to it."""


_TEXTS = of("'abc'", "'题'", "''", "' a '", "'x' * 12", "Text('abc')", "Colour.RED")
_TEXT_OPTIONS = ("max_length=5", "min_length=2", "allow_blank=True", "trim_whitespace=False", "max_length=limit")
_NUMBERS = of("0", "1", "-1", "3", "2**40", "Whole(2)", "Number.ONE")
_BOUNDS = ("max_value=3", "min_value=0", "max_value=limit")
_MOMENTS = of(
    "datetime.datetime(2020, 1, 2, 3, 4, 5, 6)",
    "datetime.datetime(2020, 7, 2, 3, 4, tzinfo=UTC)",
    "datetime.datetime(2020, 7, 2, 3, 4, tzinfo=zone('Asia/Kolkata'))",
    "datetime.datetime(2020, 3, 29, 2, 30)",
    "datetime.datetime(2020, 10, 25, 2, 30)",
    "datetime.datetime(1, 1, 1, tzinfo=UTC)",
    "'2020-01-02'",
)
_MOMENT_TEXTS = of(
    "'2020-01-02T03:04:05Z'",
    "'2020-07-02T03:04:05.678+05:30'",
    "'2020-01-02T03:04'",
    "'2020-03-29T02:30:00'",
    "'2020-01-02'",
)
_CHOICES = (
    *(
        "choices=['red', 'blue']",
        "choices=[('red', 'Rot'), (1, 'eins')]",
        "choices=Colour.choices",
        "choices=[1, 2, '1']",
    ),
    *(
        "choices=[('g', [('red', 'Rot')]), ('b', 'B')]",
        "choices={'red': 'Rot'}",
        "choices=[(None, 'none'), ('red', 'r')]",
    ),
    *("choices=[True, 'red']", "choices=[1.0, 'red']"),
)
_CHOSEN = of("'red'", "'blue'", "1", "'1'", "''", "None", "Colour.RED", "True", "1.0", "[]")
_SELLERS = of("Seller(pk=1, name='a')", "Seller(name='x')", "Seller.objects.get(pk=2)")
_LOUD = ("validators=[Checks('abc')]", "validators=[Checks(1, 'context')]", "validators=[refuses]", "validators=[]")
_COMMON = (
    *(
        "read_only=True",
        "write_only=True",
        "required=False",
        "allow_null=True",
        "default='d'",
        "default=None",
        "default=[]",
    ),
    *("default=Default(3)", "default=Default(5, True)", "default=serializers.CreateOnlyDefault('c')", "required=True"),
    *("default=Default(SkipField())", "help_text='é'", "label='L'", "initial=5", "style={'a': 1}", "default=dict"),
    *("default=serializers.CurrentUserDefault()", "allow_null=True, default=None", "allow_null=True, required=False"),
)
_DURATION_FORMATS = (  # since REST framework 3.17
    ("format='iso-8601'", "format='django'", "format=None")
    if "format" in inspect.signature(serializers.DurationField).parameters
    else ()
)
_SOURCES = (
    "source='g0'",
    "source='a.b'",
    "source='a.c'",
    "source='method'",
    "source='shown'",
    "source='a.method'",
    "source='*'",
)

KINDS: Sequence[Kind] = (
    Kind(cls="CharField", reads=_TEXTS, loads=_TEXTS, options=_TEXT_OPTIONS),
    Kind(cls="CharField", reads=_TEXTS, loads=of("'abc'", "'题'", "'x'"), options=_TEXT_OPTIONS[:2]),
    Kind(
        cls="BooleanField", reads=of("True", "False", "1", "'yes'", "None", "'true'", "[]"), loads=of("True", "False", "'true'", "0", "'off'")
    ),
    Kind(cls="IntegerField", reads=_NUMBERS, loads=_NUMBERS, options=_BOUNDS),
    Kind(cls="IntegerField", reads=of("1", "'2'", "2.0", "2.5"), loads=of("1", "'2'", "2.0", "'2.0'", "' 2 '", "True"), options=_BOUNDS),
    *(
        [Kind(cls="BigIntegerField", reads=of("2**70", "1"), loads=of("2**70", "1", "'5'"), options=("coerce_to_string=True",))]
        if hasattr(serializers, "BigIntegerField")
        else []
    ),
    Kind(cls="FloatField", reads=of("1.5", "1", "'1.5'", "float('nan')"), loads=of("1.5", "1", "'1.5'", "float('inf')"), options=_BOUNDS),
    Kind(
        cls="DecimalField",
        reads=of("decimal.Decimal('1.10')", "decimal.Decimal('1E+2')", "decimal.Decimal('NaN')", "1", "1.5", "'2.345'", "None"),
        loads=of("'1.10'", "1", "1.5", "decimal.Decimal('2.3')", "'1e2'", "' 1 '", "'-0.0'", "'12345'", "'NaN'"),
        options=(
            *("max_value=3", "min_value=decimal.Decimal('0.5')", "coerce_to_string=False", "localize=True"),
            *("normalize_output=True", "rounding=decimal.ROUND_UP", "coerce_to_string=True"),
        ),
        needs=("max_digits=4, decimal_places=2", "max_digits=None, decimal_places=None", "max_digits=30, decimal_places=3"),
    ),
    Kind(
        cls="DateTimeField",
        reads=_MOMENTS,
        loads=_MOMENT_TEXTS,
        options=(
            *("format=None", "format='%d.%m.%Y %H'", "format='iso-8601'", "input_formats=['%Y', 'iso-8601']", "default_timezone=None"),
            *("default_timezone=zone('Asia/Kolkata')", "input_formats=['%d.%m.%Y']"),
        ),
    ),
    Kind(
        cls="DateField",
        reads=of("datetime.date(2020, 1, 2)", "datetime.date(20, 1, 2)", "'2020-01-02'", "datetime.datetime(2020, 1, 2)"),
        loads=of("'2020-01-02'", "'2.1.2020'", "datetime.date(2020, 1, 2)", "'2020-13-01'", "'2020-1-2'"),
        options=("format=None", "format='%d.%m.%y'", "input_formats=['%d.%m.%Y']", "format='iso-8601'"),
    ),
    Kind(
        cls="TimeField",
        reads=of("datetime.time(20, 15)", "datetime.time(1, 2, 3, 4)", "datetime.time(1, tzinfo=UTC)", "'20:15'"),
        loads=of("'20:15'", "'20:15:16.5'", "datetime.time(1)", "'25:00'", "'20:15Z'"),
        options=("format=None", "format='%H'", "input_formats=['%H']"),
    ),
    Kind(
        cls="DurationField",
        reads=of("datetime.timedelta(1, 2, 3)", "datetime.timedelta(-1)", "datetime.timedelta()"),
        loads=of("'1 02:03:04'", "'P1DT2H'", "5", "datetime.timedelta(1)", "'x'"),
        options=("max_value=datetime.timedelta(2)", "min_value=datetime.timedelta(0)", *_DURATION_FORMATS),
    ),
    Kind(
        cls="UUIDField",
        reads=of("uuid.UUID(int=7)", "uuid.UUID(int=2**127)", "'7'"),
        loads=of("'00000000-0000-0000-0000-000000000007'", "'00000000000000000000000000000007'", "7", "uuid.UUID(int=1)", "'7'"),
        options=("format='hex'", "format='int'", "format='urn'", "format='hex_verbose'"),
    ),
    Kind(cls="IPAddressField", reads=of("'127.0.0.1'", "'::1'", "None"), loads=of("'127.0.0.1'", "'::1'", "'::ffff:1.2.3.4'", "'x'"), options=("protocol='ipv4'", "protocol='IPv6'")),
    Kind(cls="EmailField", reads=of("'a@b.de'"), loads=of("'a@b.de'", "' a@b.de '", "'a'"), options=_TEXT_OPTIONS),
    Kind(cls="URLField", reads=of("'http://a.de/'"), loads=of("'http://a.de/'", "'a'"), options=_TEXT_OPTIONS),
    Kind(cls="SlugField", reads=of("'a-b'"), loads=of("'a-b'", "'a b'", "'é'"), options=(*_TEXT_OPTIONS, "allow_unicode=True")),
    Kind(cls="RegexField", reads=of("'ab'"), loads=of("'ab'", "'AB'"), needs=("regex='^[a-z]+$'", "regex=re.compile('[A-Z]')"), options=_TEXT_OPTIONS),
    Kind(cls="ChoiceField", reads=_CHOSEN, loads=_CHOSEN, needs=_CHOICES, options=("allow_blank=True", "html_cutoff=1")),
    Kind(
        cls="MultipleChoiceField",
        reads=of("['red']", "{1}", "['red', 'blue', 1]", "[]", "'ab'"),
        loads=of("['red']", "[1]", "{'red', 'blue'}", "[]", "'red'", "[[]]"),
        needs=_CHOICES[:4],
        options=("allow_empty=False",),
    ),
    Kind(cls="JSONField", reads=of("{'a': [1, None]}", "[1.5]", "'{}'", "None"), loads=of("{'a': [1]}", "[1.5]", "'{'", "{1}", "{1: 2}", "float('nan')", "b'{}'"), options=("binary=True", "encoder=None")),
    Kind(cls="ReadOnlyField", reads=anything, loads=anything),
    Kind(cls="HiddenField", reads=anything, loads=anything, needs=("default=3", "default=Default(3)", "default=Default([], True)")),
    Kind(cls="FileField", reads=of("None", "''", "tables.Item(paper='a/b').paper", "SimpleUploadedFile('a', b'x')"), loads=of("SimpleUploadedFile('a.txt', b'x')", "''", "SimpleUploadedFile('a', b'')"), options=("use_url=False", "max_length=3", "allow_empty_file=True")),
    Kind(cls="ModelField", reads=of("1", "None"), loads=of("1", "'2'", "'x'"), needs=("model_field=Item._meta.get_field('points')", "model_field=Item._meta.get_field('title')")),
    Kind(cls="PrimaryKeyRelatedField", reads=_SELLERS, loads=of("1", "'2'", "9", "'x'", "True"), needs=("queryset=Seller.objects.all()", "queryset=Seller.objects", "read_only=True"), options=("pk_field=serializers.CharField()", "pk_field=serializers.IntegerField(max_value=1)")),
    Kind(cls="SlugRelatedField", reads=_SELLERS, loads=of("'王'", "'b'", "'x'", "1", "[]"), needs=("slug_field='name', queryset=Seller.objects.all()", "slug_field='name', read_only=True", "slug_field='shout', read_only=True", "slug_field='city__x', read_only=True")),
    Kind(cls="StringRelatedField", reads=_SELLERS, loads=anything),
    Kind(cls="HyperlinkedRelatedField", reads=_SELLERS, loads=of("'/seller/1/'", "'http://testserver/seller/1/'", "'/x/'"), needs=("view_name='seller-detail', queryset=Seller.objects.all()", "view_name='seller-detail', read_only=True", "view_name='none', read_only=True", "view_name='seller-named', lookup_field='name', read_only=True")),
    Kind(cls="HyperlinkedIdentityField", reads=_SELLERS, loads=anything, needs=("view_name='seller-detail'", "view_name='seller-detail', lookup_field='f0', lookup_url_kwarg='pk'")),
    Kind(cls="PrimaryKeyRelatedField", reads=of("[Seller(pk=1)]", "Seller.objects.all()", "Seller.objects", "[]", "[Seller(pk=1), Seller(pk=2)]"), loads=of("[1, 2]", "[]", "['x']", "1", "[9]"), needs=("many=True, queryset=Seller.objects.all()", "many=True, read_only=True", "many=True, allow_empty=False, queryset=Seller.objects.all()")),
    Kind(cls="SlugRelatedField", reads=of("Seller.objects.all()", "[]"), loads=of("['王']", "['x']"), needs=("many=True, slug_field='name', queryset=Seller.objects.all()", "many=True, slug_field='name', read_only=True")),
)  # fmt: skip


def _several(r: random.Random, make: Make) -> str:
    return f"[{', '.join(make(r) for _ in range(r.randrange(4)))}]"


def _keyed(r: random.Random, make: Make) -> str:
    return (
        "{"
        + ", ".join(f"{key}: {make(r)}" for key in r.sample(["'a'", "'b'", "1", "'é'", "None"], r.randrange(3)))
        + "}"
    )


def _compound(r: random.Random, derive: Callable[[random.Random, str], str]) -> Kind:
    inner = r.choice(KINDS)
    while "many=True" in str(inner.needs) or inner.cls in ("HiddenField", "ReadOnlyField", "StringRelatedField"):
        inner = r.choice(KINDS)
    child = _made(r, inner, derive, is_child=True)
    which = r.randrange(3)
    if which == 0:
        return Kind(
            cls="ListField",
            reads=lambda r: _several(r, inner.reads),
            loads=lambda r: _several(r, inner.loads),
            needs=(f"child={child}", f"child={child}", "child=serializers.ListField(child=serializers.IntegerField())"),
            options=("min_length=1", "max_length=2", "allow_empty=False"),
        )
    if which == 1:
        return Kind(
            cls="DictField",
            reads=lambda r: _keyed(r, inner.reads),
            loads=lambda r: _keyed(r, inner.loads),
            needs=(f"child={child}",),
            options=("allow_empty=False",),
        )
    return r.choice(
        [
            Kind(
                cls="ListField",
                reads=of("[1, 'a']", "(1,)", "[]", "'ab'", "{1}"),
                loads=of("[1]", "[]", "(1,)", "'ab'", "{'a': 1}"),
            ),
            Kind(cls="DictField", reads=of("{'a': 1}", "{}"), loads=of("{'a': 1}", "{}", "[]", "{1: [2]}")),
            Kind(
                cls="HStoreField",
                reads=of("{'a': 'b', 'c': None}"),
                loads=of("{'a': 'b'}", "{'a': 1, 'c': None}", "{'a': []}"),
            ),
        ]
    )


def _made(r: random.Random, kind: Kind, derive: Callable[[random.Random, str], str], *, is_child: bool = False) -> str:
    """The text that makes a field."""
    options = [r.choice(kind.needs)] if kind.needs else []
    options += [each for each in kind.options if r.random() < 0.2]
    if r.random() < 0.12:
        options.append(r.choice(_LOUD))
    if not is_child and r.random() < 0.45 and kind.cls not in ("HiddenField", "ReadOnlyField", "StringRelatedField"):
        options.append(r.choice(_COMMON))
    if r.random() < 0.04:
        options.append("error_messages={'required': 'must be', 'invalid': gettext_lazy('Yes')}")
    known: dict[str, str] = {}
    for name, _, value in (each.partition("=") for option in options for each in _split(option)):
        known.setdefault(name.strip(), value)
    if known.get("read_only") == "True" or "default" in known:
        for name in ("required", *(("queryset", "write_only", "allow_empty") if "read_only" in known else ())):
            known.pop(name, None)
    if "read_only" in known and kind.cls == "PrimaryKeyRelatedField" and r.random() < 0.9:
        known.pop("default", None)
    cls = derive(r, kind.cls) if r.random() < 0.12 else f"serializers.{kind.cls}"
    return f"{cls}({', '.join(f'{name}={value}' for name, value in known.items())})"


def _split(option: str) -> list[str]:
    """Options at the top of a text that names some."""
    found, depth, start = [], 0, 0
    for at, char in enumerate(option):
        depth += char in "([{"
        depth -= char in ")]}"
        if char == "," and depth == 0:
            found.append(option[start:at])
            start = at + 1
    return [*found, option[start:]]


def random_field(r: random.Random, name: str, derive: Callable[[random.Random, str], str]) -> FieldText:
    """A field; `derive` gives the name of a class of a user that is derived from a stock one."""
    if r.random() < 0.07:
        method = r.choice([f"get_{name}", "of_all"])
        option = "" if method.startswith("get_") else f"'{method}'"
        body = r.choice(
            ["obj.f0", "1", "self.context.get('a')", "[self.parent is None]", "obj['f0']", "self.instance is obj"]
        )
        return FieldText(
            name=name,
            text=f"serializers.SerializerMethodField({option})",
            reads=anything,
            loads=anything,
            key=name,
            methods=[f"def {method}(self, obj):\n    note('{method}', obj)\n    return {body}"],
        )
    kind = _compound(r, derive) if r.random() < 0.12 else r.choice(KINDS)
    text = _made(r, kind, derive)
    key = name
    if r.random() < 0.12 and "HiddenField" not in text and "Identity" not in text:
        source = r.choice(_SOURCES)
        text = text[:-1] + (", " if text[-2] != "(" else "") + source + ")"
        key = source.partition("'")[2].rstrip("'")
    return FieldText(
        name=name,
        text=text,
        reads=lambda r: at_times_wrong(r, kind.reads(r), 0.06),
        loads=lambda r: at_times_wrong(r, kind.loads(r), 0.08),
        key=key,
    )
