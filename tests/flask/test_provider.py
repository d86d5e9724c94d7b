"""The provider compared with Flask's: the same responses, the same text, the same errors."""

from __future__ import annotations

import decimal
import itertools
import json
from datetime import date, datetime
from typing import Any

import pytest
from helpers.call_outcome import lasting_repr

pytest.importorskip("django", reason="the values to compare by need Django")

from flask import Flask, Response
from flask.json.provider import DefaultJSONProvider
from helpers.call_outcome import assert_same
from helpers.encoder_hook_values import OwnDict, OwnList, error_of, with_surrogates_escaped
from helpers.flask_values import VALUES, Point
from helpers.threads import in_threads
from hypothesis import given
from hypothesis import strategies as st

from ssrjson_web import scan_utf8_cache, utf8_cache_size
from ssrjson_web._shared.surrogates import escape_surrogates
from ssrjson_web.flask import SSRJSONFastProvider, SSRJSONProvider


def providers(**attributes: Any) -> tuple[SSRJSONProvider, DefaultJSONProvider]:
    """Our provider and the stock one, with the same attributes, for one application each."""
    made = []
    for cls in (SSRJSONProvider, DefaultJSONProvider):
        app = KEPT.setdefault(cls, Flask("values"))
        provider = cls(app)
        for name, value in attributes.items():
            setattr(provider, name, value)
        made.append(provider)
    return made[0], made[1]  # type: ignore[return-value]


KEPT: dict[type, Flask] = {}  # providers hold their application weakly


def wire(response: Any) -> tuple[bytes, str, list[tuple[str, str]]]:
    return response.data, response.status, response.headers.to_wsgi_list()


@pytest.mark.parametrize("name", VALUES)
def test_response_is_stocks_by_every_setting(name: str) -> None:
    make = VALUES[name]
    for ensure_ascii, sort_keys, compact in itertools.product((True, False), (True, False), (None, True, False)):
        ours, stock = providers(ensure_ascii=ensure_ascii, sort_keys=sort_keys, compact=compact)
        for wrapped in (make, lambda: {"in": [make()], "é": None, "a": 1}):
            if name == "bad items" and compact is False:
                continue  # stdlib's encoder in Python has other texts for these errors
            expected = error_of(lambda: wire(stock.response(wrapped())))  # noqa: B023
            got = error_of(lambda: wire(ours.response(wrapped())))  # noqa: B023
            if expected[0] is UnicodeEncodeError:  # a lone surrogate, on which stock fails
                assert ("value", got[1][0]) == with_surrogates_escaped(expected)
            else:
                assert_same(got, expected, (name, ensure_ascii, sort_keys))


class Text(str):
    pass


_LEAVES = (
    st.sampled_from([1, 2.5, None, True, 10**20, {1, 2}, date(2020, 1, 2), decimal.Decimal("1.5"), Text("é")])
    | st.text(max_size=5)
    | st.datetimes()
)
_KEYS = st.text(max_size=3) | st.integers(-9, 9) | st.sampled_from([None, 2.5, True, Text("a"), Text("b")])
_DOCUMENTS = st.recursive(
    _LEAVES,
    lambda inner: (
        st.lists(inner, max_size=4).flatmap(lambda items: st.sampled_from([items, tuple(items), OwnList(items)]))
        | st.dictionaries(_KEYS, inner, max_size=4).flatmap(lambda made: st.sampled_from([made, OwnDict(made)]))
    ),
    max_leaves=12,
)


@given(_DOCUMENTS, st.booleans(), st.booleans())
def test_any_document_is_stocks_its_first_error_too(document: Any, ensure_ascii: bool, sort_keys: bool) -> None:
    ours, stock = providers(ensure_ascii=ensure_ascii, sort_keys=sort_keys)
    for call in (lambda p: wire(p.response(document)), lambda p: p.dumps(document)):
        assert_same(error_of(lambda: call(ours)), error_of(lambda: call(stock)), document)  # noqa: B023


