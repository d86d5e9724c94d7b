"""The page: what each command showed, its tables and pictures, in one HTML file that loads nothing from elsewhere."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from bench.command_output import Page
from bench.kit import markup
from bench.report.steps import PARTS, Record

TITLE = "ssrjson_web beside the other JSON libraries"
ARTICLE = "https://en.chr.fan/2026/01/07/python-json/"
_LOST = ("LOST ", "WRONG ")
_READING = (
    "Ratios are the other’s time over ours: above 1 ours is faster; below 1, marked ▼, the other is faster. Absolute "
    "times come from one machine that also does other work. For ratios the rivals took turns. Where the ratio of the "
    "medians and that of the fastest rounds lie on both sides of 1, the case is undecided.",
    "Memory that copies take is a plateau, not a leak: each string is copied once, and its copy is freed with the "
    "string. ASCII text, and strings that live as long as a request, gain nothing; the ASCII rows are the control. The "
    "standard library’s `json` leaves no copies either.",
    "Results were compared with the standard library’s before the timing. bench/README.md has the details.",
)


def page(records: Sequence[Record], data: Path) -> str:
    """The page with all results in `data`; it names each part without figures, with the reason."""
    found = [(record, _read(record, data)) for record in records]
    shown = [(record, each) for record, each in found if isinstance(each, Page)]
    lost = [f"{record.title}, {note}" for record, each in shown for note in _losses(each)]
    recorded = {record.part for record in records}
    links = " ".join(f'<a href="#{record.name}">{markup.text(record.title)}</a>' for record, _ in shown)
    return markup.page(
        TITLE,
        [
            markup.heading(1, TITLE),
            f'<p>Why a server grows that answers with JSON: <a href="{ARTICLE}">the ssrJSON article</a>.</p>',
            *(markup.paragraph(line, "warning") for line in map(_fault, found) if line),
            *(markup.paragraph(f"{part}: not part of this run.", "warning") for part in PARTS if part not in recorded),
            f"<nav>{links}</nav>",
            markup.heading(2, "Where others are faster", "losses"),
            markup.notes(lost) if lost else markup.paragraph("In no case that was measured."),
            *(part for record, each in shown for part in _section(record, each)),
            markup.heading(2, "How to read this", "reading"),
            *map(markup.paragraph, _READING),
        ],
    )


def _read(record: Record, data: Path) -> Page | str:
    """What the command showed, or why that is not known."""
    try:
        return Page.from_document(json.loads((data / record.document).read_text("utf-8")))
    except OSError:
        return "" if record.status != "measured" else f"its figures, {record.document}, are missing"
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        return f"its figures cannot be read: {type(error).__name__}: {error}"


def _fault(found: tuple[Record, Page | str]) -> str:
    record, each = found
    why = [each] if isinstance(each, str) else []
    what = [record.status if record.status != "measured" else "", record.reason, *why]
    return f"{record.title}: {'. '.join(filter(None, what))}" if any(what) else ""


def _losses(each: Page) -> list[str]:
    """The notes of its tables that name lost cases."""
    return [
        f"{table.title.partition(':')[0]}: {note}"
        for table in each.tables
        for note in table.notes
        if note.startswith(_LOST) or " cases lost: " in note
    ]


def _section(record: Record, each: Page) -> list[str]:
    origin = f"`{record.command}` · {record.date} · commit {record.commit} · {record.seconds:.0f} s"
    return [
        markup.heading(2, record.title, record.name),
        markup.paragraph(origin, "quiet"),
        *each.html_parts(level=3),
    ]
