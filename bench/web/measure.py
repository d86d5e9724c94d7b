"""Requests of every kind, checked and then timed: the rows of the command `web`."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from typing import Any

from pydantic import TypeAdapter

from bench.command_output import say
from bench.subject import UnableError, WrongResultError, cold_batch
from bench.timing import Clock, Lane, Race, Sample, Settings, race
from bench.web.documents import Document, documents
from bench.web.exchange import Answer, Desk, Exchange, application
from bench.web.rivals import RIVALS_BY_KIND, STOCK, Kind, WebRival
from bench.web.steps import Step, steps_of
from ssrjson_web import scan_utf8_cache

PROCESS_CLOCK: Clock = time.process_time_ns
"""CPU time of all threads: a `def` endpoint works in another one."""
BALLAST = 60
"""Values made before each rival's own, so that none lies where earlier cases left the heap full of holes."""


@dataclass(frozen=True, kw_only=True)
class WebCase:
    """A kind of request with what it carries."""

    kind: Kind
    document: Document

    @property
    def name(self) -> str:
        """`dict/chinese`."""
        return "empty" if self.kind == "empty" else f"{self.kind}/{self.document.name}"

    @property
    def n_bytes(self) -> int:
        """The JSON that it carries, as UTF-8."""
        return 0 if self.kind == "empty" else len(self.document.body)

    @property
    def max_batch(self) -> int:
        """So many fresh values, made together, stay in the CPU's cache."""
        return cold_batch(self.n_bytes)

    @property
    def is_post(self) -> bool:
        """Whether the document comes in; else it goes out."""
        return self.kind.startswith("post-")

    def matches(self, patterns: Sequence[str]) -> bool:
        """Whether one of `patterns` is the name, a glob of it, its kind or its document."""
        return any(
            pattern in (self.kind, self.document.name) or fnmatchcase(self.name, pattern) for pattern in patterns
        )

    def value_maker(self) -> Callable[[], Any]:
        """Makes what a request is about: a body to send, or a value to return, whose strings nobody has encoded."""
        if self.is_post:
            body = self.document.body
            return lambda: bytes(bytearray(body))
        return self.document.model_maker() if self.kind == "instances" else self.document.graph_maker()


def all_cases() -> list[WebCase]:
    """Every kind with every document; an empty answer has none to carry, and stands first."""
    kinds = [kind for kind in RIVALS_BY_KIND if kind != "empty"]
    found = documents()
    return [
        WebCase(kind="empty", document=found[-1]),
        *(WebCase(kind=kind, document=document) for kind in kinds for document in found),
    ]


@dataclass(frozen=True, kw_only=True)
class Measured:
    """One rival on one case."""

    rival: str
    is_ours: bool
    sample: Sample | None
    """Nanoseconds a request; None where the rival did not run."""
    reason: str = ""
    """Why it did not."""
    is_wrong: bool = False
    """It did not run because its answer was wrong."""
    cache_bytes: int = 0
    """UTF-8 copies that one request left in the data it returned, or in what the endpoint was given."""
    steps_ns: Mapping[str, float] = field(default_factory=dict)
    """Medians of the steps that are functions of their own, and of `rest`: a request to such an application that
    carries nothing either way, raced with the whole."""


@dataclass(frozen=True, kw_only=True)
class WebRow:
    """All rivals on one case."""

    case: str
    kind: Kind
    n_bytes: int
    n_calls: int
    n_rounds: int
    measured: Sequence[Measured]

    def of(self, rival: WebRival) -> Measured | None:
        """The rival's figures; None where it has no part or did not run."""
        return next((each for each in self.measured if each.rival == rival.name and each.sample), None)


def check(case: WebCase, rival: WebRival, value: Any, exchange: Exchange, desk: Desk, stock: Answer | None) -> Answer:
    """The rival's answer. Raises WrongResultError where it is not what `case` says, or ours is not what stock's is."""
    desk.incoming.clear()
    desk.keeps_incoming = True
    try:
        answer = exchange.ask(value)
    except Exception as error:
        raise UnableError(f"{type(error).__name__}: {error}") from error
    finally:
        desk.keeps_incoming = False
    if answer.status != 200:
        raise WrongResultError(f"status {answer.status}")
    if case.is_post:
        _check_incoming(case, desk)
    elif case.kind != "empty":
        if answer.header(b"content-type") != b"application/json":
            raise WrongResultError(f"content type {answer.header(b'content-type')!r}")
        if repr(json.loads(answer.body)) != case.document.reference:
            raise WrongResultError("the body parses to another value")
    if rival.is_ours and stock is not None:
        if answer.body != stock.body:
            raise WrongResultError("the body is not byte for byte stock's")
        if sorted(answer.headers) != sorted(stock.headers):
            raise WrongResultError(f"headers {answer.headers}, stock {stock.headers}")
    return answer


def _check_incoming(case: WebCase, desk: Desk) -> None:
    (arrived,) = desk.incoming
    if case.kind == "post-any":
        if repr(arrived) != case.document.reference:
            raise WrongResultError("the endpoint got another value")
        return
    if arrived != TypeAdapter(case.document.model).validate_python(json.loads(case.document.text)):
        raise WrongResultError("the endpoint got other models")


