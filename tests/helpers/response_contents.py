"""What applications may return, and what JSONResponse makes of it: a body or an error.

Lone surrogates, on which it fails and ours does not, are in client_bodies.py.
"""

from __future__ import annotations

import enum
import math
from typing import Any, NamedTuple


class Colour(enum.IntEnum):
    RED = 1


class Point(NamedTuple):
    x: int
    y: str


CYCLE: list[Any] = []
CYCLE.append(CYCLE)

CONTENTS: dict[str, Any] = {
    "none": None,
    "true": True,
    "int": 10**30,
    "float": [0.1, 1e16, 1e-7, -0.0, 5e-324],
    "empty list": [],
    "empty dict": {},
    "empty text": "",
    "ascii": {"name": "Ada", "n": [1, 2, 3]},
    "latin-1": "né à l'été",
    "cyrillic": {"имя": "Иван"},
    "chinese": ["中文", {"文": "中" * 1000}],
    "emoji": "😀 and text",
    "escapes": '"\\\b\f\n\r\t\x00\x1f\x7f\u2028\u2029</script>',
    "odd keys": {1: 1, None: 2, 1.5: 3, False: 4},
    "tuple": (1, (2, 3)),
    "namedtuple": Point(1, "é"),
    "int enum": Colour.RED,
    "nan": math.nan,
    "nan inside": {"a": [1, math.inf]},
    "cycle": CYCLE,
    "set": {1},
    "bytes": b"a",
    "object inside": [{"a": object}],
    "tuple key": {(1, 2): 3},
    "digit limit": 10**5000,
}
