"""Decoding for frameworks that call `json.loads`, with its values and errors."""

from __future__ import annotations

import functools
import json
from collections.abc import Iterable
from typing import Any

from ssrjson_web._core import Decoder, JSONDepthError

__all__ = ["USUAL_DEPTH", "as_utf8", "decode", "decode_parts", "decoder_to_depth", "parts_decoder"]

# stdlib raises RecursionError for nesting deeper than Python's stack, and a service may rely on that. The core has no
# such limit, so deeper documents than usual are left to stdlib.
USUAL_DEPTH = 200


@functools.lru_cache(maxsize=64, typed=True)
def decoder_to_depth(max_depth: int) -> Decoder:
    """A decoder that raises JSONDepthError for deeper nesting. Raises ValueError for depths below 1."""
    return Decoder(max_depth=max_depth)


_decode_usual = decoder_to_depth(USUAL_DEPTH).decode


def decode(document: str | bytes, max_depth: int | None = None) -> Any:
    """The value that `json.loads` returns for the document. Raises the exception that it raises.

    With `max_depth`, deeper nesting raises JSONDepthError. Nesting up to `max_depth` is decoded, even where
    `json.loads` raises RecursionError.
    """
    try:
        return _decode_usual(document) if max_depth is None else decoder_to_depth(max_depth).decode(document)
    except JSONDepthError:
        if max_depth is not None:
            raise
    except (TypeError, ValueError):
        pass  # outside of this block, so that stdlib's exception has no context
    return json.loads(document)


def _hashable(only: Any) -> Any:
    """Pointers as a key of a cache; what are none stays as it is, for the core's error."""
    return tuple(only) if isinstance(only, Iterable) and not isinstance(only, (str, bytes)) else only


@functools.lru_cache(maxsize=64, typed=True)
def _parts_decoder(only: str | tuple[str, ...], max_depth: int | None) -> Decoder:
    return Decoder(only=only, max_depth=max_depth)


def parts_decoder(only: str | Iterable[str], max_depth: int | None) -> Decoder:
    """A decoder of parts. Raises TypeError and ValueError for what are no JSON Pointers."""
    return _parts_decoder(_hashable(only), max_depth)


def decode_parts(document: str | bytes, only: str | Iterable[str], max_depth: int | None = None) -> Any:
    """As `decode`, the parts of the value that JSON Pointers name. Raises as `parts_decoder`, too."""
    only = _hashable(only)
    decoder = parts_decoder(only, USUAL_DEPTH if max_depth is None else max_depth)
    try:
        return decoder.decode(document)
    except JSONDepthError:
        if max_depth is not None:
            raise
    except (TypeError, ValueError):
        pass  # outside of this block, so that stdlib's exception has no context
    json.loads(document)  # raises what it raises
    return parts_decoder(only, None).decode(document)


def as_utf8(body: bytes) -> bytes | str:
    """A body whose value is that of its UTF-8 text: the bytes, or a str where the core reads the bytes otherwise.

    Like `json.loads`, the core finds UTF-16 and UTF-32 in bytes by byte order marks and NULs, and accepts encoded
    surrogates (`ED A0 80`). A framework that decodes UTF-8 first does neither. Raises UnicodeDecodeError.
    """
    if b"\xed" in body or body[:1] in (b"\xef", b"\xfe", b"\xff") or b"\0" in body[:4]:
        return body.decode()
    return body
