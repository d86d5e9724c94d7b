"""What a target found wrong: kept as the input that shows it, and the traceback beside it, once for each place."""

from __future__ import annotations

import hashlib
import sys
import traceback
from collections.abc import Callable
from pathlib import Path

Target = Callable[[bytes], None]


class Finds:
    """Calls a target and keeps what fails in `folder`, named `<name>-<hash>`."""

    def __init__(self, target: Target, name: str, folder: Path, most: int = 20) -> None:
        self.target = target
        self.name = name
        self.folder = folder
        self.most = most
        self.known: set[str] = set()

    def __call__(self, data: bytes) -> None:
        try:
            self.target(data)
        except Exception as error:
            self.keep(data, error)

    def keep(self, data: bytes, error: Exception) -> None:
        # a find is known by what fails where, not by the values that it fails with
        place = [(frame.name, frame.lineno) for frame in traceback.extract_tb(error.__traceback__)]
        label = f"{type(error).__name__}{place}{getattr(error, 'kind_of_find', '')}"
        if label in self.known or len(self.known) >= self.most:
            return
        self.known.add(label)
        path = self.folder / f"{self.name}-{hashlib.sha256(data).hexdigest()[:10]}"
        path.write_bytes(data)
        text = "".join(traceback.format_exception(error))
        path.with_name(f"{path.name}.txt").write_text(text, encoding="utf-8", errors="backslashreplace")
        print(f"FIND {path}\n{text}", file=sys.stderr, flush=True)
