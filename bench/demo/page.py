"""The HTML page: one file, nothing loaded from elsewhere."""

from __future__ import annotations

from pathlib import Path

from bench.demo import sections
from bench.demo.engines import ENGINES
from bench.demo.figures import megabytes
from bench.demo.findings import headline
from bench.demo.results import Results
from bench.kit import markup
from bench.kit.processes import ALLOCATOR

__all__ = ["write_page"]


def write_page(results: Results, path: Path) -> None:
    """Write the page."""
    rounds = [results]
    parts = [
        markup.heading(1, "What serving JSON adds to a server’s memory"),
        markup.paragraph(headline(results), "lead"),
        sections.setting(results),
        *sections.cut_off(rounds),
        *sections.charts(rounds),
        *sections.meaning(results, level=2),
        *_affected(),
        *sections.preload(rounds, level=2),
        *sections.tables(rounds, level=2),
        *sections.failures(rounds, level=2),
        *_method(results),
        *_environment(results),
    ]
    path.write_text(markup.page("ssrjson_web demo: memory of JSON servers", parts), encoding="utf-8")


def _affected() -> list[str]:
    """How a reader finds out the same about an application of theirs."""
    commands = [
        ("`python -m ssrjson_web doctor`", "which of the installed JSON libraries leave copies"),
        (
            "`python -m ssrjson_web audit --pid PID`",
            "the copies in a running server: bytes held now, and bytes still to come (Python 3.14 or newer)",
        ),
        ("`python -m ssrjson_web audit shop:CATALOGUE`", "the same for an object of a module, in any Python"),
    ]
    return [
        markup.heading(2, "Is your application affected?"),
        markup.paragraph(
            "Only if text that is not ASCII stays in memory and such a library encodes it. These commands count."
        ),
        markup.named_values(commands),
    ]


def _method(results: Results) -> list[str]:
    allocator = ", ".join(f"{name}={value}" for name, value in ALLOCATOR.items())
    uses = [
        (name, ENGINES[name].usage)
        for name in results.options.engines
        if any(run.engine == name for run in results.runs)
    ]
    return [
        markup.heading(2, "How it was measured"),
        markup.paragraph(
            "Each engine has a fresh server process with the same catalogue, made from one seed. Thirty pages of "
            "other records warm it up, then the load asks for all pages over four kept-alive connections on 127.0.0.1, "
            "at the same even pace for every engine that can keep it, once in full and then again. Every reply is "
            "counted. One in forty is parsed and compared with the catalogue: all engines give equal values. RSS is "
            "read from `/proc` every 100 ms by another process. Afterwards the server counts the cached UTF-8 copies, "
            "string by string."
        ),
        markup.paragraph(
            "The garbage collector is frozen after the catalogue is loaded, and the allocator is held to the same "
            f"settings for all ({allocator}), so that free memory is not mistaken for held memory. Requests per "
            "second are not compared: on a shared machine they say little."
        ),
        markup.named_values(uses),
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
    return [markup.heading(2, "Where"), markup.named_values(rows)]
