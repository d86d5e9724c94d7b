"""Django requests and their JSON part, checked and then timed side by side."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from bench.page import say
from bench.subject import cold_batch
from bench.timing import Clock, Lane, Sample, Settings, race
from bench.web import django_project as project
from bench.web.django_rivals import OURS, STOCK, DjangoCase, DjangoRival, Kind
from ssrjson_web import scan_utf8_cache

_SAME_BYTES: Mapping[Kind, bool] = {
    "drf-serializer": True,
    "drf-values": True,
    "response": False,
    "ninja": False,
    "drf-parse": False,
}
"""Whether ours must give stock's very bytes, or the same JSON in compact UTF-8."""


@dataclass(frozen=True, kw_only=True)
class DjangoFigures:
    """One rival on one kind of request."""

    rival: str
    part: Sample
    request: Sample
    n_bytes: int
    """Of the answer; of a POST, of the body."""
    cache_bytes: int
    """UTF-8 copies that the JSON part left in its value, or in what it made."""
    note: str = ""
    """Where the result is not stock's."""


@dataclass(frozen=True, kw_only=True)
class DjangoRow:
    """All rivals on one kind of request."""

    kind: Kind
    title: str
    figures: Sequence[DjangoFigures] = ()
    faults: Sequence[str] = field(default_factory=list)
    """What was wrong with ours."""

    def of(self, rival: str) -> DjangoFigures | None:
        """The rival's figures."""
        return next((each for each in self.figures if each.rival == rival), None)


@dataclass(frozen=True, kw_only=True)
class DjangoPlan:
    """What a run measures."""

    cases: Sequence[DjangoCase]
    rivals: Sequence[str]
    settings: Settings
    clock: Clock


def run(plan: DjangoPlan) -> tuple[list[DjangoRow], bool]:
    """The rows, and whether all were measured: Ctrl-C ends the run and keeps what it has."""
    rows: list[DjangoRow] = []
    exchange = project.Exchange()
    try:
        for case in plan.cases:
            rows.append(_measure(case, plan, exchange))
            say(f"[{len(rows)}/{len(plan.cases)}] {case.kind}: {_gist(rows[-1])}")
    except KeyboardInterrupt:
        say("stopped by Ctrl-C")
        return rows, False
    return rows, True


def _measure(case: DjangoCase, plan: DjangoPlan, exchange: project.Exchange) -> DjangoRow:
    rivals = [rival for rival in case.rivals if rival.name in plan.rivals]
    paths = {rival.name: project.add_route(f"{case.kind}-{n}", rival.view()) for n, rival in enumerate(rivals)}
    answers = {name: exchange.ask(path, case.body) for name, path in paths.items()}
    results, caches = _results(case, rivals)
    faults = _faults(case, results, answers, caches)
    if faults:
        return DjangoRow(kind=case.kind, title=case.title, faults=faults)
    batch = cold_batch(case.n_bytes)
    parts = [_lane(rival.name, rival.part, case.make_value, batch) for rival in rivals]
    requests = [_lane(name, partial(exchange.ask, path), lambda: case.body, batch) for name, path in paths.items()]
    part_samples = race(parts, plan.settings, plan.clock).samples
    request_samples = race(requests, plan.settings, plan.clock).samples
    return DjangoRow(
        kind=case.kind,
        title=case.title,
        figures=[
            DjangoFigures(
                rival=rival.name,
                part=part_samples[rival.name],
                request=request_samples[rival.name],
                n_bytes=len(answers[rival.name] if case.body is None else case.body),
                cache_bytes=caches[rival.name],
                note="" if _json(results[rival.name]) == _json(results[STOCK]) else "another JSON value",
            )
            for rival in rivals
        ],
    )


def _results(case: DjangoCase, rivals: Sequence[DjangoRival]) -> tuple[dict[str, Any], dict[str, int]]:
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
    case: DjangoCase, results: Mapping[str, Any], answers: Mapping[str, bytes], caches: Mapping[str, int]
) -> list[str]:
    ours, stock = results[OURS], results[STOCK]
    faults = []
    if _json(ours) != _json(stock):
        faults.append("another value than stock's")
    elif _SAME_BYTES[case.kind] and ours != stock:
        faults.append("other bytes than stock's")
    elif case.body is None and not _SAME_BYTES[case.kind]:
        compact = json.dumps(json.loads(stock), ensure_ascii=False, separators=(",", ":")).encode()
        if ours != compact:
            faults.append("not stock's JSON in compact UTF-8")
    if _json(answers[OURS]) != _json(answers[STOCK]):
        faults.append("another answer than stock's")
    if caches[OURS]:
        faults.append(f"{caches[OURS]} bytes of UTF-8 copies")
    return faults


def _lane(name: str, call: Callable[[Any], Any], make_value: Callable[[], Any], max_batch: int) -> Lane:
    def loop(batch: Sequence[Any], clock: Clock) -> int:
        start = clock()
        for value in batch:
            call(value)
        return clock() - start

    return Lane(rival=name, loop=loop, batch=lambda n: [make_value() for _ in range(n)], max_batch=max_batch)


def _gist(row: DjangoRow) -> str:
    if row.faults:
        return "WRONG: " + "; ".join(row.faults)
    return ", ".join(f"{each.rival} {each.part.median_ns / 1000:.3g} µs" for each in row.figures)
