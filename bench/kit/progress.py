"""The progress of a command on standard error: a bar on a terminal, plain lines elsewhere."""

from __future__ import annotations

import io
import shutil
import time
from typing import TextIO

__all__ = ["Progress"]

_BAR_CHARS = 24
_REDRAW_SECONDS = 0.1


class Progress:
    """One line for each step; on a terminal the line of the running step moves."""

    def __init__(self, stream: TextIO | None) -> None:
        """Write to `stream`; None, as of a process whose standard error is closed, shows nothing."""
        self._stream = io.StringIO() if stream is None else stream
        self._is_terminal = self._stream.isatty()
        self._label = ""
        self._drawn_at = 0.0
        self._n_planned = self._n_started = 0

    def plan(self, n_steps: int) -> None:
        """Say how many steps there will be: they are counted then."""
        self._n_planned, self._n_started = n_steps, 0

    def start(self, label: str, note: str) -> None:
        """Begin a step: its name, and its first activity."""
        self._label = label
        if self._n_planned:
            self._n_started += 1
            self._label = f"{self._n_started} of {self._n_planned}  {label}"
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
        print(f"{self._label:<{self._width()}} {note}", file=self._stream, flush=True)

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
        width = max(1, shutil.get_terminal_size().columns - 1)
        self._stream.write("\r\033[K" + f"{self._label:<{self._width()}} {note}"[:width])
        self._stream.flush()

    def _width(self) -> int:
        return 32 if self._n_planned else 23
