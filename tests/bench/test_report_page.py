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
from bench.report.run_records import NoRunError, Record, read_findings, read_records, write_records


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


def test_page_shows_every_figure_of_the_article_and_of_the_servers(data: Path) -> None:
    text = outline(data).text
    for figure in ("6.2", "6.1 to 6.4", "61.5", "60.5 to 62.5", "+0.5 to +1.2", "+61.2 to +61.8"):
        assert figure in text
    for figure in (
        "+26.5 to +27.0",
        "+0.2",
        "+87.5 to +88.0",
        "+4.8",
        "60.5",
        "20.2",
        "15.5",
        "130.0",
        "305.0 to 306.0",
    ):
        assert figure in text
    assert "100.1" in text
    assert "msgspec (all) not <installed>" in text


def test_page_escapes_what_comes_from_the_files(data: Path) -> None:
    content = page(read_findings(data))
    assert "<b>" not in content
    assert "ujson ValueError: <b>no & never</b>" in Outline(content).text
    assert "A <CPU> & more" in Outline(content).text


def test_page_says_where_when_and_on_what(data: Path) -> None:
    text = outline(data).text
    for words in (
        "commit abc1234",
        "2026-01-02 03:04 UTC",
        "CPython 3.11.7",
        "orjson 3.13.0",
        "avx2",
        "python -m bench encode",
    ):
        assert words in text


def test_page_names_libraries_that_could_not_be_imported(data: Path) -> None:
    expected = (
        "Not compared, because they could not be imported: ssrjson, ssrjson+cache, msgspec, fastsimdjson, isojson, "
        "jiter, ujson."
    )
    assert expected in outline(data).text


def test_page_of_a_quick_run_says_so(data: Path) -> None:
    assert "a quick run" not in outline(data).text
    changed(data, "encode", command="python -m bench encode --quick --rounds 9")
    assert "a quick run, of few rounds" in outline(data).text


def test_page_begins_with_what_is_gained_and_what_is_lost_memory_before_time(data: Path) -> None:
    lead = outline(data).text.partition("beside the other JSON libraries ")[2].partition(" Why a server grows")[0]
    assert lead.removeprefix("ssrjson_web beside the other JSON libraries ") == (
        "What stays in memory (RSS growth: a server): 26.8 MB with orjson, 0.2 MB with ssrjson_web. "
        "Encoding to bytes, fresh strings: 4.4 times faster than json and 1.1 times faster than orjson. "
        "Decoding from bytes: 4.4 times faster than json and 1.1 times faster than orjson. "
        "Another library is faster in 12 of 23 cases, 5 of them undecided."
    )


def test_page_lists_losses_before_any_detail(data: Path) -> None:
    losses = section(outline(data), "Where others are faster", "orjson made the server")
    assert "Encoding to bytes, fresh strings 2 of 3" in losses
    assert "shape/nested-lists 0.50 (orjson); small/web 0.95? (orjson)" in losses
    assert "rows/chinese" not in losses
    assert "an empty answer 0.97 (stock)" in losses
    assert "Django, the whole request 1 of 1 a response class 0.96 (django-orjson)" in losses
    assert "Django, the JSON part" not in losses
    assert "article" not in losses


def test_page_marks_a_loss_by_sign_and_not_by_colour_alone(data: Path) -> None:
    rows = [text.strip() for text in outline(data).texts]
    assert "▼ 0.50" in rows
    assert "▼ 3.00" not in rows


def test_page_without_any_loss_says_so(tmp_path: Path) -> None:
    records = bench_report_records.write_run(tmp_path)
    write_records([each for each in records if each.part == "article"], tmp_path)
    assert "Where others are faster In no case of this run." in outline(tmp_path).text


def test_page_shows_copies_and_the_control(data: Path) -> None:
    text = outline(data).text
    assert "4,321" in text
    assert "Cached UTF-8 copies: 3 documents, 0.0 MB, encoded to bytes" in text
    assert "RSS growth: the same with ASCII text, the control" in text
    assert "ASCII text, the control" in text
    assert "a plateau, not a leak" in text


def test_page_names_parts_that_were_not_run(tmp_path: Path) -> None:
    records = bench_report_records.write_run(tmp_path)
    write_records([each for each in records if each.part in ("encode", "web")], tmp_path)
    content = outline(tmp_path)
    for title in ("Decoding", "The article’s two scripts", "Memory of real servers"):
        assert f"{title}: not part of this run." in content.text
    assert not {"decode", "article", "memory"} & {value for name, value in content.attributes if name == "id"}


def changed(data: Path, name: str, **changes: object) -> None:
    records = [replace(each, **changes) if each.name == name else each for each in read_records(data)]
    write_records(records, data)


def test_page_names_a_part_that_failed_with_its_reason(data: Path) -> None:
    (data / "django.json").unlink()
    changed(data, "django", status="failed", reason="error: No module named 'django' & more")
    text = outline(data).text
    assert "Django: failed. error: No module named 'django' & more" in text
    assert "return a dict" in text


def test_page_says_that_a_part_is_incomplete_there_and_at_the_top(data: Path) -> None:
    changed(data, "decode", status="incomplete", reason="stopped by Ctrl-C")
    text = outline(data).text
    assert "Decoding: incomplete. stopped by Ctrl-C" in text
    assert "Decoding: was not completed; the figures below are incomplete." in text
    summary = text.partition("At a glance")[2].partition("Fresh strings hold")[0]
    assert "Decoding from bytes (INCOMPLETE)" in summary
    assert "Encoding to bytes, fresh strings (INCOMPLETE)" not in summary


def test_page_takes_a_files_word_that_it_is_incomplete(data: Path) -> None:
    document = json.loads((data / "decode.json").read_text("utf-8"))
    (data / "decode.json").write_text(json.dumps({**document, "is_complete": False}), "utf-8")
    text = outline(data).text
    assert "Decoding from bytes (INCOMPLETE)" in text
    assert "Decoding: was not completed; the figures below are incomplete." in text


def test_page_without_any_loss_of_what_was_measured_says_that_it_is_not_all(tmp_path: Path) -> None:
    records = bench_report_records.write_run(tmp_path)
    article = [replace(each, status="incomplete") for each in records if each.part == "article"]
    write_records(article, tmp_path)
    assert "In no case of this run; but this run did not measure all." in outline(tmp_path).text


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


def test_page_warns_of_parts_from_different_commits(data: Path) -> None:
    assert "different commits" not in outline(data).text
    changed(data, "web", commit="abc1234")
    changed(data, "fastapi", commit="def5678")
    assert "Parts were measured at different commits: abc1234, def5678." in outline(data).text


def test_page_of_nothing_measured_says_so(tmp_path: Path) -> None:
    write_records(
        [Record(name="encode", part="encode", title="Encoding", command="x", document="encode.json")], tmp_path
    )
    text = outline(tmp_path).text
    assert "Encoding: not reached." in text
    assert "Nothing was measured." in text


def test_records_come_back_as_they_were_written(tmp_path: Path) -> None:
    records = bench_report_records.write_run(tmp_path)
    assert read_records(tmp_path) == records


@pytest.mark.parametrize("content", [None, "", "[]", '{"steps": [{"nobody": 1}]}'])
def test_records_that_are_not_there_are_an_error_that_names_the_file(tmp_path: Path, content: str | None) -> None:
    if content is not None:
        (tmp_path / "run.json").write_text(content, "utf-8")
    with pytest.raises(NoRunError, match=re.escape(str(tmp_path / "run.json"))):
        read_records(tmp_path)
