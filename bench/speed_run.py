"""Cases times modes times rivals: the loop of a run."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from bench.cases import Case
from bench.command_output import say
from bench.rivals import Rival
from bench.speed_results import Measurement, Row
from bench.speed_tables import ratio_cell
from bench.subject import Mode, Subject, UnableError, WrongResultError
from bench.timing import Clock, Lane, Race, Settings, race


@dataclass(frozen=True, kw_only=True)
class Plan:
    """What a run measures."""

    cases: Sequence[Case]
    modes: Sequence[Mode]
    rivals: Sequence[Rival]
    make_subject: Callable[[Case], Subject]
    settings: Settings
    clock: Clock


def run(plan: Plan) -> Iterator[Row]:
    """The rows, case by case."""
    total = len(plan.cases) * len(plan.modes)
    for place, case in enumerate(plan.cases):
        try:
            subject = plan.make_subject(case)
        except UnableError as error:
            say(f"{case.name}: left out: {error}")
            continue
        for turn, mode in enumerate(plan.modes, start=1):
            row = _row(case, mode, subject, plan)
            yield row  # kept before it is told: after Ctrl-C, what was told is in the tables
            say(f"[{place * len(plan.modes) + turn}/{total}] {mode.label:<18} {case.name:<26} {gist(row)}")


def _row(case: Case, mode: Mode, subject: Subject, plan: Plan) -> Row:
    lanes: list[Lane] = []
    measurements: list[Measurement] = []
    for rival in plan.rivals:
        if not rival.makes(mode.operation, mode.kind):
            continue
        call = rival.call(mode.operation, mode.kind, case.style)
        reason, is_wrong, cache_bytes = "", False, 0
        try:
            entry = subject.entry(rival, mode)
            lanes.append(entry.lane)
            cache_bytes = entry.cache_bytes
        except UnableError as error:
            reason, is_wrong = str(error), isinstance(error, WrongResultError)
        measurements.append(
            Measurement(
                rival=rival.name,
                is_ours=rival.is_ours,
                converts=call is not None and call.converts,
                sample=None,
                reason=reason,
                is_wrong=is_wrong,
                cache_bytes=cache_bytes,
            )
        )
    outcome = race(lanes, plan.settings, plan.clock) if lanes else Race(n_calls=0, n_rounds=0, samples={})
    return Row(
        case=case.name,
        mode=mode.label,
        n_bytes=subject.n_bytes,
        n_calls=outcome.n_calls,
        n_rounds=outcome.n_rounds,
        measurements=[replace(each, sample=outcome.samples.get(each.rival)) for each in measurements],
    )


def gist(row: Row) -> str:
    """Our time, the best peer's, and the ratio."""
    parts = [
        f"{each.rival} {each.sample.median_ns / 1000:.3g} µs"
        for each in (row.ours, row.best_peer)
        if each is not None and each.sample is not None
    ]
    if row.ratio is not None:
        parts.append(f"ratio {ratio_cell(row)}")
    return ", ".join(parts) or "nobody ran"
