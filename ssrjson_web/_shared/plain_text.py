"""Plain text that the commands print."""

from __future__ import annotations

import sys
from collections.abc import Collection, Sequence

__all__ = ["print_text", "text_table"]


def text_table(head: Sequence[str], rows: Sequence[Sequence[str]], *, left: Collection[int] = (0,)) -> str:
    """A table with a head, a rule and rows. Columns whose index is in `left` are aligned to the left."""
    widths = [max(map(len, column)) for column in zip(head, *rows, strict=True)]

    def line(cells: Sequence[str]) -> str:
        return "  ".join(
            cell.ljust(width) if place in left else cell.rjust(width)
            for place, (cell, width) in enumerate(zip(cells, widths, strict=True))
        ).rstrip()

    return "\n".join([line(head), "  ".join("-" * width for width in widths), *map(line, rows)])


def print_text(text: str) -> None:
    """Print text to standard output. Characters that its encoding cannot hold are escaped."""
    if sys.stdout is None:  # the parent process has closed it
        return
    encoding = sys.stdout.encoding or "utf-8"
    print(text.encode(encoding, "backslashreplace").decode(encoding), end="")
