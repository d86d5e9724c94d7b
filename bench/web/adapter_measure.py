"""Requests to a framework and their JSON part, checked and then timed side by side."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from bench.command_output import say
from bench.subject import cold_batch
from bench.timing import Clock, Lane, Sample, Settings, race
from bench.web.adapter_case import STOCK, AdapterCase, AdapterRival
from ssrjson_web import scan_utf8_cache


@dataclass(frozen=True, kw_only=True)
class AdapterFigures:
    """One rival on one kind of request."""

    rival: str
    is_ours: bool
    part: Sample
    request: Sample
    n_bytes: int
    """Of the answer; of a POST, of the body."""
    cache_bytes: int
    """UTF-8 copies that the JSON part left in its value, or in what it made."""
    note: str = ""
    """Where the result is not stock's."""


@dataclass(frozen=True, kw_only=True)
class AdapterRow:
    """All rivals on one kind of request."""

    kind: str
    title: str
    figures: Sequence[AdapterFigures] = ()
    faults: Sequence[str] = field(default_factory=list)
    """What was wrong with ours."""

    def of(self, rival: str) -> AdapterFigures | None:
        """The rival's figures."""
        return next((each for each in self.figures if each.rival == rival), None)


@dataclass(frozen=True, kw_only=True)
class AdapterPlan:
    """What a run measures."""

    cases: Sequence[AdapterCase]
    rivals: Sequence[str]
    settings: Settings
    clock: Clock


def run(plan: AdapterPlan) -> tuple[list[AdapterRow], bool]:
    """The rows, and whether all were measured: Ctrl-C ends the run and keeps what it has."""
    rows: list[AdapterRow] = []
    try:
        for case in plan.cases:
            rows.append(_measure(case, plan))
            say(f"[{len(rows)}/{len(plan.cases)}] {case.kind}: {_gist(rows[-1])}")
    except KeyboardInterrupt:
        say("stopped by Ctrl-C")
        return rows, False
    return rows, True


def _measure(case: AdapterCase, plan: AdapterPlan) -> AdapterRow:
    rivals = [rival for rival in case.rivals if rival.name in plan.rivals]
    asks = {rival.name: rival.ask(f"{case.kind}-{n}") for n, rival in enumerate(rivals)}
    answers = {name: ask(case.body) for name, ask in asks.items()}
    results, caches = _results(case, rivals)
    faults = [fault for rival in rivals for fault in _faults(case, rival, results, answers, caches)]
    if faults:
        return AdapterRow(kind=case.kind, title=case.title, faults=faults)
    batch = cold_batch(case.n_bytes)
    parts = [_lane(rival.name, rival.part, case.make_value, batch) for rival in rivals]
    requests = [_lane(name, ask, lambda: case.body, batch) for name, ask in asks.items()]
    part_samples = race(parts, plan.settings, plan.clock).samples
    request_samples = race(requests, plan.settings, plan.clock).samples
    return AdapterRow(
        kind=case.kind,
        title=case.title,
        figures=[
            AdapterFigures(
                rival=rival.name,
                is_ours=rival.reference is not None,
                part=part_samples[rival.name],
                request=request_samples[rival.name],
                n_bytes=len(answers[rival.name] if case.body is None else case.body),
                cache_bytes=caches[rival.name],
                note="" if _json(results[rival.name]) == _json(results[STOCK]) else "another JSON value",
            )
            for rival in rivals
        ],
    )


def _results(case: AdapterCase, rivals: Sequence[AdapterRival]) -> tuple[dict[str, Any], dict[str, int]]:
    results, caches = {}, {}
    for rival in rivals:
        value = case.make_value()
        results[rival.name] = rival.part(value)
        caches[rival.name] = scan_utf8_cache([value, results[rival.name]])["bytes"]
    return results, caches


def _json(result: Any) -> str:
    """`repr` tells 1 from 1.0 and from True, and orders keys."""
    return repr(json.loads(result) if isinstance(result, bytes) else result)


def _faults(
    case: AdapterCase,
    rival: AdapterRival,
    results: Mapping[str, Any],
    answers: Mapping[str, bytes],
    caches: Mapping[str, int],
) -> list[str]:
    if rival.reference is None:
        return []
    name, result = rival.name, results[rival.name]
    expected = rival.reference(case.make_value())
    faults = []
    if _json(result) != _json(expected):
        faults.append(f"{name}: another value than it should be")
    elif isinstance(result, bytes) and result != expected:
        faults.append(f"{name}: other bytes than they should be")
    if _json(answers[name]) not in (_json(answers[STOCK]), _json(expected)):
        faults.append(f"{name}: another answer than it should be")
    if caches[name]:
        faults.append(f"{name}: {caches[name]} bytes of UTF-8 copies")
    return faults


def _lane(name: str, call: Callable[[Any], Any], make_value: Callable[[], Any], max_batch: int) -> Lane:
    def loop(batch: Sequence[Any], clock: Clock) -> int:
        start = clock()
        for value in batch:
            call(value)
        return clock() - start

    return Lane(rival=name, loop=loop, batch=lambda n: [make_value() for _ in range(n)], max_batch=max_batch)


def _gist(row: AdapterRow) -> str:
    if row.faults:
        return "WRONG: " + "; ".join(row.faults)
    return ", ".join(f"{each.rival} {each.part.median_ns / 1000:.3g} µs" for each in row.figures)
