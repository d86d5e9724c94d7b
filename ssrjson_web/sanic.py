"""Sanic's JSON by the core: the two functions of `Sanic("name", dumps=dumps, loads=loads)`.

Sanic keeps both for all applications of the process. Importing this module imports no Sanic.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from ssrjson_web._core import Encoder
from ssrjson_web.stdlib_decoding import decode

__all__ = ["dumps", "loads"]

_encode = Encoder(ensure_ascii=True).encode


@lru_cache(maxsize=64)
def _encoder(**options: Any) -> Encoder:
    return Encoder(**{"ensure_ascii": True, **options})


def dumps(obj: Any, **options: Any) -> bytes:
    """The JSON of a value: compact ASCII, as Sanic writes it.

    The options, which `sanic.response.json` passes on, are those of `ssrjson_web.Encoder`.
    """
    return _encoder(**options).encode(obj) if options else _encode(obj)


def loads(body: bytes | str) -> Any:
    """What `json.loads` gives, or raises; Sanic answers each error with a 400."""
    return decode(body)
