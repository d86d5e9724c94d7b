"""Bytes of a `json.JSONEncoder` whose `default` is overridden. The core writes the types that it knows exactly."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from typing import Any

from ssrjson_web._core import Encoder, Fragment

__all__ = ["HookedEncoder"]

_SCALARS = (str, int, float, type(None))
_EXACT_SCALARS: frozenset[type] = frozenset((*_SCALARS, bool))


class HookedEncoder:
    """Encodes as stdlib's encoder with that `default` does.

    `options` are options of the core that give the text of `default` for some types. They hold for values of exactly
    these types, and not for keys. `default` is called for all other values, as stdlib calls it. Options that break
    lines are not supported, except for a line feed at the end.
    """

    def __init__(self, default: Callable[[Any], Any], *, append_newline: bool = False, **options: Any) -> None:
        self._default = default
        self._takes_nan = options.get("allow_nan", True) or options.get("nan_as_null", False)
        self._sorts_keys = bool(options.get("sort_keys"))
        encoder = Encoder(default=self._convert, exact_types=True, **options)
        self._encode = encoder.encode
        self._encode_str = encoder.encode_str
        self._encode_document = (
            Encoder(default=self._convert, exact_types=True, append_newline=True, **options).encode
            if append_newline
            else encoder.encode
        )

    def encode_str(self, value: Any, stock: Callable[[], str]) -> str:
        """The text, without a line feed at the end. Where the core refuses, `stock` is called for the text or error."""
        try:
            return self._encode_str(value)
        except Exception as error:
            if not (isinstance(error, RecursionError) or _is_raised_here(error)):
                raise
        return stock()

    def encode(self, value: Any, stock: Callable[[], object]) -> bytes:
        """The bytes. Where the core refuses, `stock` is called, which raises the stock error.

        Exceptions of `default` and of the value's own code pass through.
        """
        try:
            return self._encode_document(value)
        except Exception as error:
            if not (isinstance(error, RecursionError) or _is_raised_here(error)):
                raise
            refusal = error  # outside of the except block, so that stdlib's exception has no context
        try:
            stock()
            # Stock accepts the value: it has changed since, or an iterator in it is used up. Its text would be wrong.
            raise refusal
        finally:
            del refusal

    def _convert(self, value: Any) -> Any:
        """The replacement of a value whose exact type the core does not know. Types are tested in stdlib's order."""
        cls = type(value)
        if issubclass(cls, _SCALARS):
            return value
        if issubclass(cls, (list, tuple)):
            return Fragment(self._encode(list(value)))
        if issubclass(cls, dict):
            return self._convert_dict(value)
        converted = self._default(value)
        return converted if type(converted) in _EXACT_SCALARS else Fragment(self._encode(converted))

    def _convert_dict(self, value: dict[Any, Any]) -> Any:
        """The replacement of a dict of a subclass, or with keys that are not exactly str, written as stdlib does."""
        if not dict.__len__(value):
            return value
        if type(value) is dict and _are_scalars(value) and _are_scalars(value.values()):
            return value  # the core writes these keys as stdlib does
        pairs = list(value.items())
        if self._sorts_keys:
            pairs.sort()  # before values are converted: in stdlib the error of sorting comes first
        if type(value) is not dict:
            plain = dict(pairs) if all(map(_is_plain_pair, pairs)) else {}
            if len(plain) == len(pairs):
                return Fragment(self._encode(plain))
        written = _Pairs({"": None})
        written.pairs = [self._convert_pair(pair) for pair in pairs]
        return written

    def _convert_pair(self, pair: Any) -> Any:
        if type(pair) is not tuple or len(pair) != 2:
            return pair  # the core raises an error
        key, value = pair
        if not issubclass(type(key), _SCALARS):
            raise TypeError(f"keys must be str, int, float, bool or None, not {type(key).__name__}")
        if issubclass(type(key), float) and not (self._takes_nan or math.isfinite(key)):
            raise ValueError("Out of range float values are not JSON compliant")  # before an error of the value
        return key, Fragment(self._encode(value))


class _Pairs(dict[Any, Any]):
    """A dict that is written by its `items`, which may repeat a key. It is never empty, which stdlib tests first."""

    pairs: list[Any]

    def items(self) -> Any:
        return self.pairs


def _are_scalars(values: Iterable[Any]) -> bool:
    return _EXACT_SCALARS.issuperset(map(type, values))


def _is_plain_pair(pair: Any) -> bool:
    return type(pair) is tuple and len(pair) == 2 and type(pair[0]) is str


def _is_raised_here(error: BaseException) -> bool:
    """Whether the core raised the error, called by this module, and not a hook that the core called."""
    traceback = error.__traceback__
    while traceback is not None and traceback.tb_next is not None:
        traceback = traceback.tb_next
    return traceback is not None and traceback.tb_frame.f_globals is globals()
