"""What frameworks read with `json.loads`, read by the core."""

from __future__ import annotations

import functools
import json
from typing import Any

from ssrjson_web._core import Decoder, JSONDepthError

__all__ = ["USUAL_DEPTH", "as_utf8", "decode", "decoder_to_depth"]

# The core could go deeper than Python's stack; stdlib refuses that with a RecursionError, which a service may
# rely on. What is deeper than any usual document is therefore left to stdlib.
USUAL_DEPTH = 200


@functools.lru_cache(maxsize=64)
def decoder_to_depth(max_depth: int) -> Decoder:
    """The decoder that refuses deeper nesting with a JSONDepthError. Raises ValueError for depths below 1."""
    return Decoder(max_depth=max_depth)


_decode_usual = decoder_to_depth(USUAL_DEPTH).decode


def decode(document: str | bytes, max_depth: int | None = None) -> Any:
    """What `json.loads` makes of the document: the same value, or the very exception that it raises.

    With `max_depth`, deeper nesting is a JSONDepthError, and less is decoded even where `json.loads` would not.
    """
    try:
        return _decode_usual(document) if max_depth is None else decoder_to_depth(max_depth).decode(document)
    except JSONDepthError:
        if max_depth is not None:
            raise
    except (TypeError, ValueError):
        pass  # stdlib's exception is to have no other as its context
    return json.loads(document)


def as_utf8(body: bytes) -> bytes | str:
    """The body, as a str where the core would take the bytes for more than UTF-8.

    It finds UTF-16 and UTF-32 by byte order marks and NULs, and takes surrogates (`ED A0 80`), as `json.loads` does
    with bytes; a framework that decodes first does not. Raises UnicodeDecodeError.
    """
    if b"\xed" in body or body[:1] in (b"\xef", b"\xfe", b"\xff") or b"\0" in body[:4]:
        return body.decode()
    return body
