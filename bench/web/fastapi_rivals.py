"""The rivals: stock applications, applications with a response class for all routes, and those with ours set up."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from typing import Any, Literal

import orjson
from fastapi import FastAPI
from fastapi.responses import JSONResponse
from pydantic import BaseModel

from bench.web.documents import with_cheap_validator, with_serializer, with_validator
from ssrjson_web.fastapi import SSRJSONResponse, setup


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
_TAKING = (STOCK, SET_UP)  # a response class does not decode requests


@dataclass(frozen=True, kw_only=True)
class Kind:
    """A kind of request: what its route does."""

    title: str
    rivals: Sequence[WebRival] = _TAKING
    endpoint: Literal["empty", "give", "respond", "take"] = "give"
    """It answers without data, returns a value, returns the response class, or takes a body."""
    in_thread: bool = False
    """Whether the endpoint is a `def`."""
    item: Callable[[type[BaseModel]], Any] | None = None
    """Makes the model that the route declares of the document's; None where it declares none."""


def _itself(model: type[BaseModel]) -> Any:
    return model


KINDS: Mapping[str, Kind] = {
    "empty": Kind(title="an empty answer", endpoint="empty"),
    "dict": Kind(title="return a dict or list", rivals=RIVALS),
    "dict-def": Kind(title="return a dict or list from `def`", rivals=RIVALS, in_thread=True),
    "instances": Kind(title="response_model, from instances", rivals=RIVALS, item=_itself),
    "dicts": Kind(title="response_model, from dicts", rivals=RIVALS, item=_itself),
    "objects": Kind(title="response_model, from other objects", rivals=RIVALS, item=_itself),
    "checked": Kind(title="response_model with a validator of a field, from dicts", item=with_cheap_validator),
    "validated": Kind(title="response_model with a validator around it, from dicts", item=with_validator),
    "serialized": Kind(title="response_model with a serializer, from dicts", item=with_serializer),
    "direct": Kind(
        title="return the response class itself", rivals=(STOCK, ORJSON_CLASS, OUR_CLASS), endpoint="respond"
    ),
    "post-any": Kind(title="POST to Any", endpoint="take"),
    "post-models": Kind(title="POST to the model", endpoint="take", item=_itself),
    "post-checked": Kind(
        title="POST to the model with a validator of a field", endpoint="take", item=with_cheap_validator
    ),
}
EMPTY, EMPTY_IN_THREAD = KINDS["empty"], Kind(title="an empty answer from `def`", endpoint="empty", in_thread=True)


def versions() -> dict[str, str]:
    """The versions of the packages under comparison."""
    return {name: version(name) for name in ("ssrjson_web", "fastapi", "starlette", "pydantic", "orjson")}
