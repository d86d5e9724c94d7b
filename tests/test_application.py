"""An object that is no application of the framework: the error says what it is, and what to use for it."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

import pytest

FLASK = "for Flask use ssrjson_web.flask.SSRJSON(app)"
QUART = "for Quart use ssrjson_web.quart.SSRJSON(app)"
FASTAPI = "for FastAPI use ssrjson_web.fastapi.setup(app)"
STARLETTE = "for Starlette use SSRJSONRoute and SSRJSONResponse of ssrjson_web.starlette"
ROUTER = "for one router use APIRouter(route_class=ssrjson_web.fastapi.SSRJSONRoute)"
FALCON = "for Falcon use ssrjson_web.falcon.setup(app)"
BLUEPRINT = "give the application that the blueprint is registered on"

FUNCTIONS: dict[str, tuple[str, str]] = {
    "Flask": ("flask", "SSRJSON"),
    "Quart": ("quart", "SSRJSON"),
    "FastAPI": ("fastapi", "setup"),
    "Falcon": ("falcon", "setup"),
}
GIVEN: dict[str, tuple[str, Callable[[Any], Any], str]] = {
    "a Flask": ("flask", lambda flask: flask.Flask("a"), FLASK),
    "the class Flask": ("flask", lambda flask: flask.Flask, FLASK),
    "a Blueprint": ("flask", lambda flask: flask.Blueprint("a", "a"), BLUEPRINT),
    "a Quart": ("quart", lambda quart: quart.Quart("a"), QUART),
    "the class Quart": ("quart", lambda quart: quart.Quart, QUART),
    "a FastAPI": ("fastapi", lambda fastapi: fastapi.FastAPI(), FASTAPI),
    "the class FastAPI": ("fastapi", lambda fastapi: fastapi.FastAPI, FASTAPI),
    "an Own": ("fastapi", lambda fastapi: type("Own", (fastapi.FastAPI,), {})(), FASTAPI),
    "an APIRouter": ("fastapi", lambda fastapi: fastapi.APIRouter(), ROUTER),
    "a Starlette": ("starlette.applications", lambda module: module.Starlette(), STARLETTE),
    "the class Starlette": ("starlette.applications", lambda module: module.Starlette, STARLETTE),
    "an App": ("falcon", lambda falcon: falcon.App(), FALCON),
    "the class App": ("falcon.asgi", lambda module: module.App, FALCON),
    "an Application": (
        "aiohttp.web",
        lambda web: web.Application(),
        "for aiohttp use json_response of ssrjson_web.aiohttp",
    ),
    "None": ("builtins", lambda _: None, ""),
    "a str": ("builtins", lambda _: "shop:app", ""),
    "a function": ("builtins", lambda _: lambda environ, start_response: [], ""),
}


@pytest.mark.parametrize("given", GIVEN)
@pytest.mark.parametrize("framework", FUNCTIONS)
def test_object_that_is_no_application_is_named_with_what_to_use_for_it(framework: str, given: str) -> None:
    module, name = FUNCTIONS[framework]
    pytest.importorskip(module, reason=f"{framework} is not installed")
    module_of_given, make, advice = GIVEN[given]
    value = make(pytest.importorskip(module_of_given, reason=f"{module_of_given} is not installed"))
    function = getattr(importlib.import_module(f"ssrjson_web.{module}"), name)
    if advice.startswith(f"for {framework} use"):
        if not isinstance(value, type):
            function(value)  # it is right
            return
        advice = f"give the application that {value.__name__}(...) makes"
    call = function().init_app if name == "SSRJSON" else function  # without an application there is to be one later
    with pytest.raises(TypeError) as caught:
        call(value)
    expected = f"{name} takes a {framework} application, not {given}"
    assert str(caught.value) == (f"{expected}: {advice}" if advice else expected)


@pytest.mark.parametrize("framework", ["Flask", "Quart"])
def test_extension_refuses_at_once_or_later(framework: str) -> None:
    module = FUNCTIONS[framework][0]
    pytest.importorskip(module, reason=f"{framework} is not installed")
    extension = importlib.import_module(f"ssrjson_web.{module}").SSRJSON
    for wrong in (5, object, type(extension)):
        with pytest.raises(TypeError, match=f"^SSRJSON takes a {framework} application, not "):
            extension(wrong)
