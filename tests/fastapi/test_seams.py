"""Functions of FastAPI, Starlette and json that an application has replaced are still used."""

import datetime
import decimal
import functools
import json
from collections.abc import Callable
from typing import Any

import pytest

pytest.importorskip("fastapi", reason="FastAPI is not installed")

from fastapi import FastAPI, HTTPException, encoders, exception_handlers, routing
from fastapi.responses import JSONResponse
from helpers.fastapi_twins import JSON, Call, Counter, answer, assert_same_answers
from pydantic import BaseModel
from starlette import responses

from ssrjson_web.fastapi import setup

MOMENT = datetime.datetime(2026, 11, 21, 1, 2, 3)


class Item(BaseModel):
    name: str = "é"
    at: datetime.datetime = MOMENT


def build() -> FastAPI:
    app = FastAPI()

    @app.get("/value")
    async def value():
        return {"é": [MOMENT, decimal.Decimal("1.50")], "model": Item()}

    @app.get("/thread")
    def in_thread():
        return {"é": MOMENT}

    @app.get("/nan")
    def nan():
        return {"é": float("nan")}

    @app.get("/model")
    async def model() -> Item:
        return Item()

    @app.get("/models", response_model=list[Item], response_class=JSONResponse)
    def models():
        return [Item(), {"name": "中"}]

    @app.get("/refused")
    def refused():
        raise HTTPException(418, {"é": MOMENT})

    @app.post("/item")
    def post(item: Item):
        return item

    return app


CALLS: list[Call | str] = [
    "/value",
    "/thread",
    "/nan",
    "/model",
    "/models",
    "/refused",
    "/openapi.json",
    Call("POST", "/item", b'{"name": "\xc3\xa9", "at": 3}', JSON),
    Call("POST", "/item", b'{"name": 3}', JSON),
]

_jsonable_encoder = encoders.jsonable_encoder
_serialize_response = routing.serialize_response
_run_endpoint_function = routing.run_endpoint_function
_run_sync_endpoint = getattr(routing, "_run_sync_endpoint", None)  # FastAPI >= 0.165
_dumps = json.dumps
_field_class: Any = type(next(route for route in build().routes if route.path == "/model").response_field)
_serialize = _field_class.serialize
_serialize_json = getattr(_field_class, "serialize_json", None)


@functools.wraps(_jsonable_encoder)
def _jsonable_with_z(value: Any, *args: Any, **options: Any) -> Any:
    if isinstance(value, datetime.datetime):
        return value.isoformat() + "Z"
    if isinstance(value, dict):
        return {key: _jsonable_with_z(part) for key, part in value.items()}
    return _jsonable_encoder(value, *args, **options)


def _jsonable_marked(value: Any, *args: Any, **options: Any) -> Any:
    return {"mark": _jsonable_encoder(value, *args, **options)}


@functools.wraps(_serialize_response)
async def _serialize_with_mark(**options: Any) -> Any:
    if isinstance(options["response_content"], dict):
        options["response_content"] = {"mark": "é", **options["response_content"]}
    return await _serialize_response(**options)


async def _run_with_mark(**options: Any) -> Any:
    result = await _run_endpoint_function(**options)
    return {"mark": "é", **result} if isinstance(result, dict) else result


def _run_sync_with_mark(**options: Any) -> Any:
    result = _run_sync_endpoint(**options)
    return {"mark": "é", **result} if isinstance(result, dict) else result


def _render_with_nan(self: JSONResponse, content: Any) -> bytes:
    return _dumps(content, default=str).replace("NaN", "null").encode()


def _dumps_indented(value: Any, **options: Any) -> str:
    return _dumps(value, **{**options, "indent": 1})


class _OtherJSON:
    dumps = staticmethod(_dumps_indented)


def _serialize_marked(self: Any, value: Any, **options: Any) -> Any:
    return {"mark": _serialize(self, value, **options)}


def _serialize_json_marked(self: Any, value: Any, **options: Any) -> bytes:
    return b'{"mark":%b}' % _serialize_json(self, value, **options)


