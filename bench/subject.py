"""One document, prepared for each rival: the part that encoding and decoding share."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, Protocol

from bench.cases import Operation
from bench.rivals import Call, Rival, compiled
from bench.timing import Lane

Kind = Literal["bytes", "str"]
Temperature = Literal["cold", "evicted", "warm"]
"""`cold`: objects that were just made. `evicted`: the same, but in none of the CPU's caches. `warm`: one object, given
again and again."""

MAX_COLD_BATCH_BYTES = 65_536
"""Size of the JSON text in a batch of fresh arguments: their objects, ten times as large, fit a level-2 cache."""
MAX_EVICTED_BATCH_BYTES = 4_000_000
"""The same where the caches are emptied after the batch is made: it is bounded by memory only."""
MAX_WARM_BATCH = 100_000


@dataclass(frozen=True, kw_only=True)
class Mode:
    """What is timed: the direction, the type of the JSON, and the state of the argument."""

    operation: Operation
    kind: Kind
    temperature: Temperature | None = None
    """None for decoding bytes, which hold no caches."""

    @property
    def label(self) -> str:
        """`encode bytes cold`, `decode bytes`."""
        return " ".join(filter(None, (self.operation, self.kind, self.temperature)))


class UnableError(Exception):
    """A rival cannot do the case; the message says why."""


class WrongResultError(UnableError):
    """A rival gives a wrong result in the case."""


_ONCE = """
def once(value):
    return {expression}
"""


def attempt(call: Call, value: object) -> object:
    """The call's result. Raises UnableError, whatever the call raised."""
    try:
        result: object = compiled(call, _ONCE)["once"](value)
    except Exception as error:
        raise UnableError(f"{type(error).__name__}: {error}") from error
    return result


@dataclass(frozen=True, kw_only=True)
class Entry:
    """A rival that passed the check."""

    lane: Lane
    cache_bytes: int
    """Size of the cached UTF-8 copies that one call leaves in the strings of its argument."""


class Subject(Protocol):
    """A document and its reference."""

    @property
    def n_bytes(self) -> int:
        """The size of the JSON, as UTF-8."""
        ...

    def entry(self, rival: Rival, mode: Mode) -> Entry:
        """The rival's lane, once its result has been compared with the reference. Raises UnableError."""
        ...


def max_batch(n_bytes: int, temperature: Temperature | None) -> int:
    """The largest batch of arguments of `n_bytes` of JSON each. None: bytes to decode, one object again and again."""
    if temperature in ("warm", None):
        return MAX_WARM_BATCH
    most = MAX_EVICTED_BATCH_BYTES if temperature == "evicted" else MAX_COLD_BATCH_BYTES
    return max(1, most // max(n_bytes, 64))
