"""The entries with other JSON, for comparison: `ARENA_ENGINE` is dict, pydantic, stock or orjson.

An entry runs unchanged, with stand-ins for the modules that it takes JSON and compression from. So no engine is charged
with the memory of another's imports. FastAPI's `dict` and `pydantic` return values to it, which converts the first with
`jsonable_encoder`, and gives the others to pydantic, because their type is declared; `stock` returns a `JSONResponse`.
"""

from __future__ import annotations

import functools
import importlib.util
import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

ENGINE = os.environ["ARENA_ENGINE"]
FOLDER = Path(__file__).parent


def _dumps(value: Any, *, newline: bool = False) -> bytes:
    import orjson

    return orjson.dumps(value, option=orjson.OPT_APPEND_NEWLINE if newline else 0)


def _loads() -> Callable[[Any], Any]:
    if ENGINE != "orjson":
        return json.loads
    import orjson

    return orjson.loads


def _application(entry: str, framework: str, **names: Any) -> Any:
    """The entry's `app`, for which `ssrjson_web` and its module of the framework have these names."""
    for name, members in (("ssrjson_web", {"loads": _loads()}), (f"ssrjson_web.{framework}", names)):
        module = ModuleType(name)
        module.__dict__.update(members)
        sys.modules[name] = module
    spec = importlib.util.spec_from_file_location(f"{framework}_app", FOLDER / entry)
    assert spec is not None
    assert spec.loader is not None
    module = sys.modules[spec.name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.app


def fastapi_app() -> Any:
    """FastAPI's entry; stock has Starlette's compression, at the entry's level."""
    from fastapi.responses import JSONResponse

    class ORJSONAnswer(JSONResponse):
        def render(self, content: Any) -> bytes:
            return _dumps(content)

    answers: dict[str, Any] = {"stock": JSONResponse, "orjson": ORJSONAnswer}
    if ENGINE != "orjson":
        from starlette.middleware.gzip import GZipMiddleware

        compressing = ModuleType("starlette_compress")
        compressing.CompressMiddleware = lambda app, **_: GZipMiddleware(app, minimum_size=1, compresslevel=5)  # type: ignore[attr-defined]
        sys.modules["starlette_compress"] = compressing

    def setup(app: Any) -> None:
        get = app.get

        def getting(path: str, **options: Any) -> Any:
            if options:
                return get(path, **options)
            add = get(path, response_model=Any if ENGINE == "pydantic" else None)
            return (lambda endpoint: add(_answering(endpoint, answers[ENGINE]))) if ENGINE in answers else add

        app.get = getting

    return _application("fastapi-ssrjson/fastapi_app.py", "fastapi", setup=setup)


def _answering(endpoint: Any, response_class: Any) -> Any:
    @functools.wraps(endpoint)
    async def answer(*args: Any, **kwargs: Any) -> Any:
        return response_class(await endpoint(*args, **kwargs))

    return answer


def flask_app() -> Any:
    """Flask's entry."""
    from flask.json.provider import DefaultJSONProvider

    class ORJSONProvider(DefaultJSONProvider):
        """Answers made by orjson, with the keys in the order of the dict."""

        def response(self, *args: Any, **kwargs: Any) -> Any:
            response_class: Any = self._app.response_class
            body = _dumps(self._prepare_response_obj(args, kwargs), newline=True)
            return response_class(body, mimetype=self.mimetype)

    def set_up(app: Any, mode: str) -> None:
        if ENGINE == "orjson":
            app.json = ORJSONProvider(app)

    return _application("flask-ssrjson/flask_app.py", "flask", SSRJSON=set_up)
