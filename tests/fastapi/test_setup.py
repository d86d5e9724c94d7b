"""setup(app): its arguments, when and how often it may be called, and what it does not change."""

import inspect
import sys
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("fastapi", reason="FastAPI is not installed")

from fastapi import APIRouter, FastAPI, HTTPException
from fastapi.exceptions import RequestValidationError
from fastapi.routing import APIRoute
from helpers.fastapi_twins import JSON, Call, answer
from helpers.processes import run_python
from pydantic import BaseModel

from ssrjson_web.fastapi import SSRJSONRequest, SSRJSONRoute, setup


class Tag(BaseModel):
    name: str


def build() -> FastAPI:
    app = FastAPI()

    @app.post("/")
    async def endpoint(tag: Tag) -> Tag:
        return tag

    return app


def api_routes(app: FastAPI) -> list[Any]:
    return [route for route in app.routes if isinstance(route, APIRoute)]


def test_second_setup_replaces_the_first_one_for_routes_with_and_without_a_response_model() -> None:
    app = build()
    app.get("/value", response_model=None)(lambda: {"name": "a"})
    for max_depth in (9, 5):
        setup(app, max_depth=max_depth)
        assert [type(route).request_class.max_depth for route in api_routes(app)] == [max_depth] * 2


@pytest.mark.parametrize("app", [None, object(), APIRouter(), FastAPI, "app"])
def test_setup_of_what_is_no_application_is_a_type_error(app: Any) -> None:
    with pytest.raises(TypeError, match=r"^setup takes a FastAPI application, not "):
        setup(app)


@pytest.mark.parametrize("name", ["response_models", "requests", "errors", "openapi"])
@pytest.mark.parametrize("value", [None, 1, "yes"])
def test_setup_with_a_switch_that_is_no_bool_is_a_type_error(name: str, value: Any) -> None:
    with pytest.raises(TypeError, match=rf"^{name} must be True or False, not {value!r}$"):
        setup(build(), **{name: value})


@pytest.mark.parametrize(("name", "least"), [("max_body_size", 0), ("max_depth", 1)])
def test_setup_with_a_wrong_limit_is_an_error_that_names_it(name: str, least: int) -> None:
    for value in (1.5, "1", True):
        with pytest.raises(TypeError, match=rf"^{name} must be an int or None, not {value!r}$"):
            setup(build(), **{name: value})
    with pytest.raises(ValueError, match=rf"^{name} must be {least} or more, not {least - 1}$"):
        setup(build(), **{name: least - 1})
    setup(build(), **{name: least})


def test_setup_with_limits_but_without_requests_is_a_value_error() -> None:
    with pytest.raises(ValueError, match="need requests=True"):
        setup(build(), requests=False, max_depth=3)


def test_setup_takes_its_options_by_keyword_only() -> None:
    with pytest.raises(TypeError):
        setup(build(), True)  # type: ignore[misc]


def test_setup_with_wrong_arguments_changes_nothing() -> None:
    app = build()
    before = (
        type(app.router),
        app.router.route_class,
        [type(route) for route in app.routes],
        dict(app.exception_handlers),
    )
    with pytest.raises(ValueError, match="max_depth"):
        setup(app, max_depth=0)
    after = (
        type(app.router),
        app.router.route_class,
        [type(route) for route in app.routes],
        dict(app.exception_handlers),
    )
    assert after == before


def test_setup_twice_does_what_once_does() -> None:
    app = build()
    setup(app)
    routes, apps = list(app.routes), [route.app for route in api_routes(app)]
    handlers = dict(app.exception_handlers)
    setup(app)
    assert list(app.routes) == routes
    assert [route.app for route in api_routes(app)] == apps
    assert app.exception_handlers == handlers
    assert answer(app, Call("POST", "/", b'{"name":"a"}', JSON)).body == b'{"name":"a"}'


