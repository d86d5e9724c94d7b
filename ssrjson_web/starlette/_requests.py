"""A request whose JSON the core decodes, with limits."""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator, Iterable
from contextlib import aclosing
from json import JSONDecodeError as StdlibDecodeError
from typing import Any, ClassVar

import starlette.requests
from starlette.exceptions import HTTPException
from starlette.requests import Request

from ssrjson_web._core import JSONDecodeError, JSONDepthError
from ssrjson_web._known.functions import is_own, stands_in_for
from ssrjson_web._shared.body_items import (
    MAX_ITEM_SIZE,
    ItemTooLongError,
    async_items,
    check_max_item_size,
    is_lines_type,
)
from ssrjson_web._shared.stdlib_decoding import decode, decode_parts, decoder_to_depth

__all__ = ["SSRJSONRequest", "copy_decode_error", "refused_body"]

_JSON = "starlette.requests.Request.json"
stands_in_for(_JSON, "json.loads", left="the decoding of bodies")
_requests: Any = starlette.requests
_last: tuple[tuple[Any, ...], bool] = ((None, None, None), False)


def _is_stock() -> bool:
    """Look at what decodes in stock, and remember it."""
    global _last
    found = Request.json, _requests.json, json.loads
    is_stock = _requests.json is json and is_own(Request.json, _JSON) and is_own(json.loads, "json.loads")
    _last = found, is_stock
    return is_stock


class SSRJSONRequest(Request):
    """A `Request` with the same JSON values and the same exceptions, decoded by the core.

    Limits are attributes of the class. `limited` makes a class with other limits. Assign
    `request.__class__ = SSRJSONRequest` to turn a stock request into one, at any time.
    """

    max_body_size: ClassVar[int | None] = None
    """Maximum bytes of a body; `None` is no limit. `stream`, `body`, `json` and `form` raise `HTTPException(413)`.

    They raise it before reading where the content-length is larger, else at the chunk that exceeds the limit."""

    max_depth: ClassVar[int | None] = None
    """Maximum levels of nested JSON. Deeper JSON raises `HTTPException(400)`. `None` is the limit of stock, which
    raises RecursionError."""

    @classmethod
    def limited(cls, *, max_body_size: int | None = None, max_depth: int | None = None) -> type[SSRJSONRequest]:
        """A subclass with these limits; `None` is no limit. Raises ValueError for a size below 0 or a depth below 1."""
        if max_body_size is not None and max_body_size < 0:
            raise ValueError(f"max_body_size must be 0 or more, or None, not {max_body_size}")
        if max_depth is not None:
            decoder_to_depth(max_depth)
        return type(cls.__name__, (cls,), {"max_body_size": max_body_size, "max_depth": max_depth})

    def stream(self) -> AsyncGenerator[bytes, None]:
        """The body in the chunks that the server delivers."""
        return super().stream() if self.max_body_size is None else self._limited_stream(self.max_body_size)

    async def _limited_stream(self, max_body_size: int) -> AsyncGenerator[bytes, None]:
        # set where a body is too long: a second read must not return the rest of it as a whole body
        is_too_long = getattr(self, "_is_too_long", False) or _declared_length(self) > max_body_size
        n_bytes = 0
        async with aclosing(super().stream()) as chunks:
            while not is_too_long:
                try:
                    chunk = await anext(chunks)
                except StopAsyncIteration:
                    return
                n_bytes += len(chunk)
                is_too_long = n_bytes > max_body_size
                if not is_too_long:
                    yield chunk
        self._is_too_long = True
        raise HTTPException(413, f"The request body is longer than {max_body_size} bytes")

    async def json(self, *, only: str | Iterable[str] | None = None) -> Any:
        """The body's JSON value. Raises what `json.loads` of the body raises.

        With `only`, JSON Pointers such as `"/items/*/price"`, it is made of these parts alone, as by `loads(only=)`. It
        is not kept: a later call gives what it asks for.
        """
        try:
            if only is not None:
                return decode_parts(await self.body(), only, self.max_depth)
            (method, module, loads), is_stock = _last
            if Request.json is not method or _requests.json is not module or json.loads is not loads:
                is_stock = _is_stock()
            if not is_stock:
                if self.max_depth is not None and not hasattr(self, "_json"):
                    _check_depth(await self.body(), self.max_depth)
                return await super().json()
            if not hasattr(self, "_json"):
                self._json = decode(await self.body(), self.max_depth)
        except JSONDepthError:
            raise _too_deep(self.max_depth) from None
        return self._json

    async def json_items(
        self, *, lines: bool | None = None, max_item_size: int | None = MAX_ITEM_SIZE
    ) -> AsyncGenerator[Any, None]:
        """The items of the body, which is an array or JSON Lines, one by one while it arrives.

        `lines` says which; None: as the content-type says (`application/jsonl`, `application/x-ndjson` and the like are
        JSON Lines). A chunk of the body is received when the items of the one before were taken, so memory holds one
        chunk, its items, and the first part of the next item.

        Raises what `json` raises, with the position in the whole body, and JSONDecodeError for a body that is no array.
        The error is an HTTPException(400), too, so that a malformed body is answered where the endpoint does not catch
        it. The items of the chunks before the error have been given by then. Raises HTTPException(413) for an item
        longer than `max_item_size` bytes, as far as can be told from the ends of chunks; None is no limit. Raises
        ValueError for a limit below 1, and `ClientDisconnect` where the client leaves.
        """
        check_max_item_size(max_item_size)
        is_lines = is_lines_type(self.headers.get("content-type", "")) if lines is None else lines
        try:
            async with aclosing(self.stream()) as chunks:
                found = async_items(chunks, lines=is_lines, max_item_size=max_item_size, max_depth=self.max_depth)
                async with aclosing(found) as items:
                    async for item in items:
                        yield item
        except JSONDepthError:
            raise _too_deep(self.max_depth) from None
        except ItemTooLongError as error:
            raise HTTPException(413, str(error)) from None
        except ValueError as error:
            raise self._refusal(error) from None

    def _refusal(self, error: ValueError) -> Exception:
        """What `json_items` raises for a malformed body: the error of decoding, with an answer."""
        detail = f"The JSON of the request is malformed: {error}"
        return MalformedBody(error, detail) if isinstance(error, StdlibDecodeError) else refused_body(error, detail)


