"""Random trees of Python objects for JSON, made faster than hypothesis does, for runs of millions."""

from __future__ import annotations

import datetime
import random
import string
import struct
import uuid
from collections.abc import Callable
from typing import Any

from check_orjson.parity import Book, Colour, Items, Members, Number, Pair, Real, Slotted, Text, zone

__all__ = ["RandomTrees"]

_ALPHABETS = (
    string.ascii_letters + string.digits + " ",
    string.printable + "\x00\x7f",
    "aàéÿ\x80\xff ",
    "é中文한글\u2028 \ue000",
    "a😀é𝄞中",
    "\ud800a\udfff",
)
_WEIGHTS = (12, 3, 3, 3, 2, 1)
_NUMBERS = (0, 1, -1, 2**53, 2**53 - 1, -(2**53), 2**63, -(2**63), 2**64 - 1, 2**64, -(2**63) - 1, 10**30)
_FLOATS = (0.0, -0.0, 1e16, 1e-5, 1e-6, 5e-324, 1.7976931348623157e308, float("inf"), float("nan"))
_STRANGE: tuple[Any, ...] = (Real(1.5), Pair(1, 2), {1}, b"x", datetime.timedelta(1), 1j)

Arrays = Callable[[random.Random], Any]


class RandomTrees:
    """Trees of up to a few dozen nodes; the same seed gives the same trees."""

    def __init__(self, seed: str, *, has_other_keys: bool, arrays: Arrays | None = None) -> None:
        """`arrays` makes further leaves, such as arrays of numpy."""
        self._random = random.Random(seed)
        self._has_other_keys = has_other_keys
        self._arrays = arrays

    def text(self) -> str:
        r = self._random
        length = r.choice((0, 1, 3, 5, 8, 12, 17, 33, 70)) if r.random() < 0.95 else r.randrange(300)
        return "".join(r.choices(r.choices(_ALPHABETS, _WEIGHTS)[0], k=length))

    def number(self) -> float:
        r = self._random
        kind = r.random()
        if kind < 0.4:
            return r.randrange(-1000, 1000)
        if kind < 0.5:
            return r.getrandbits(r.randrange(1, 66)) * r.choice((1, -1))
        if kind < 0.55:
            return r.choice(_NUMBERS)
        if kind < 0.6:
            return r.choice(_FLOATS)
        if kind < 0.8:
            return round(r.uniform(-1000, 1000), r.randrange(5))
        number: float = struct.unpack("d", r.randbytes(8))[0]
        return number

    def moment(self) -> Any:
        r = self._random
        microsecond = r.choice((0, 0, r.randrange(10_000), r.randrange(100_000, 1_000_000)))
        clock = (r.randrange(24), r.randrange(60), r.randrange(60), microsecond)
        day = (r.randrange(1, 10_000), r.randrange(1, 13), r.randrange(1, 29))
        kind = r.random()
        if kind < 0.2:
            return datetime.date(*day)
        if kind < 0.4:
            return datetime.time(*clock)
        zones = (None, datetime.timezone.utc, zone(r.randrange(-1439, 1440)))
        return datetime.datetime(*day, *clock, r.choice(zones))

    def leaf(self) -> Any:
        r = self._random
        kind = r.random()
        if kind < 0.4:
            return self.text()
        if kind < 0.7:
            return self.number()
        if kind < 0.84:
            return r.choice((None, True, False))
        if kind < 0.9:
            return self.moment()
        if kind < 0.92:
            return uuid.UUID(int=r.getrandbits(128))
        if kind < 0.94:
            return r.choice(list(Colour))
        if kind < 0.96:
            return r.choice((Text(self.text()), Number(r.getrandbits(70))))
        if kind < 0.998 or self._arrays is not None:
            return self._arrays(r) if self._arrays is not None else self.text()
        return r.choice(_STRANGE)

    def key(self) -> Any:
        r = self._random
        if not self._has_other_keys or r.random() < 0.6:
            return self.text()
        kind = r.random()
        if kind < 0.3:
            return self.number()
        if kind < 0.5:
            return self.moment()
        return r.choice((None, True, False, uuid.UUID(int=r.getrandbits(128)), *Colour))

    def tree(self, depth: int = 4) -> Any:
        r = self._random
        kind = r.random()
        if depth == 0 or kind < 0.35:
            return self.leaf()
        n = r.choice((0, 1, 2, 2, 3, 3, 4, 6))
        if kind < 0.6:
            return {self.key(): self.tree(depth - 1) for _ in range(n)}
        if kind < 0.65:
            return Members({self.key(): self.tree(depth - 1) for _ in range(n)})
        if kind < 0.7:
            return [r.uniform(-1e20, 1e20) for _ in range(r.randrange(40))]
        if kind < 0.9:
            return [self.tree(depth - 1) for _ in range(n)]
        if kind < 0.93:
            return tuple(self.tree(depth - 1) for _ in range(n))
        if kind < 0.95:
            return Items(self.tree(depth - 1) for _ in range(n))
        return r.choice((Book, Slotted))(self.tree(depth - 1), self.leaf(), self.leaf())
