"""One document, prepared for each rival: the part that encoding and decoding share."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, Protocol

from bench.cases import Operation
from bench.rivals import Call, Rival, compiled
from bench.timing import Lane

Kind = Literal["bytes", "str"]
Temperature = Literal["cold", "warm"]

MAX_COLD_BATCH_BYTES = 65_536
"""Size of the JSON text in a batch of fresh arguments: their objects, ten times as large, fit a level-2 cache."""
MAX_WARM_BATCH = 100_000


@dataclass(frozen=True, kw_only=True)
class Mode:
    """What is timed: the direction, the type of the JSON, and whether strings may hold cached UTF-8 copies."""

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


def cold_batch(n_bytes: int) -> int:
    """The largest batch of fresh arguments of `n_bytes` of JSON each."""
    return max(1, MAX_COLD_BATCH_BYTES // max(n_bytes, 64))
