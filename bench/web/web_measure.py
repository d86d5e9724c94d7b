"""Requests of every kind, checked and then timed side by side: the rows of the command `web`."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from bench.command_output import say
from bench.speed_results import Duel
from bench.subject import UnableError, WrongResultError, max_batch
from bench.timing import Clock, Lane, Sample, Settings, race
from bench.web.web_case import Contender, WebCase, WebGoal

PROCESS_CLOCK: Clock = time.process_time_ns
"""CPU time of all threads: FastAPI runs a `def` endpoint in another thread."""
BALLAST = 60
"""Number of values made before each rival's own, to fill the free blocks that earlier cases left in the heap."""


@dataclass(frozen=True, kw_only=True)
class Measured:
    """One rival on one case."""

    rival: str
    is_ours: bool
    request: Sample | None
    """Nanoseconds per request; None where the rival did not run."""
    steps: Mapping[str, Sample] = field(default_factory=dict)
    """Samples of the steps that are separate functions, and of `rest`, which is timed together with the whole."""
    n_bytes: int = 0
    cache_bytes: int | None = 0
    note: str = ""
    reason: str = ""
    """Why it did not run."""
    is_wrong: bool = False
    """Whether it did not run because its answer was wrong."""

    def sample(self, part: str) -> Sample | None:
        """The sample of a step; with an empty name that of the whole request."""
        return self.steps.get(part) if part else self.request


@dataclass(frozen=True, kw_only=True)
class WebRow:
    """All rivals on one case."""

    case: str
    kind: str
    title: str
    n_bytes: int
    measured: Sequence[Measured]

    def of(self, rival: str) -> Measured | None:
        """The rival's figures; None where it does not take part or did not run."""
        return next((each for each in self.measured if each.rival == rival and each.request), None)


@dataclass(frozen=True, kw_only=True)
class WebPlan:
    """What a run measures."""

    cases: Sequence[WebCase]
    rivals: Sequence[str]
    settings: Settings
    clock: Clock


def run(plan: WebPlan) -> Iterator[WebRow]:
    """The rows, case by case."""
    for place, case in enumerate(plan.cases, start=1):
        row = measure(case, plan)
        yield row  # kept before it is told
        say(f"[{place}/{len(plan.cases)}] {case.name:<20} {_gist(row)}")


def measure(case: WebCase, plan: WebPlan) -> WebRow:
    """The row of a case: every rival checked, then the requests timed, then their steps."""
    found: list[Measured] = []
    running: list[Contender] = []
    ballast = []
    for contender in case.contenders(plan.rivals):
        ballast.append([case.make_request() for _ in range(BALLAST)])
        measured = Measured(rival=contender.rival, is_ours=contender.is_ours, request=None)
        try:
            checked = contender.check()
            running.append(contender)
            measured = replace(measured, n_bytes=checked.n_bytes, cache_bytes=checked.cache_bytes, note=checked.note)
        except UnableError as error:
            measured = replace(measured, reason=str(error), is_wrong=isinstance(error, WrongResultError))
        found.append(measured)
    try:
        samples = _race(case, running, plan)
    except UnableError as error:  # a process that answers for a rival has ended: there is no race without it
        found, samples = [replace(each, reason=each.reason or f"not timed, {error}") for each in found], {}
    return WebRow(
        case=case.name,
        kind=case.kind,
        title=case.title,
        n_bytes=case.n_bytes,
        measured=[
            replace(each, request=samples.get((each.rival, "")), steps=_steps_of(each.rival, samples)) for each in found
        ],
    )


def _race(case: WebCase, contenders: Sequence[Contender], plan: WebPlan) -> dict[tuple[str, str], Sample]:
    """Samples by rival and step; the empty step is the whole request."""
    if not contenders:
        return {}
    n_at_once = case.max_batch or max_batch(case.n_bytes, "cold")
    requests, steps = dict[tuple[str, str], Lane](), dict[tuple[str, str], Lane]()
    for each in contenders:
        requests[each.rival, ""] = Lane(
            rival=each.rival,
            loop=each.loop,
            batch=lambda n: [case.make_request() for _ in range(n)],
            max_batch=n_at_once,
        )
        if each.rest is not None:
            requests[each.rival, "rest"] = Lane(
                rival=f"{each.rival} rest", loop=each.rest, batch=lambda n: [b""] * n, max_batch=n_at_once
            )
        for step in each.steps:
            steps[each.rival, step.name] = step.lane(each.rival, case.make_value, n_at_once)
    found = {}
    for lanes in filter(None, (requests, steps)):
        samples = race(list(lanes.values()), plan.settings, plan.clock).samples
        found.update({key: samples[lane.rival] for key, lane in lanes.items()})
    return found


def _steps_of(rival: str, samples: Mapping[tuple[str, str], Sample]) -> dict[str, Sample]:
    of_rival = {step: sample for (name, step), sample in samples.items() if name == rival and step}
    return {step: of_rival[step] for step in sorted(of_rival, key=lambda step: step == "rest")}


def _gist(row: WebRow) -> str:
    return ", ".join(
        f"{each.rival} {each.request.median_ns / 1000:.3g} µs" if each.request else f"{each.rival}: {each.reason}"
        for each in row.measured
    )


@dataclass(frozen=True, kw_only=True)
class WebVerdict:
    """Whether a row reaches a goal, and by how much."""

    goal: WebGoal
    row: WebRow
    duel: Duel
    cache_bytes: int | None

    @property
    def is_undecided(self) -> bool:
        """Whether the two ratios lie on both sides of the goal: to be measured again, with more rounds."""
        return (self.duel.ratio >= self.goal.at_least) != (self.duel.ratio_of_minima >= self.goal.at_least)

    @property
    def is_met(self) -> bool:
        """Whether the ratio is reached, and no copy was left where none is allowed."""
        return self.duel.ratio >= self.goal.at_least and not (self.goal.no_cache and self.cache_bytes)


def verdicts(rows: Sequence[WebRow], goals: Sequence[WebGoal], part: str) -> list[WebVerdict]:
    """One verdict for each goal and each row of its kind: for a step, or with an empty name for the whole request.

    Goals do not apply to small answers, because there the request itself is nearly all of the cost.
    """
    found = []
    for goal in goals:
        for row in rows:
            ours, over = row.of(goal.ours), row.of(goal.over)
            if row.kind != goal.kind or row.case.endswith("/small") or ours is None or over is None:
                continue
            our_sample, their_sample = ours.sample(part), over.sample(part)
            if our_sample and their_sample:
                duel = Duel(name=row.case, other=goal.over, ours=our_sample, theirs=their_sample)
                found.append(WebVerdict(goal=goal, row=row, duel=duel, cache_bytes=ours.cache_bytes))
    return found
