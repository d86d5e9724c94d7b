"""Bytes of a `json.JSONEncoder` with a `default` of its own, of which the core does what it knows by exact type."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from typing import Any

from ssrjson_web._core import Encoder, Fragment

__all__ = ["HookedEncoder"]

_SCALARS = (str, int, float, type(None))
_EXACT_SCALARS: frozenset[type] = frozenset((*_SCALARS, bool))


class HookedEncoder:
    """Encodes as stdlib's encoder with that `default` does, for options of the core that say the same of some types.

    The options count for values exactly of such a type, and not for keys. `default` is called for all others, as
    stdlib would call it. Options that lay the text out over lines are not possible, but for a line feed at the end.
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
        """The text, without a line feed at the end. Where the core refuses, what `stock` gives or raises."""
        try:
            return self._encode_str(value)
        except Exception as error:
            if not (isinstance(error, RecursionError) or _is_raised_here(error)):
                raise
        return stock()

    def encode(self, value: Any, stock: Callable[[], object]) -> bytes:
        """The bytes. Where the core refuses, `stock` is called, to raise what it raises.

        What `default` and the value's own code raise passes through.
        """
        try:
            return self._encode_document(value)
        except Exception as error:
            if not (isinstance(error, RecursionError) or _is_raised_here(error)):
                raise
            refusal = error  # stdlib's exception is to have no other as its context
        try:
            stock()
            # it got another value: one that code changed meanwhile, or drew from, of which half is no answer
            raise refusal
        finally:
            del refusal

    def _convert(self, value: Any) -> Any:
        """What stands for a value that is of none of the types that the core knows, in stdlib's order."""
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
        """A dict of a subclass, or with keys that are not exactly str: they are written as stdlib writes them."""
        if not dict.__len__(value):
            return value
        if type(value) is dict and _are_scalars(value) and _are_scalars(value.values()):
            return value  # the core itself writes keys as stdlib does
        pairs = list(value.items())
        if self._sorts_keys:
            pairs.sort()  # before anything in it is converted: keys that cannot be sorted are the first error
        if type(value) is not dict:
            plain = dict(pairs) if all(map(_is_plain_pair, pairs)) else {}
            if len(plain) == len(pairs):
                return Fragment(self._encode(plain))
        written = _Pairs({"": None})
        written.pairs = [self._convert_pair(pair) for pair in pairs]
        return written

    def _convert_pair(self, pair: Any) -> Any:
        if type(pair) is not tuple or len(pair) != 2:
            return pair  # which is an error
        key, value = pair
        if not issubclass(type(key), _SCALARS):
            raise TypeError(f"keys must be str, int, float, bool or None, not {type(key).__name__}")
        if issubclass(type(key), float) and not (self._takes_nan or math.isfinite(key)):
            raise ValueError("Out of range float values are not JSON compliant")  # before the value's own error
        return key, Fragment(self._encode(value))


class _Pairs(dict[Any, Any]):
    """A dict that is written by its `items`, which may repeat a key; it holds something, as stdlib asks first."""

    pairs: list[Any]

    def items(self) -> Any:
        return self.pairs


def _are_scalars(values: Iterable[Any]) -> bool:
    return _EXACT_SCALARS.issuperset(map(type, values))


def _is_plain_pair(pair: Any) -> bool:
    return type(pair) is tuple and len(pair) == 2 and type(pair[0]) is str


def _is_raised_here(error: BaseException) -> bool:
    """Whether it is the core that raised, called by this module, and no hook below it."""
    traceback = error.__traceback__
    while traceback is not None and traceback.tb_next is not None:
        traceback = traceback.tb_next
    return traceback is not None and traceback.tb_frame.f_globals is globals()
