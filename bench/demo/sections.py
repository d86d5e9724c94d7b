"""Parts of a page about the demo's results, over one round or several: the demo's own page and the report have them."""

from __future__ import annotations

from collections.abc import Sequence

from bench.demo import figures
from bench.demo.findings import Finding, findings, preload_finding
from bench.demo.results import Results
from bench.demo.tables import PYDANTIC_NOTE, preload_table, process_table, sweep_tables
from bench.kit import markup
from bench.kit.charts import COLOURS, Groups, extent, value_chart
from bench.kit.lexicon import script_words

__all__ = ["charts", "cut_off", "failures", "meaning", "preload", "setting", "tables"]


def setting(results: Results) -> str:
    """What was served, in a paragraph."""
    if not results.runs:
        return ""
    run = results.runs[0]
    until = ", until each record has been served twice" if results.all_served_twice else ""
    return markup.paragraph(
        "The same FastAPI application runs under uvicorn with one engine after another, each in a fresh process: "
        "`ssrjson_web` is its response class, `pydantic` is FastAPI's default with a response model. "
        f"{run.records:,} records ({script_words(run.script)}) stay in memory: "
        f"{figures.megabytes(run.catalogue_bytes):.0f} MB, {figures.megabytes(run.text_bytes):.0f} MB of it text. "
        f"Pages of 20 of them are served, at the same pace for every engine that can keep it{until}.",
        "quiet",
    )


def cut_off(rounds: Sequence[Results]) -> list[str]:
    """A warning for each load that was cut off: charts, tables and words leave it out."""
    return [
        markup.paragraph(
            f"UNFINISHED, and left out: {f'round {number}, ' if len(rounds) > 1 else ''}{line}.", "warning"
        )
        for number, results in enumerate(rounds, start=1)
        for line in results.cut_off
    ]


def charts(rounds: Sequence[Results]) -> list[str]:
    """RSS over time, growth and copies, times to encode."""
    if not rounds[0].finished_runs:
        return []
    first = "" if len(rounds) == 1 else f" The first of {len(rounds)} rounds."
    again = figures.encode_bars(rounds, is_again=True)
    encoded = figures.encode_bars(rounds)
    top = max(extent(encoded), extent(again))
    validating = f" {PYDANTIC_NOTE}." if any(run.engine == "pydantic" for run in rounds[0].finished_runs) else ""
    pairs = [
        ("RSS growth still held after malloc_trim, MB", figures.growth_bars(rounds), None, ""),
        ("Cached UTF-8 copies counted in the strings, MB", figures.copies_bars(rounds), None, ""),
        ("Time to encode a page of 20 records, served for the first time, then again", encoded, top, validating),
        ("Time to encode a page that is served again", again, top, validating),
    ]
    return [
        markup.figure(
            "RSS above the start of the load, MB",
            markup.wide(figures.curves(rounds[0]).as_svg()),
            f"Sampled from outside, every 100 ms.{first}",
        ),
        markup.side_by_side(
            _figure(title, bars, f"{_of_rounds(rounds)}{note}", top=top) for title, bars, top, note in pairs if bars
        ),
    ]


def _figure(title: str, bars: Groups, caption: str, *, top: float | None = None) -> str:
    return markup.figure(title, value_chart(bars, title=title, right=170, top=top), caption)


def _of_rounds(rounds: Sequence[Results]) -> str:
    if len(rounds) == 1:
        return "One round."
    which = " that an engine finished" if any(results.cut_off for results in rounds) else ""
    return f"Median of the {len(rounds)} rounds{which}; the line spans all of them."


def meaning(results: Results, *, level: int) -> list[str]:
    """What the figures of a round say, without the preload case."""
    preloaded = list(preload_finding(results))
    parts = [_finding(finding) for finding in findings(results) if finding not in preloaded]
    if not parts:
        return []
    return [markup.heading(level, "What this means"), f'<div class="columns">{"".join(parts)}</div>']


def _finding(finding: Finding) -> str:
    text = "".join(map(markup.paragraph, finding.paragraphs))
    return f"<section>{markup.heading(4, finding.title)}{text}</section>"


def preload(rounds: Sequence[Results], *, level: int) -> list[str]:
    """The preload case: what it shows, and the memory that its processes gain."""
    private, together = figures.preload_bars(rounds), figures.pss_bars(rounds)
    if not private:
        return []
    finding = next(iter(preload_finding(rounds[0])), None)
    workers = "All workers" if len(rounds) == 1 else f"All workers of {len(rounds)} rounds"
    return [
        markup.heading(level, finding.title if finding else "Several workers over one preloaded catalogue"),
        *map(markup.paragraph, finding.paragraphs if finding else ()),
        markup.side_by_side(
            [
                _figure(
                    "Private memory (USS) of a worker, MB",
                    private,
                    f"Pale: before the load; beside it the worker's growth. {workers}: the median, and the range.",
                ),
                _figure("Growth of the memory (PSS) of parent and workers together, MB", together, _of_rounds(rounds)),
            ]
        ),
    ]


def tables(rounds: Sequence[Results], *, level: int) -> list[str]:
    """Every figure of the servers."""
    found = [(table, 4) for table in sweep_tables(rounds)]
    if any(results.preload for results in rounds):
        found.append((preload_table(rounds), 3))
    if any(results.finished_preload for results in rounds):
        found.append((process_table(rounds), 6))
    if not found:
        return []
    parts = [markup.heading(level, "All figures of the servers")]
    for table, key in found:
        parts += [markup.heading(4, table.title), markup.table_of(table, key=key, colours=COLOURS)]
    return parts


def failures(rounds: Sequence[Results], *, level: int) -> list[str]:
    """The engines without a result, and why."""
    rows = [(f"{each.engine} ({each.part})", each.reason) for results in rounds for each in results.failures]
    return [markup.heading(level, "Without result"), markup.named_values(rows)] if rows else []
