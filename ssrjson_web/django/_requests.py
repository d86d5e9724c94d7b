"""The JSON of a request."""

from __future__ import annotations

import asyncio
import codecs
import functools
from collections.abc import AsyncGenerator, Callable, Generator, Iterable
from typing import Any

from django.core.exceptions import BadRequest, RequestDataTooBig
from django.http import HttpRequest

from ssrjson_web._core import Decoder
from ssrjson_web._shared.body_items import (
    MAX_ITEM_SIZE,
    ItemTooLongError,
    async_items,
    check_max_item_size,
    is_lines_type,
    items,
)
from ssrjson_web._shared.stdlib_decoding import parts_decoder
from ssrjson_web.django._settings import current_settings

__all__ = ["SSRJSONItems", "json_items", "parse_json"]

_CHUNK_SIZE = 65536

# Python's own codecs, which are no charsets of HTTP, and UTF-7, which browsers refuse. Some of them take quadratic
# time, UTF-7 where it comes in chunks.
_NO_CHARSETS = frozenset(
    {"idna", "mbcs", "oem", "punycode", "raw-unicode-escape", "undefined", "unicode-escape", "utf-7"}
)
# json.loads detects these, with or without a byte order mark
_DETECTED = frozenset({"utf-8", "utf-8-sig", "utf-16", "utf-32", "ascii"})


def parse_json(request: HttpRequest, *, only: str | Iterable[str] | None = None) -> Any:
    """The value of a request's JSON body, decoded by the charset of its content-type, as `json.loads` decodes it.

    With `only`, JSON Pointers such as `"/items/*/price"`, it is made of these parts alone, as by `loads(only=)`.

    Raises BadRequest for invalid JSON, an unknown charset, and nesting deeper than `SSRJSON["MAX_DEPTH"]`. Errors of
    reading the body (RequestDataTooBig, UnreadablePostError, RawPostDataException) pass through.
    """
    max_depth = current_settings().max_depth
    decoder = _decoder(max_depth) if only is None else parts_decoder(only, max_depth)
    body = request.body
    charset = (request.content_params or {}).get("charset")
    try:
        document = body if charset is None else _in_charset(body, charset)
        return decoder.decode(document)
    except (LookupError, ValueError, RecursionError) as error:
        raise BadRequest(f"JSON parse error - {error}") from error


@functools.lru_cache(maxsize=16, typed=True)
def _decoder(max_depth: int | None) -> Decoder:
    return Decoder(max_depth=max_depth)


def _codec(charset: str) -> codecs.CodecInfo | None:
    """The codec of a charset; None where the decoder detects the encoding. Raises LookupError."""
    codec = codecs.lookup(charset.strip("\"'"))
    if codec.name in _DETECTED:
        return None
    if codec.name in _NO_CHARSETS:
        raise LookupError(f"unsupported charset: {charset}")
    return codec


def _in_charset(body: bytes, charset: str) -> str | bytes:
    """The text of a body, or bytes whose encoding the decoder detects. Raises LookupError, UnicodeDecodeError."""
    codec = _codec(charset)
    return body if codec is None else body.decode(codec.name)


class SSRJSONItems:
    """The items of a request's body, to be iterated once, by `for` or by `async for`. See `json_items`."""

    def __init__(self, request: HttpRequest, *, lines: bool | None, max_item_size: int | None) -> None:
        self._request = request
        is_lines = is_lines_type(request.content_type or "") if lines is None else lines
        depth = current_settings().max_depth
        self._options: Any = {"lines": is_lines, "max_item_size": max_item_size, "max_depth": depth}

    def __iter__(self) -> Generator[Any, None, None]:
        with _BadRequests():
            yield from items(self._chunks(), **self._options)

    async def __aiter__(self) -> AsyncGenerator[Any, None]:
        with _BadRequests():
            async for item in async_items(self._async_chunks(), **self._options):
                yield item

    def _chunks(self) -> Generator[bytes | str, None, None]:
        decode = _incremental_decoder(self._request)
        while chunk := self._request.read(_CHUNK_SIZE):
            yield decode(chunk, False)
        yield decode(b"", True)

    async def _async_chunks(self) -> AsyncGenerator[bytes | str, None]:
        # what ASGIHandler has received is in memory or in a temporary file: reading does not wait for the client
        for chunk in self._chunks():
            yield chunk
            await asyncio.sleep(0)


def json_items(
    request: HttpRequest, *, lines: bool | None = None, max_item_size: int | None = MAX_ITEM_SIZE
) -> SSRJSONItems:
    """The items of a request's body, an array or JSON Lines, one by one: `for` in a view, `async for` in an async one.

    `lines` says which; None: as the content-type says (`application/jsonl`, `application/x-ndjson` and the like are
    JSON Lines). Memory holds a chunk of 64 KB, its items, and the first part of the next item. Under WSGI a chunk is
    read from the client when the items of the one before were taken. Under ASGI Django has received the whole body, in
    a temporary file where it is large, before it calls the view. DATA_UPLOAD_MAX_MEMORY_SIZE does not count, as the
    body is not read as a whole; `request.body` cannot be read afterwards.

    The iteration raises what `parse_json` raises, with the position in the whole body, and BadRequest for a body that
    is no array. The items of the chunks before the error have been given by then. It raises RequestDataTooBig for an
    item longer than `max_item_size` bytes (characters, with a charset), as far as can be told from the ends of chunks;
    None is no limit; and ValueError for a limit below 1.
    """
    check_max_item_size(max_item_size)
    return SSRJSONItems(request, lines=lines, max_item_size=max_item_size)


class _BadRequests:
    """A context in which errors of a body become Django's."""

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: object, error: BaseException | None, traceback: object) -> None:
        if isinstance(error, ItemTooLongError):
            raise RequestDataTooBig(str(error)) from None
        if isinstance(error, (LookupError, ValueError, RecursionError)):
            raise BadRequest(f"JSON parse error - {error}") from error


def _incremental_decoder(request: HttpRequest) -> Callable[[bytes, bool], bytes | str]:
    """A function of a chunk and whether it is the last: its text, or itself where the decoder detects the encoding."""
    charset = (request.content_params or {}).get("charset")
    codec = None if charset is None else _codec(charset)
    if codec is None or codec.incrementaldecoder is None:
        return lambda chunk, _is_last: chunk
    " ".encode(codec.name)  # refuses what is no encoding of text
    return codec.incrementaldecoder().decode
