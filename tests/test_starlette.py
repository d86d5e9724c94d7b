"""SSRJSONResponse against JSONResponse: the same bytes, headers and exceptions, in Starlette and in FastAPI."""

from __future__ import annotations

import asyncio
import enum
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest

pytest.importorskip("starlette", reason="Starlette is not installed")
pytest.importorskip("httpx", reason="httpx is not installed")

import httpx
from child import run_python
from outcome import assert_same, outcome
from starlette.applications import Starlette
from starlette.background import BackgroundTask
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from ssrjson_web import utf8_cache_size
from ssrjson_web.starlette import SSRJSONResponse


class Colour(enum.IntEnum):
    RED = 1


class Point(NamedTuple):
    x: int
    y: str


CYCLE: list[Any] = []
CYCLE.append(CYCLE)

CONTENTS: dict[str, Any] = {
    "none": None,
    "true": True,
    "int": 10**30,
    "float": [0.1, 1e16, 1e-7, -0.0, 5e-324],
    "empty list": [],
    "empty dict": {},
    "empty text": "",
    "ascii": {"name": "Ada", "n": [1, 2, 3]},
    "latin-1": "né à l'été",
    "cyrillic": {"имя": "Иван"},
    "chinese": ["中文", {"文": "中" * 1000}],
    "emoji": "😀 and text",
    "escapes": '"\\\b\f\n\r\t\x00\x1f\x7f\u2028\u2029</script>',
    "odd keys": {1: 1, None: 2, 1.5: 3, False: 4},
    "tuple": (1, (2, 3)),
    "namedtuple": Point(1, "é"),
    "int enum": Colour.RED,
    "nan": math.nan,
    "nan inside": {"a": [1, math.inf]},
    "lone surrogate": ["é", "\ud800"],
    "cycle": CYCLE,
    "set": {1},
    "bytes": b"a",
    "object inside": [{"a": object}],
    "tuple key": {(1, 2): 3},
    "digit limit": 10**5000,
}
ENCODABLE = [name for name in CONTENTS if outcome(JSONResponse, CONTENTS[name])[0] == "value"]


def sent(response: Response, method: str = "GET") -> list[dict[str, Any]]:
    """The ASGI messages that the response sends."""
    messages: list[dict[str, Any]] = []

    async def send(message: Any) -> None:
        messages.append(dict(message))

    async def receive() -> Any:
        return {"type": "http.disconnect"}

    scope = {"type": "http", "method": method, "headers": [], "path": "/"}
    asyncio.run(response(scope, receive, send))
    return messages


def get(app: Any, path: str, method: str = "GET") -> httpx.Response:
    """What a client of the application gets. Errors of the application become 500s."""

    async def request() -> httpx.Response:
        transport = httpx.ASGITransport(app=app, raise_app_exceptions=False)
        async with httpx.AsyncClient(transport=transport, base_url="http://test") as client:
            return await client.request(method, path)

    return asyncio.run(request())


def test_response_table_has_both_kinds() -> None:
    assert 10 < len(ENCODABLE) < len(CONTENTS) - 5


@pytest.mark.parametrize("name", CONTENTS)
def test_response_body_or_error_equals_json_response(name: str) -> None:
    expected = outcome(lambda: JSONResponse(CONTENTS[name]).body)
    assert_same(outcome(lambda: SSRJSONResponse(CONTENTS[name]).body), expected, name)


@pytest.mark.parametrize("name", ENCODABLE)
def test_response_messages_equal_json_response(name: str) -> None:
    assert sent(SSRJSONResponse(CONTENTS[name])) == sent(JSONResponse(CONTENTS[name]))


@pytest.mark.parametrize(
    "arguments",
    [
        {"status_code": 201},
        {"status_code": 204},
        {"status_code": 304},
        {"headers": {"x-a": "b", "Content-Type": "application/problem+json"}},
        {"headers": {"content-length": "3"}},
        {"media_type": "application/vnd.api+json"},
        {"media_type": "text/plain"},
        {"status_code": 422, "headers": {"x-é": "é"}, "media_type": "text/json"},
    ],
    ids=str,
)
def test_response_with_each_argument_equals_json_response(arguments: dict[str, Any]) -> None:
    content = {"é": [1, "中"]}
    ours, theirs = SSRJSONResponse(content, **arguments), JSONResponse(content, **arguments)
    assert ours.raw_headers == theirs.raw_headers
    assert ours.status_code == theirs.status_code
    for method in ("GET", "HEAD"):
        assert sent(ours, method) == sent(theirs, method)


def test_response_keeps_cookies_and_background() -> None:
    done: list[str] = []
    response = SSRJSONResponse({"a": 1}, background=BackgroundTask(done.append, "ran"))
    response.set_cookie("name", "value")
    messages = sent(response)
    assert (b"set-cookie", b"name=value; Path=/; SameSite=lax") in messages[0]["headers"]
    assert done == ["ran"]


def test_response_takes_what_json_response_takes() -> None:
    import inspect

    assert issubclass(SSRJSONResponse, JSONResponse)
    assert SSRJSONResponse.media_type == "application/json"
    assert inspect.signature(SSRJSONResponse.__init__) == inspect.signature(JSONResponse.__init__)


def test_response_leaves_no_utf8_cache_in_its_content() -> None:
    texts = ["".join([char] * 100) for char in "éя中😀"]
    SSRJSONResponse({"rows": texts})
    assert [utf8_cache_size(text) for text in texts] == [0] * 4


def starlette_app(response_class: Callable[[Any], Response]) -> Starlette:
    async def endpoint(request: Request) -> Response:
        return response_class(CONTENTS[request.path_params["name"]])

    return Starlette(routes=[Route("/{name}", endpoint)])


@pytest.mark.parametrize("name", CONTENTS)
def test_starlette_application_answers_as_with_json_response(name: str) -> None:
    ours = get(starlette_app(SSRJSONResponse), f"/{name}")
    theirs = get(starlette_app(JSONResponse), f"/{name}")
    assert (ours.status_code, ours.headers.raw, ours.content) == (
        theirs.status_code,
        theirs.headers.raw,
        theirs.content,
    )
    assert ours.status_code == (200 if name in ENCODABLE else 500)


def fastapi_app(response_class: Any) -> Any:
    fastapi = pytest.importorskip("fastapi", reason="FastAPI is not installed")
    from pydantic import BaseModel

    app = fastapi.FastAPI(default_response_class=response_class)

    class Item(BaseModel):
        name: str
        price: float
        tags: list[str] = []

    # annotations of names inside this function would be texts that FastAPI cannot look up
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


def test_package_imports_no_framework(tmp_path: Path) -> None:
    snippet = """
        import sys
        import ssrjson_web
        frameworks = ("starlette", "fastapi", "django", "flask", "quart", "litestar", "pydantic", "httpx")
        print([name for name in frameworks if name in sys.modules])
    """
    done = run_python(snippet, tmp_path)
    assert done.stdout.strip() == "[]", done


def test_adapter_without_starlette_is_an_import_error_that_names_the_extra(tmp_path: Path) -> None:
    snippet = """
        import sys
        sys.modules["starlette"] = sys.modules["starlette.responses"] = None
        import ssrjson_web
        print(ssrjson_web.dumps(["é"]))
        import ssrjson_web.starlette
    """
    done = run_python(snippet, tmp_path)
    assert done.returncode == 1
    assert done.stdout.strip() == '["é"]'
    last_line = done.stderr.strip().splitlines()[-1]
    assert last_line.startswith("ImportError: "), done.stderr
    assert "ssrjson_web[starlette]" in last_line
