"""The JSON engines under comparison, and how the demo's application uses each."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from starlette.responses import Response

__all__ = ["ENGINES", "Engine"]


def _json() -> type[Response]:
    from starlette.responses import JSONResponse

    return JSONResponse


def _orjson() -> type[Response]:
    import orjson
    from starlette.responses import JSONResponse

    class ORJSONResponse(JSONResponse):
        def render(self, content: Any) -> bytes:
            return orjson.dumps(content)

    return ORJSONResponse


def _msgspec() -> type[Response]:
    import msgspec
    from starlette.responses import JSONResponse

    class MsgspecResponse(JSONResponse):
        def render(self, content: Any) -> bytes:
            return msgspec.json.encode(content)

    return MsgspecResponse


def _ssrjson() -> type[Response]:
    from ssrjson_web.starlette import SSRJSONResponse

    return SSRJSONResponse


@dataclass(frozen=True, kw_only=True)
class Engine:
    """A JSON engine: how it turns records into a response."""

    name: str
    module: str
    """The module that must be installed for it."""
    usage: str
    """How the application uses it, in FastAPI's terms."""
    response_class: Callable[[], type[Response]] | None
    """Imports the engine and returns its response class; None for FastAPI's response_model path, which has none."""

    @property
    def is_installed(self) -> bool:
        """Whether its module can be found; it is not imported."""
        return importlib.util.find_spec(self.module) is not None


ENGINES = {
    engine.name: engine
    for engine in (
        Engine(name="json", module="json", usage="return JSONResponse(page)", response_class=_json),
        Engine(name="orjson", module="orjson", usage="a response class over orjson.dumps", response_class=_orjson),
        Engine(
            name="msgspec", module="msgspec", usage="a response class over msgspec.json.encode", response_class=_msgspec
        ),
        Engine(name="pydantic", module="pydantic", usage="response_model=Page, FastAPI's default", response_class=None),
        Engine(name="ssrjson_web", module="ssrjson_web", usage="return SSRJSONResponse(page)", response_class=_ssrjson),
    )
}
