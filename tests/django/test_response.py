"""`SSRJSONResponse` compared with `JsonResponse`."""

from __future__ import annotations

import datetime
import decimal
import json
import math
from typing import Any

import pytest
from django.core.exceptions import ImproperlyConfigured
from django.core.serializers.json import DjangoJSONEncoder as StockEncoder
from django.http import JsonResponse
from django.test import override_settings
from helpers.call_outcome import assert_same, outcome
from helpers.django_values import LAYOUTS, VALUES

from ssrjson_web import Encoder, Fragment, JSONEncodeError, scan_utf8_cache
from ssrjson_web.django import (
    DjangoJSONEncoder,
    SSRJSONEventResponse,
    SSRJSONLinesResponse,
    SSRJSONResponse,
    SSRJSONStreamingResponse,
)

STOCK_MODE = {"ASCII": True, "COMPACT": False}
COMPACT = (",", ":")


def sent(cls: type[JsonResponse], *args: Any, **kwargs: Any) -> tuple[bytes, dict[str, str], int]:
    response = cls(*args, **kwargs)
    return response.content, dict(response.headers), response.status_code


@pytest.mark.parametrize("name", VALUES)
def test_response_in_stock_mode_is_that_of_stock(name: str) -> None:
    make = VALUES[name]
    with override_settings(SSRJSON=STOCK_MODE):
        for params in (None, *LAYOUTS):
            for encoder in (StockEncoder, DjangoJSONEncoder, json.JSONEncoder, None):
                if encoder not in (StockEncoder, DjangoJSONEncoder) and name == "lazy object of a text":
                    continue  # ssrjson_web.json has another text for that error
                if name == "lone surrogate" and params is not None and not params.get("ensure_ascii", True):
                    continue  # stock fails
                assert_same(
                    outcome(sent, SSRJSONResponse, make(), encoder, safe=False, json_dumps_params=params),
                    outcome(sent, JsonResponse, make(), encoder, safe=False, json_dumps_params=params),
                    (name, params, encoder),
                )


@pytest.mark.parametrize("name", VALUES)
def test_response_from_the_start_is_compact_utf8(name: str) -> None:
    make = VALUES[name]

    def expected() -> bytes:
        stock = json.dumps(make(), cls=StockEncoder, separators=COMPACT)  # the errors are those of stock in any mode
        try:
            return json.dumps(make(), cls=StockEncoder, separators=COMPACT, ensure_ascii=False).encode()
        except UnicodeEncodeError:
            return stock.encode()

    got, wanted = outcome(lambda: SSRJSONResponse(make(), safe=False).content), outcome(expected)
    if wanted[0] == "TypeError":  # from Python 3.15 on one text names the function of stdlib that refuses a key
        wanted = (wanted[0], str(wanted[1]).replace("encode_basestring_ascii()", "encode_basestring()"))
    assert_same(got, wanted, name)


def test_response_by_params_alone_gives_the_bytes_of_stock() -> None:
    for name, make in VALUES.items():
        params = {"ensure_ascii": True, "separators": (", ", ": ")}
        assert_same(
            outcome(sent, SSRJSONResponse, make(), safe=False, json_dumps_params=params),
            outcome(sent, JsonResponse, make(), safe=False),
            name,
        )


def test_response_with_ensure_ascii_false_escapes_the_lone_surrogate_that_stock_fails_on() -> None:
    params = {"ensure_ascii": False}
    with pytest.raises(UnicodeEncodeError):
        JsonResponse({"a": "é\ud800"}, json_dumps_params=params)
    assert SSRJSONResponse({"a": "é\ud800"}, json_dumps_params=params).content == '{"a":"é\\ud800"}'.encode()


@pytest.mark.parametrize(
    "kwargs",
    [
        {"status": 201, "headers": {"X-A": "b"}},
        {"content_type": "application/problem+json"},
        {"content_type": "application/json; charset=latin-1"},
        {"content_type": 'application/json; charset="UTF-8"'},
        {"charset": "utf-16"},
        {"charset": "gb18030", "json_dumps_params": {"ensure_ascii": False}},
        {"charset": "latin-1", "json_dumps_params": {"ensure_ascii": False}},
        {"charset": "no such charset"},
        {"headers": {"Content-Type": "text/plain"}},
        {"status": "none"},
        {"status": 1000},
        {"reason": "Fine", "unknown": 1},
        {"content": b"a"},
    ],
    ids=str,
)
def test_response_takes_the_other_arguments_as_stock(kwargs: dict[str, Any]) -> None:
    data = {"名": "值", "at": datetime.datetime(2024, 1, 1, tzinfo=datetime.timezone.utc)}
    with override_settings(SSRJSON=STOCK_MODE):
        assert_same(outcome(sent, SSRJSONResponse, data, **kwargs), outcome(sent, JsonResponse, data, **kwargs), kwargs)


