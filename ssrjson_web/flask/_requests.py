"""Parts of a request's JSON."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from flask import Request, current_app

from ssrjson_web._shared.stdlib_decoding import parts_decoder

__all__ = ["json_parts"]


def json_parts(request: Request, only: str | Iterable[str], *, force: bool = False, silent: bool = False) -> Any:
    """What `request.get_json(force=force, silent=silent)` returns, made of the parts that JSON Pointers name alone.

    `only` is that of `loads(only=)`: `"/user/id"`, `("/user/id", "/items/*/price")`. Errors are those of `get_json`.
    The result is not kept: a later `get_json()` returns all. Raises TypeError and ValueError for what are no JSON
    Pointers.
    """
    decoder = parts_decoder(only, getattr(current_app.json, "max_depth", None))
    if not (force or request.is_json):
        return None if silent else request.on_json_loading_failed(None)
    data = request.get_data(cache=True)
    try:
        return decoder.decode(data)
    except ValueError as error:
        return None if silent else request.on_json_loading_failed(error)
