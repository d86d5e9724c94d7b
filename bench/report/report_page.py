"""The page: one HTML file, nothing loaded from elsewhere, no script."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from html import escape

from bench.kit import markup
from bench.kit.markup import Cell
from bench.report.article_section import article_section
from bench.report.library_section import library_section
from bench.report.memory_section import memory_section
from bench.report.run_records import Finding
from bench.report.run_steps import PARTS, Part
from bench.report.section import Section, SpeedLine, mean_ratio, mean_ratio_of_minima
from bench.report.web_section import web_section
from bench.rivals import OURS
from bench.speed_results import Duel

TITLE = "ssrjson_web beside the other JSON libraries"
_TITLES = {
    "encode": "Encoding",
    "decode": "Decoding",
    "article": "The article’s two scripts",
    "memory": "Memory of real servers",
    "web": "Web frameworks",
}
_ORDER: Sequence[Part] = ("memory", "article", "encode", "decode", "web")
"""Memory before time."""
ARTICLE = "https://en.chr.fan/2026/01/07/python-json/"
_MAKERS: dict[str, Callable[[Sequence[Finding]], Section]] = {
    "encode": lambda found: library_section("encode", found[0]),
    "decode": lambda found: library_section("decode", found[0]),
    "article": lambda found: article_section(found[0]),
    "memory": memory_section,
    "web": web_section,
}
_HELD_COLUMNS = (
    OURS,
    "json",
    "ujson",
    "orjson",
    "msgspec",
    "pydantic",
    "isojson",
    "fastsimdjson",
    "oxjson",
    "rjson",
    "strata",
    "yjson",
    "ssrjson",
    "ssrjson+cache",
)
_PART = " (INCOMPLETE)"
_READING = (
    "Ratios are the other’s time over ours: above 1 ours is faster; below 1, marked ▼, the other is faster. Absolute "
    "times come from one machine that also does other work. For ratios the rivals took turns. Where the ratio of the "
    "medians and that of the fastest rounds lie on both sides of 1, the case is undecided.",
    "Memory that copies take is a plateau, not a leak: each string is copied once, at most 3 bytes for a Chinese or "
    "Japanese character in it, and its copy is freed with the string. It matters for text that stays in the process. "
    "ASCII text, and strings that live as long as a request, gain nothing; the ASCII rows are the control.",
    "The standard library’s `json` leaves no copies either: against it time can be gained, and memory only for "
    "preloaded workers on older versions of Python.",
    "Requests per second are not shown: on a shared machine they are no evidence.",
    "Times are CPU time of the thread, for web frameworks of the process. The garbage collector is off during a race. "
    "Results were compared with the standard library’s before the timing. bench/README.md has the details.",
)


def page(found: Sequence[Finding]) -> str:
    """The page with all results; it names each part without figures, with the reason."""
    sections, unreadable = _sections(found)
    speed = [line for section in sections for line in section.speed]
    parts = [
        markup.heading(1, TITLE),
        markup.paragraph(lead(sections), "lead"),
        f'<p>Why a server grows that answers with JSON: <a href="{ARTICLE}">the ssrJSON article</a>. Its two scripts '
        "are measured here too.</p>",
        markup.paragraph(_provenance(found), "quiet"),
        *_warnings(found, sections, unreadable),
        _navigation(sections),
        *_summary(sections, speed),
        *_losses(speed, is_complete=_is_complete(found)),
        *(_section(section) for section in sections),
        markup.heading(2, "How to read this", "reading"),
        *(markup.paragraph(each) for each in _READING),
        *_environment(found),
    ]
    return markup.page(TITLE, parts)


def lead(sections: Sequence[Section]) -> str:
    """The gains, memory before time, and the losses."""
    sentences = []
    held = next((line for section in sections for line in section.held), None)
    if held is not None and OURS in held.held_mb:
        others = {name: mb for name, mb in held.held_mb.items() if name != OURS}
        most = max(others, key=others.__getitem__, default=None)
        if most is not None:
            sentences.append(
                f"What stays in memory ({held.title}): {max(others[most], 0):.1f} MB with {most}, "
                f"{max(held.held_mb[OURS], 0):.1f} MB with {OURS}."
            )
    for section in sections:
        if section.anchor in ("encode", "decode") and section.speed:
            line = section.speed[0]
            faster = [
                f"{_times(mean_ratio(duels))} {name}"
                for name, duels in (("json", line.stock), ("orjson", line.orjson))
                if duels
            ]
            sentences.append(f"{line.title}: {' and '.join(faster)}." if faster else "")
    best = [duel for section in sections for line in section.speed for duel in line.best]
    lost = [duel for duel in best if duel.is_loss]
    if best:
        n_undecided = sum(duel.is_undecided for duel in lost)
        undecided = f", {n_undecided} of them undecided" if n_undecided else ""
        sentences.append(f"Another library is faster in {len(lost)} of {len(best)} cases{undecided}.")
    return " ".join(filter(None, sentences)) or "Nothing was measured."


def _times(ratio: float) -> str:
    return f"{ratio:.1f} times faster than" if ratio >= 1 else f"{1 / ratio:.1f} times slower than"


def _sections(found: Sequence[Finding]) -> tuple[list[Section], list[str]]:
    """The sections, and a line for each part with figures that could not be read."""
    sections, unreadable = [], []
    for part in _ORDER:
        members = [finding for finding in found if finding.record.part == part and finding.document is not None]
        if not members:
            continue
        try:
            section = _MAKERS[part](members)
            sections.append(section if _is_complete(members) else _marked(section))
        except (KeyError, TypeError, ValueError) as error:
            unreadable.append(f"{_TITLES[part]}: its figures cannot be read: {type(error).__name__}: {error}")
    return sections, unreadable


def _is_complete(members: Sequence[Finding]) -> bool:
    """Whether each step was completed, by its record and by its own figures."""
    return all(
        finding.record.status == "measured" and (finding.document or {}).get("is_complete", True) for finding in members
    )


def _marked(section: Section) -> Section:
    """The section, with its lines of the summary marked as incomplete."""
    return replace(
        section,
        speed=[replace(line, title=f"{line.title}{_PART}") for line in section.speed],
        held=[replace(line, title=f"{line.title}{_PART}") for line in section.held],
    )


def _provenance(found: Sequence[Finding]) -> str:
    machine = _machine(found)
    dates = sorted(finding.record.date for finding in found if finding.record.date)
    words = [machine.get("cpu", ""), machine.get("level", ""), machine.get("python", "").partition(" (")[0]]
    words += [f"commit {commit}" for commit in _distinct(finding.record.commit for finding in found)]
    words += [dates[0] if dates[0][:10] == dates[-1][:10] else f"{dates[0]} to {dates[-1]}"] if dates else []
    if any("--quick" in finding.record.command for finding in found):
        words.append("a quick run, of few rounds: figures of a case vary from run to run")
    return " · ".join(filter(None, [*words, machine.get("note", "")]))


def _machine(found: Iterable[Finding]) -> dict[str, str]:
    """The machine, from the first step that describes it."""
    return next((dict(each.document["machine"]) for each in found if each.document and "machine" in each.document), {})


def _distinct(values: Iterable[str]) -> list[str]:
    return [value for value in dict.fromkeys(values) if value]


def _warnings(found: Sequence[Finding], sections: Sequence[Section], unreadable: Sequence[str]) -> list[str]:
    lines = []
    for finding in found:
        record = finding.record
        if record.status == "measured" and finding.document is None:
            lines.append(f"{record.title}: its figures, {record.document}, cannot be read.")
        elif record.status != "measured":
            lines.append(f"{record.title}: {record.status}. {record.reason}".strip())
        elif record.reason:
            lines.append(f"{record.title}: {record.reason}")
    recorded = {finding.record.part for finding in found}
    lines += [f"{_TITLES[part]}: not part of this run." for part in PARTS if part not in recorded]
    lines += unreadable
    absent = _distinct(name for section in sections for name in section.absent)
    if absent:
        lines.append(f"Not compared, because they could not be imported: {', '.join(absent)}.")
    commits = _distinct(finding.record.commit for finding in found)
    if len(commits) > 1:
        lines.append(f"Parts were measured at different commits: {', '.join(commits)}.")
    return [markup.paragraph(line, "warning") for line in lines]


def _navigation(sections: Sequence[Section]) -> str:
    links = [("summary", "At a glance"), ("losses", "Where others are faster")]
    links += [(section.anchor, section.title) for section in sections] + [("reading", "How to read this")]
    return "<nav>" + " ".join(f'<a href="#{anchor}">{escape(title)}</a>' for anchor, title in links) + "</nav>"


def _summary(sections: Sequence[Section], speed: Sequence[SpeedLine]) -> list[str]:
    parts = [markup.heading(2, "At a glance", "summary")]
    held = [line for section in sections for line in section.held]
    if held:
        columns = [name for name in _HELD_COLUMNS if any(name in line.held_mb for line in held)]
        parts += [
            markup.table(
                ["What stays in memory, MB", *columns],
                [[line.title, *(_held_cell(line.held_mb.get(name), name) for name in columns)] for line in held],
                css="wrap",
            ),
            markup.paragraph("Median of the rounds. A dash: the library did not take part.", "quiet"),
        ]
    if speed:
        rows: list[list[Cell | str]] = [
            [
                line.title,
                markup.ratio_cell(mean_ratio(line.best)),
                f"{mean_ratio_of_minima(line.best):.2f}",
                _mean_cell(line.orjson),
                _mean_cell(line.stock),
                Cell(text=f"{len(line.losses)} of {len(line.best)}", css="loss")
                if line.losses
                else f"0 of {len(line.best)}",
            ]
            for line in speed
        ]
        headers = ["Ours is x times faster than", "fastest other", "minima", "orjson", "json or stock", "slower in"]
        parts += [
            markup.table(headers, rows, css="wrap"),
            markup.paragraph(
                "The other’s time over ours, geometric mean over the cases; above 1 ours is faster. Fastest other: in "
                "each case the fastest of them. Minima: the same for the fastest rounds. Stock: the framework without "
                "changes.",
                "quiet",
            ),
        ]
    return parts if len(parts) > 1 else [*parts, markup.paragraph("Nothing was measured.")]


def _held_cell(megabytes: float | None, library: str) -> Cell | str:
    text = "-" if megabytes is None else f"{max(megabytes, 0.0):.1f}"
    return Cell(text=text, css="ours") if library == OURS else text


def _mean_cell(duels: Sequence[Duel]) -> Cell | str:
    return markup.ratio_cell(mean_ratio(duels)) if duels else "-"


def _losses(speed: Sequence[SpeedLine], *, is_complete: bool) -> list[str]:
    if not speed:
        return []
    heading = markup.heading(2, "Where others are faster", "losses")
    losing = [line for line in speed if line.losses]
    if not losing:
        unfinished = "" if is_complete else "; but this run did not measure all"
        return [heading, markup.paragraph(f"In no case of this run{unfinished}.")]
    n_lost, n_all = sum(len(line.losses) for line in speed), sum(len(line.best) for line in speed)
    return [
        heading,
        markup.paragraph(
            f"{n_lost} of {n_all} cases: in each the fastest other’s time over ours, the worst first. A question mark: "
            "undecided, because the fastest rounds say the opposite."
        ),
        markup.definitions(
            (line.title, f"{len(line.losses)} of {len(line.best)}", "; ".join(map(_loss, line.losses)))
            for line in losing
        ),
    ]


def _loss(duel: Duel) -> str:
    return f"{duel.name} {markup.ratio_text(duel.ratio)}{'?' if duel.is_undecided else ''} ({duel.other})"


def _section(section: Section) -> str:
    dates = _distinct(finding.record.date for finding in section.findings)
    commits = _distinct(finding.record.commit for finding in section.findings)
    libraries = _distinct(
        finding.document["machine"].get("libraries", "")
        for finding in section.findings
        if finding.document and "machine" in finding.document
    )
    incomplete = [each.record.title for each in section.findings if not _is_complete([each])]
    origin = " · ".join([*dates[:1], *(f"commit {commit}" for commit in commits), *libraries])
    return "".join(
        [
            markup.heading(2, section.title, section.anchor),
            *(
                markup.paragraph(f"{title}: was not completed; the figures below are incomplete.", "warning")
                for title in incomplete
            ),
            markup.paragraph(origin, "quiet") if origin else "",
            section.body,
        ]
    )


def _environment(found: Sequence[Finding]) -> list[str]:
    rows: list[list[Cell | str]] = [[name, value] for name, value in _machine(found).items() if name not in _VARYING]
    environment = next(
        (each.document["environment"] for each in found if each.document and "environment" in each.document), None
    )
    if environment:
        rows += [
            ["system", environment["system"]],
            ["servers", ", ".join(f"{name} {value}" for name, value in environment["versions"].items())],
        ]
    steps: list[list[Cell | str]] = [
        [
            finding.record.title,
            finding.record.command,
            finding.record.status,
            finding.record.date,
            finding.record.commit,
            f"{finding.record.seconds:.0f}",
            (finding.document or {}).get("machine", {}).get("load", "-").removesuffix(" at the start"),
        ]
        for finding in found
    ]
    headers = ["what", "command", "", "begun", "commit", "seconds", "load"]
    return [
        markup.heading(2, "Where and when", "where"),
        markup.table(["machine", ""], rows, n_text_columns=2, css="plain") if rows else "",
        markup.table(headers, steps, n_text_columns=5, css="dense"),
    ]


_VARYING = ("date", "load", "clock", "commit", "results", "libraries")
"""Facts that differ between steps; they are shown with each step."""
