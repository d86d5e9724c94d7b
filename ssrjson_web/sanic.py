"""JSON for Sanic: the two functions of `Sanic("name", dumps=dumps, loads=loads)`.

Sanic uses both for all applications of the process. This module does not import Sanic.
"""

from __future__ import annotations

from typing import Any

from ssrjson_web._core import Encoder, dumps_to_bytes
from ssrjson_web._shared.stdlib_decoding import decode

__all__ = ["dumps", "loads"]

_encode = Encoder(ensure_ascii=True).encode


def dumps(obj: Any, **options: Any) -> bytes:
    """The JSON of a value in compact ASCII, as Sanic writes it.

    The options are those of `ssrjson_web.dumps_to_bytes`. `sanic.response.json` passes them on.
    """
    if not options:
        return _encode(obj)
    is_free = not options.get("canonical")  # canonical JSON is in UTF-8, and has no lone surrogates
    return dumps_to_bytes(obj, **{"ensure_ascii": is_free, "escape_surrogates": is_free, **options})


def loads(body: bytes | str) -> Any:
    """The value of `json.loads`. Raises the errors of `json.loads`, which Sanic answers with status 400."""
    return decode(body)
