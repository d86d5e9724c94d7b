"""The results as plain text for a terminal, at most 100 columns wide."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence

from ssrjson_web._cli.demo.figures import megabytes
from ssrjson_web._cli.demo.findings import findings, headline
from ssrjson_web._cli.demo.results import EngineRun, PreloadRun, Results
from ssrjson_web._shared.plain_text import text_table

__all__ = [
    "COLUMNS",
    "PRELOAD_COLUMNS",
    "PROCESS_COLUMNS",
    "preload_row",
    "process_rows",
    "render",
    "sweep_row",
]

_WIDTH = 100

COLUMNS = (
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
"""Megabytes, then microseconds a page."""

PRELOAD_COLUMNS = ("engine", "private before", "private after", "growth a worker", "all processes")

PROCESS_COLUMNS = (
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
"""In the place of the figure after the load; of such a run nothing else is shown, for it would be of a part."""


def sweep_row(run: EngineRun) -> list[str]:
    """The cells of one engine, under COLUMNS."""
    if run.cut_off is not None:
        return _unfinished([run.engine, _mb(run.rss_base_bytes)], columns=COLUMNS)
    note = "*" if run.engine == "pydantic" else ""
    return [
        run.engine,
        _mb(run.rss_base_bytes),
        _mb(run.rss_end_bytes),
        _mb(run.rss_trimmed_bytes),
        _mb(run.growth_bytes, sign=True),
        _mb(run.caches["bytes"]),
        _mb(run.uss_trimmed_bytes - run.uss_base_bytes, sign=True),
        _us(run.encode_first_us) + note,
        _us(run.encode_again_us) + note,
    ]


def preload_row(run: PreloadRun) -> list[str]:
    """The cells of one engine, under PRELOAD_COLUMNS."""
    if run.cut_off is not None:
        base = sum(worker.uss_base_bytes for worker in run.workers) / len(run.workers)
        return _unfinished([run.engine, _mb(base)], columns=PRELOAD_COLUMNS)
    return [
        run.engine,
        _mb(run.worker_uss_bytes - run.worker_growth_bytes),
        _mb(run.worker_uss_bytes),
        _mb(run.worker_growth_bytes, sign=True),
        f"{_mb(run.pss_base_bytes)} to {_mb(run.pss_trimmed_bytes)}",
    ]


def process_rows(run: PreloadRun) -> list[list[str]]:
    """A row for the parent and one for each worker, under PROCESS_COLUMNS; none of a run that was cut off."""
    if run.cut_off is not None:
        return []
    return [
        [
            run.engine,
            f"{'parent' if process is run.parent else 'worker'} {process.pid}",
            _mb(process.rss_base_bytes),
            _mb(process.rss_trimmed_bytes),
            _mb(process.uss_base_bytes),
            _mb(process.uss_trimmed_bytes),
            _mb(process.growth_bytes, sign=True),
            "" if process.copies_bytes is None else _mb(process.copies_bytes),
        ]
        for process in (run.parent, *run.workers)
    ]


def _unfinished(before: list[str], *, columns: Sequence[str]) -> list[str]:
    return [*before, _CUT_OFF, *["-"] * (len(columns) - len(before) - 1)]


def render(results: Results) -> str:
    """All tables, what they say, and what gave no result."""
    blocks = [_wrap(headline(results))]
    for runs in (results.runs, results.control):
        if runs:
            first = runs[0]
            name = "ASCII" if first.script == "ascii" else first.script.capitalize()
            blocks.append(
                f"{name} catalogue: {first.records:,} records, {_mb(first.catalogue_bytes)} MB of objects, "
                f"{_mb(first.text_bytes)} MB of them text\n"
                "(memory in MB, trimmed: RSS after malloc_trim; median µs to encode a page, first time and again)\n"
                + text_table(COLUMNS, [sweep_row(run) for run in runs])
                + _pydantic_note(runs)
            )
    if results.preload:
        blocks.append(
            f"Preloaded and forked: {results.options.workers} workers over one catalogue\n"
            "(private: USS of a worker in MB, mean; all processes: sum of PSS)\n"
            + text_table(PRELOAD_COLUMNS, [preload_row(run) for run in results.preload])
        )
    if results.finished_preload:
        blocks.append(
            "Each of these processes\n"
            "(MB; RSS counts shared memory in each process; pages that all workers have copied are the parent's)\n"
            + text_table(PROCESS_COLUMNS, [row for run in results.preload for row in process_rows(run)], left=(0, 1))
        )
    for finding in findings(results):
        blocks.append("\n".join([finding.title, *(_wrap(text, indent="  ") for text in finding.paragraphs)]))
    if results.failures:
        lines = [f"  {failure.engine} ({failure.part}): {failure.reason}" for failure in results.failures]
        blocks.append("\n".join(["Without result", *lines]))
    return "\n\n".join(blocks) + "\n"


def _pydantic_note(runs: Sequence[EngineRun]) -> str:
    if any(run.engine == "pydantic" and run.cut_off is None for run in runs):
        return "\n* validation and FastAPI's own handling included, which response_model does in one with encoding"
    return ""


def _wrap(text: str, *, indent: str = "") -> str:
    return textwrap.fill(text, width=_WIDTH, initial_indent=indent, subsequent_indent=indent, break_on_hyphens=False)


def _mb(n_bytes: float, *, sign: bool = False) -> str:
    return f"{megabytes(n_bytes):{'+' if sign else ''}.1f}"


def _us(microseconds: float | None) -> str:
    return "-" if microseconds is None else f"{microseconds:.1f}" if microseconds < 100 else f"{microseconds:.0f}"
