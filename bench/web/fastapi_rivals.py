"""The rivals: stock applications, applications with a response class for all routes, and those with ours set up."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from typing import Any, Literal

import orjson
from fastapi import FastAPI
from fastapi.responses import JSONResponse

from ssrjson_web.fastapi import SSRJSONResponse, setup

Kind = Literal[
    "dict",
    "dict-def",
    "instances",
    "dicts",
    "objects",
    "checked",
    "validated",
    "serialized",
    "direct",
    "post-any",
    "post-models",
    "post-checked",
    "empty",
    "empty-def",
]


class ORJSONResponse(JSONResponse):
    """Replaces FastAPI's class of that name, which warns since 0.131. The options and the work are the same."""

    def render(self, content: Any) -> bytes:
        return orjson.dumps(content, option=orjson.OPT_NON_STR_KEYS | orjson.OPT_SERIALIZE_NUMPY)


@dataclass(frozen=True, kw_only=True)
class WebRival:
    """One way to set an application up."""

    name: str
    is_ours: bool
    response_class: type[JSONResponse]
    is_default_class: bool
    """The class is the application's default; without it FastAPI chooses by itself."""
    setup: Callable[[FastAPI], object] | None = None

    def application(self) -> FastAPI:
        """A new application without routes."""
        app = FastAPI(default_response_class=self.response_class) if self.is_default_class else FastAPI()
        if self.setup is not None:
            self.setup(app)
        return app


STOCK = WebRival(name="stock", is_ours=False, response_class=JSONResponse, is_default_class=False)
ORJSON_CLASS = WebRival(name="ORJSONResponse", is_ours=False, response_class=ORJSONResponse, is_default_class=True)
OUR_CLASS = WebRival(name="SSRJSONResponse", is_ours=True, response_class=SSRJSONResponse, is_default_class=True)


SET_UP = WebRival(name="setup(app)", is_ours=True, response_class=SSRJSONResponse, is_default_class=False, setup=setup)

RIVALS: Sequence[WebRival] = (STOCK, ORJSON_CLASS, OUR_CLASS, SET_UP)
_RETURNING = RIVALS
_TAKING = (STOCK, SET_UP)  # a response class does not decode requests

RIVALS_BY_KIND: Mapping[Kind, Sequence[WebRival]] = {
    "empty": _TAKING,
    "dict": _RETURNING,
    "dict-def": _RETURNING,
    "instances": _RETURNING,
    "dicts": _RETURNING,
    "objects": _RETURNING,
    "checked": _TAKING,
    "validated": _TAKING,
    "serialized": _TAKING,
    "direct": (STOCK, ORJSON_CLASS, OUR_CLASS),
    "post-any": _TAKING,
    "post-models": _TAKING,
    "post-checked": _TAKING,
}
TITLES: Mapping[Kind, str] = {
    "empty": "an empty answer",
    "empty-def": "an empty answer from `def`",
    "dict": "return a dict or list",
    "dict-def": "return a dict or list from `def`",
    "instances": "response_model, from instances",
    "dicts": "response_model, from dicts",
    "objects": "response_model, from other objects",
    "checked": "response_model with a validator of a field, from dicts",
    "validated": "response_model with a validator around it, from dicts",
    "serialized": "response_model with a serializer, from dicts",
    "direct": "return the response class itself",
    "post-any": "POST to Any",
    "post-models": "POST to the model",
    "post-checked": "POST to the model with a validator of a field",
}


def versions() -> dict[str, str]:
    """The versions of the packages under comparison."""
    return {name: version(name) for name in ("ssrjson_web", "fastapi", "starlette", "pydantic", "orjson")}
