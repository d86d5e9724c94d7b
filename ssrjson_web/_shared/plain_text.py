"""Plain text as the commands print it."""

from __future__ import annotations

import sys
from collections.abc import Collection, Sequence

__all__ = ["print_text", "text_table"]


def text_table(head: Sequence[str], rows: Sequence[Sequence[str]], *, left: Collection[int] = (0,)) -> str:
    """The rows under their head and a rule, columns as wide as they need; `left`: those that begin on one line."""
    widths = [max(map(len, column)) for column in zip(head, *rows, strict=True)]

    def line(cells: Sequence[str]) -> str:
        return "  ".join(
            cell.ljust(width) if place in left else cell.rjust(width)
            for place, (cell, width) in enumerate(zip(cells, widths, strict=True))
        ).rstrip()

    return "\n".join([line(head), "  ".join("-" * width for width in widths), *map(line, rows)])


def print_text(text: str) -> None:
    """To standard output; what that cannot hold, as lone surrogates, is escaped."""
    if sys.stdout is None:  # closed by whoever started this
        return
    encoding = sys.stdout.encoding or "utf-8"
    print(text.encode(encoding, "backslashreplace").decode(encoding), end="")
