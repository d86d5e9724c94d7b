"""The reports of results: the words, the table, the page, the picture and the data."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path

import pytest
from helpers.demo_results import make_preload, make_run

from bench.demo.files import write_reports
from bench.demo.findings import findings, headline, short_headline
from bench.demo.results import Failure, Results
from bench.demo.tables import render

MakeResults = Callable[..., Results]


def texts(results: Results) -> dict[str, str]:
    return {finding.title: " ".join(finding.paragraphs) for finding in findings(results)}


def only(results: Results, *names: str) -> dict[str, object]:
    return {
        part: tuple(run for run in getattr(results, part) if run.engine in names)
        for part in ("runs", "control", "preload")
    }


# ---- words ------------------------------------------------------------------------------------


def test_headline_names_who_holds_copies_and_how_much(make_results: MakeResults) -> None:
    text = headline(make_results())
    assert text.startswith("orjson, msgspec and pydantic made the server 26 MB bigger, 44 % of its 60 MB catalogue")
    assert "With ssrjson_web it did not grow, with the standard library's json it grew by 0.1 MB." in text
    assert short_headline(make_results()) == (
        "orjson, msgspec and pydantic made the server 26 MB bigger; json and ssrjson_web did not"
    )


def test_words_claim_no_memory_saved_against_stdlib(make_results: MakeResults) -> None:
    results = make_results()
    assert "leaves no cached UTF-8 copies either" in texts(results)["The standard library's json"]
    assert "no memory to gain against it" in texts(results)["The standard library's json"]
    pair = make_results(**only(results, "json", "ssrjson_web"))
    assert headline(pair) == "json and ssrjson_web left no cached UTF-8 copies in the catalogue's strings."
    assert "leak" not in " ".join(texts(pair))


# ---- words that figures do not support --------------------------------------------------------


# ---- runs that were cut off -------------------------------------------------------------------

SWEEP_CUT = "orjson (sweep): cut off after 40 s: 820 of 2,000 records"
AGAIN_CUT = "msgspec (sweep): cut off after 40 s: each record served once, 600 of 2,000 again"
CONTROL_CUT = "orjson (ascii control): cut off after 40 s: 200 of 2,000 records"
PRELOAD_CUT = "json (preload): cut off after 40 s: its workers served 820 and 2,000 of 2,000 records"


def make_cut_off(make_results: MakeResults) -> Results:
    """Results with one unfinished run of every part, with figures that no finished run has."""
    return make_results(
        runs=(
            make_run("orjson", growth_mb=11.5, served=41),
            make_run("msgspec", growth_mb=12.5, again=30),
            make_run("ssrjson_web", growth_mb=0.0),
        ),
        control=(
            make_run("orjson", growth_mb=13.5, copies_mb=0.0, script="ascii", served=10),
            make_run("ssrjson_web", growth_mb=0.0, script="ascii"),
        ),
        preload=(make_preload("json", growth_mb=14.5, served=(41, 100)), make_preload("ssrjson_web", growth_mb=4.9)),
    )


@pytest.mark.usefixtures("without_picture")
def test_no_figure_of_a_run_that_was_cut_off_is_in_any_report(make_results: MakeResults, tmp_path: Path) -> None:
    results = make_cut_off(make_results)
    list(write_reports(results, tmp_path, hint="hint"))
    page = (tmp_path / "index.html").read_text(encoding="utf-8")
    body = re.sub(r' (?:points|x|y|x1|x2|y1|y2|d|width)="[^"]*"', "", page.partition("</style>")[2])
    shown = " ".join(render(results).split())
    for figure in ("11.5", "12.5", "13.5", "14.5", "111.", "112.", "113.", "26.5"):
        assert figure not in shown
        assert figure not in body
    for line in (SWEEP_CUT, AGAIN_CUT, CONTROL_CUT, PRELOAD_CUT):
        assert line in shown
        assert line in page
    assert "UNFINISHED" in page
    assert "served twice" not in page
    assert "cut off" in page.partition("All figures")[2]


def test_words_claim_nothing_of_runs_that_were_cut_off(make_results: MakeResults) -> None:
    results = make_cut_off(make_results)
    words = {title: text for title, text in texts(results).items() if title != "Cut off"}
    assert not [title for title, text in words.items() if re.search(r"\b(json|orjson|msgspec)\b", text)]
    assert headline(results) == (
        "ssrjson_web left no cached UTF-8 copies in the catalogue's strings. Cut off, and left out: orjson and msgspec."
    )
    nothing = make_results(runs=results.runs[:2], control=(), preload=results.preload[:1])
    assert headline(nothing) == "No engine completed its load."
    assert list(texts(nothing)) == ["Cut off"]
    assert not nothing.all_served_twice


# ---- table ------------------------------------------------------------------------------------


def test_table_has_a_row_for_each_process(make_results: MakeResults) -> None:
    lines = render(make_results()).splitlines()
    start = next(number for number, line in enumerate(lines) if re.match("engine +process ", line))
    rows = [line.split() for line in lines[start + 2 : start + 11]]
    assert [row[:3] for row in rows[:3]] == [
        ["json", "parent", "4000"],
        ["json", "worker", "4001"],
        ["json", "worker", "4002"],
    ]
    assert rows[0][3:] == ["90.0", "90.0", "12.0", "12.0", "+0.0"]
    assert rows[5] == ["orjson", "worker", "4002", "90.0", "133.4", "12.0", "98.9", "+86.9", "26.0"]
    assert rows[8] == ["ssrjson_web", "worker", "4002", "90.0", "92.5", "12.0", "16.9", "+4.9", "0.0"]


# ---- files ------------------------------------------------------------------------------------


class Page(HTMLParser):
    """Checks the nesting of a page, and collects its references."""

    VOID = frozenset({"meta", "br", "line", "rect", "path", "polyline"})

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.references: list[str] = []
        self.count: dict[str, int] = {}

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.count[tag] = self.count.get(tag, 0) + 1
        self.references += [value or "" for name, value in attrs if name in ("src", "href", "action", "xlink:href")]
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        if tag not in self.VOID:
            self.open.pop()

    def handle_endtag(self, tag: str) -> None:
        if tag not in self.VOID:
            assert self.open.pop() == tag


@pytest.mark.usefixtures("without_picture")
def test_page_is_well_formed_and_needs_nothing_from_elsewhere(make_results: MakeResults, tmp_path: Path) -> None:
    failure = Failure(engine="x", part="sweep", reason="<script>alert(1)</script>")
    list(write_reports(make_results(failures=(failure,)), tmp_path, hint="hint"))
    source = (tmp_path / "index.html").read_text(encoding="utf-8")
    page = Page()
    page.feed(source)
    assert page.open == []
    assert page.references == []
    assert not [word for word in ("url(", "@import", "<script") if word in source]
    assert set(re.findall(r"https?://[^\"' <]+", source)) <= {"http://www.w3.org/2000/svg"}
    assert page.count["svg"] == 7
    assert page.count["polyline"] == 5
    for part in (
        "python -m bench demo",
        "a plateau, not a leak",
        "+26.5 MB",
        "MALLOC_ARENA_MAX=2",
        "worker 4002",
    ):
        assert part in source


@pytest.mark.usefixtures("without_picture")
def test_data_holds_every_figure(make_results: MakeResults, tmp_path: Path) -> None:
    list(write_reports(make_results(), tmp_path, hint="hint"))
    data = json.loads((tmp_path / "results.json").read_text(encoding="utf-8"))
    assert [run["engine"] for run in data["runs"]] == ["json", "orjson", "msgspec", "pydantic", "ssrjson_web"]
    assert data["runs"][1]["caches"] == {
        "bytes": 26_500_000,
        "cached_strings": 15_000,
        "strings": 20_000,
        "objects": 25_000,
        "by_holder": {"dict": {"bytes": 26_500_000, "cached_strings": 15_000}},
    }
    assert data["runs"][1]["samples"][0] == {"seconds": 0.0, "rss_bytes": 100_000_000, "uss_bytes": None}
    assert data["preload"][2]["workers"][1]["uss_trimmed_bytes"] == 16_900_000
    assert data["environment"]["versions"]["ssrjson_web"]
    assert data["options"]["out"] == "demo-out"


@pytest.mark.usefixtures("without_picture")
def test_report_that_cannot_be_written_leaves_no_half_of_a_file(
    make_results: MakeResults, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fill_the_disk(_results: Results, path: Path) -> None:
        path.write_text("half")
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("bench.demo.files.write_json", fill_the_disk)
    lines = []
    with pytest.raises(OSError, match="No space left"):
        lines.extend(write_reports(make_results(), tmp_path, hint="hint"))
    assert [path.name for path in tmp_path.iterdir()] == ["index.html"]