ARGUMENTS: list[dict[str, Any]] = [
    {},
    {"separators": (",", ":")},
    {"separators": [" , ", " : "]},
    {"separators": ("é", "\ud800")},
    {"separators": None},
    {"separators": (",", ":"), "sort_keys": False},
    {"sort_keys": 0, "ensure_ascii": 1},
    {"ensure_ascii": False},
    {"ensure_ascii": False, "separators": (",", ":"), "default": None},
    {"indent": 2},
    {"indent": "\t", "separators": (",", ":")},
    {"skipkeys": True, "sort_keys": False},
    {"skipkeys": True},
    {"allow_nan": False},
    {"check_circular": False, "indent": None},
    {"default": lambda o: [type(o).__name__]},
    {"default": lambda o: {"b": 1, "a": type(o).__name__}, "indent": 1},
    {"cls": json.JSONEncoder},
    {"cls": type("Own", (json.JSONEncoder,), {"default": lambda self, o: "own"}), "default": None},
]


@pytest.mark.parametrize("arguments", ARGUMENTS, ids=lasting_repr)
def test_dumps_gives_stocks_text_by_every_argument(arguments: dict[str, Any]) -> None:
    ours, stock = providers()
    for name, make in VALUES.items():
        if not arguments.get("check_circular", True) and "circular" in name:
            continue  # until the stack overflows, as in stdlib
        if name == "bad items" and arguments.get("indent") is not None:
            continue  # stdlib's encoder in Python has other texts for these errors
        expected = error_of(lambda: stock.dumps(make(), **arguments))  # noqa: B023
        if expected[0] == "value" and not arguments.get("ensure_ascii", True):
            expected = ("value", escape_surrogates(expected[1]))
        assert_same(error_of(lambda: ours.dumps(make(), **arguments)), expected, (name, arguments))  # noqa: B023


@pytest.mark.parametrize("arguments", [{"wrong": 1}, {"indent": object()}, {"separators": 5}, {"separators": (1, 2)}])
def test_dumps_of_wrong_arguments_raises_what_stock_raises(arguments: dict[str, Any]) -> None:
    ours, stock = providers()
    for value in (1, [1, {"a": 2}]):
        expected = error_of(lambda: stock.dumps(value, **arguments))  # noqa: B023
        assert_same(error_of(lambda: ours.dumps(value, **arguments)), expected, arguments)  # noqa: B023


def text_of(o: Any) -> Any:
    return [type(o).__name__, {"z": 1, "a": {"b": 1}}]


@pytest.mark.parametrize("name", VALUES)
def test_default_of_ones_own_is_asked_as_stock_asks_it(name: str) -> None:
    for sort_keys in (True, False):
        ours, stock = providers(default=text_of, sort_keys=sort_keys)
        for call in (lambda p: wire(p.response(VALUES[name]())), lambda p: p.dumps(VALUES[name]())):
            assert_same(error_of(lambda: call(ours)), error_of(lambda: call(stock)), name)  # noqa: B023


class Money:
    pass


def test_overridden_default_counts_in_whatever_way_it_is_given() -> None:
    def money(o: Any) -> Any:
        if isinstance(o, Money):
            return "1 €"
        if isinstance(o, date):
            return o.isoformat()
        return DefaultJSONProvider.default(o)

    class Static(SSRJSONProvider):
        default = staticmethod(money)

    class Method(SSRJSONProvider):
        def default(self, o: Any) -> Any:  # type: ignore[override]
            return money(o)

    app = Flask("own")
    assigned = SSRJSONProvider(app)
    assigned.default = money  # type: ignore[method-assign]
    for provider in (Static(app), Method(app), assigned):
        body = provider.response({"m": Money(), "d": datetime(2020, 1, 2), "n": decimal.Decimal("1.0")}).data
        assert body == b'{"d":"2020-01-02T00:00:00","m":"1 \\u20ac","n":"1.0"}\n'
        assert provider.dumps([Money()]) == '["1 \\u20ac"]'
        assert provider.item_encoder()([Money()]) == b'["1 \\u20ac"]'


def test_attribute_that_changes_counts_from_then_on() -> None:
    ours, stock = providers()
    value = {"é": [1, date(2020, 1, 1)], "a": {2: 1, 1: 2}}
    changes: list[tuple[str, Any]] = [
        *(("ensure_ascii", False), ("sort_keys", False), ("compact", False), ("mimetype", "text/x"), ("compact", True)),
        *(("default", text_of), ("ensure_ascii", True), ("default", DefaultJSONProvider.default), ("sort_keys", True)),
    ]
    for name, change in changes:
        for provider in (ours, stock):
            setattr(provider, name, change)
        assert wire(ours.response(value)) == wire(stock.response(value)), name
        assert ours.dumps(value) == stock.dumps(value), name


