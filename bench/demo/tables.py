"""The tables of the reports, over one round of the demo or several, and all of them as plain text."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from bench.demo.figures import engines_of, megabytes, script_title
from bench.demo.findings import findings, headline
from bench.demo.results import EngineRun, Results
from bench.kit.plain_text import prose
from bench.kit.tables import Table, span

__all__ = ["preload_table", "process_table", "render", "sweep_tables"]

PYDANTIC_NOTE = "* with validation and FastAPI's own handling, which `response_model` combines with encoding"

_COLUMNS = (
    "engine",
    "RSS before",
    "RSS after",
    "trimmed",
    "growth",
    "UTF-8 copies",
    "USS growth",
    "µs first",
    "µs again",
)
_PRELOAD_COLUMNS = ("engine", "private before", "private after", "growth a worker", "all before", "all after")
_PROCESS_COLUMNS = (
    "engine",
    "process",
    "RSS before",
    "RSS after",
    "private before",
    "private after",
    "growth",
    "UTF-8 copies",
)
_CUT_OFF = "cut off"
"""Replaces the figures after a load that was cut off: they would describe only a part of it."""


def sweep_tables(rounds: Sequence[Results]) -> list[Table]:
    """The engines under load, then under the ASCII control; either may be absent."""
    parts = ([run for each in rounds for run in each.runs], [run for each in rounds for run in each.control])
    return [_sweep_table(runs, len(rounds)) for runs in parts if runs]


def _sweep_table(runs: Sequence[EngineRun], n_rounds: int) -> Table:
    first = runs[0]
    headers = [*_COLUMNS, *(["pages"] if n_rounds > 1 else [])]
    rows = [
        _sweep_row(engine, [run for run in runs if run.engine == engine], len(headers)) for engine in engines_of(runs)
    ]
    is_validating = any(run.engine == "pydantic" and run.cut_off is None for run in runs)
    return Table(
        title=f"{script_title(first.script)} catalogue: {first.records:,} records, {_mb(first.catalogue_bytes)} MB of "
        f"objects, {_mb(first.text_bytes)} MB of them text",
        headers=headers,
        rows=rows,
        notes=[
            "memory in MB, trimmed: RSS after malloc_trim",
            "µs: medians to encode a page of 20 records, first time and again",
            *(["a range spans the rounds; pages: served and counted in each"] if n_rounds > 1 else []),
            *([PYDANTIC_NOTE] if is_validating else []),
        ],
    )


def _sweep_row(engine: str, runs: Sequence[EngineRun], n_columns: int) -> list[str]:
    finished = [run for run in runs if run.cut_off is None]
    if not finished:
        return _unfinished([engine, _span(runs, lambda run: run.rss_base_bytes)], n_columns)
    mark = "*" if engine == "pydantic" else ""
    return [
        engine,
        _span(finished, lambda run: run.rss_base_bytes),
        _span(finished, lambda run: run.rss_end_bytes),
        _span(finished, lambda run: run.rss_trimmed_bytes),
        _span(finished, lambda run: run.growth_bytes, "+.1f"),
        _span(finished, lambda run: run.caches["bytes"]),
        _span(finished, lambda run: run.uss_trimmed_bytes - run.uss_base_bytes, "+.1f"),
        _us([run.encode_first_us for run in finished if run.encode_first_us is not None]) + mark,
        _us([run.encode_again_us for run in finished if run.encode_again_us is not None]) + mark,
        " / ".join(f"{run.sweep.requests:,}" for run in finished),
    ][:n_columns]


def preload_table(rounds: Sequence[Results]) -> Table:
    """The engines over one preloaded catalogue."""
    runs = [run for results in rounds for run in results.preload]
    rows = []
    for engine in engines_of(runs):
        of_engine = [run for run in runs if run.engine == engine]
        finished = [run for run in of_engine if run.cut_off is None]
        if not finished:
            base = _span(of_engine, lambda run: run.worker_uss_bytes - run.worker_growth_bytes)
            rows.append(_unfinished([engine, base], len(_PRELOAD_COLUMNS)))
            continue
        rows.append(
            [
                engine,
                _span(finished, lambda run: run.worker_uss_bytes - run.worker_growth_bytes),
                _span(finished, lambda run: run.worker_uss_bytes),
                _span(finished, lambda run: run.worker_growth_bytes, "+.1f"),
                _span(finished, lambda run: run.pss_base_bytes),
                _span(finished, lambda run: run.pss_trimmed_bytes),
            ]
        )
    return Table(
        title=f"Preloaded and forked: {len(runs[0].workers)} workers over one catalogue",
        headers=_PRELOAD_COLUMNS,
        rows=rows,
        notes=["MB; private: USS of a worker, mean; all: PSS of the parent and all workers, shared pages once"],
    )


def process_table(rounds: Sequence[Results]) -> Table:
    """A row for the parent and one for each worker of the runs that were finished."""
    runs = [run for results in rounds for run in results.finished_preload]
    rows = []
    for engine in engines_of(runs):
        of_engine = [run for run in runs if run.engine == engine]
        for place in range(1 + min(len(run.workers) for run in of_engine)):
            processes = [(run.parent, *run.workers)[place] for run in of_engine]
            name = "worker" if place else "parent"
            number = processes[0].pid if len(rounds) == 1 else place
            copies = [megabytes(each.copies_bytes) for each in processes if each.copies_bytes is not None]
            rows.append(
                [
                    engine,
                    f"{name} {number}" if number else name,
                    _span(processes, lambda each: each.rss_base_bytes),
                    _span(processes, lambda each: each.rss_trimmed_bytes),
                    _span(processes, lambda each: each.uss_base_bytes),
                    _span(processes, lambda each: each.uss_trimmed_bytes),
                    _span(processes, lambda each: each.growth_bytes, "+.1f"),
                    span(copies) if copies else "",
                ]
            )
    return Table(
        title="Each of these processes",
        headers=_PROCESS_COLUMNS,
        rows=rows,
        notes=["MB; RSS counts shared memory in each process; pages that all workers have copied are the parent's"],
        n_text_columns=2,
    )


def render(results: Results) -> str:
    """All tables, the findings, and the engines without a result."""
    tables = sweep_tables([results])
    tables += [preload_table([results])] if results.preload else []
    tables += [process_table([results])] if results.finished_preload else []
    blocks = [prose(headline(results)), *(table.as_text().rstrip() for table in tables)]
    for finding in findings(results):
        blocks.append("\n".join([finding.title, *(prose(text, indent="  ") for text in finding.paragraphs)]))
    if results.failures:
        lines = [f"  {failure.engine} ({failure.part}): {failure.reason}" for failure in results.failures]
        blocks.append("\n".join(["Without result", *lines]))
    return "\n\n".join(blocks) + "\n"


def _unfinished(before: list[str], n_columns: int) -> list[str]:
    return [*before, _CUT_OFF, *["-"] * (n_columns - len(before) - 1)]


def _span(of: Sequence[Any], n_bytes: Callable[[Any], float], form: str = ".1f") -> str:
    return span([megabytes(n_bytes(each)) for each in of], form)


def _us(values: Sequence[float]) -> str:
    return span(values, ".1f" if max(values, default=0.0) < 100 else ".0f")


def _mb(n_bytes: float) -> str:
    return f"{megabytes(n_bytes):.1f}"
