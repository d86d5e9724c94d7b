"""Tables, for a terminal and for Markdown; `markup.table_of` makes HTML of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from bench.kit.plain_text import prose, terminal_width, text_table

__all__ = ["Table", "gain", "megabytes", "significant"]


@dataclass(frozen=True, kw_only=True)
class Table:
    """Cells with a title and notes; the first `n_text_columns` are flush left, the others flush right."""

    title: str
    headers: Sequence[str]
    rows: Sequence[Sequence[str]]
    notes: Sequence[str] = ()
    n_text_columns: int = 1

    def as_text(self) -> str:
        """The table for a terminal, at most `width` wide."""
        width = terminal_width()
        body = text_table(self.headers, self.rows, left=range(self.n_text_columns), width=width)
        notes = [f"  {note}" if width is None else prose(note, indent="  ", hanging="    ") for note in self.notes]
        return "\n".join([self.title if width is None else prose(self.title), "", body, *notes, ""])

    def as_markdown(self) -> str:
        """The table as a section of a Markdown page."""
        marks = ["---" if column < self.n_text_columns else "---:" for column in range(len(self.headers))]
        lines = ["| " + " | ".join(line) + " |" for line in (self.headers, marks, *self.rows)]
        notes = ["", *(f"- {note}" for note in self.notes)] if self.notes else []
        return "\n".join([f"### {self.title}", "", *lines, *notes, ""])


def significant(value: float) -> str:
    """Three significant digits without an exponent: 0.0624, 5.31, 124, 1240."""
    if value >= 100:
        return f"{value:.0f}"
    return f"{value:.3f}" if value < 1 else f"{value:.2f}" if value < 10 else f"{value:.1f}"


def megabytes(n_bytes: float | None) -> str:
    """In units of 1,000,000 bytes; a dash for None."""
    return "-" if n_bytes is None else f"{n_bytes / 1e6:.1f}"


def gain(n_bytes: float | None) -> str:
    """The same with its sign."""
    return "-" if n_bytes is None else f"{n_bytes / 1e6:+.1f}"
