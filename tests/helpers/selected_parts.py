"""What the option `only` leaves of a value: slow and obvious."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

__all__ = ["selected"]


def selected(value: Any, pointers: Iterable[str]) -> Any:
    """The parts of a value that JSON Pointers name, in the shape of the whole."""
    return _parts(value, [_tokens(pointer) for pointer in pointers])


def _tokens(pointer: str) -> list[str]:
    return [one.replace("~1", "/").replace("~0", "~") for one in pointer.split("/")[1:]]


def _parts(value: Any, pointers: list[list[str]]) -> Any:
    if [] in pointers or not isinstance(value, (dict, list)):
        return value
    if isinstance(value, dict):
        entered = {key: [one[1:] for one in pointers if one[0] in (key, "*")] for key in value}
        return {key: _parts(value[key], rest) for key, rest in entered.items() if rest}
    made: list[Any] = []
    for i, item in enumerate(value):
        rest = [one[1:] for one in pointers if one[0] in (str(i), "*")]
        if rest:
            made += [None] * (i - len(made))
            made.append(_parts(item, rest))
    return made