@pytest.mark.parametrize("charset", ["latin-1", "gb18030", "utf-16"])
def test_response_in_another_charset_is_ascii_text_in_it(charset: str) -> None:
    data = {"名": "值", "a": [1]}
    for response in (
        SSRJSONResponse(data, charset=charset),
        SSRJSONResponse(data, content_type=f"application/json; charset={charset}"),
    ):
        assert response.content == json.dumps(data, separators=COMPACT).encode(charset)
    with override_settings(DEFAULT_CHARSET=charset):
        assert SSRJSONResponse(data).content == json.dumps(data, separators=COMPACT).encode(charset)
        assert SSRJSONResponse(data, charset="utf8").content == '{"名":"值","a":[1]}'.encode()


def test_response_of_what_is_no_dict_is_the_type_error_of_stock() -> None:
    for data in ([1], "a", None, iter("a")):
        assert_same(outcome(sent, SSRJSONResponse, data), outcome(sent, JsonResponse, data), data)


def test_response_refuses_an_indent_that_equals_an_earlier_one() -> None:
    for indent in (1, 1.0, True, 0, 0.0):
        options = {"json_dumps_params": {"indent": indent, "ensure_ascii": False}}
        got = outcome(lambda options=options: SSRJSONResponse({"a": [1]}, **options).content)
        expected = outcome(lambda options=options: JsonResponse({"a": [1]}, **options).content)
        assert_same(got, expected, indent)


def test_response_content_is_what_the_core_made(monkeypatch: pytest.MonkeyPatch) -> None:
    from ssrjson_web.django import _responses

    content = b'{"made":"by the core"}' * 3
    monkeypatch.setattr(_responses, "rendering_for", lambda *_: lambda data: content)
    assert SSRJSONResponse({})._container[0] is content


def test_response_leaves_no_copy_in_strings() -> None:
    data = {f"键{i}": ["值" * (i + 1), {"日": "é" * (i + 2)}] for i in range(50)}
    SSRJSONResponse(data)
    SSRJSONResponse(data, json_dumps_params={"indent": 1})
    SSRJSONResponse(data, json.JSONEncoder)
    assert scan_utf8_cache(data)["bytes"] == 0


@pytest.mark.parametrize(
    ("nan", "expected"), [("literal", b'{"a":[NaN,Infinity,1.5]}'), ("null", b'{"a":[null,null,1.5]}'), ("error", None)]
)
def test_response_writes_nan_as_the_setting_says(nan: str, expected: bytes | None) -> None:
    data = {"a": [math.nan, math.inf, 1.5]}
    with override_settings(SSRJSON={"NAN": nan}):
        if expected is None:
            with pytest.raises(ValueError, match="Out of range float values are not JSON compliant"):
                SSRJSONResponse(data)
        else:
            assert SSRJSONResponse(data).content == expected
        assert SSRJSONResponse(data, json_dumps_params={"allow_nan": True}).content == b'{"a":[NaN,Infinity,1.5]}'


class Cents(json.JSONEncoder):
    def default(self, o: Any) -> Any:
        return int(o * 100) if isinstance(o, decimal.Decimal) else super().default(o)


class Shouting(StockEncoder):
    def encode(self, o: Any) -> str:
        return super().encode(o).upper()


class OfBytes(StockEncoder):
    def encode(self, o: Any) -> Any:
        return Encoder().encode(o)


