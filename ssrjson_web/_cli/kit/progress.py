"""The progress of the demo on standard error: a bar on a terminal, plain lines elsewhere."""

from __future__ import annotations

import shutil
import time
from typing import TextIO

__all__ = ["Progress"]

_BAR_CHARS = 24
_REDRAW_SECONDS = 0.1


class Progress:
    """One line for each step; on a terminal the line of the running step moves."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._is_terminal = stream.isatty()
        self._label = ""
        self._drawn_at = 0.0

    def start(self, label: str, note: str) -> None:
        """Begin a step: its name, and its first activity."""
        self._label = label
        self._draw(note)

    def advance(self, done: int, total: int) -> None:
        """Show how much of the running step is done."""
        now = time.monotonic()
        if not self._is_terminal or (now - self._drawn_at < _REDRAW_SECONDS and done < total):
            return
        self._drawn_at = now
        filled = _BAR_CHARS * done // total
        self._draw(f"[{'#' * filled}{'.' * (_BAR_CHARS - filled)}] {100 * done // total:3d} %")

    def finish(self, note: str) -> None:
        """End the step with its outcome."""
        self.clear()
        print(f"{self._label:<23} {note}", file=self._stream, flush=True)

    def say(self, line: str) -> None:
        """A line that belongs to no step."""
        self.clear()
        print(line, file=self._stream, flush=True)

    def clear(self) -> None:
        """Erase the moving line."""
        if self._is_terminal:
            self._stream.write("\r\033[K")
            self._stream.flush()

    def _draw(self, note: str) -> None:
        if not self._is_terminal:
            return
        width = shutil.get_terminal_size().columns - 1
        self._stream.write("\r\033[K" + f"{self._label:<23} {note}"[:width])
        self._stream.flush()
