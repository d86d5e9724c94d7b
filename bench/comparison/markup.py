"""HTML of the page's parts: every text is escaped here, and nowhere else."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape

from bench.tables import Table

LOSS_MARK = "▼"


@dataclass(frozen=True, kw_only=True)
class Cell:
    """A cell that is told apart."""

    text: str
    css: str
    """`loss`: someone else is better here; `ours`: our own figure."""


def ratio_cell(ratio: float, *, is_loss: bool | None = None) -> Cell | str:
    """A ratio, marked by colour and by sign where it is a loss; of itself where it is under 1."""
    if ratio < 1 if is_loss is None else is_loss:
        return Cell(text=f"{LOSS_MARK} {ratio:.2f}", css="loss")
    return f"{ratio:.2f}"


def text(content: str) -> str:
    """Plain text as HTML; what stands between backquotes becomes code."""
    parts = escape(content).split("`")
    if len(parts) % 2 == 0:
        return escape(content)
    return "".join(f"<code>{part}</code>" if place % 2 else part for place, part in enumerate(parts))


def paragraph(content: str, css: str = "") -> str:
    """A paragraph of plain text."""
    return f"<p{_of_class(css)}>{text(content)}</p>"


def heading(level: int, content: str, anchor: str = "") -> str:
    """A heading."""
    of_anchor = f' id="{escape(anchor)}"' if anchor else ""
    return f"<h{level}{of_anchor}>{text(content)}</h{level}>"


def notes(lines: Iterable[str]) -> str:
    """A list in small type; nothing for no lines."""
    items = "".join(f"<li>{text(line)}</li>" for line in lines)
    return f'<ul class="quiet">{items}</ul>' if items else ""


def table(
    headers: Sequence[str], rows: Iterable[Sequence[Cell | str]], *, n_text_columns: int = 1, css: str = ""
) -> str:
    """A table that scrolls by itself where the screen is narrow; its first column names the rows."""
    head = "".join(
        f'<th scope="col"{_of_class("text" if place < n_text_columns else "")}>{text(header)}</th>'
        for place, header in enumerate(headers)
    )
    body = "".join(f"<tr>{_cells(row, n_text_columns)}</tr>" for row in rows)
    return (
        f'<div class="scroll"><table{_of_class(css)}><thead><tr>{head}</tr></thead>'
        f"<tbody>{body}</tbody></table></div>"
    )


def _cells(row: Sequence[Cell | str], n_text_columns: int) -> str:
    cells = []
    for place, each in enumerate(row):
        cell = each if isinstance(each, Cell) else Cell(text=each, css="")
        css = " ".join(filter(None, ("text" if place < n_text_columns else "", cell.css)))
        tag, scope = ("th", ' scope="row"') if place == 0 else ("td", "")
        cells.append(f"<{tag}{scope}{_of_class(css)}>{text(cell.text)}</{tag}>")
    return "".join(cells)


def bench_table(source: Table) -> str:
    """A table of `python -m bench`, losses marked, with its notes."""
    rows = [
        [
            Cell(text=f"{LOSS_MARK} {cell.removesuffix(' LOSS')}", css="loss") if cell.endswith(" LOSS") else cell
            for cell in row
        ]
        for row in source.rows
    ]
    return table(source.headers, rows, n_text_columns=source.n_text_columns, css="dense") + notes(source.notes)


def details(summary: str, content: str) -> str:
    """Content that is closed on the screen and open on paper."""
    return f"<details><summary>{text(summary)}</summary>{content}</details>"


def figure(title: str, picture: str, caption: str = "", *, is_wide: bool = False) -> str:
    """A drawing under its title."""
    below = f"<figcaption>{text(caption)}</figcaption>" if caption else ""
    drawing = f'<div class="scroll wide">{picture}</div>' if is_wide else picture
    return f"<figure><h4>{text(title)}</h4>{drawing}{below}</figure>"


def side_by_side(figures: Iterable[str]) -> str:
    """Figures beside each other where there is room."""
    return f'<div class="grid">{"".join(figures)}</div>'


def _of_class(css: str) -> str:
    return f' class="{css}"' if css else ""
