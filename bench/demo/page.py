"""The demo's page, and the files of a run."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

from bench.command_output import Page
from bench.demo.engines import ENGINES
from bench.demo.findings import findings, headline
from bench.demo.picture import picture_of
from bench.demo.results import Results
from bench.demo.tables import tables_of
from bench.kit.lexicon import script_words
from bench.kit.processes import ALLOCATOR
from bench.kit.records import MEGABYTE
from bench.kit.tables import Table

__all__ = ["TITLE", "page_of", "write_reports"]

TITLE = "What serving JSON adds to a server’s memory"


def page_of(results: Results, *, hint: str = "") -> Page:
    """The results in words, tables and a picture; `hint` says how to install matplotlib."""
    try:
        pictures, missing = [picture_of(results)], []
    except ImportError:
        pictures, missing = [], [("No picture", f"matplotlib is not installed ({hint})")]
    without = [[f"{each.engine} ({each.part})", each.reason] for each in results.failures]
    return Page(
        machine=results.machine,
        lead=headline(results),
        tables=[
            *tables_of(results),
            *(
                [Table(title="Without result", headers=["engine", "why"], rows=without, n_text_columns=2)]
                if without
                else []
            ),
        ],
        texts=[*findings(results), ("How it was measured", _method(results)), *missing],
        pictures=pictures,
        document=results.as_document(),
        is_complete=results.is_complete,
    )


def _method(results: Results) -> str:
    allocator = ", ".join(f"{name}={value}" for name, value in ALLOCATOR.items())
    uses = [f"{run.engine}: `{ENGINES[run.engine].usage}`" for run in results.runs]
    kept = [
        f"{run.records:,} records ({script_words(run.script)}), {run.catalogue_bytes / MEGABYTE:.0f} MB of objects"
        for run in results.runs[:1]
    ]
    return (
        f"Each engine has a fresh server process with the same catalogue: {''.join(kept)}. Thirty pages of other "
        "records warm it up, then the load asks for all pages of 20 over four kept-alive connections on 127.0.0.1, at "
        "the same even pace for every engine that can keep it, once in full and then again. Every reply is counted. "
        "One in forty is parsed and compared with the catalogue. RSS is read from `/proc` every 100 ms by another "
        "process. Afterwards the server counts the cached UTF-8 copies, string by string. The garbage collector is "
        f"frozen after the catalogue is loaded, and the allocator has the same settings for all ({allocator}). "
        f"{'; '.join(uses)}. `python -m ssrjson_web doctor` tells which libraries leave copies, and `audit` counts "
        "those of a running server."
    )


def write_reports(page: Page, out: Path) -> Iterator[str]:
    """A line for each file. Raises OSError, for example when the disk is full; no partial file is left then."""
    out.mkdir(parents=True, exist_ok=True)
    document = json.dumps(page.as_document(), ensure_ascii=False, indent=1) + "\n"
    yield _written("page:    ", out / "index.html", lambda path: page.write_html(path, TITLE))
    yield _written("figures: ", out / "results.json", lambda path: path.write_text(document, "utf-8"))
    for picture in page.pictures:
        yield _written("picture: ", out / "memory.png", partial(_write_bytes, picture.data))


def _written(label: str, path: Path, write: Callable[[Path], object]) -> str:
    try:
        write(path)
    except BaseException:
        with contextlib.suppress(OSError):
            path.unlink()
        raise
    return f"{label}{path}"


def _write_bytes(data: bytes, path: Path) -> None:
    path.write_bytes(data)
