"""Sanic's JSON by the core: the two functions of `Sanic("name", dumps=dumps, loads=loads)`.

Sanic keeps both for all applications of the process. Importing this module imports no Sanic.
"""

from __future__ import annotations

from typing import Any

from ssrjson_web._core import Encoder, dumps_to_bytes
from ssrjson_web._shared.stdlib_decoding import decode

__all__ = ["dumps", "loads"]

_encode = Encoder(ensure_ascii=True).encode


def dumps(obj: Any, **options: Any) -> bytes:
    """The JSON of a value: compact ASCII, as Sanic writes it.

    The options, which `sanic.response.json` passes on, are those of `ssrjson_web.dumps_to_bytes`.
    """
    return (
        dumps_to_bytes(obj, **{"ensure_ascii": True, "escape_surrogates": True, **options}) if options else _encode(obj)
    )


def loads(body: bytes | str) -> Any:
    """What `json.loads` gives, or raises; Sanic answers each error with a 400."""
    return decode(body)