SEAMS: dict[str, tuple[Any, str, Any]] = {
    "the encoder of routes": (routing, "jsonable_encoder", _jsonable_with_z),
    "the encoder": (encoders, "jsonable_encoder", _jsonable_with_z),
    "the encoder of errors": (exception_handlers, "jsonable_encoder", _jsonable_marked),
    "the call of endpoints": (routing, "run_endpoint_function", _run_with_mark),
    "the serialization": (routing, "serialize_response", _serialize_with_mark),
    "the response's render": (responses.JSONResponse, "render", _render_with_nan),
    "the json of responses": (responses, "json", _OtherJSON),
    "dumps": (json, "dumps", _dumps_indented),
    "the default of json": (json.JSONEncoder, "default", lambda self, value: str(value)),
    "the field": (_field_class, "serialize", _serialize_marked),
}
if _run_sync_endpoint is not None:
    SEAMS["the call of plain endpoints"] = (routing, "_run_sync_endpoint", _run_sync_with_mark)
if _serialize_json is not None:
    SEAMS["the field's JSON"] = (_field_class, "serialize_json", _serialize_json_marked)


@pytest.mark.parametrize("is_replaced_first", [True, False])
@pytest.mark.parametrize("name", SEAMS)
def test_seam_replaced_is_respected_as_in_stock(name: str, is_replaced_first: bool) -> None:
    theirs, ours = build(), build()
    before = [] if is_replaced_first else assert_after(lambda: setup(ours), theirs, ours)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(*SEAMS[name])
        during = assert_after(lambda: setup(ours) if is_replaced_first else None, theirs, ours)
    after = assert_after(lambda: None, theirs, ours)
    assert [one.messages for one in during] != [one.messages for one in after], "it changes nothing"
    assert is_replaced_first or [one.messages for one in before] == [one.messages for one in after]


def assert_after(step: Callable[[], None], theirs: FastAPI, ours: FastAPI) -> list[Any]:
    step()
    return assert_same_answers(theirs, ours, CALLS)


def test_seam_that_is_stock_again_is_served_by_the_core(monkeypatch: pytest.MonkeyPatch) -> None:
    counter = Counter(monkeypatch)
    app = build()
    setup(app)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(*SEAMS["the encoder of routes"])
        for path in ("/value", "/model"):
            assert answer(app, path).status == 200
    assert (counter.values, counter.models) == (0, 0)
    for path in ("/value", "/model"):
        assert answer(app, path).status == 200
    assert (counter.values, counter.models) == (1, 1)


class _Observer:
    """A proxy like those of telemetry, that shows the attributes of what it calls."""

    def __init__(self, observed: Callable[..., Any]) -> None:
        self.observed = observed
        self.n_calls = 0

    def __getattr__(self, name: str) -> Any:
        return getattr(self.observed, name)

    def __call__(self, *args: Any, **options: Any) -> Any:
        self.n_calls += 1
        return self.observed(*args, **options)


def test_seam_that_is_observed_is_served_by_the_core(monkeypatch: pytest.MonkeyPatch) -> None:
    counter = Counter(monkeypatch)
    observer = _Observer(_serialize_response)
    monkeypatch.setattr(routing, "serialize_response", observer)
    app = build()
    setup(app)
    assert answer(app, "/value").status == 200
    assert (counter.values, observer.n_calls) == (1, 1)


def test_seam_of_a_package_that_observes_is_served_by_the_core(monkeypatch: pytest.MonkeyPatch) -> None:
    counter = Counter(monkeypatch)
    module: dict[str, Any] = {"__name__": "logfire._internal.integrations.fastapi", "original": _run_endpoint_function}
    exec("async def run(**options):\n    return await original(**options)", module)
    monkeypatch.setattr(routing, "run_endpoint_function", module["run"])
    app = build()
    setup(app)
    assert answer(app, "/value").status == 200
    assert counter.values == 1


def test_encoder_of_a_type_replaced_is_respected_as_in_stock(monkeypatch: pytest.MonkeyPatch) -> None:
    theirs, ours = build(), build()
    setup(ours)
    monkeypatch.setitem(encoders.ENCODERS_BY_TYPE, decimal.Decimal, str)
    monkeypatch.setitem(encoders.ENCODERS_BY_TYPE, datetime.datetime, lambda moment: f"{moment:%Y}é")
    assert "2026é".encode() in assert_same_answers(theirs, ours, CALLS)[0].body
