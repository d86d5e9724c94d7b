"""Plain text that the commands print."""

from __future__ import annotations

import re
import sys
from collections.abc import Collection, Sequence
from typing import TextIO

__all__ = ["print_bytes", "print_error", "print_text", "text_table"]

_CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")


def text_table(head: Sequence[str], rows: Sequence[Sequence[str]], *, left: Collection[int] = (0,)) -> str:
    """The rows under their head and a rule, columns as wide as they need; `left`: columns that are flush left."""
    widths = [max(map(len, column)) for column in zip(head, *rows, strict=True)]

    def line(cells: Sequence[str]) -> str:
        return "  ".join(
            cell.ljust(width) if place in left else cell.rjust(width)
            for place, (cell, width) in enumerate(zip(cells, widths, strict=True))
        ).rstrip()

    return "\n".join([line(head), "  ".join("-" * width for width in widths), *map(line, rows)])


def print_text(text: str) -> None:
    """Print text to standard output. Characters that its encoding cannot hold are escaped, as are control characters.

    Names of files and keys may hold what moves the cursor of a terminal, or changes its colours.
    """
    _print(text, sys.stdout)


def print_error(text: str) -> None:
    """Print text to standard error, as `print_text` does."""
    _print(text, sys.stderr)


def _print(text: str, stream: TextIO | None) -> None:
    if stream is None:  # the parent process has closed it
        return
    encoding = getattr(stream, "encoding", None) or "utf-8"
    text = _CONTROLS.sub(lambda found: f"\\x{ord(found[0]):02x}", text)
    print(text.encode(encoding, "backslashreplace").decode(encoding), end="", file=stream)


def print_bytes(data: bytes) -> None:
    """Print bytes to standard output as they are."""
    if sys.stdout is None:
        return
    binary = getattr(sys.stdout, "buffer", None)
    if binary is None:  # a program has replaced it by a stream of text
        print_text(data.decode("utf-8", "backslashreplace"))
        return
    sys.stdout.flush()
    binary.write(data)
    binary.flush()
