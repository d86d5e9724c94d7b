"""Writing all reports of a run into a directory."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from ssrjson_web.demo.page import write_page
from ssrjson_web.demo.picture import write_picture
from ssrjson_web.demo.results import Results, write_json

__all__ = ["write_reports"]


def write_reports(results: Results, out: Path, *, hint: str) -> Iterator[str]:
    """A line for each file written, or for what it needs; `hint` says how to get matplotlib."""
    out.mkdir(parents=True, exist_ok=True)
    page = out / "index.html"
    write_page(results, page)
    yield f"page:    {page}"
    data = out / "results.json"
    write_json(results, data)
    yield f"figures: {data}"
    picture = out / "memory.png"
    try:
        write_picture(results, picture)
        yield f"picture: {picture}"
    except ImportError:
        yield f"picture: not drawn, matplotlib is not installed ({hint})"
