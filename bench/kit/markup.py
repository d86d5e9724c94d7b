"""HTML pages and their parts: every text is escaped here."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from html import escape

from bench.kit.style import STYLE
from bench.kit.tables import Table

LOSS_MARK = "▼"


@dataclass(frozen=True, kw_only=True)
class Cell:
    """A cell with a style of its own."""

    text: str
    css: str = ""
    """`loss`: someone else is better here; `ours`: our own figure; `key`: the figure to look at."""
    colour: str = ""
    """The colour of a square before the text, as in the charts."""


def ratio_text(ratio: float) -> str:
    """Two decimals, or three for a loss that two would round to 1."""
    return f"{math.floor(1000 * ratio) / 1000:.3f}" if 0.995 <= ratio < 1 else f"{ratio:.2f}"


def ratio_cell(ratio: float) -> Cell | str:
    """A ratio, marked by colour and by sign where it is a loss."""
    if ratio < 1:
        return Cell(text=f"{LOSS_MARK} {ratio_text(ratio)}", css="loss")
    return ratio_text(ratio)


def text(content: str) -> str:
    """Plain text as HTML; text between backquotes becomes code."""
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
        f'<div class="scroll"><table{_of_class(css)}><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>'
    )


def _cells(row: Sequence[Cell | str], n_text_columns: int) -> str:
    cells = []
    for place, each in enumerate(row):
        cell = each if isinstance(each, Cell) else Cell(text=each)
        css = " ".join(
            filter(None, ("text" if place < n_text_columns else "", "swatch" if cell.colour else "", cell.css))
        )
        tag, scope = ("th", ' scope="row"') if place == 0 else ("td", "")
        style = f' style="--swatch: {cell.colour}"' if cell.colour else ""
        cells.append(f"<{tag}{scope}{_of_class(css)}{style}>{text(cell.text)}</{tag}>")
    return "".join(cells)


def definitions(items: Iterable[tuple[str, str, str]]) -> str:
    """A list of items: for each a term, a remark on it, and a text."""
    lines = "".join(
        f"<dt>{text(term)} <small>{text(remark)}</small></dt><dd>{text(content)}</dd>"
        for term, remark, content in items
    )
    return f"<dl>{lines}</dl>"


def table_of(source: Table, *, key: int | None = None, colours: Mapping[str, str] | None = None) -> str:
    """A table with its notes: losses are marked, the column `key` is bold, and rows have their library's colour."""

    def cell(place: int, content: str) -> Cell | str:
        if place == 0 and colours and content in colours:
            return Cell(text=content, colour=colours[content])
        if content.endswith(" LOSS"):
            return Cell(text=f"{LOSS_MARK} {content.removesuffix(' LOSS')}", css="loss")
        return Cell(text=content, css="key") if place == key else content

    rows = [[cell(place, content) for place, content in enumerate(row)] for row in source.rows]
    css = "" if colours else "dense"
    return table(source.headers, rows, n_text_columns=source.n_text_columns, css=css) + notes(source.notes)


def named_values(rows: Iterable[tuple[str, str]]) -> str:
    """A table of two columns of text, without a head."""
    lines = "".join(f"<tr><td>{text(name)}</td><td>{text(value)}</td></tr>" for name, value in rows)
    return f'<div class="scroll"><table class="plain">{lines}</table></div>'


def details(summary: str, content: str) -> str:
    """Content that is folded on the screen and unfolded on paper."""
    return f"<details><summary>{text(summary)}</summary>{content}</details>"


def figure(title: str, picture: str, caption: str) -> str:
    """A chart under its title."""
    below = f"<figcaption>{text(caption)}</figcaption>"
    return f"<figure><h4>{text(title)}</h4>{picture}{below}</figure>"


def side_by_side(pictures: Iterable[str]) -> str:
    """Pictures beside each other where there is room."""
    return f'<div class="grid">{"".join(pictures)}</div>'


def wide(picture: str) -> str:
    """A picture of the page's whole width, which scrolls by itself where the screen is narrow."""
    return f'<div class="scroll wide">{picture}</div>'


def page(title: str, parts: Iterable[str], *, script: str = "") -> str:
    """A whole page, which loads nothing from elsewhere."""
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{text(title)}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n<main>\n"
        + "\n".join(filter(None, parts))
        + f"\n</main>\n{f'<script>{script}</script>' if script else ''}</body>\n</html>\n"
    )


def _of_class(css: str) -> str:
    return f' class="{css}"' if css else ""
