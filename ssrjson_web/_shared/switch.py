"""The switch of the environment that leaves everything to the frameworks: `SSRJSON_DISABLED=1`."""

from __future__ import annotations

import logging
import os
from collections.abc import Callable
from functools import cache
from typing import TypeVar

__all__ = ["is_switched_off", "leaves_all_to_stock", "left_to_stock"]

_VARIABLE = "SSRJSON_DISABLED"
_LOG = logging.getLogger("ssrjson_web")

Class = TypeVar("Class", bound=type)


@cache
def is_switched_off() -> bool:
    """Whether the environment said so when it was asked for the first time."""
    return os.environ.get(_VARIABLE, "") not in ("", "0")


def leaves_all_to_stock() -> bool:
    """Whether a setup must do nothing. One line in the log tells it, once."""
    if is_switched_off():
        _tell()
    return is_switched_off()


@cache
def _tell() -> None:
    _LOG.info("%s is set: JSON is left to the frameworks, except what only the core can do", _VARIABLE)


def left_to_stock(stock: type, *names: str) -> Callable[[Class], Class]:
    """A decorator: where everything is switched off, a class has the stock class's methods instead of its own."""

    def decorate(cls: Class) -> Class:
        if is_switched_off():
            for name in names:
                setattr(cls, name, getattr(stock, name))
        return cls

    return decorate
