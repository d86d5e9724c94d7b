"""What a run on web requests measures: frameworks, kinds of request, and who answers them."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from bench.timing import Clock, Lane, Loop

STOCK = "stock"
JSON_PART = "JSON"
"""The step that is all of a class's work on JSON; frameworks without it have finer steps."""


@dataclass(frozen=True, kw_only=True)
class Step:
    """A part of a request: the function that the framework calls there, and what makes its argument from the value."""

    name: str
    run: Callable[[Any], object]
    prepare: Callable[[Any], Any] = lambda value: value

    def lane(self, rival: str, make_value: Callable[[], Any], max_batch: int) -> Lane:
        """The step as a lane of a race; arguments are prepared outside the clock."""
        prepare = self.prepare
        return Lane(
            rival=f"{rival} {self.name}",
            loop=loop_of(self.run),
            batch=lambda n: [prepare(make_value()) for _ in range(n)],
            max_batch=max_batch,
        )


def loop_of(call: Callable[[Any], object]) -> Loop:
    """A loop that calls a function on each argument."""

    def loop(batch: Sequence[object], clock: Clock) -> int:
        start = clock()
        for value in batch:
            call(value)
        return clock() - start

    return loop


@dataclass(frozen=True, kw_only=True)
class Checked:
    """What came of the request that is made and compared before the clock starts."""

    n_bytes: int
    """Of the answer; of a POST, of the body."""
    cache_bytes: int
    """UTF-8 copies that it left in the data."""
    note: str = ""
    """How a rival's JSON differs from stock's, where it may."""


@dataclass(frozen=True, kw_only=True)
class Contender:
    """One rival on one kind of request."""

    rival: str
    is_ours: bool
    loop: Loop
    """Makes the requests."""
    check: Callable[[], Checked]
    """Makes one and compares it; stock is checked before the others. Raises UnableError, WrongResultError."""
    steps: Sequence[Step]
    rest: Loop | None = None
    """A request that carries nothing either way, to an application like this one."""


@dataclass(frozen=True, kw_only=True)
class WebCase:
    """A kind of request with what it carries."""

    name: str
    kind: str
    title: str
    n_bytes: int
    make_request: Callable[[], Any]
    """Makes what a request is about: a body to send, or a value to return, whose strings nobody has encoded."""
    make_value: Callable[[], Any]
    """Makes what the steps get."""
    contenders: Callable[[Collection[str]], Iterable[Contender]]
    """Those of these names that take part, stock first."""
    is_always_run: bool = False


@dataclass(frozen=True, kw_only=True)
class WebGoal:
    """A rival's time over one of ours: a ratio to reach on the cases of a kind, of whole requests or of their JSON."""

    kind: str
    ours: str = "ssrjson_web"
    over: str = STOCK
    at_least: float
    no_cache: bool = False
    """Ours shall leave no byte of UTF-8 copies in the data."""


@dataclass(frozen=True, kw_only=True)
class Framework:
    """What is asked of a framework, by whom, and the ratios to reach."""

    title: str
    cases: Sequence[WebCase]
    rivals: Sequence[str]
    ours: Sequence[str]
    goals: Sequence[WebGoal]
    goal_part: str = JSON_PART
    """The step that the goals are of; empty for the whole request."""
    versions: Mapping[str, str]
    notes: Sequence[str]
    close: Callable[[], object] = lambda: None


def canonical(result: Any) -> str:
    """`repr` of a value, or of what stdlib parses from JSON: it tells 1 from 1.0 and from True, and orders keys."""
    return repr(json.loads(result) if isinstance(result, bytes) else result)