def test_response_uses_any_other_encoder_as_stock_does() -> None:
    data = {"价": [decimal.Decimal("1.25")], "a": "é"}
    assert SSRJSONResponse(data, Cents).content == '{"价":[125],"a":"é"}'.encode()
    assert SSRJSONResponse(data, Shouting).content == '{"价":["1.25"],"A":"É"}'.encode()
    assert SSRJSONResponse({"价": 1}, OfBytes).content == '{"价":1}'.encode()
    with override_settings(SSRJSON=STOCK_MODE):
        for encoder in (Cents, Shouting, OfBytes, lambda **options: Cents(**options)):
            for params in ({}, {"indent": 2, "default": str}, {"cls": Cents}, {"unknown": 1}):
                for value in ({"é": 1.5}, {"é": decimal.Decimal(1)}, {1: {2}}):
                    assert_same(
                        outcome(sent, SSRJSONResponse, value, encoder, json_dumps_params=params),
                        outcome(sent, JsonResponse, value, encoder, json_dumps_params=params),
                        (encoder, params, value),
                    )


def test_response_of_another_encoder_escapes_a_lone_surrogate() -> None:
    assert SSRJSONResponse({"a": ["\ud800", "é"]}, Cents).content == b'{"a":["\\ud800","\xc3\xa9"]}'


@pytest.mark.parametrize(
    ("setting", "problem"),
    [
        (
            {"ASCI": True},
            "SSRJSON has no key 'ASCI': its keys are ASCII, COMPACT, NAN, MAX_DEPTH, COMPARE, SERVE, MASK.",
        ),
        ({"ASCII": 1}, "SSRJSON['ASCII'] must be True or False, not 1."),
        ({"COMPACT": "yes"}, "SSRJSON['COMPACT'] must be True or False, not 'yes'."),
        ({"NAN": "zero"}, "SSRJSON['NAN'] must be 'literal', 'null' or 'error', not 'zero'."),
        ({"NAN": []}, "SSRJSON['NAN'] must be 'literal', 'null' or 'error', not []."),
        ({"MAX_DEPTH": 0}, "SSRJSON['MAX_DEPTH'] must be None or an int of 1 or more, not 0."),
        ({"MAX_DEPTH": True}, "SSRJSON['MAX_DEPTH'] must be None or an int of 1 or more, not True."),
        ([], "SSRJSON must be a dict, not []."),
        (None, "SSRJSON must be a dict, not None."),
    ],
)
def test_setting_that_is_wrong_is_improperly_configured_and_an_error_of_the_checks(
    setting: Any, problem: str, settings_checks: Any
) -> None:
    with override_settings(SSRJSON=setting):
        with pytest.raises(ImproperlyConfigured) as raised:
            SSRJSONResponse({})
        assert str(raised.value) == problem
        assert [(message.id, message.msg) for message in settings_checks()] == [("ssrjson_web.E001", problem)]
    assert SSRJSONResponse({}).content == b"{}"
    assert settings_checks() == []


def test_response_takes_fragments_as_they_are() -> None:
    data = {"kept": Fragment(b'{"a": 1}'), "at": datetime.date(2024, 1, 1)}
    assert SSRJSONResponse(data).content == b'{"kept":{"a": 1},"at":"2024-01-01"}'
    assert SSRJSONResponse({1: data}).content == b'{"1":{"kept":{"a": 1},"at":"2024-01-01"}}'


def test_encoder_of_the_core_writes_with_its_own_options_alone() -> None:
    camel = Encoder(natives=True, key_case="camel")
    value = {"order_id": float("nan"), "made_on": datetime.date(2026, 1, 2), "é": "\ud800"}
    text = b'{"orderId":NaN,"madeOn":"2026-01-02","\xc3\xa9":"\\ud800"}'
    with override_settings(SSRJSON={"ASCII": True, "COMPACT": False, "NAN": "null"}):
        assert SSRJSONResponse(value, encoder=camel).content == text
        assert b"".join(SSRJSONStreamingResponse([value], encoder=camel)) == b"[" + text + b"]"
        assert b"".join(SSRJSONLinesResponse([value], encoder=camel)) == text + b"\n"
        assert b"".join(SSRJSONEventResponse([value], encoder=camel)) == b"data: " + text + b"\n\n"
    latin = SSRJSONResponse({"é": 1.0}, encoder=Encoder(canonical=True), charset="latin-1")
    assert latin.content == b'{"\xe9":1}'
    with pytest.raises(TypeError, match="json_dumps_params cannot be combined with an Encoder"):
        SSRJSONResponse({}, encoder=camel, json_dumps_params={"indent": 1})
    with pytest.raises(JSONEncodeError):
        SSRJSONResponse({"a": {1}}, encoder=Encoder())
