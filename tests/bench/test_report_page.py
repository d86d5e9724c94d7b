"""The page of the report, made from a small run."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import pytest
from helpers import bench_report_records

from bench.kit.tables import significant
from bench.report.report_page import ARTICLE, page
from bench.report.run_records import read_findings, read_records, write_records


@pytest.fixture
def data(tmp_path: Path) -> Path:
    bench_report_records.write_run(tmp_path)
    return tmp_path


class Outline(HTMLParser):
    """Checks the nesting of a page, and collects its text and its references."""

    VOID = frozenset({"meta", "line", "rect", "path", "polyline"})

    def __init__(self, content: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: set[str] = set()
        self.attributes: list[tuple[str, str]] = []
        self.texts: list[str] = []
        self.feed(content)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes += [(name, value or "") for name, value in attrs]
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        if tag not in self.VOID:
            self.open.pop()

    def handle_endtag(self, tag: str) -> None:
        if tag not in self.VOID:
            assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if not self.open or self.open[-1] != "style":
            self.texts.append(data)

    @property
    def text(self) -> str:
        return " ".join(" ".join(self.texts).split())


def outline(data: Path) -> Outline:
    return Outline(page(read_findings(data)))


def section(content: Outline, title: str, end: str) -> str:
    return content.text.rpartition(f" {title} ")[2].partition(f" {end} ")[0]


def times(value: object) -> Iterator[float]:
    """Every median under a JSON value, in nanoseconds."""
    if isinstance(value, dict):
        if "median_ns" in value:
            yield value["median_ns"]
        for each in value.values():
            yield from times(each)
    elif isinstance(value, list):
        for each in value:
            yield from times(each)


def test_page_is_well_formed_and_loads_nothing(data: Path) -> None:
    content = page(read_findings(data))
    found = Outline(content)
    assert found.open == []
    assert not found.tags & {"script", "link", "img", "iframe", "object"}
    assert not re.search(r"@import|url\(", content)
    anchors = {value for name, value in found.attributes if name == "id"}
    references = [value for name, value in found.attributes if name in ("href", "src", "xlink:href")]
    assert references
    assert all(reference.removeprefix("#") in anchors for reference in references if reference != ARTICLE)
    addresses = [value for _, value in found.attributes if "//" in value]
    assert set(addresses) == {"http://www.w3.org/2000/svg", ARTICLE}


@pytest.mark.parametrize("name", ["encode.json", "decode.json", "fastapi.json", "django.json"])
def test_page_shows_every_time_of_the_files(data: Path, name: str) -> None:
    text = outline(data).text
    expected = {significant(ns / 1000) for ns in times(json.loads((data / name).read_text("utf-8")))}
    assert len(expected) >= 5
    assert [figure for figure in expected if not re.search(rf"(?<![\d.]){re.escape(figure)}(?![\d.])", text)] == []


def test_page_escapes_what_comes_from_the_files(data: Path) -> None:
    content = page(read_findings(data))
    assert "<b>" not in content
    assert "ujson ValueError: <b>no & never</b>" in Outline(content).text
    assert "A <CPU> & more" in Outline(content).text


def test_page_lists_losses_before_any_detail(data: Path) -> None:
    losses = section(outline(data), "Where others are faster", "orjson made the server")
    assert "Encoding to bytes, fresh strings 2 of 3" in losses
    assert "shape/nested-lists 0.50 (orjson); small/web 0.95? (orjson)" in losses
    assert "rows/chinese" not in losses
    assert "an empty answer 0.97 (stock)" in losses
    assert "Django, the whole request 1 of 1 a response class 0.96 (django-orjson)" in losses
    assert "Django, the JSON part" not in losses
    assert "article" not in losses


def changed(data: Path, name: str, **changes: object) -> None:
    records = [replace(each, **changes) if each.name == name else each for each in read_records(data)]
    write_records(records, data)


def test_page_says_that_a_part_is_incomplete_there_and_at_the_top(data: Path) -> None:
    changed(data, "decode", status="incomplete", reason="stopped by Ctrl-C")
    text = outline(data).text
    assert "Decoding: incomplete. stopped by Ctrl-C" in text
    assert "Decoding: was not completed; the figures below are incomplete." in text
    summary = text.partition("At a glance")[2].partition("Fresh strings hold")[0]
    assert "Decoding from bytes (INCOMPLETE)" in summary
    assert "Encoding to bytes, fresh strings (INCOMPLETE)" not in summary


def test_page_leaves_loads_that_were_cut_off_out_of_charts_tables_and_words(data: Path) -> None:
    document = bench_report_records.memory(more_mb=300.0)
    document["runs"][0]["sweep"] |= {"first_pass_pages": 41, "pass_seconds": []}
    document["preload"][0]["sweeps"][1] |= {"first_pass_pages": 7, "requests": 7, "pass_seconds": []}
    for name in ("memory-1", "memory-2"):
        (data / name / "results.json").write_text(json.dumps(document), "utf-8")
    text = outline(data).text
    assert "UNFINISHED, and left out: round 1, orjson (sweep): cut off after 2 s: 820 of 5,000 records." in text
    assert "round 2, orjson (preload): cut off after 2 s: its workers served 5,000 and 140 of 5,000 records." in text
    assert "Cut off, and left out: orjson." in text
    for figure in ("326.5", "387.5", "served twice", "made the server"):
        assert figure not in text


@pytest.mark.parametrize("content", ['{"machine": {}, "rows": [{}]}', "[]", "no JSON"])
def test_page_goes_on_without_a_part_whose_figures_cannot_be_read(data: Path, content: str) -> None:
    (data / "encode.json").write_text(content, "utf-8")
    text = outline(data).text
    assert re.search(r"Encoding: its figures.* cannot be read", text)
    assert "Decoding from bytes" in text


def test_records_come_back_as_they_were_written(tmp_path: Path) -> None:
    records = bench_report_records.write_run(tmp_path)
    assert read_records(tmp_path) == records
