"""Memory of real servers, engine by engine: what `python -m ssrjson_web demo` measures, over some rounds."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Sequence

from bench.report.run_records import Finding
from bench.report.section import Duel, HeldLine, Section, SpeedLine
from bench.rivals import OURS
from bench.timing import Sample, sample
from ssrjson_web._cli.demo import chart as demo_chart
from ssrjson_web._cli.demo import figures, findings
from ssrjson_web._cli.demo.figures import megabytes
from ssrjson_web._cli.demo.results import EngineRun, PreloadRun, Results, results_from_json
from ssrjson_web._cli.kit import charts as chart
from ssrjson_web._cli.kit import markup
from ssrjson_web._cli.kit.charts import Bar
from ssrjson_web._cli.kit.lexicon import script_words
from ssrjson_web._cli.kit.markup import Cell

_NS_PER_US = 1000
_VALIDATING = "pydantic"
_OF_FIRST_ROUND = markup.paragraph("In figures of the first round.", "quiet")


def memory_section(found: Sequence[Finding]) -> Section:
    """Raises KeyError and TypeError where the figures are not those of the demo."""
    rounds = [results_from_json(finding.document) for finding in found if finding.document is not None]
    first = rounds[0]
    body = [
        *_cut_off(rounds),
        markup.paragraph(findings.headline(first)),
        markup.paragraph(_setting(first)),
        *_curves(rounds),
        *_growth(rounds),
        *_encode_times(rounds),
        *_preload(rounds),
        *_meaning(first),
        *_table(rounds),
        markup.notes(
            f"{failure.engine} ({failure.part}): {failure.reason}" for results in rounds for failure in results.failures
        ),
    ]
    return Section(
        anchor="memory",
        title="Memory of real servers",
        body="".join(body),
        speed=_speed(rounds),
        held=_held(rounds),
        findings=found,
    )


def _cut_off(rounds: Sequence[Results]) -> list[str]:
    """A warning for each load that did not end: everything below leaves it out."""
    return [
        markup.paragraph(f"UNFINISHED, and left out: round {number}, {line}.", "warning")
        for number, results in enumerate(rounds, start=1)
        for line in results.cut_off
    ]


def _setting(results: Results) -> str:
    if not results.runs:
        return "No engine gave a result."
    until = "until each has been served twice, at the same pace for all that can keep it"
    if not results.all_served_twice:
        until = "at the same pace for all that can keep it"
    run = results.runs[0]
    return (
        "The same FastAPI application under uvicorn, one engine after another, each in a fresh process. "
        f"{run.records:,} records ({script_words(run.script)}) stay in memory, {megabytes(run.catalogue_bytes):.0f} "
        f"MB, and pages of 20 of them are served {until}. In this section `{OURS}` is its response class, and "
        f"`{_VALIDATING}` is FastAPI's own way with a response model."
    )


def _curves(rounds: Sequence[Results]) -> list[str]:
    first = rounds[0]
    if not first.finished_runs:
        return []
    title = "RSS above the start of the load, MB"
    caption = "Sampled from outside, every 100 ms." + (
        "" if len(rounds) == 1 else f" The first of {len(rounds)} rounds."
    )
    svg = demo_chart.curves_svg(figures.curves(first), title="RSS growth of each engine's server over time")
    return [markup.figure(title, markup.wide(svg), caption)]


def _engines(runs: Sequence[EngineRun] | Sequence[PreloadRun]) -> list[str]:
    return list(dict.fromkeys(run.engine for run in runs))


def _bars(
    runs: Sequence[EngineRun], value_of: Callable[[EngineRun], float | None], note: Callable[[float], str]
) -> list[Bar]:
    bars = []
    for engine in _engines(runs):
        values = [value for run in runs if run.engine == engine and (value := value_of(run)) is not None]
        if values:
            bars.append(_bar(engine, values, note))
    return bars


def _bar(engine: str, values: Sequence[float], note: Callable[[float], str]) -> Bar:
    value = statistics.median(values)
    return Bar(
        label=engine, value=value, low=min(values), high=max(values), note=note(value), colour=figures.COLOURS[engine]
    )


def _growth(rounds: Sequence[Results]) -> list[str]:
    runs = [run for results in rounds for run in results.finished_runs]
    control = [run for results in rounds for run in results.finished_control]

    def growth(of: Sequence[EngineRun]) -> list[Bar]:
        return _bars(of, lambda run: megabytes(run.growth_bytes), "{:+.1f} MB".format)

    def copies(of: Sequence[EngineRun]) -> list[Bar]:
        return _bars(of, lambda run: megabytes(run.caches["bytes"]), "{:.1f} MB".format)

    if not runs:
        return []
    groups = [(f"{runs[0].script} text", runs)]
    if control:
        groups.append(("ASCII text, the control", control))
    caption = _caption(rounds)
    return [
        markup.side_by_side(
            [
                markup.figure(
                    "RSS growth still there after malloc_trim",
                    chart.value_chart(
                        [(name, growth(of)) for name, of in groups], title="RSS growth after malloc_trim"
                    ),
                    caption,
                ),
                markup.figure(
                    "UTF-8 copies counted in the strings",
                    chart.value_chart(
                        [(name, copies(of)) for name, of in groups],
                        title="UTF-8 copies in the strings of the catalogue",
                    ),
                    caption,
                ),
            ]
        )
    ]


def _caption(rounds: Sequence[Results]) -> str:
    if len(rounds) == 1:
        return "One round."
    which = " that an engine finished" if any(results.cut_off for results in rounds) else ""
    return f"Median of the {len(rounds)} rounds{which}; the line spans all of them."


def _encode_times(rounds: Sequence[Results]) -> list[str]:
    runs = [run for results in rounds for run in results.finished_runs]
    first = _bars(runs, lambda run: run.encode_first_us, "{:.0f} µs".format)
    again = _bars(runs, lambda run: run.encode_again_us, "{:.0f} µs".format)
    if not first:
        return []
    note = f"{_VALIDATING}: with validation, which `response_model` does in one with encoding. " + _caption(rounds)
    top = max(bar.high for bar in (*first, *again))
    return [
        markup.side_by_side(
            markup.figure(title, chart.value_chart([("", bars)], title=title, top=top), note)
            for title, bars in (
                ("Time to encode a page of 20 records that is served for the first time", first),
                ("The same, served again", again),
            )
            if bars
        )
    ]


def _preload(rounds: Sequence[Results]) -> list[str]:
    runs = [run for results in rounds for run in results.finished_preload]
    if not runs:
        return []
    engines = _engines(runs)
    own, shared = [], []
    rows: list[list[Cell | str]] = []
    for engine in engines:
        of_engine = [run for run in runs if run.engine == engine]
        uss = [megabytes(worker.growth_bytes) for run in of_engine for worker in run.workers]
        pss = [megabytes(run.pss_trimmed_bytes - run.pss_base_bytes) for run in of_engine]
        own.append(_bar(engine, uss, "{:+.1f} MB".format))
        shared.append(_bar(engine, pss, "{:+.1f} MB".format))
        for place in range(min(len(run.workers) for run in of_engine)):
            workers = [run.workers[place] for run in of_engine]
            rows.append(
                [
                    engine,
                    f"worker {place + 1}",
                    _span([megabytes(worker.uss_base_bytes) for worker in workers]),
                    _span([megabytes(worker.uss_trimmed_bytes) for worker in workers]),
                    _span([megabytes(worker.growth_bytes) for worker in workers], sign="+"),
                    "" if place else _span([megabytes(run.pss_base_bytes) for run in of_engine]),
                    "" if place else _span([megabytes(run.pss_trimmed_bytes) for run in of_engine]),
                ]
            )
    headers = ["engine", "", "USS before", "USS after", "growth", "PSS of all before", "PSS of all after"]
    finding = next(iter(findings.preload_finding(rounds[0])), None)
    return [
        markup.heading(3, finding.title if finding else "Several workers over one preloaded catalogue"),
        *(markup.paragraph(each) for each in (finding.paragraphs if finding else ())),
        markup.side_by_side(
            [
                markup.figure(
                    "Private memory (USS) that a worker gains",
                    chart.value_chart([("", own)], title="Growth of each worker's private memory"),
                    "Median over workers and rounds; the line spans all of them.",
                ),
                markup.figure(
                    "Memory (PSS) that parent and workers gain together",
                    chart.value_chart([("", shared)], title="Growth of all processes' memory together"),
                    _caption(rounds),
                ),
            ]
        ),
        markup.table(headers, rows, n_text_columns=2),
        markup.paragraph("MB, after `malloc_trim`; PSS counts the parent and all workers, shared pages once.", "quiet"),
    ]


def _meaning(results: Results) -> list[str]:
    preload = list(findings.preload_finding(results))
    parts = []
    for finding in findings.findings(results):
        if finding not in preload:
            parts.append(
                f"<section>{markup.heading(4, finding.title)}"
                f"{''.join(markup.paragraph(each) for each in finding.paragraphs)}</section>"
            )
    return (
        [markup.heading(3, "What this means"), _OF_FIRST_ROUND, f'<div class="columns">{"".join(parts)}</div>']
        if parts
        else []
    )


def _table(rounds: Sequence[Results]) -> list[str]:
    parts = []
    for runs in (
        [run for results in rounds for run in results.finished_runs],
        [run for results in rounds for run in results.finished_control],
    ):
        if not runs:
            continue
        rows = [_row(engine, [run for run in runs if run.engine == engine]) for engine in _engines(runs)]
        name = "ASCII" if runs[0].script == "ascii" else runs[0].script.capitalize()
        headers = [
            f"{name} text",
            "RSS before",
            "RSS after",
            "trimmed",
            "growth",
            "UTF-8 copies",
            "USS growth",
            "µs first",
            "µs again",
            "pages",
        ]
        parts.append(markup.table(headers, rows))
    if not parts:
        return []
    note = (
        "Memory in MB; trimmed: RSS after `malloc_trim(0)`; pages: served and counted. From the lowest of the rounds "
    )
    note += "to the highest, where they differ."
    return [markup.heading(3, "All figures of the servers"), *parts, markup.paragraph(note, "quiet")]


def _row(engine: str, runs: Sequence[EngineRun]) -> list[Cell | str]:
    def span(value_of: Callable[[EngineRun], float], sign: str = "") -> str:
        return _span([megabytes(value_of(run)) for run in runs], sign=sign)

    return [
        engine,
        span(lambda run: run.rss_base_bytes),
        span(lambda run: run.rss_end_bytes),
        span(lambda run: run.rss_trimmed_bytes),
        span(lambda run: run.growth_bytes, "+"),
        span(lambda run: run.caches["bytes"]),
        span(lambda run: run.uss_trimmed_bytes - run.uss_base_bytes, "+"),
        _span([run.encode_first_us for run in runs if run.encode_first_us is not None]),
        _span([run.encode_again_us for run in runs if run.encode_again_us is not None]),
        " / ".join(f"{run.sweep.requests:,}" for run in runs),
    ]


def _span(values: Sequence[float], *, sign: str = "") -> str:
    if not values:
        return "-"
    low, high = f"{min(values):{sign}.1f}", f"{max(values):{sign}.1f}"
    return low if low == high else f"{low} to {high}"


def _held(rounds: Sequence[Results]) -> list[HeldLine]:
    lines = []
    for title, runs in (
        ("RSS growth: a server", [run for results in rounds for run in results.finished_runs]),
        (
            "RSS growth: the same with ASCII text, the control",
            [run for results in rounds for run in results.finished_control],
        ),
    ):
        if runs:
            lines.append(HeldLine(title=title, held_mb=_by_engine(runs)))
    workers = [run for results in rounds for run in results.finished_preload]
    if workers:
        held = {
            engine: statistics.median(
                [megabytes(each.growth_bytes) for run in workers if run.engine == engine for each in run.workers]
            )
            for engine in _engines(workers)
        }
        lines.append(HeldLine(title="Private memory: a preloaded worker", held_mb=held))
    return lines


def _by_engine(runs: Sequence[EngineRun]) -> dict[str, float]:
    return {
        engine: statistics.median([megabytes(run.growth_bytes) for run in runs if run.engine == engine])
        for engine in _engines(runs)
    }


def _speed(rounds: Sequence[Results]) -> list[SpeedLine]:
    runs = [run for results in rounds for run in results.finished_runs if run.engine != _VALIDATING]
    lines = []
    for when, value_of in (
        ("for the first time", lambda run: run.encode_first_us),
        ("again", lambda run: run.encode_again_us),
    ):
        line = _speed_line(f"Encoding a page in a server, {when}", runs, value_of)
        if line is not None:
            lines.append(line)
    return lines


def _speed_line(
    title: str, runs: Sequence[EngineRun], value_of: Callable[[EngineRun], float | None]
) -> SpeedLine | None:
    samples: dict[str, Sample] = {}
    for engine in _engines(runs):
        values = [value * _NS_PER_US for run in runs if run.engine == engine and (value := value_of(run)) is not None]
        if values:
            samples[engine] = sample(values)
    if OURS not in samples or len(samples) < 2:
        return None

    def duels(engine: str) -> list[Duel]:
        if engine not in samples:
            return []
        return [Duel(name="20 records", other=engine, ours=samples[OURS], theirs=samples[engine])]

    best = min((engine for engine in samples if engine != OURS), key=lambda engine: samples[engine].median_ns)
    return SpeedLine(title=title, best=duels(best), orjson=duels("orjson"), stock=duels("json"))
