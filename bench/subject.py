"""One document, ready to be given to each rival: what encoding and decoding have in common."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, Protocol

from bench.cases import Operation
from bench.rivals import Call, Rival, compiled
from bench.timing import Lane

Kind = Literal["bytes", "str"]
Temperature = Literal["cold", "warm"]

MAX_COLD_BATCH_BYTES = 65_536
"""JSON text in a batch of fresh arguments: their objects, some ten times that, still fit a second-level cache."""
MAX_WARM_BATCH = 100_000


@dataclass(frozen=True, kw_only=True)
class Mode:
    """What is timed: the direction, the type of the JSON, and whether strings may hold UTF-8 copies."""

    operation: Operation
    kind: Kind
    temperature: Temperature | None = None
    """None where there is nothing to warm: decoding bytes."""

    @property
    def label(self) -> str:
        """`encode bytes cold`, `decode bytes`."""
        return " ".join(filter(None, (self.operation, self.kind, self.temperature)))


class UnableError(Exception):
    """A rival cannot do the case; the message says why."""


class WrongResultError(UnableError):
    """A rival does the case, and wrongly."""


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
    """UTF-8 copies that one call left on the strings it was given."""


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
    """The largest batch of fresh arguments of so many bytes of JSON each."""
    return max(1, MAX_COLD_BATCH_BYTES // max(n_bytes, 64))
