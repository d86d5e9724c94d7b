"""Tables, for a terminal and for Markdown."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Table:
    """Cells with a title and notes; the first `n_text_columns` are flush left, the others flush right."""

    title: str
    headers: Sequence[str]
    rows: Sequence[Sequence[str]]
    notes: Sequence[str] = ()
    n_text_columns: int = 1

    def as_text(self) -> str:
        """The table for a terminal."""
        lines = [self.headers, *self.rows]
        widths = [max(len(line[column]) for line in lines) for column in range(len(self.headers))]
        body = [
            "  ".join(
                cell.ljust(width) if column < self.n_text_columns else cell.rjust(width)
                for column, (cell, width) in enumerate(zip(line, widths, strict=True))
            ).rstrip()
            for line in lines
        ]
        rule = "  ".join("-" * width for width in widths)
        return "\n".join([self.title, "", body[0], rule, *body[1:], *(f"  {note}" for note in self.notes), ""])

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
