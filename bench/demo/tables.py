"""The tables of the demo's results."""

from __future__ import annotations

from collections.abc import Sequence

from bench.demo.results import ProcessMemory, Results, Run
from bench.kit.tables import Table, gain, megabytes

__all__ = ["tables_of"]

_PYDANTIC_NOTE = "* with validation and FastAPI's own handling, which `response_model` combines with encoding"
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
    *("engine", "process", "RSS before", "RSS after", "private before", "private after", "growth", "UTF-8 copies"),
)


def tables_of(results: Results) -> list[Table]:
    """The engines under load, under the ASCII control, over one preloaded catalogue, and each process of these."""
    tables = [_sweep_table(runs) for runs in (results.runs, results.control) if runs]
    if results.preload:
        tables.append(_preload_table(results.preload))
    if results.finished_preload:
        tables.append(_process_table(results.finished_preload))
    return tables


def _sweep_table(runs: Sequence[Run]) -> Table:
    first = runs[0]
    is_validating = any(run.engine == "pydantic" and run.cut_off is None for run in runs)
    return Table(
        title=f"{first.script_title} catalogue: {first.records:,} records, {megabytes(first.catalogue_bytes)} MB of "
        f"objects, {megabytes(first.text_bytes)} MB of them text",
        headers=_COLUMNS,
        rows=[_of_width(_sweep_row(run), len(_COLUMNS)) for run in runs],
        notes=[
            "memory in MB, trimmed: RSS after malloc_trim",
            "µs: medians to encode a page of 20 records, first time and again",
            *([_PYDANTIC_NOTE] if is_validating else []),
        ],
    )


def _sweep_row(run: Run) -> list[str]:
    if run.cut_off is not None:
        return _unfinished(run.engine, run.server.rss_base_bytes)
    mark = "*" if run.engine == "pydantic" else ""
    return [
        run.engine,
        *map(megabytes, (run.server.rss_base_bytes, run.server.rss_end_bytes, run.server.rss_trimmed_bytes)),
        gain(run.growth_bytes),
        megabytes(run.server.copies_bytes),
        gain(run.server.growth_bytes),
        *(
            "-" if us is None else f"{us:{'.1f' if us < 100 else '.0f'}}{mark}"
            for us in (run.encode_first_us, run.encode_again_us)
        ),
    ]


def _preload_table(runs: Sequence[Run]) -> Table:
    return Table(
        title=f"Preloaded and forked: {len(runs[0].workers)} workers over one catalogue",
        headers=_PRELOAD_COLUMNS,
        rows=[_of_width(_preload_row(run), len(_PRELOAD_COLUMNS)) for run in runs],
        notes=["MB; private: USS of a worker, mean; all: PSS of the parent and all workers, shared pages once"],
    )


def _preload_row(run: Run) -> list[str]:
    base = run.mean_of_workers(lambda each: each.uss_base_bytes)
    if run.cut_off is not None:
        return _unfinished(run.engine, base)
    return [
        run.engine,
        *map(megabytes, (base, run.mean_of_workers(lambda each: each.uss_trimmed_bytes))),
        gain(run.mean_of_workers(lambda each: each.growth_bytes)),
        *map(megabytes, (run.pss_base_bytes, run.pss_trimmed_bytes)),
    ]


def _process_table(runs: Sequence[Run]) -> Table:
    """A row for the parent and one for each worker of the runs that were finished."""
    return Table(
        title="Each of these processes",
        headers=_PROCESS_COLUMNS,
        rows=[
            _process_row(run.engine, name, process)
            for run in runs
            for name, process in zip(("parent", *["worker"] * len(run.workers)), run.processes, strict=True)
        ],
        notes=["MB; RSS counts shared memory in each process; pages that all workers have copied are the parent's"],
        n_text_columns=2,
    )


def _process_row(engine: str, name: str, process: ProcessMemory) -> list[str]:
    figures = (process.rss_base_bytes, process.rss_trimmed_bytes, process.uss_base_bytes, process.uss_trimmed_bytes)
    copies = "" if process.caches is None else megabytes(process.copies_bytes)
    return [engine, f"{name} {process.pid}", *map(megabytes, figures), gain(process.growth_bytes), copies]


def _unfinished(engine: str, before: float) -> list[str]:
    """A row after a load that was cut off: figures would describe only a part of it."""
    return [engine, megabytes(before), "cut off"]


def _of_width(cells: list[str], n_columns: int) -> list[str]:
    return cells + ["-"] * (n_columns - len(cells))