class MalformedBody(JSONDecodeError, HTTPException):
    """The JSONDecodeError of a body that arrived in chunks. Starlette answers it with 400."""

    def __init__(self, error: StdlibDecodeError, detail: str) -> None:
        HTTPException.__init__(self, 400, detail)
        copy_decode_error(error, self)

    __str__ = JSONDecodeError.__str__

    def __reduce__(self) -> Any:
        return JSONDecodeError, (self.msg, self.doc, self.pos)


class MisencodedBody(UnicodeDecodeError, HTTPException):
    """The UnicodeDecodeError of a body that arrived in chunks. Starlette answers it with 400."""

    def __init__(self, error: UnicodeDecodeError, detail: str) -> None:
        HTTPException.__init__(self, 400, detail)
        UnicodeDecodeError.__init__(self, *error.args)

    __str__ = UnicodeDecodeError.__str__


class RefusedBody(ValueError, HTTPException):
    """Another ValueError of a body that arrived in chunks, as for a number with too many digits: 400, too."""

    def __init__(self, error: ValueError, detail: str) -> None:
        HTTPException.__init__(self, 400, detail)
        self.args = error.args

    __str__ = ValueError.__str__

    def __reduce__(self) -> Any:
        return ValueError, self.args


def refused_body(error: ValueError, detail: str) -> MisencodedBody | RefusedBody:
    """The error of a body that was refused for another reason than its syntax, with an answer of status 400."""
    return MisencodedBody(error, detail) if isinstance(error, UnicodeDecodeError) else RefusedBody(error, detail)


def copy_decode_error(error: StdlibDecodeError, into: StdlibDecodeError) -> None:
    """Give an error the text and the position of another."""
    into.msg, into.doc, into.pos = error.msg, error.doc, error.pos
    into.lineno, into.colno, into.args = error.lineno, error.colno, error.args


def _check_depth(body: bytes, max_depth: int) -> None:
    """Raise JSONDepthError for a body that is nested deeper. What else is wrong, another decoder says."""
    try:
        decoder_to_depth(max_depth).decode(body)
    except JSONDepthError:
        raise
    except ValueError:
        pass


def _too_deep(max_depth: int | None) -> HTTPException:
    return HTTPException(400, f"The JSON of the request is nested deeper than {max_depth} levels")


def _declared_length(request: Request) -> int:
    """The content-length, or 0 where it is missing or no number. A number with too many digits is truncated."""
    length = request.headers.get("content-length", "").lstrip("0")
    return int(length[:18]) if length.isascii() and length.isdigit() else 0