def test_setup_again_with_other_limits_takes_the_last_ones() -> None:
    app = build()
    setup(app, max_body_size=10)
    call = Call("POST", "/", b'{"name":"abcdefg"}', JSON)
    assert answer(app, call).status == 413
    setup(app, max_body_size=100)
    assert answer(app, call).status == 200
    setup(app)
    assert answer(app, call).status == 200


def test_setup_of_an_application_that_has_started_says_so_for_errors() -> None:
    app = build()
    answer(app, "/")
    with pytest.raises(RuntimeError, match="before the application starts"):
        setup(app)
    setup(app, errors=False)
    assert all(isinstance(route, SSRJSONRoute) for route in api_routes(app))


def test_setup_of_one_application_leaves_others() -> None:
    one, other = build(), build()
    setup(one)
    assert type(other.router) is APIRouter
    assert [type(route) for route in api_routes(other)] == [APIRoute]
    assert FastAPI().router.route_class is APIRoute
    assert SSRJSONRequest.max_body_size is SSRJSONRoute.request_class.max_body_size  # type: ignore[union-attr]


def test_setup_switches_only_what_it_is_told_to() -> None:
    app = build()
    handlers, endpoints = dict(app.exception_handlers), [getattr(route, "endpoint", None) for route in app.routes]
    setup(app, errors=False, openapi=False, requests=False)
    assert app.exception_handlers == handlers
    assert [getattr(route, "endpoint", None) for route in app.routes] == endpoints
    assert api_routes(app)[0].request_class is None
    assert api_routes(app)[0].encodes_response_models is True


def test_setup_keeps_handlers_that_the_application_has_of_its_own() -> None:
    app = build()

    async def own(request: Any, error: Any) -> Any: ...

    app.add_exception_handler(RequestValidationError, own)
    setup(app)
    assert app.exception_handlers[RequestValidationError] is own
    assert any(handler.__module__ == "ssrjson_web.fastapi._errors" for handler in app.exception_handlers.values())


def test_setup_before_handlers_are_added_leaves_them_the_last_word() -> None:
    app = build()
    setup(app)

    @app.exception_handler(HTTPException)
    async def own(request: Any, error: HTTPException):
        from fastapi.responses import PlainTextResponse

        return PlainTextResponse("eigen", error.status_code)

    @app.get("/refuse")
    async def refuse():
        raise HTTPException(404)

    assert answer(app, "/refuse").body == b"eigen"


def test_adapter_without_fastapi_is_an_import_error_that_names_the_extra(tmp_path: Path) -> None:
    for missing in ("fastapi", "pydantic"):
        snippet = f"""
            import sys
            sys.modules["{missing}"] = None
            import ssrjson_web
            import ssrjson_web.fastapi
        """
        done = run_python(snippet, tmp_path)
        assert done.returncode == 1
        last_line = done.stderr.strip().splitlines()[-1]
        assert last_line.startswith("ImportError: "), done.stderr
        assert "ssrjson_web[fastapi]" in last_line


def test_module_says_what_is_public() -> None:
    module = sys.modules["ssrjson_web.fastapi"]
    assert module.__all__ == [
        "ORJSONResponse",
        "RouteReport",
        "SSRJSONRequest",
        "SSRJSONResponse",
        "SSRJSONRoute",
        "route_report",
        "setup",
    ]
    assert next(iter(inspect.signature(setup).parameters)) == "app"


IMPORTED = """
import sys
from fastapi import FastAPI
from pydantic import BaseModel
from fastapi.responses import JSONResponse
from ssrjson_web.fastapi import setup

app = FastAPI()
setup(app)
app.get("/plain")(lambda: JSONResponse({"a": 1}))
print("ssrjson_web._models.adapter" in sys.modules)

class Item(BaseModel):
    a: int

def items() -> Item: ...

app.get("/items")(items)
print("ssrjson_web._models.adapter" in sys.modules)
"""


def test_what_describes_models_is_imported_for_the_first_route_that_has_one(tmp_path: Path) -> None:
    done = run_python(IMPORTED, tmp_path)
    assert (done.returncode, done.stdout) == (0, "False\nTrue\n"), done
