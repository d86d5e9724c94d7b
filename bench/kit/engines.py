"""The other JSON libraries that applications use, and their response classes."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from starlette.responses import JSONResponse

__all__ = ["Peer", "compact_dumps", "peer", "response_class_of"]


@dataclass(frozen=True, kw_only=True)
class Peer:
    """A JSON library: a function that encodes a value to bytes, and one that decodes."""

    dumps: Callable[[Any], bytes]
    loads: Callable[[bytes], Any]


def peer(engine: str) -> Peer | None:
    """The library that replaces a framework's JSON; None for `stock`, and for ours, which has adapters."""
    if engine == "orjson":
        import orjson

        return Peer(dumps=orjson.dumps, loads=orjson.loads)
    if engine == "msgspec":
        import msgspec

        return Peer(dumps=msgspec.json.encode, loads=msgspec.json.decode)
    return None


def compact_dumps(value: Any) -> bytes:
    """What the standard library writes, as Starlette does."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()


def response_class_of(library: Peer) -> type[JSONResponse]:
    """Starlette's class, which calls the library."""
    from starlette.responses import JSONResponse

    dumps = library.dumps

    class PeerResponse(JSONResponse):
        def render(self, content: Any) -> bytes:
            return dumps(content)

    return PeerResponse
