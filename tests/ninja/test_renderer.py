"""The renderer compared with Ninja's: its bytes in the ASCII, spaced layout, the same values in compact UTF-8."""

from __future__ import annotations

import datetime
import decimal
import json
from typing import Any

import pytest
from django.core.exceptions import ImproperlyConfigured
from django.test import override_settings
from helpers.call_outcome import assert_same
from helpers.encoder_hook_values import MAKERS, error_of, with_surrogates_escaped
from helpers.ninja_apis import Book, StockLayout, book
from ninja.renderers import BaseRenderer, JSONRenderer
from ninja.responses import NinjaJSONEncoder
from pydantic import AnyUrl, BaseModel

from ssrjson_web import utf8_cache_size
from ssrjson_web.ninja import SSRJSONRenderer


class Point(BaseModel):
    x: int
    when: datetime.datetime


VALUES = {
    **MAKERS,
    "schema": lambda: Book(**book()),
    "models in containers": lambda: {
        "a": [Point(x=1, when=datetime.datetime(2020, 1, 1, 0, 0, 0, 1))],
        1: Book(**book()),
    },
    "url": lambda: [AnyUrl("https://example.org/é")],
    "decimal sNaN": lambda: decimal.Decimal("sNaN"),
}


def rendered(renderer: BaseRenderer, value: Any) -> bytes:
    text = renderer.render(None, value, response_status=200)
    return text.encode() if isinstance(text, str) else text


@pytest.mark.parametrize("name", VALUES)
def test_stock_layout_gives_stocks_bytes(name: str) -> None:
    make = VALUES[name]
    for wrapped in (make, lambda: {"in": [make()], "é": None}):
        expected = error_of(lambda: rendered(JSONRenderer(), wrapped()))  # noqa: B023
        assert_same(error_of(lambda: rendered(StockLayout(), wrapped())), expected, name)  # noqa: B023


@pytest.mark.parametrize("name", VALUES)
def test_default_layout_gives_stocks_compact_utf8(name: str) -> None:
    compact = JSONRenderer()
    compact.json_dumps_params = {"ensure_ascii": False, "separators": (",", ":")}
    expected = with_surrogates_escaped(error_of(lambda: rendered(compact, VALUES[name]())))
    assert_same(error_of(lambda: rendered(SSRJSONRenderer(), VALUES[name]())), expected, name)


class Tagged(NinjaJSONEncoder):
    def default(self, o: Any) -> Any:
        return {"tag": type(o).__name__}


class Whole(NinjaJSONEncoder):
    def encode(self, o: Any) -> str:
        return f"<{super().encode(o)}>"


@pytest.mark.parametrize(
    "attributes",
    [
        {"encoder_class": Tagged},
        {"encoder_class": Whole},
        {"encoder_class": json.JSONEncoder},
        {"json_dumps_params": {"indent": 2}},
        {"json_dumps_params": {"ensure_ascii": False}},
        {"json_dumps_params": {"sort_keys": True, "skipkeys": True}},
        {"json_dumps_params": {"separators": (" ,", " :")}},
        {"json_dumps_params": {"allow_nan": False}},
        {"json_dumps_params": {"nothing": 1}},
        {"charset": "utf-16"},
        {"charset": "UTF8"},
    ],
    ids=str,
)
def test_attributes_of_the_stock_renderer_keep_their_meaning(attributes: dict[str, Any]) -> None:
    theirs, ours = type("Stock", (JSONRenderer,), attributes)(), type("Ours", (StockLayout,), attributes)()
    for name, make in VALUES.items():
        if "indent" in str(attributes) and name in ("bad items", "lazy text"):
            continue  # stdlib's encoder in Python, which indents, has another text for the error
        expected = with_surrogates_escaped(error_of(lambda: rendered(theirs, make())))  # noqa: B023
        assert_same(error_of(lambda: rendered(ours, make())), expected, name)  # noqa: B023


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({}, '{"é":[1,2]}'),
        ({"ASCII": False, "COMPACT": True}, '{"é":[1,2]}'),
        ({"ASCII": True}, '{"\\u00e9":[1,2]}'),
        ({"COMPACT": False}, '{"é": [1, 2]}'),
        ({"ASCII": True, "COMPACT": False}, '{"\\u00e9": [1, 2]}'),
    ],
)
def test_settings_choose_the_layout(options: dict[str, Any], expected: str) -> None:
    with override_settings(SSRJSON=options):
        assert rendered(SSRJSONRenderer(), {"é": [1, 2]}) == expected.encode()
        assert rendered(StockLayout(), {"é": [1, 2]}) == b'{"\\u00e9": [1, 2]}'


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"ASCII": "no"}, r"SSRJSON\['ASCII'\] must be True or False, not 'no'"),
        ({"COMPACT": None}, r"SSRJSON\['COMPACT'\] must be True or False, not None"),
        (["ASCII"], r"SSRJSON must be a dict, not \['ASCII'\]"),
        ({"OTHER": 1}, r"SSRJSON has no key 'OTHER'"),
    ],
)
def test_wrong_setting_is_improperly_configured(options: Any, message: str) -> None:
    with override_settings(SSRJSON=options), pytest.raises(ImproperlyConfigured, match=message):
        SSRJSONRenderer().render(None, [], response_status=200)


@pytest.mark.parametrize(
    ("nan", "expected"),
    [("literal", b'{"a":[NaN,-Infinity,"NaN"]}'), ("null", b'{"a":[null,null,"NaN"]}'), ("error", None)],
)
def test_settings_choose_what_nan_becomes(nan: str, expected: bytes | None) -> None:
    value = {"a": [float("nan"), -float("inf"), decimal.Decimal("NaN")]}
    with override_settings(SSRJSON={"NAN": nan}):
        if expected is not None:
            assert rendered(SSRJSONRenderer(), value) == expected
            return
        for renderer in (SSRJSONRenderer(), type("Own", (SSRJSONRenderer,), {"encoder_class": Tagged})()):
            with pytest.raises(ValueError, match="Out of range float values are not JSON compliant"):
                rendered(renderer, value)


def test_result_is_bytes_that_leave_no_utf8_copy_in_strings() -> None:
    texts = ["".join(("中文", str(n))) for n in range(20)]
    data = {"rows": [{"title": text} for text in texts]}
    assert type(SSRJSONRenderer().render(None, data, response_status=200)) is bytes
    assert [utf8_cache_size(text) for text in texts] == [0] * 20


def test_default_that_is_replaced_on_the_stock_encoder_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(NinjaJSONEncoder, "default", lambda self, o: "replaced")
    assert rendered(SSRJSONRenderer(), [datetime.date(2020, 1, 1)]) == b'["replaced"]'
