"""Memory of real servers, engine by engine: the figures of `python -m bench demo`, over several rounds."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Sequence

from bench.demo import sections
from bench.demo.figures import engines_of, megabytes, runs_by_script
from bench.demo.findings import headline
from bench.demo.results import EngineRun, Results, results_from_json
from bench.kit import markup
from bench.report.run_records import Finding
from bench.report.section import HeldLine, Section, SpeedLine
from bench.timing import Sample, sample

_NS_PER_US = 1000
_VALIDATING = "pydantic"


def memory_section(found: Sequence[Finding]) -> Section:
    """The section. Raises KeyError, TypeError and ValueError if the figures are not those of the demo."""
    rounds = [results_from_json(finding.document) for finding in found if finding.document is not None]
    first = rounds[0]
    body = [
        *sections.cut_off(rounds),
        markup.paragraph(headline(first)),
        sections.setting(first) or markup.paragraph("No engine gave a result."),
        *sections.charts(rounds),
        *sections.preload(rounds, level=3),
        *sections.meaning(first, level=3),
        *sections.tables(rounds, level=3),
        *sections.failures(rounds, level=3),
    ]
    return Section(
        anchor="memory",
        title="Memory of real servers",
        body="".join(body),
        speed=_speed(rounds),
        held=_held(rounds),
        findings=found,
    )


def _held(rounds: Sequence[Results]) -> list[HeldLine]:
    lines: list[HeldLine] = []
    for runs in runs_by_script(rounds):
        is_control = runs[0].script == "ascii" and bool(lines)
        title = "RSS growth: the same with ASCII text, the control" if is_control else "RSS growth: a server"
        held = {
            engine: statistics.median(megabytes(run.growth_bytes) for run in runs if run.engine == engine)
            for engine in engines_of(runs)
        }
        lines.append(HeldLine(title=title, held_mb=held))
    workers = [run for results in rounds for run in results.finished_preload]
    if workers:
        held = {
            engine: statistics.median(
                megabytes(each.growth_bytes) for run in workers if run.engine == engine for each in run.workers
            )
            for engine in engines_of(workers)
        }
        lines.append(HeldLine(title="Private memory: a preloaded worker", held_mb=held))
    return lines


def _speed(rounds: Sequence[Results]) -> list[SpeedLine]:
    runs = [run for results in rounds for run in results.finished_runs if run.engine != _VALIDATING]
    lines = (
        _speed_line("Encoding a page in a server, for the first time", runs, lambda run: run.encode_first_us),
        _speed_line("Encoding a page in a server, again", runs, lambda run: run.encode_again_us),
    )
    return [line for line in lines if line is not None]


def _speed_line(
    title: str, runs: Sequence[EngineRun], value_of: Callable[[EngineRun], float | None]
) -> SpeedLine | None:
    samples: dict[str, Sample] = {}
    for engine in engines_of(runs):
        values = [value * _NS_PER_US for run in runs if run.engine == engine and (value := value_of(run)) is not None]
        if values:
            samples[engine] = sample(values)
    return SpeedLine.of_samples(title, "20 records", samples)
