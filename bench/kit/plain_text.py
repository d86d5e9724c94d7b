"""Plain text for a terminal: tables and prose of its width."""

from __future__ import annotations

import os
import shutil
import sys
import textwrap
from collections.abc import Collection, Iterator, Sequence

__all__ = ["prose", "terminal_width", "text_table"]

_PROSE_WIDTH = 100
"""Columns of prose where there is no terminal, and at most where there is one."""


def terminal_width() -> int | None:
    """Columns of the terminal that standard output is; None where it is none, as a file."""
    if "COLUMNS" not in os.environ and (sys.stdout is None or not sys.stdout.isatty()):
        return None
    return max(20, shutil.get_terminal_size().columns)


def prose(text: str, *, indent: str = "", hanging: str | None = None) -> str:
    """A paragraph in lines as wide as the terminal, at most 100 columns.

    The first line begins with `indent`, the others with `hanging`, by default the same.
    """
    return textwrap.fill(
        text,
        width=min(terminal_width() or _PROSE_WIDTH, _PROSE_WIDTH),
        initial_indent=indent,
        subsequent_indent=indent if hanging is None else hanging,
        break_on_hyphens=False,
    )


def text_table(
    head: Sequence[str], rows: Sequence[Sequence[str]], *, left: Collection[int] = (0,), width: int | None = None
) -> str:
    """The rows under their head and a rule, columns as wide as they need; `left`: columns that are flush left.

    Columns that do not fit into `width` follow in further blocks, each of which begins with the first column.
    """
    widths = [max(map(len, column)) for column in zip(head, *rows, strict=True)]

    def line(cells: Sequence[str], columns: Sequence[int]) -> str:
        return "  ".join(
            cells[place].ljust(widths[place]) if place in left else cells[place].rjust(widths[place])
            for place in columns
        ).rstrip()

    return "\n\n".join(
        "\n".join(
            [
                line(head, columns),
                "  ".join("-" * widths[place] for place in columns),
                *(line(row, columns) for row in rows),
            ]
        )
        for columns in _blocks(widths, width)
    )


def _blocks(widths: Sequence[int], width: int | None) -> Iterator[list[int]]:
    """The columns that stand beside each other; a column that is too wide by itself is not cut."""
    block, used = [0], widths[0]
    for place in range(1, len(widths)):
        if width is not None and used + 2 + widths[place] > width and len(block) > 1:
            yield block
            block, used = [0], widths[0]
        block.append(place)
        used += 2 + widths[place]
    yield block
