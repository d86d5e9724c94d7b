"""The fast provider: UTF-8, keys in their order, types beyond Flask's."""

from __future__ import annotations

import dataclasses
import datetime
import decimal
import enum
import json
import uuid
from typing import Any

import pytest
from flask import Flask
from helpers.call_outcome import lasting_repr

from ssrjson_web.flask import SSRJSONFastProvider

UTC = datetime.timezone.utc
PLAIN = {"b": [1, 2.5, None, True], "a": {"名": "値", 2: "int"}, "": "\u2028<"}


class Colour(enum.Enum):
    RED = "red"


@dataclasses.dataclass
class Point:
    y: int
    x: Any


class Html:
    def __html__(self) -> str:
        return "<b>"


app = Flask("fast")


@pytest.fixture
def provider() -> SSRJSONFastProvider:
    return SSRJSONFastProvider(app)


def test_fast_response_is_compact_utf8_in_the_order_of_keys(provider: SSRJSONFastProvider) -> None:
    response = provider.response(PLAIN)
    assert response.data == json.dumps(PLAIN, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"
    assert response.mimetype == "application/json"
    assert provider.dumps(PLAIN) == json.dumps(PLAIN, ensure_ascii=False)
    assert provider.dumps(PLAIN, indent=1) == json.dumps(PLAIN, ensure_ascii=False, indent=1)
    assert provider.dumps([PLAIN, {}], indent=1, separators=(",", ":")) == json.dumps(
        [PLAIN, {}], ensure_ascii=False, indent=1, separators=(",", ":")
    )
    provider.ensure_ascii = provider.sort_keys = True
    assert provider.response({"b": "é", "a": 1}).data == b'{"a":1,"b":"\\u00e9"}\n'


def test_fast_provider_indents_in_debug_mode(provider: SSRJSONFastProvider) -> None:
    provider.compact = False
    text = b'{\n  "b": "2020-01-01",\n  "a": "\xc3\xa9"\n}\n'
    assert provider.response({"b": datetime.date(2020, 1, 1), "a": "é"}).data == text


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (datetime.datetime(2020, 1, 2, 3, 4, 5, 6), '"2020-01-02T03:04:05.000006"'),
        (datetime.datetime(2020, 1, 2, tzinfo=UTC), '"2020-01-02T00:00:00+00:00"'),
        (datetime.date(2020, 1, 2), '"2020-01-02"'),
        (datetime.time(3, 4), '"03:04:00"'),
        (decimal.Decimal("1.50"), '"1.50"'),
        (uuid.UUID(int=5), '"00000000-0000-0000-0000-000000000005"'),
        (Colour.RED, '"red"'),
        (Point(1, [Point(2, datetime.date(2020, 1, 2))]), '{"y":1,"x":[{"y":2,"x":"2020-01-02"}]}'),
        (Html(), '"<b>"'),
        ({datetime.date(2020, 1, 2): 1}, '{"2020-01-02":1}'),
        (float("nan"), "NaN"),
    ],
    ids=lasting_repr,
)
def test_fast_format(provider: SSRJSONFastProvider, value: Any, text: str) -> None:
    assert provider.response([value]).data == f"[{text}]\n".encode()
    assert provider.item_encoder()(value) == text.encode()
    assert provider.dumps(value, separators=(",", ":")) == text
    assert repr(json.loads(provider.dumps(value, indent=2, skipkeys=False))) == repr(json.loads(text))


@pytest.mark.parametrize("value", [{1, 2}, b"ab", object(), (n for n in (1,)), datetime.timedelta(1)])
def test_fast_provider_refuses_what_flask_refuses(provider: SSRJSONFastProvider, value: Any) -> None:
    for call in (provider.response, provider.dumps, lambda v: provider.dumps(v, indent=1)):
        with pytest.raises(TypeError, match=f"^Object of type {type(value).__name__} is not JSON serializable"):
            call([value])


def test_fast_default_is_asked_about_what_the_core_does_not_know(provider: SSRJSONFastProvider) -> None:
    asked: list[Any] = []

    def default(o: Any) -> Any:
        asked.append(type(o))
        return {"when": datetime.date(2020, 1, 1)}

    provider.default = default  # type: ignore[method-assign]
    value = [object(), decimal.Decimal(1), datetime.date(2020, 1, 2)]
    text = '[{"when": "2020-01-01"}, "1", "2020-01-02"]'
    assert provider.dumps(value) == text
    assert provider.response(value).data == text.replace(" ", "").encode() + b"\n"
    assert asked == [object, object]
    assert provider.dumps([object()], default=repr).startswith('["<object object at')


def test_fast_dumps_with_an_encoder_class_is_stdlibs(provider: SSRJSONFastProvider) -> None:
    class Own(json.JSONEncoder):
        def encode(self, o: Any) -> str:
            return f"<{super().encode(o)}>"

    assert provider.dumps({"b": "é"}, cls=Own) == '<{"b": "é"}>'
    with pytest.raises(TypeError, match="unexpected keyword argument 'wrong'"):
        provider.dumps(1, wrong=2)
