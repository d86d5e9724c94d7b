"""The calls of the peers that the applications use."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, kw_only=True)
class Peer:
    """A JSON library: a function that encodes a value to bytes, and one that decodes.

    Both look the library's function up at each call, so that the middleware can time it.
    """

    dumps: Callable[[Any], bytes]
    loads: Callable[[bytes], Any]


def peer(engine: str) -> Peer | None:
    """The library that replaces the framework's JSON; None for `stock`, and for ours, which has adapters."""
    if engine == "orjson":
        import orjson

        return Peer(dumps=lambda value: orjson.dumps(value), loads=lambda body: orjson.loads(body))
    if engine == "msgspec":
        import msgspec

        return Peer(dumps=lambda value: msgspec.json.encode(value), loads=lambda body: msgspec.json.decode(body))
    return None
