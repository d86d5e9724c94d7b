"""Writing all reports of a run into a directory."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from pathlib import Path

from bench.demo.page import write_page
from bench.demo.picture import write_picture
from bench.demo.results import Results, write_json

__all__ = ["write_reports"]


def write_reports(results: Results, out: Path, *, hint: str) -> Iterator[str]:
    """A line for each file: its path, or what is missing to write it; `hint` says how to install matplotlib.

    Raises OSError, for example when the disk is full; no partial file is left then.
    """
    out.mkdir(parents=True, exist_ok=True)
    page = out / "index.html"
    _write(write_page, results, page)
    yield f"page:    {page}"
    data = out / "results.json"
    _write(write_json, results, data)
    yield f"figures: {data}"
    picture = out / "memory.png"
    try:
        _write(write_picture, results, picture)
        yield f"picture: {picture}"
    except ImportError:
        yield f"picture: not drawn, matplotlib is not installed ({hint})"


def _write(write: Callable[[Results, Path], None], results: Results, path: Path) -> None:
    try:
        write(results, path)
    except BaseException:
        with contextlib.suppress(OSError):
            path.unlink()
        raise
