"""The HTML page: one file, nothing loaded from elsewhere."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from pathlib import Path

from ssrjson_web._cli.demo import chart, figures, table
from ssrjson_web._cli.demo.engines import ENGINES
from ssrjson_web._cli.demo.figures import megabytes
from ssrjson_web._cli.demo.findings import Finding, findings, headline, preload_finding
from ssrjson_web._cli.demo.results import EngineRun, Results
from ssrjson_web._cli.kit.lexicon import script_words
from ssrjson_web._cli.kit.processes import ALLOCATOR

__all__ = ["STYLE", "write_page"]

STYLE = """
:root {
  color-scheme: light dark;
  --ink: #1f2933; --quiet: #5b6673; --rule: #dfe4ea; --paper: #ffffff; --panel: #f5f7f9;
}
@media (prefers-color-scheme: dark) {
  :root { --ink: #e4e9ee; --quiet: #9aa6b2; --rule: #343d47; --paper: #14191f; --panel: #1c232b; }
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--paper); color: var(--ink); }
body { font: 16px/1.55 system-ui, "Segoe UI", "DejaVu Sans", sans-serif; }
main { max-width: 960px; margin: 0 auto; padding: 40px 24px 56px; }
h1 { font-size: 30px; line-height: 1.2; margin: 0 0 12px; }
h2 { font-size: 19px; margin: 44px 0 6px; }
h3 { font-size: 16px; margin: 0 0 2px; }
.warning { border-left: 4px solid #d55e00; padding-left: 12px; font-weight: 600; }
ul.warning { list-style: none; margin: 0 0 12px; }
p { margin: 0 0 12px; }
.lead { font-size: 20px; line-height: 1.45; margin-bottom: 8px; }
.quiet { color: var(--quiet); font-size: 14px; }
.pair { display: grid; grid-template-columns: 1fr 1fr; gap: 14px 44px; }
.pair p { margin-bottom: 8px; }
.columns { columns: 2; column-gap: 44px; }
.columns section { break-inside: avoid; margin-bottom: 16px; }
.columns p { margin-bottom: 8px; }
@media (max-width: 760px) { .pair { grid-template-columns: 1fr; } .columns { columns: 1; } }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; margin: 6px 0 8px; }
table { font-size: 14.5px; font-variant-numeric: tabular-nums; }
th, td { padding: 6px 8px; text-align: right; border-bottom: 1px solid var(--rule); white-space: nowrap; }
th { font-weight: 600; color: var(--quiet); vertical-align: bottom; }
th:first-child, td:first-child { text-align: left; }
td.swatch::before { content: ""; display: inline-block; width: 10px; height: 10px; margin-right: 8px; }
td.swatch::before { background: var(--engine); }
td.key { font-weight: 700; }
table.plain td { white-space: normal; text-align: left; vertical-align: top; }
table.plain td:first-child { color: var(--quiet); width: 11em; }
code { font: 0.92em ui-monospace, "DejaVu Sans Mono", monospace; }
code { background: var(--panel); padding: 1px 5px; border-radius: 4px; }
svg { display: block; width: 100%; height: auto; font-size: 14px; }
svg text { fill: var(--ink); }
svg .tick { fill: var(--quiet); font-size: 13px; }
svg .group { fill: var(--quiet); font-style: italic; }
svg .strong { font-weight: 700; }
svg .rule { stroke: var(--rule); }
svg .mark { stroke: var(--quiet); stroke-dasharray: 4 3; }
svg .base { fill: var(--rule); }
"""

_PYDANTIC_NOTE = (
    "* With validation and FastAPI’s own handling, which <code>response_model</code> does in one with encoding."
)


def write_page(results: Results, path: Path) -> None:
    """Write the page."""
    path.write_text(_page(results), encoding="utf-8")


def _page(results: Results) -> str:
    parts = [
        "<h1>What serving JSON adds to a server’s memory</h1>",
        f'<p class="lead">{escape(headline(results))}</p>',
        _setting(results),
        *_unfinished(results),
        *_charts(results),
        *_meaning(results),
        *_preload(results),
        *_tables(results),
        *_failures(results),
        *_method(results),
        *_environment(results),
    ]
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>ssrjson_web demo: memory of JSON servers</title>\n<style>{STYLE}</style>\n</head>\n<body>\n<main>\n"
        + "\n".join(parts)
        + "\n</main>\n</body>\n</html>\n"
    )


def _setting(results: Results) -> str:
    if not results.runs:
        return ""
    run = results.runs[0]
    until = " until each record has been served twice" if results.all_served_twice else ""
    return (
        '<p class="quiet">The same FastAPI application under uvicorn, one engine after another. '
        f"{run.records:,} records ({escape(script_words(run.script))}) stay in memory: "
        f"{megabytes(run.catalogue_bytes):.0f} MB, {megabytes(run.text_bytes):.0f} MB of it text. Pages of 20 are "
        f"served{until}.</p>"
    )


def _unfinished(results: Results) -> list[str]:
    if not results.cut_off:
        return []
    lines = "".join(f"<li>{escape(line)}</li>" for line in results.cut_off)
    return [
        '<p class="warning">UNFINISHED: these loads were cut off. No chart and no sentence below is made from them, '
        f'and the tables leave their figures out.</p><ul class="warning">{lines}</ul>'
    ]


def _charts(results: Results) -> list[str]:
    if not results.finished_runs:
        return []
    return [
        "<h2>RSS above the start of the load, MB</h2>",
        chart.curves_svg(figures.curves(results), title="RSS growth of each engine's server over time"),
        '<div class="pair">',
        "<section><h2>Still held after malloc_trim</h2>",
        chart.bars_svg(figures.growth_bars(results), title="RSS growth after malloc_trim"),
        "</section>",
        "<section><h2>Time to encode a page of 20 records</h2>",
        chart.bars_svg(figures.encode_bars(results), title="Median time to encode a page"),
        '<p class="quiet">Medians: a page served for the first time, then again.',
        f"{_PYDANTIC_NOTE if any(run.engine == 'pydantic' for run in results.runs) else ''}</p>",
        "</section></div>",
    ]


def _meaning(results: Results) -> list[str]:
    preload = list(preload_finding(results))
    sections = [_section(finding) for finding in findings(results) if finding not in preload]
    return ["<h2>What this means</h2>", '<div class="columns">', *sections, "</div>"] if sections else []


def _preload(results: Results) -> list[str]:
    parts = []
    for finding in preload_finding(results):
        parts += [
            f"<h2>{escape(finding.title)}</h2>",
            '<div class="pair">',
            f"<section>{''.join(f'<p>{escape(text)}</p>' for text in finding.paragraphs)}</section>",
            "<section><h3>Private memory of a worker</h3>",
            '<p class="quiet">Pale: before the load.</p>',
            chart.bars_svg(figures.preload_bars(results), title="Private memory of a worker before and after"),
            "</section></div>",
        ]
    return parts


def _section(finding: Finding) -> str:
    text = "".join(f"<p>{escape(paragraph)}</p>" for paragraph in finding.paragraphs)
    return f"<section><h3>{escape(finding.title)}</h3>{text}</section>"


def _tables(results: Results) -> list[str]:
    parts = ["<h2>All figures</h2>"]
    for runs in (results.runs, results.control):
        if runs:
            parts.append(_sweep_table(runs))
    if results.preload:
        parts.append(
            f'<p class="quiet">Preloaded and forked, {results.options.workers} workers: private memory (USS) of a '
            "worker, mean, and the sum of PSS over the parent and all workers, MB.</p>"
        )
        rows = [table.preload_row(run) for run in results.preload]
        parts.append(_html_table(table.PRELOAD_COLUMNS, rows, key=3))
    if results.finished_preload:
        parts.append(
            '<p class="quiet">Each of these processes, MB. RSS counts shared memory again in every process; private '
            "memory is a process's own. Pages that all workers have copied are left to the parent, which serves "
            "nothing itself.</p>"
        )
        rows = [row for run in results.preload for row in table.process_rows(run)]
        parts.append(_html_table(table.PROCESS_COLUMNS, rows, key=6))
    return parts


def _sweep_table(runs: Sequence[EngineRun]) -> str:
    first = runs[0]
    note = (
        f"{first.script.capitalize() if first.script != 'ascii' else 'ASCII'} catalogue, "
        f"{megabytes(first.catalogue_bytes):.1f} MB, {first.records:,} records. Memory in MB; <em>trimmed</em> is "
        "RSS after <code>malloc_trim(0)</code>; <em>µs</em>: medians to encode a page of 20 records."
    )
    if any(run.engine == "pydantic" for run in runs):
        note += f" {_PYDANTIC_NOTE}"
    return f'<p class="quiet">{note}</p>' + _html_table(table.COLUMNS, [table.sweep_row(run) for run in runs], key=4)


def _html_table(head: Sequence[str], rows: Sequence[Sequence[str]], *, key: int) -> str:
    cells = "".join(f"<th>{escape(cell)}</th>" for cell in head)
    lines = [f"<tr>{cells}</tr>"]
    for row in rows:
        cells = "".join(
            f'<td class="swatch" style="--engine: {figures.COLOURS[cell]}">{escape(cell)}</td>'
            if place == 0
            else f"<td{' class=key' if place == key else ''}>{escape(cell)}</td>"
            for place, cell in enumerate(row)
        )
        lines.append(f"<tr>{cells}</tr>")
    return f'<div class="scroll"><table>{"".join(lines)}</table></div>'


def _failures(results: Results) -> list[str]:
    if not results.failures:
        return []
    rows = [(f"{failure.engine}, {failure.part}", failure.reason) for failure in results.failures]
    return ["<h2>Without result</h2>", _plain_table(rows)]


def _method(results: Results) -> list[str]:
    allocator = ", ".join(f"{name}={value}" for name, value in ALLOCATOR.items())
    uses = [
        (name, ENGINES[name].usage)
        for name in results.options.engines
        if any(run.engine == name for run in results.runs)
    ]
    return [
        "<h2>How it was measured</h2>",
        "<p>Each engine has a fresh server process with the same catalogue, made from one seed. Thirty pages of "
        "other records warm it up, then the load asks for all pages over four kept-alive connections on 127.0.0.1, "
        "at the same even pace for every engine that can keep it, once in full and then again. Every reply is counted, "
        "one in forty is parsed and compared with the catalogue: all engines give equal values. RSS is read from "
        "outside, every 100 ms, from <code>/proc</code>; the copies are counted in the server afterwards, string by "
        "string.</p>",
        "<p>The garbage collector is frozen after the catalogue is loaded, and the allocator is held to the same "
        f"settings for all ({escape(allocator)}), so that free memory is not mistaken for held memory. Requests per "
        "second are not compared: on a shared machine they say little.</p>",
        _plain_table(uses),
    ]


def _environment(results: Results) -> list[str]:
    environment = results.environment
    rows = [
        ("Command", environment.command),
        ("Date", environment.date),
        ("Python", environment.python),
        ("CPU", f"{environment.cpu}, {environment.cores} usable cores"),
        ("Memory", f"{megabytes(environment.memory_bytes) / 1000:.0f} GB"),
        ("System", environment.system),
        ("Versions", ", ".join(f"{name} {version}" for name, version in environment.versions.items())),
        ("ssrjson_web level", environment.level),
        ("MB", "1,000,000 bytes"),
    ]
    return ["<h2>Where</h2>", _plain_table(rows)]


def _plain_table(rows: Sequence[tuple[str, str]]) -> str:
    lines = "".join(f"<tr><td>{escape(name)}</td><td>{escape(text)}</td></tr>" for name, text in rows)
    return f'<div class="scroll"><table class="plain">{lines}</table></div>'
