"""The JSON engines under comparison, and how the demo's application uses each."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from bench.kit.engines import peer, response_class_of

if TYPE_CHECKING:
    from starlette.responses import Response

__all__ = ["ENGINES", "Engine"]


def _class_of(name: str) -> type[Response]:
    """The response class of an engine, which is imported."""
    library = peer(name)
    if library is not None:
        return response_class_of(library)
    if name == "ssrjson_web":
        from ssrjson_web.starlette import SSRJSONResponse

        return SSRJSONResponse
    from starlette.responses import JSONResponse

    return JSONResponse


@dataclass(frozen=True, kw_only=True)
class Engine:
    """A JSON engine: how it turns records into a response."""

    name: str
    usage: str
    """How the application uses it, in FastAPI's terms."""
    response_class: Callable[[], type[Response]] | None
    """Imports the engine and returns its response class; None for FastAPI's response_model path, which has none."""

    @property
    def is_installed(self) -> bool:
        """Whether its module can be found; it is not imported."""
        return importlib.util.find_spec(self.name) is not None


_USAGES = {
    "json": "return JSONResponse(page)",
    "orjson": "a response class over orjson.dumps",
    "msgspec": "a response class over msgspec.json.encode",
    "pydantic": "response_model=Page, FastAPI's default",
    "ssrjson_web": "return SSRJSONResponse(page)",
}
ENGINES = {
    name: Engine(name=name, usage=usage, response_class=None if name == "pydantic" else partial(_class_of, name))
    for name, usage in _USAGES.items()
}
