"""What builds of CPython differ in."""

from __future__ import annotations

import sys

from ssrjson_web import get_current_features

__all__ = ["CLASSES_ARE_IMMORTAL", "IS_FREE_THREADED"]

IS_FREE_THREADED = bool(get_current_features()["free_threading"])

CLASSES_ARE_IMMORTAL = IS_FREE_THREADED and sys.version_info < (3, 14)
"""CPython 3.13 never frees classes and functions of modules, once it has started a thread without the GIL."""
