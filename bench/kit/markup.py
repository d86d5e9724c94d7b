"""HTML pages and their parts: every text is escaped here."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from html import escape

from bench.kit.tables import Table

_LOSS = " LOSS"
_STYLE = """
:root { color-scheme: light dark; --ink: #1f2933; --quiet: #5b6673; --rule: #dfe4ea; --paper: #fff; --panel: #f5f7f9;
  --loss: #b8460b; }
@media (prefers-color-scheme: dark) { :root { --ink: #e4e9ee; --quiet: #9aa6b2; --rule: #343d47; --paper: #14191f;
  --panel: #1c232b; --loss: #f0965a; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--paper); color: var(--ink); font: 16px/1.55 system-ui, "DejaVu Sans", sans-serif; }
main { max-width: 1120px; margin: 0 auto; padding: 40px 24px 56px; }
h1, h2, h3 { line-height: 1.2; margin: 36px 0 10px; }
h2 { padding-top: 18px; border-top: 2px solid var(--rule); }
h3 { font-size: 16px; }
p { margin: 0 0 12px; max-width: 90ch; }
a { color: inherit; }
nav a { margin-right: 18px; white-space: nowrap; }
img { width: 100%; height: auto; }
code { font: 0.92em ui-monospace, monospace; background: var(--panel); padding: 1px 5px; overflow-wrap: anywhere; }
figure { margin: 12px 0; break-inside: avoid; }
.warning { border-left: 4px solid var(--loss); background: var(--panel); padding: 10px 14px; font-weight: 600; }
.lead { font-size: 20px; line-height: 1.45; }
.quiet, figcaption { color: var(--quiet); font-size: 14px; max-width: 110ch; overflow-wrap: anywhere; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; margin: 6px 0 8px; font-size: 13.5px; font-variant-numeric: tabular-nums; }
th, td { padding: 4px 8px; text-align: right; border-bottom: 1px solid var(--rule); white-space: nowrap; }
.text { text-align: left; }
.loss { color: var(--loss); font-weight: 700; }
.swatch::before { content: ""; display: inline-block; width: 10px; height: 10px; margin-right: 8px; }
.swatch::before { background: var(--swatch); }
table.plain td { white-space: normal; text-align: left; vertical-align: top; }
@page { size: A4; margin: 13mm 12mm; }
@media print {
  :root { color-scheme: light; --ink: #1f2933; --quiet: #5b6673; --rule: #dfe4ea; --paper: #fff; --panel: #f5f7f9; }
  body { font-size: 10pt; }
  main { max-width: none; padding: 0; }
  nav { display: none; }
  table { font-size: 6.6pt; }
  th, td { padding: 1.2pt 2.6pt; }
  .scroll { overflow: visible; }
}
"""


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


def table_of(source: Table, *, colours: Mapping[str, str]) -> str:
    """A table with its notes, which scrolls by itself: losses are marked, and rows have their engine's colour."""

    def cell(tag: str, place: int, content: str) -> str:
        css = "text" if place < source.n_text_columns else ""
        if content.endswith(_LOSS):
            return f'<{tag} class="loss">▼ {text(content.removesuffix(_LOSS))}</{tag}>'
        if tag == "td" and place == 0 and content in colours:
            return f'<td class="text swatch" style="--swatch: {colours[content]}">{text(content)}</td>'
        return f"<{tag}{_of_class(css)}>{text(content)}</{tag}>"

    def row(tag: str, cells: Iterable[str]) -> str:
        return f"<tr>{''.join(cell(tag, place, content) for place, content in enumerate(cells))}</tr>"

    body = "".join(row("td", cells) for cells in source.rows)
    return (
        f'<div class="scroll"><table><thead>{row("th", source.headers)}</thead><tbody>{body}</tbody></table></div>'
        + notes(source.notes)
    )


def named_values(rows: Iterable[tuple[str, str]]) -> str:
    """A table of two columns of text, without a head."""
    lines = "".join(f"<tr><td>{text(name)}</td><td>{text(value)}</td></tr>" for name, value in rows)
    return f'<div class="scroll"><table class="plain">{lines}</table></div>'


def figure(title: str, png: str, caption: str) -> str:
    """A picture, in base64, with its caption."""
    image = f'<img src="data:image/png;base64,{png}" alt="{escape(title, quote=True)}">'
    return f"<figure>{image}<figcaption>{text(caption)}</figcaption></figure>"


def page(title: str, parts: Iterable[str]) -> str:
    """A whole page, which loads nothing from elsewhere."""
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{text(title)}</title>\n<style>{_STYLE}</style>\n</head>\n<body>\n<main>\n"
        + "\n".join(filter(None, parts))
        + "\n</main>\n</body>\n</html>\n"
    )


def _of_class(css: str) -> str:
    return f' class="{css}"' if css else ""
