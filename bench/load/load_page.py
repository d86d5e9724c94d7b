"""The report of a load test, of one engine and of several: tables, and curves of the server's workers."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from bench.command_output import Page
from bench.kit.pictures import COLOURS, SERIES_COLOURS, Curve, Curves, Mark, Picture, draw
from bench.kit.tables import Table, gain, megabytes
from bench.load.load_results import PERCENTILES, Results
from bench.load.samples import Sample, WorkerSample

_GENERAL = (
    "A str keeps a cached UTF-8 copy after it was encoded by a library that asks CPython for its UTF-8: orjson, "
    "msgspec, pydantic, and so FastAPI's response models. The copy is freed with the str.",
    "A plateau, not a leak: each resident string can get one copy, so the growth ends when all have been served. "
    "A short load does not reach that.",
    "Nothing is gained where text is ASCII (SCRIPT=ascii shows it) or does not stay in memory (/transient): there no "
    "engine grows by copies. Stdlib json leaves none either.",
    "RSS includes free memory that the allocator keeps: compare it after malloc_trim, beside the copies.",
    "Requests per second on a shared machine are no evidence, and locust limits them here: it waits between requests. "
    "Latencies include other processes, and a scan of the copies each second or two, which stops a worker for some ms.",
)

_SAMPLE_SECONDS = 3.0
"""Seconds by which the last sample may precede the end of the load on a busy machine."""
_MEANING = "What the figures mean, and what not"
_LATENCY = "Latency of the requests about then, ms"
_PHASES = {"after": "after the load", "trimmed": "after malloc_trim"}
_TRIMMED = " The last point of each RSS curve is after that trim."
_WORKER_HEADERS = ("worker", "RSS before", "after", "after trim", "growth", "UTF-8 copies", "requests")


def headline(results: Results) -> str:
    """One sentence."""
    plan = results.plan
    what = f"{plan.app} under {plan.served_by}, engine {plan.engine}"
    if not results.is_complete and not plan.is_web:
        seconds = max((sample.seconds for sample in results.samples if sample.phase == "load"), default=0.0)
        is_short = not results.samples or seconds < plan.seconds - _SAMPLE_SECONDS
        what += f" (INCOMPLETE{f': {seconds:.0f} of {plan.seconds} s of load' if is_short else ''})"
    if not results.workers:
        return f"{what}: no figures of the workers"
    before = sum_of(each.rss_before_bytes for each in results.workers)
    after = sum_of(each.after_trim_bytes for each in results.workers)
    copies = sum_of(each.cache_after_bytes for each in results.workers)
    several = "" if len(results.workers) == 1 else f" in {len(results.workers)} workers"
    held = f"{megabytes(copies)} MB in cached UTF-8 copies"
    return f"{what}: RSS {megabytes(before)} to {megabytes(after)} MB{several}, {held}"


def worker_table(results: Results) -> Table:
    """The workers before and after, in MB."""
    return Table(
        title=headline(results),
        headers=_WORKER_HEADERS,
        rows=[
            [
                f"pid {each.pid}",
                megabytes(each.rss_before_bytes),
                megabytes(each.rss_after_bytes),
                megabytes(each.after_trim_bytes),
                growth_of(each.rss_before_bytes, each.after_trim_bytes),
                megabytes(each.cache_after_bytes),
                "-" if each.n_requests is None else f"{each.n_requests:,}",
            ]
            for each in results.workers
        ],
        notes=[
            "MB, 1,000,000 bytes; growth: from before to after trim",
            *(
                f"pid {each.pid} was not measured {when}: it did not answer in time, and those figures are missing"
                for each in results.workers
                for when, figure in (("before the load", each.rss_before_bytes), ("after it", each.after_trim_bytes))
                if figure is None
            ),
            count_note(results),
        ],
    )


def count_note(results: Results) -> str:
    """The requests by locust's count and by the workers' own count."""
    if not results.requests or any(each.n_requests is None for each in results.workers) or not results.workers:
        return "requests: locust counts them; the workers' own count is missing"
    of_locust, of_workers = results.requests[-1].n_requests, sum(each.n_requests or 0 for each in results.workers)
    if of_locust == of_workers:
        return f"requests: {of_workers:,} by the workers' own count and by locust's"
    return (
        f"requests: {of_workers:,} that the workers finished between the measurements before and after the load, "
        f"{of_locust:,} by locust's count ({results.requests[-1].n_failures:,} failed), which has requests that no "
        "worker finished, too; a master of locust stops its processes after the last measurement only"
    )


def request_table(results: Results) -> Table:
    """The requests by kind."""
    return Table(
        title="requests, and their latencies in ms",
        headers=["request", "number", "failed", *(f"p{name.rstrip('%')}" for name in PERCENTILES)],
        rows=[
            [each.name, f"{each.n_requests:,}", str(each.n_failures), *(f"{ms:.0f}" for ms in each.percentiles_ms)]
            for each in results.requests
        ],
    )


def notes(results: Results) -> str:
    """The meaning of the figures, and their limits."""
    is_trimmed = bool(results.workers) and all(each.after_trim_bytes is not None for each in results.workers)
    ends_trimmed = any(sample.phase == "trimmed" for sample in results.samples)
    return " ".join(
        note + (_TRIMMED if note.startswith("RSS ") and is_trimmed and ends_trimmed else "") for note in _GENERAL
    )


def page_of(results: Results) -> Page:
    """The report of one engine."""
    plan = results.plan
    why = "stopped before the end" if results.workers else "the last figures of the workers are missing"
    latencies = {f"p{name.rstrip('%')}": points for name, points in results.latencies_ms.items()}
    asked = (
        f"{plan.users} users in four steps within {plan.seconds} s; {plan.workers} worker(s), each with "
        f"{plan.megabytes:g} MB of resident records, script: {plan.script}."
    )
    command = (
        f"make load APP={plan.app} ENGINE={plan.engine} SERVER={plan.served_by} WORKERS={plan.workers} "
        f"USERS={plan.users} SECONDS={plan.seconds} SCRIPT={plan.script}"
    )
    return Page(
        machine={"command": command, **results.machine},
        lead=headline(results) if results.is_complete else f"{headline(results)}. INCOMPLETE: {why}.",
        tables=[worker_table(results), request_table(results)],
        texts=[("What was asked", asked), (_MEANING, notes(results))],
        pictures=_drawn([*worker_curves(results.samples), _curves(_LATENCY, latencies)], plan.name),
        document={},
        is_complete=results.is_complete,
    )


def _drawn(panels: Sequence[Curves], title: str) -> list[Picture]:
    try:
        return [draw([panel for panel in panels if panel.curves], title=title)]
    except ImportError:  # without matplotlib there are no pictures
        return []


def _curves(title: str, series: Mapping[str, Sequence[tuple[float, float]]], marks: Sequence[Mark] = ()) -> Curves:
    """Curves by name, each with its last value at its end; those without points are left out."""
    return Curves(
        title=title,
        curves=[
            Curve(
                points=points, note=f"{name}: {points[-1][1]:.1f}", colour=SERIES_COLOURS[place % len(SERIES_COLOURS)]
            )
            for place, (name, points) in enumerate(series.items())
            if points
        ],
        marks=marks,
    )


def worker_curves(samples: Sequence[Sample]) -> list[Curves]:
    """RSS and copies of each worker, with marks for the end of load and the trim."""

    def of_each(figure: Callable[[WorkerSample], int | None]) -> dict[str, list[tuple[float, float]]]:
        series: dict[str, list[tuple[float, float]]] = {}
        for sample in samples:
            for worker in sample.workers:
                if (value := figure(worker)) is not None:
                    series.setdefault(f"pid {worker.pid}", []).append((sample.seconds, value / 1e6))
        return series

    moments = {sample.phase: sample.seconds for sample in samples}
    marks = [
        Mark(seconds=moments[phase], before=what, is_low=True) for phase, what in _PHASES.items() if phase in moments
    ]
    return [
        _curves("RSS, MB", of_each(lambda worker: worker.rss_bytes), marks),
        _curves("Cached UTF-8 copies, MB", of_each(lambda worker: worker.cache_bytes)),
    ]


def engines_page(runs: Sequence[Results], reports: Sequence[str]) -> Page:
    """The growth of each engine's server overlaid, and their figures; `reports` are the engines' own."""
    table = engines_table(runs)
    figures: dict[str, Callable[[WorkerSample], int | None]] = {
        "RSS growth of all workers, MB": lambda each: each.rss_bytes,
        "Cached UTF-8 copies of all workers, MB": lambda each: each.cache_bytes,
    }
    panels = [
        Curves(title=title, curves=[curve for results in runs for curve in _growth(results, figure)])
        for title, figure in figures.items()
    ]
    own = "; ".join(f"{headline(results)}: {report}" for results, report in zip(runs, reports, strict=True))
    return Page(
        machine=runs[-1].machine,
        tables=[table],
        texts=[("Each engine by itself", own), (_MEANING, notes(runs[-1]))],
        pictures=_drawn(panels, table.title),
        document={},
        is_complete=all(results.is_complete for results in runs),
    )


def _growth(results: Results, figure: Callable[[WorkerSample], int | None]) -> list[Curve]:
    """Seconds, and MB above the first sample with figures of all workers: the sum of these."""
    totals = [
        (sample.seconds, total)
        for sample in results.samples
        if len(sample.workers) >= results.plan.workers
        and (total := sum_of(figure(worker) for worker in sample.workers)) is not None
    ]
    points = [(seconds, (total - totals[0][1]) / 1e6) for seconds, total in totals]
    engine = results.plan.engine
    return [Curve(points=points, note=f"{engine} {points[-1][1]:+.1f} MB", colour=COLOURS[engine])] if points else []


def engines_table(runs: Sequence[Results]) -> Table:
    """A row for each engine."""
    rows = []
    for results in runs:
        before = sum_of(each.rss_before_bytes for each in results.workers)
        after = sum_of(each.after_trim_bytes for each in results.workers)
        total = results.requests[-1] if results.requests else None
        rows.append(
            [
                results.plan.engine + ("" if results.is_complete else " (INCOMPLETE)"),
                megabytes(before),
                megabytes(after),
                growth_of(before, after),
                megabytes(sum_of(each.cache_after_bytes for each in results.workers)),
                f"{total.n_requests:,}" if total else "-",
                *((f"{ms:.0f}" for ms in total.percentiles_ms) if total else ["-"] * len(PERCENTILES)),
            ]
        )
    plan = runs[0].plan
    return Table(
        title=f"{plan.app} under {plan.served_by}, {plan.workers} worker(s): the engines side by side",
        headers=[
            *("engine", "RSS before", "after trim", "growth", "UTF-8 copies", "requests"),
            *(f"p{name.rstrip('%')} ms" for name in PERCENTILES),
        ],
        rows=rows,
        notes=["MB of all workers together, 1,000,000 bytes; growth: from before to after trim"],
    )


def sum_of(numbers: Iterable[int | None]) -> int | None:
    """The sum; None where a value is missing, because a partial sum would look like the whole."""
    known = list(numbers)
    return None if None in known or not known else sum(number for number in known if number is not None)


def growth_of(before: int | None, after: int | None) -> str:
    """In MB, with its sign; a dash where a value is missing."""
    return gain(None if before is None or after is None else after - before)
