"""Imports the core with the messages of the newest Python, for which a trailing comma is found by a walk backwards."""

from __future__ import annotations

import json
from typing import Any

MESSAGES = {"[1,]": ("Illegal trailing comma before end of array", 2)}

_loads = json.loads


def _loads_as_newest(text: Any, **options: Any) -> Any:
    if not options and text in MESSAGES:
        message, position = MESSAGES[text]
        raise json.JSONDecodeError(message, text, position)
    return _loads(text, **options)


def import_core() -> None:
    json.loads = _loads_as_newest
    try:
        from ssrjson_web import _core  # noqa: F401
    finally:
        json.loads = _loads