@dataclass(frozen=True, kw_only=True)
class WebPlan:
    """What a run measures."""

    cases: Sequence[WebCase]
    rivals: Sequence[WebRival]
    settings: Settings
    clock: Clock


def run(plan: WebPlan) -> tuple[list[WebRow], bool]:
    """The rows, and whether all were measured: Ctrl-C ends the run and keeps what it has."""
    rows: list[WebRow] = []
    loop = asyncio.new_event_loop()
    try:
        for place, case in enumerate(plan.cases, start=1):
            row = measure(case, plan, loop)
            rows.append(row)
            say(f"[{place}/{len(plan.cases)}] {row.case:<20} {_gist(row)}")
    except KeyboardInterrupt:
        say("stopped by Ctrl-C")
        return rows, False
    finally:
        loop.run_until_complete(loop.shutdown_default_executor())
        loop.close()
    return rows, True


def measure(case: WebCase, plan: WebPlan, loop: asyncio.AbstractEventLoop) -> WebRow:
    """The row of a case: every rival checked, then the requests timed, then their steps."""
    make_value = case.value_maker()
    lanes: list[Lane] = []
    found: list[Measured] = []
    stock: Answer | None = None
    ballast = []
    for rival in RIVALS_BY_KIND[case.kind]:
        if rival not in plan.rivals:
            continue
        desk = Desk()
        reason, is_wrong, cache_bytes = "", False, 0
        try:
            exchange = Exchange(application(rival, case.kind, case.document, desk), desk, loop, is_post=case.is_post)
            ballast.append([make_value() for _ in range(BALLAST)])
            value = make_value()
            answer = check(case, rival, value, exchange, desk, stock)
            stock = answer if rival is STOCK else stock
            cache_bytes = scan_utf8_cache([desk.incoming if case.is_post else value])["bytes"]
            lanes.append(_lane(rival, exchange, make_value, case.max_batch))
        except UnableError as error:
            reason, is_wrong = str(error), isinstance(error, WrongResultError)
        found.append(
            Measured(
                rival=rival.name,
                is_ours=rival.is_ours,
                sample=None,
                reason=reason,
                is_wrong=is_wrong,
                cache_bytes=cache_bytes,
            )
        )
    if not lanes:
        return _row(case, found, Race(n_calls=0, n_rounds=0, samples={}), {})
    taking_part = [rival for rival in plan.rivals if rival.name in [lane.rival for lane in lanes]]
    rests = {rival.name: _rest_lane(case, rival, loop) for rival in taking_part if case.kind != "empty"}
    outcome = race([*lanes, *rests.values()], plan.settings, plan.clock)
    steps = _race_steps(case, taking_part, make_value, plan)
    for name, rest in rests.items():
        steps.setdefault(name, {})["rest"] = outcome.samples[rest.rival].median_ns
    return _row(case, found, outcome, steps)


def _row(case: WebCase, found: Sequence[Measured], outcome: Race, steps: Mapping[str, Mapping[str, float]]) -> WebRow:
    return WebRow(
        case=case.name,
        kind=case.kind,
        n_bytes=case.n_bytes,
        n_calls=outcome.n_calls,
        n_rounds=outcome.n_rounds,
        measured=[
            replace(each, sample=outcome.samples.get(each.rival), steps_ns=steps.get(each.rival, {})) for each in found
        ],
    )


def _lane(rival: WebRival, exchange: Exchange, make_value: Callable[[], Any], max_batch: int) -> Lane:
    return Lane(
        rival=rival.name,
        loop=exchange.timed,
        batch=lambda n: [make_value() for _ in range(n)],
        max_batch=max_batch,
    )


def _rest_lane(case: WebCase, rival: WebRival, loop: asyncio.AbstractEventLoop) -> Lane:
    desk = Desk()
    kind: Kind = "empty-def" if case.kind == "dict-def" else "empty"
    exchange = Exchange(application(rival, kind, case.document, desk), desk, loop, is_post=case.is_post)
    value = b"" if case.is_post else None
    return Lane(rival=f"{rival.name} rest", loop=exchange.timed, batch=lambda n: [value] * n, max_batch=case.max_batch)


def _race_steps(
    case: WebCase, rivals: Sequence[WebRival], make_value: Callable[[], Any], plan: WebPlan
) -> dict[str, dict[str, float]]:
    parts: list[tuple[WebRival, Step, Lane]] = []
    for rival in rivals:
        for step in steps_of(rival, case.kind, case.document):
            parts.append((rival, step, step.lane(rival.name, make_value, case.max_batch)))
    if not parts:
        return {}
    samples = race([lane for _, _, lane in parts], plan.settings, plan.clock).samples
    found: dict[str, dict[str, float]] = {}
    for rival, step, lane in parts:
        found.setdefault(rival.name, {})[step.name] = samples[lane.rival].median_ns
    return found


def _gist(row: WebRow) -> str:
    return ", ".join(
        f"{each.rival} {each.sample.median_ns / 1000:.3g} µs" if each.sample else f"{each.rival}: {each.reason}"
        for each in row.measured
    )
