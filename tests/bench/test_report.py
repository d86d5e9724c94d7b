"""`python -m bench report`: what it runs, and the page of tables and pictures, made from files."""

from __future__ import annotations

import json
import re
import sys
from html.parser import HTMLParser
from pathlib import Path

import pytest
from helpers.bench_command import bench, interrupted
from helpers.processes import wait_until

from bench.command_output import Page
from bench.kit.pictures import Picture
from bench.kit.tables import Table
from bench.report.page import ARTICLE, page
from bench.report.steps import Record, read_records, steps, write_records

PICTURE = Picture(title="A <curve>", caption="RSS & time", png="iVBORw0KGgo=")


def written(
    data: Path, name: str, table: Table, *, is_complete: bool = True, pictures: tuple[Picture, ...] = ()
) -> None:
    made = Page(
        machine={"cpu": "A <CPU> & more"}, tables=[table], document={}, is_complete=is_complete, pictures=pictures
    )
    path = data / f"{name}.json" if name != "memory" else data / "memory/results.json"
    path.parent.mkdir(exist_ok=True)
    path.write_text(json.dumps(made.as_document()), "utf-8")


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """A run of three parts: one that lost cases, one with a picture, and one that failed."""
    lost = Table(
        title="encode bytes cold: µs a call, median",
        headers=["case", "ratio"],
        rows=[["rows/chinese", "3.25"], ["shape/nested-lists", "0.51 LOSS"]],
        notes=["1 of 2 cases lost: shape/nested-lists", "ujson ValueError: <b>no & never</b>: every case"],
    )
    written(tmp_path, "encode", lost)
    servers = Table(title="Mixed catalogue", headers=["engine", "growth"], rows=[["orjson", "+26.5"]])
    written(tmp_path, "memory", servers, is_complete=False, pictures=(PICTURE,))
    chosen = {each.name: each for each in steps()}
    records = [
        Record(**{**vars(chosen["encode"]), "status": "measured", "date": "2026-01-02 03:04 UTC", "commit": "abc1234"}),
        Record(**{**vars(chosen["memory"]), "status": "incomplete", "reason": "stopped by Ctrl-C"}),
        Record(**{**vars(chosen["fastapi"]), "status": "failed", "reason": "broken <here>"}),
    ]
    write_records(records, tmp_path)
    return tmp_path


class Outline(HTMLParser):
    """Checks the nesting of a page, and collects its text and its references."""

    VOID = frozenset({"meta", "img"})

    def __init__(self, content: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.references: list[str] = []
        self.anchors: set[str] = set()
        self.texts: list[str] = []
        self.feed(content)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.references += [value or "" for name, value in attrs if name in ("href", "src", "action", "xlink:href")]
        self.anchors |= {value or "" for name, value in attrs if name == "id"}
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if not self.open or self.open[-1] != "style":
            self.texts.append(data)

    @property
    def text(self) -> str:
        return " ".join(" ".join(self.texts).split())


def test_page_is_well_formed_and_loads_nothing(data: Path) -> None:
    content = page(read_records(data), data)
    found = Outline(content)
    assert found.open == []
    assert not re.search(r"<script|<b>|@import|url\(", content)
    assert [each for each in found.references if each.startswith("data:")] == [f"data:image/png;base64,{PICTURE.png}"]
    others = [each for each in found.references if not each.startswith("data:") and each != ARTICLE]
    assert others
    assert all(each.removeprefix("#") in found.anchors for each in others)


def test_page_shows_tables_losses_and_faults(data: Path) -> None:
    text = Outline(page(read_records(data), data)).text
    assert "Encoding, encode bytes cold: 1 of 2 cases lost: shape/nested-lists" in text.partition("µs a call")[0]
    for part in (
        *("rows/chinese 3.25", "▼ 0.51", "ujson ValueError: <b>no & never</b>", "A <CPU> & more", "orjson +26.5"),
        *(
            "RSS & time",
            "Memory of real servers: incomplete. stopped by Ctrl-C",
            "INCOMPLETE: only a part was measured.",
        ),
        *("FastAPI: failed. broken <here>", "decode: not part of this run.", "commit abc1234"),
    ):
        assert part in text
    assert text.index("orjson +26.5") < text.index("rows/chinese 3.25")  # memory before time


@pytest.mark.parametrize("content", ['{"machine": {}, "tables": [{}]}', "[]", "no JSON"])
def test_page_goes_on_without_a_part_whose_figures_cannot_be_read(data: Path, content: str) -> None:
    (data / "encode.json").write_text(content, "utf-8")
    text = Outline(page(read_records(data), data)).text
    assert "Encoding: its figures cannot be read" in text
    assert "orjson +26.5" in text


@pytest.mark.skipif(sys.platform != "linux", reason="memory is read from /proc")
def test_report_measures_a_part_and_renders_it_again_without_measuring(tmp_path: Path) -> None:
    done = bench("report", "--parts", "article", "--quick", "--out", tmp_path)
    assert done.returncode == 0, done.stderr
    assert "[1/1] The article's two scripts\n" in done.stderr
    (step,) = json.loads((tmp_path / "data" / "run.json").read_text("utf-8"))["steps"]
    assert (step["status"], step["reason"]) == ("measured", "")
    content = (tmp_path / "index.html").read_text("utf-8")
    document = json.loads((tmp_path / "data" / "article.json").read_text("utf-8"))
    for table in document["tables"]:
        assert all(f"<td>{cell}</td>" in content for row in table["rows"] for cell in row[1:])
    (tmp_path / "index.html").unlink()
    again = bench("report", "--from", tmp_path)
    assert again.returncode == 0, again.stderr
    assert (tmp_path / "index.html").read_text("utf-8") == content


@pytest.mark.skipif(sys.platform == "win32", reason="sends SIGINT")
def test_report_after_an_interrupt_keeps_what_it_has_and_says_so(tmp_path: Path) -> None:
    log = tmp_path / "data" / "encode.log"
    words = ("report", "--parts", "encode,decode", "--out", tmp_path)

    def is_under_way() -> bool:
        return log.is_file() and "[2/" in log.read_text("utf-8")

    output, _ = interrupted(*words, until=lambda _: wait_until(is_under_way, seconds=120))
    assert "INCOMPLETE" in output
    outcomes = {each.name: (each.status, each.reason) for each in read_records(tmp_path / "data")}
    assert outcomes == {"encode": ("incomplete", "stopped by Ctrl-C"), "decode": ("not reached", "")}
    assert json.loads((tmp_path / "data" / "encode.json").read_text("utf-8"))["rows"]
    content = (tmp_path / "index.html").read_text("utf-8")
    assert "INCOMPLETE: only a part was measured." in content
    assert "Decoding: not reached" in content


def test_report_of_a_step_that_fails_names_it_and_keeps_the_figures_of_others(
    data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tmp_path / "out"
    out.mkdir()
    (out / "data").symlink_to(data)
    (tmp_path / "fastapi.py").write_text("raise ImportError('broken <here>')")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    done = bench("report", "--parts", "web", "--quick", "--out", out)
    assert done.returncode == 1
    content = (out / "index.html").read_text("utf-8")
    assert "FastAPI: failed. error: broken &lt;here&gt;" in content
    assert "shape/nested-lists" in content
