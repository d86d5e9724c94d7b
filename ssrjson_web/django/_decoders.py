"""The decoder class for Django's `decoder=` parameters."""

from __future__ import annotations

import json
from typing import Any

import ssrjson_web.json
from ssrjson_web._core import loads
from ssrjson_web._shared.switch import left_to_stock

__all__ = ["JSONDecoder"]

_BYTE_ORDER_MARK = "\ufeff"
# the attributes that stdlib's __init__ sets
_ATTRIBUTES = frozenset(vars(ssrjson_web.json.JSONDecoder()))


@left_to_stock(json.JSONDecoder, "__init__", "decode", "raw_decode")
class JSONDecoder(ssrjson_web.json.JSONDecoder):
    """stdlib's `JSONDecoder` by the core, for `JSONField(decoder=)` and `json.loads(cls=)`.

    Values and exceptions are those of stdlib. One difference: documents may be nested as deep as memory allows.
    """

    __module__ = "ssrjson_web.django"  # migrations record it, and must outlive this file's name

    def __init__(self, **options: Any) -> None:
        # Django makes a decoder for each value of a column, so attributes that are rarely read are made on access.
        if options or type(self) is not JSONDecoder:
            super().__init__(**options)

    def __getattr__(self, name: str) -> Any:
        if name not in _ATTRIBUTES or name in self.__dict__:
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        changed = dict(self.__dict__)
        super().__init__()
        self.__dict__.update(changed)
        return self.__dict__[name]

    def decode(self, s: str, *args: Any) -> Any:
        """The value of JSON text."""
        is_untouched = not self.__dict__ and type(self) is JSONDecoder and not args
        if is_untouched and type(s) is str and s[:1] != _BYTE_ORDER_MARK:
            return loads(s)
        return super().decode(s, *args)