def test_debug_mode_indents_as_stock_does() -> None:
    ours, stock = providers()
    value = {"b": [1, date(2020, 1, 1)], "a": {}, "é": []}
    for app in KEPT.values():
        app.debug = True
    try:
        assert wire(ours.response(value)) == wire(stock.response(value))
        assert ours.response(value).data.startswith(b'{\n  "a": {},\n')
    finally:
        for app in KEPT.values():
            app.debug = False


def test_overridden_dumps_is_what_a_response_is_made_by() -> None:
    class Own(SSRJSONProvider):
        def dumps(self, obj: Any, **kwargs: Any) -> str:
            return f"<{super().dumps(obj, **kwargs)}>"

    app = Flask("own")
    provider = Own(app)
    assert provider.response({"b": 1, "a": 2}).data == b'<{"a":2,"b":1}>\n'
    assert provider.item_encoder()(["é"]) == b'<["\\u00e9"]>'
    assigned = SSRJSONProvider(app)
    assigned.dumps = lambda obj, **kwargs: "mine"  # type: ignore[method-assign]
    assert assigned.response(1).data == b"mine\n"


def test_arguments_of_response_make_what_stock_makes_of_them() -> None:
    ours, stock = providers()
    calls: list[tuple[tuple[Any, ...], dict[str, Any]]] = [
        *(((), {}), ((1,), {}), ((1, 2), {}), (([1],), {}), ((), {"b": 1, "a": 2}), ((1,), {"a": 1})),
    ]
    for args, kwargs in calls:
        expected = error_of(lambda: wire(stock.response(*args, **kwargs)))  # noqa: B023
        assert error_of(lambda: wire(ours.response(*args, **kwargs))) == expected  # noqa: B023


def test_response_class_gets_bytes() -> None:
    got: list[Any] = []

    class Own(Response):
        def __init__(self, response: Any = None, *args: Any, **kwargs: Any) -> None:
            got.append(response)
            super().__init__(response, *args, **kwargs)

    app = Flask("own")
    app.response_class = Own
    assert SSRJSONProvider(app).response(["é"]).data == b'["\\u00e9"]\n'
    assert got == [b'["\\u00e9"]\n']


def test_values_are_nested_deeper_than_stocks_stack() -> None:
    deep: Any = date(2020, 1, 1)
    for _ in range(100_000):
        deep = [deep]
    ours, _ = providers()
    text = b"[" * 100_000 + b'"Wed, 01 Jan 2020 00:00:00 GMT"' + b"]" * 100_000
    assert ours.response(deep).data == text + b"\n"
    while isinstance(deep, list):  # freed level by level
        (deep,) = deep


@pytest.mark.parametrize("cls", [SSRJSONProvider, SSRJSONFastProvider])
def test_strings_hold_no_copies_afterwards(cls: Any) -> None:
    app = Flask("copies")
    provider = cls(app)
    value = {"".join(["名", "字"]): ["é" * n for n in range(2, 50)], "x": [{"ß" * 3: "中文" * 500}]}
    for call in (provider.response, provider.dumps, provider.item_encoder(), lambda v: provider.dumps(v, indent=2)):
        call(value)
        assert scan_utf8_cache(value)["bytes"] == 0
    decoded = provider.loads(provider.response(value).data)
    assert decoded == value
    assert scan_utf8_cache(decoded)["bytes"] == 0
    assert utf8_cache_size(next(iter(value))) == 0


def test_provider_serves_threads_at_a_time_while_its_default_changes() -> None:
    ours, stock = providers()
    values = [{f"k{n}": [date(2020, 1, 1 + n), {n: "é" * n, 1.5: Point(1.0, n)}]} for n in range(20)]
    expected = []
    for default in (DefaultJSONProvider.default, text_of):
        stock.default = default  # type: ignore[method-assign]
        expected.append([stock.response(value).data for value in values])

    def work(n: int) -> None:
        for turn in range(100):
            ours.default = text_of if turn % 2 else DefaultJSONProvider.default  # type: ignore[method-assign]
            assert ours.response(values[n]).data in (expected[0][n], expected[1][n])

    in_threads(work, range(8))
