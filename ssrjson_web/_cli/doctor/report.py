"""The report on an installation, as text and as JSON."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import asdict

from ssrjson_web._cli.doctor.adapters import Framework
from ssrjson_web._cli.doctor.examination import Examination
from ssrjson_web._cli.doctor.libraries import LibraryTrial
from ssrjson_web._cli.doctor.trial import LONGEST, PROBE_CHARS, Span
from ssrjson_web._shared.plain_text import text_table

__all__ = ["as_json", "as_text"]

_WIDTH = 100
_SHORTEST = 3
"""A str to decode begins with this length: two quotes and a character."""


def as_text(examination: Examination) -> str:
    """Sections for the core, the frameworks and the libraries, and then the problems."""
    features = examination.features
    blocks = [
        f"ssrjson_web {features['version']}, {examination.python}, {examination.system}",
        _core(examination),
        _section("Frameworks", _frameworks(examination.frameworks)),
        _section(
            "JSON libraries here: which strings get a cached UTF-8 copy, by their length in characters",
            _libraries(examination.libraries),
        ),
        _problems(examination.problems),
    ]
    return "\n\n".join(blocks) + "\n"


def as_json(examination: Examination) -> str:
    """The whole examination as JSON."""
    content = {**asdict(examination), "unknown": [one._asdict() for one in examination.unknown]}
    return json.dumps(content, indent=1) + "\n"


def _core(examination: Examination) -> str:
    features = examination.features
    held = f", limited by SSRJSON_ISA={examination.isa_variable}" if examination.isa_variable else ""
    lines = [
        ("level", f"{features['level']}{held}"),
        ("can run here", ", ".join(features["levels"])),
        ("compiler", features["compiler"]),
        (
            "cache switch",
            "on: UTF-8 copies are cached" if features["write_utf8_cache"] else "off: no UTF-8 copies are cached",
        ),
        ("free threading", "yes" if features["free_threading"] else "no"),
        (
            "object layouts",
            "known: objects are read in place"
            if features["known_layouts"]
            else "unknown: objects are read through Python's public C API, which is slower",
        ),
    ]
    width = max(len(name) for name, _ in lines)
    return _section("Core", "\n".join(f"{name:<{width}}  {text}" for name, text in lines))


def _frameworks(frameworks: Sequence[Framework]) -> str:
    if not frameworks:
        return "unknown: ssrjson_web is on the path, but not installed as a package"
    rows = [
        (
            framework.adapter,
            framework.package,
            f">= {framework.oldest}" if framework.oldest else "any",
            (framework.installed or "-") + (", too old" if framework.is_too_old else ""),
        )
        for framework in frameworks
    ]
    return text_table(("adapter", "package", "needs", "installed"), rows, left=range(4))


def _libraries(trials: Sequence[LibraryTrial]) -> str:
    rows = [(trial.name, trial.version or "-", *_outcome(trial)) for trial in trials]
    head = ("library", "version", "encoded strings", "a decoded str", f"copy of {PROBE_CHARS:,} Chinese")
    table = text_table(head, rows, left=range(5))
    leaving = [trial.name for trial in trials if trial.leaves_copies]
    if not leaving:
        return table
    meaning = (
        f"A string of such a length that is encoded with {_any_of(leaving)} keeps its copy until it is freed. "
        f"Latin-1, Chinese and emoji were tried, up to {LONGEST:,} characters. "
        "python -m ssrjson_web audit MODULE:OBJECT shows how much memory that takes for your data."
    )
    return f"{table}\n{textwrap.fill(meaning, width=_WIDTH - 2, break_on_hyphens=False)}"


def _any_of(names: Sequence[str]) -> str:
    *first, last = names
    return f"{', '.join(first)} or {last}" if first else last


def _outcome(trial: LibraryTrial) -> tuple[str, ...]:
    if trial.failure is not None:
        return "", "", f"could not be tried: {trial.failure}"
    in_probe = f"{trial.copy_bytes:,} bytes" if trial.copy_bytes else "none"
    return _lengths(trial.encoded), _lengths(trial.decoded), in_probe


def _lengths(by_kind: Mapping[str, Sequence[Span]]) -> str:
    """The lengths of strings that get copies; for each kind of text where the kinds differ."""
    words = {kind: _lengths_of_a_kind(spans) for kind, spans in by_kind.items()}
    if len(set(words.values())) == 1:
        return next(iter(words.values()))
    return ", ".join(f"{kind}: {lengths}" for kind, lengths in words.items()) or "-"


def _lengths_of_a_kind(spans: Sequence[Span]) -> str:
    """`all lengths`, `below 256`, `from 256`, `10 to 255`."""
    words = []
    for first, last in spans:
        if last is None:
            words.append("all lengths" if first <= _SHORTEST else f"from {first:,}")
        else:
            words.append(f"below {last + 1:,}" if first <= _SHORTEST else f"{first:,} to {last:,}")
    return " and ".join(words) or "none"


def _problems(problems: Sequence[str]) -> str:
    if not problems:
        return "No problems found."
    wrapped = [
        textwrap.fill(problem, width=_WIDTH, initial_indent="- ", subsequent_indent="  ", break_on_hyphens=False)
        for problem in problems
    ]
    return "\n".join(["Problems:", *wrapped])


def _section(title: str, text: str) -> str:
    return f"{title}\n{textwrap.indent(text, '  ')}"
