"""What is made of the results: the words, the table, the page, the picture and the data."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path

import pytest

from ssrjson_web.demo.findings import findings, headline, short_headline
from ssrjson_web.demo.report import write_reports
from ssrjson_web.demo.results import Failure, Results
from ssrjson_web.demo.table import render

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
    assert "With ssrjson, as with the standard library's json, it grew by 0.0 MB." in text
    assert short_headline(make_results()) == (
        "orjson, msgspec and pydantic keep 26 MB of UTF-8 copies; json and ssrjson keep none"
    )


def test_words_claim_no_memory_saved_against_stdlib(make_results: MakeResults) -> None:
    results = make_results()
    assert "leaves no UTF-8 copies either" in texts(results)["The standard library's json"]
    assert "no memory to gain against it" in texts(results)["The standard library's json"]
    pair = make_results(**only(results, "json", "ssrjson"))
    assert headline(pair) == "json and ssrjson left no UTF-8 copies in the catalogue's strings."
    assert "leak" not in " ".join(texts(pair))


def test_words_call_the_growth_a_plateau_and_give_its_bound(make_results: MakeResults) -> None:
    text = texts(make_results())["A plateau, not a leak"]
    assert "a second time added 0.0 MB" in text
    assert "at most 3 bytes for a Chinese or Japanese character" in text
    assert "nobody gains" in text


def test_words_show_what_the_copies_buy(make_results: MakeResults) -> None:
    assert "orjson 60 and 50" in texts(make_results())["What the copies buy"]


def test_words_on_ascii_say_nobody_gains(make_results: MakeResults) -> None:
    assert "orjson +0.1 MB, ssrjson +0.0 MB" in texts(make_results())["ASCII: nobody gains"]


def test_words_on_preload_follow_the_figures(make_results: MakeResults) -> None:
    results = make_results()
    title = "Several workers over one preloaded catalogue"
    assert "takes a reference to each key and value" in texts(results)[title]
    assert "ssrjson: walks with borrowed references" in texts(results)[title]
    json_run, orjson_run, ours = results.preload
    borrowing = make_results(preload=(type(json_run)(**{**vars(json_run), "workers": ours.workers}), orjson_run))
    assert "few reference counts" in texts(borrowing)[title]
    unshared = make_results(preload=(type(ours)(**{**vars(ours), "workers": orjson_run.workers}),))
    assert "ssrjson: walks" not in texts(unshared)[title]


def test_words_say_when_the_load_was_cut_off(make_results: MakeResults) -> None:
    results = make_results()
    run = results.runs[1]
    cut = type(run)(
        **{**vars(run), "sweep": type(run.sweep)(**{**vars(run.sweep), "first_pass_pages": 40, "pass_seconds": ()})}
    )
    assert "orjson (40 of 100 pages)" in texts(make_results(runs=(cut,)))["Cut off"]


def test_words_without_any_run_say_so(make_results: MakeResults) -> None:
    nothing = make_results(runs=(), control=(), preload=())
    assert headline(nothing) == "No engine gave a result."
    assert findings(nothing) == []


# ---- table ------------------------------------------------------------------------------------


def test_table_fits_into_100_columns_and_is_aligned(make_results: MakeResults) -> None:
    lines = render(make_results()).splitlines()
    assert max(map(len, lines)) <= 100
    start = next(number for number, line in enumerate(lines) if line.startswith("engine"))
    assert len({len(line) for line in lines[start : start + 7]}) == 1
    assert re.fullmatch(r"orjson +100\.0 +126\.6 +126\.5 +\+26\.5 +26\.5 +\+26\.5 +60\.5 +50\.2", lines[start + 3])


def test_table_has_a_row_for_each_process(make_results: MakeResults) -> None:
    lines = render(make_results()).splitlines()
    start = next(number for number, line in enumerate(lines) if line.startswith("engine   process "))
    rows = [line.split() for line in lines[start + 2 : start + 11]]
    assert [row[:3] for row in rows[:3]] == [
        ["json", "parent", "4000"],
        ["json", "worker", "4001"],
        ["json", "worker", "4002"],
    ]
    assert rows[0][3:] == ["90.0", "90.0", "12.0", "12.0", "+0.0"]
    assert rows[5] == ["orjson", "worker", "4002", "90.0", "133.4", "12.0", "98.9", "+86.9", "26.0"]
    assert rows[8] == ["ssrjson", "worker", "4002", "90.0", "92.5", "12.0", "16.9", "+4.9", "0.0"]


def test_table_marks_pydantic_times(make_results: MakeResults) -> None:
    results = make_results()
    assert "60.5*" in render(results)
    assert "* validation" in render(results)
    assert "*" not in render(make_results(**only(results, "json", "ssrjson")))


def test_table_lists_what_gave_no_result(make_results: MakeResults) -> None:
    failure = Failure(engine="msgspec", part="sweep", reason="ended before it was ready, with status 1\n    Boom: no")
    assert "msgspec (sweep): ended before it was ready, with status 1\n    Boom: no" in render(
        make_results(failures=(failure,))
    )


# ---- files ------------------------------------------------------------------------------------


class Page(HTMLParser):
    """Checks the nesting of a page and collects what it refers to."""

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
    assert page.count["svg"] == 4
    assert page.count["polyline"] == 5
    for part in (
        "python -m ssrjson_web demo",
        "a plateau, not a leak",
        "+26.5 MB",
        "MALLOC_ARENA_MAX=2",
        "worker 4002",
    ):
        assert part in source


@pytest.mark.parametrize("names", [("orjson",), ("json", "ssrjson"), ()])
def test_reports_of_part_of_the_engines_are_written(
    names: tuple[str, ...], make_results: MakeResults, tmp_path: Path
) -> None:
    list(write_reports(make_results(**only(make_results(), *names)), tmp_path, hint="hint"))
    assert (tmp_path / "index.html").stat().st_size > 3000
    assert (tmp_path / "results.json").stat().st_size > 500


def test_picture_is_a_wide_png(make_results: MakeResults, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib", reason="matplotlib is not installed")
    lines = list(write_reports(make_results(), tmp_path, hint="hint"))
    head = (tmp_path / "memory.png").read_bytes()[:24]
    assert head[:8] == b"\x89PNG\r\n\x1a\n"
    assert int.from_bytes(head[16:20], "big") >= 1800 - 10
    assert f"picture: {tmp_path / 'memory.png'}" in lines


def test_missing_matplotlib_is_a_line_and_the_rest_is_written(
    make_results: MakeResults, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    lines = list(write_reports(make_results(), tmp_path, hint="pip install 'ssrjson_web[demo]'"))
    assert "picture: not drawn, matplotlib is not installed (pip install 'ssrjson_web[demo]')" in lines
    assert sorted(path.name for path in tmp_path.iterdir()) == ["index.html", "results.json"]


@pytest.mark.usefixtures("without_picture")
def test_data_holds_every_figure(make_results: MakeResults, tmp_path: Path) -> None:
    list(write_reports(make_results(), tmp_path, hint="hint"))
    data = json.loads((tmp_path / "results.json").read_text(encoding="utf-8"))
    assert [run["engine"] for run in data["runs"]] == ["json", "orjson", "msgspec", "pydantic", "ssrjson"]
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
