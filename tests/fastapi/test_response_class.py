"""SSRJSONResponse in FastAPI against JSONResponse: the same status, headers and bodies."""

from __future__ import annotations

import asyncio
import collections
import dataclasses
import datetime
import decimal
import enum
import math
import uuid
from typing import Any

import pytest

pytest.importorskip("starlette", reason="Starlette is not installed")
pytest.importorskip("httpx", reason="httpx is not installed")

import httpx
from helpers.bodies import CONTENTS
from helpers.call_outcome import assert_same
from starlette.responses import JSONResponse

from ssrjson_web.starlette import SSRJSONResponse


def get(app: Any, path: str, method: str = "GET") -> httpx.Response:
    """The response that a client of the application gets. Errors of the application become 500s."""

    async def request() -> httpx.Response:
        transport = httpx.ASGITransport(app=app, raise_app_exceptions=False)
        async with httpx.AsyncClient(transport=transport, base_url="http://test") as client:
            return await client.request(method, path)

    return asyncio.run(request())


def fastapi_app(response_class: Any) -> Any:
    fastapi = pytest.importorskip("fastapi", reason="FastAPI is not installed")
    from pydantic import BaseModel

    app = fastapi.FastAPI(default_response_class=response_class)

    class Item(BaseModel):
        name: str
        price: float
        tags: list[str] = []

    # annotations of names inside this function would be strings that FastAPI cannot resolve
    def item(n: int) -> Any:
        return {"name": "名" * n, "price": 1.5, "tags": ["é", "😀"]}

    def raw(name: str) -> Any:
        return CONTENTS[name]

    def direct(name: str) -> Any:
        return response_class(CONTENTS[name])

    def created() -> Any:
        return {"имя": "é"}

    def failing() -> Any:
        raise fastapi.HTTPException(418, detail={"warum": "große Kanne"}, headers={"x-a": "b"})

    item.__annotations__["n"] = int
    for function in (raw, direct):
        function.__annotations__["name"] = str
    app.get("/item/{n}", response_model=Item)(item)
    app.get("/raw/{name}", response_model=None)(raw)
    app.get("/direct/{name}", response_model=None)(direct)
    app.post("/created", status_code=201, response_model=None)(created)
    app.get("/failing", response_model=None)(failing)
    return app


PATHS = [
    ("GET", "/item/1000"),
    ("GET", "/item/0"),
    ("GET", "/item/not-a-number"),
    ("POST", "/created"),
    ("GET", "/created"),
    ("GET", "/failing"),
    ("GET", "/nowhere"),
    *(("GET", f"/raw/{name}") for name in CONTENTS if name != "cycle"),
    *(("GET", f"/direct/{name}") for name in CONTENTS),
]


def test_fastapi_application_answers_as_with_json_response() -> None:
    ours, theirs = fastapi_app(SSRJSONResponse), fastapi_app(JSONResponse)
    statuses = set()
    for method, path in PATHS:
        got, expected = get(ours, path, method), get(theirs, path, method)
        statuses.add(got.status_code)
        assert_same(got.content, expected.content, (method, path))
        assert (got.status_code, got.headers.raw) == (expected.status_code, expected.headers.raw), (method, path)
    assert statuses == {200, 201, 404, 405, 418, 422, 500}


def test_fastapi_schema_names_the_media_type() -> None:
    schema = get(fastapi_app(SSRJSONResponse), "/openapi.json").json()
    content = schema["paths"]["/item/{n}"]["get"]["responses"]["200"]["content"]
    assert list(content) == ["application/json"]


@dataclasses.dataclass
class Point:
    x: int = 1
    y: Any = None


class Color(enum.Enum):
    RED = "rouge"


MOMENT = datetime.datetime(2026, 1, 2, 3, 4, 5, 6)
OF_ORJSON: list[Any] = [
    MOMENT,
    MOMENT.replace(tzinfo=datetime.timezone(datetime.timedelta(hours=2))),
    [MOMENT.date(), MOMENT.time()],
    Point(y=Point()),
    uuid.UUID(int=5),
    [math.nan, math.inf, 1e16, 1e-7, -0.0],
    {7: 2, None: 3, True: 4, 1.5: 5, uuid.UUID(int=1): 6, MOMENT: 7, Color.RED: 8, math.nan: 9},
    Color.RED,
    collections.OrderedDict(a="é中😀"),
    2**64 - 1,
    # errors
    2**64,
    "\ud800",
    {b"k": 1},
    datetime.timedelta(1),
    decimal.Decimal(1),
    {1, 2},
    object(),
    b"x",
    collections.namedtuple("P", "a")(1),
    type("Text", (str,), {})("subclass"),
]


@pytest.mark.filterwarnings("ignore:ORJSONResponse is deprecated")
def test_orjson_response_is_that_of_fastapi() -> None:
    stock = pytest.importorskip("fastapi.responses", reason="FastAPI is not installed").ORJSONResponse
    pytest.importorskip("orjson", reason="orjson is not installed")
    from ssrjson_web.fastapi import ORJSONResponse

    numpy = pytest.importorskip("numpy", reason="numpy is not installed")
    contents = [*OF_ORJSON, *CONTENTS.values(), numpy.arange(6).reshape(2, 3), numpy.float32(0.1), {numpy.str_("k"): 1}]
    for content in contents:
        assert outcome_of(ORJSONResponse, content) == outcome_of(stock, content), content
    for method, path in PATHS:
        got, expected = (get(fastapi_app(cls), path, method) for cls in (ORJSONResponse, stock))
        assert (got.status_code, got.headers, got.content) == (expected.status_code, expected.headers, expected.content)


def outcome_of(response_class: Any, content: Any) -> Any:
    try:
        response = response_class(content, 201, {"x-a": "b"})
    except Exception as error:
        # orjson raises a class of its own, which derives from TypeError
        return isinstance(error, TypeError), str(error)
    return response.status_code, response.raw_headers, response.body
