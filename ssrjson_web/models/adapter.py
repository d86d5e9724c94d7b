"""What a pydantic `TypeAdapter` makes of a validated value, as JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ssrjson_web._core import dumps_to_bytes

if TYPE_CHECKING:
    from pydantic import TypeAdapter

__all__ = ["AdapterEncoder"]


class AdapterEncoder:
    """Encodes values that were validated by an adapter; leaves no UTF-8 copy in their strings.

    `like_dump_json`: the bytes, or the exception, of `adapter.dump_json(value, ...)`; otherwise those of
    `JSONResponse.render(adapter.dump_python(value, mode="json", ...))`.
    """

    def __init__(
        self,
        adapter: TypeAdapter[Any],
        *,
        include: Any = None,
        exclude: Any = None,
        by_alias: bool = True,
        exclude_unset: bool = False,
        exclude_defaults: bool = False,
        exclude_none: bool = False,
        like_dump_json: bool,
    ) -> None:
        self._adapter = adapter
        self._options: dict[str, Any] = {
            "include": include,
            "exclude": exclude,
            "by_alias": by_alias,
            "exclude_unset": exclude_unset,
            "exclude_defaults": exclude_defaults,
            "exclude_none": exclude_none,
        }
        self._like_dump_json = like_dump_json

    def encode(self, value: Any) -> bytes:
        """The value as JSON."""
        if not self._like_dump_json:
            return dumps_to_bytes(self._adapter.dump_python(value, mode="json", **self._options), allow_nan=False)
        try:
            return dumps_to_bytes(self._adapter.dump_python(value, mode="json", **self._options), nan_as_null=True)
        except Exception:
            return self._adapter.dump_json(value, **self._options)
