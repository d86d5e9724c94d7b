"""The cases of a run on web requests: frameworks, kinds of request, and the rivals that answer them."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from bench.timing import Lane, Loop, called_loop

STOCK = "stock"
JSON_PART = "JSON"
"""The step with all JSON work of a class; frameworks without it have finer steps."""


@dataclass(frozen=True, kw_only=True)
class Step:
    """A part of a request: the function that the framework calls, and one that makes its argument from the value."""

    name: str
    run: Callable[[Any], object]
    prepare: Callable[[Any], Any] = lambda value: value

    def lane(self, rival: str, make_value: Callable[[], Any], max_batch: int) -> Lane:
        """The step as a lane of a race; arguments are prepared while the clock is stopped."""
        prepare = self.prepare
        return Lane(
            rival=f"{rival} {self.name}",
            loop=called_loop(self.run),
            batch=lambda n: [prepare(make_value()) for _ in range(n)],
            max_batch=max_batch,
        )


@dataclass(frozen=True, kw_only=True)
class Checked:
    """The result of the request that is made and compared before the timing."""

    n_bytes: int
    """Size of the answer, or of a POST's body."""
    cache_bytes: int | None
    """Size of the cached UTF-8 copies that it left in the data; None where they are out of reach."""
    note: str = ""
    """How a rival's JSON differs from stock's, where a difference is allowed."""


@dataclass(frozen=True, kw_only=True)
class Contender:
    """One rival on one kind of request."""

    rival: str
    is_ours: bool
    loop: Loop
    """Makes the requests."""
    check: Callable[[], Checked]
    """Makes one request and compares the answer; stock comes first. Raises UnableError, WrongResultError."""
    steps: Sequence[Step]
    rest: Loop | None = None
    """A request without data in either direction, to an application like this one."""


@dataclass(frozen=True, kw_only=True)
class WebCase:
    """A kind of request with what it carries."""

    name: str
    kind: str
    title: str
    n_bytes: int
    make_request: Callable[[], Any]
    """Makes the data of a request: a body to send, or a value to return. No library has encoded its strings."""
    make_value: Callable[[], Any]
    """Makes the value for the steps."""
    contenders: Callable[[Collection[str]], Iterable[Contender]]
    """The contenders among these names, stock first."""
    is_always_run: bool = False
    max_batch: int | None = None
    """The number of requests whose data is made at once; None: as many as fit the CPU's cache."""


@dataclass(frozen=True, kw_only=True)
class WebGoal:
    """A ratio to reach in the cases of a kind: a rival's time over ours, for whole requests or for their JSON part."""

    kind: str
    ours: str = "ssrjson_web"
    over: str = STOCK
    at_least: float
    no_cache: bool = False
    """Whether ours must leave no cached UTF-8 copies in the data."""


@dataclass(frozen=True, kw_only=True)
class Framework:
    """The requests to a framework, the rivals, and the ratios to reach."""

    title: str
    cases: Sequence[WebCase]
    rivals: Sequence[str]
    ours: Sequence[str]
    goals: Sequence[WebGoal]
    goal_part: str = JSON_PART
    """The step that the goals apply to; empty for the whole request."""
    versions: Mapping[str, str]
    notes: Sequence[str]
    loop_ns: int = 0
    """The minimum time of the fastest rival's requests in a round, where a loop needs more than the command's."""
    close: Callable[[], object] = lambda: None


def canonical(result: Any) -> str:
    """`repr` of a value, or of what stdlib parses from JSON: it tells 1 from 1.0 and from True, and orders keys."""
    return repr(json.loads(result) if isinstance(result, bytes) else result)
