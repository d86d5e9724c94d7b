"""The reports of results: the words, the table, the page, the picture and the data."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import pytest
from helpers.demo_results import make_preload, make_run

from bench.demo.figures import curves, encode_bars, growth_bars, preload_bars
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


def test_words_call_the_growth_a_plateau_and_give_its_bound(make_results: MakeResults) -> None:
    text = texts(make_results())["A plateau, not a leak"]
    assert "a second time added 0.0 MB" in text
    assert "at most 3 bytes for a Chinese or Japanese character" in text
    assert "no memory is gained" in text


def test_words_show_what_the_copies_buy(make_results: MakeResults) -> None:
    assert "orjson 60 and 50" in texts(make_results())["What the copies buy"]


def test_words_on_ascii_say_nobody_gains(make_results: MakeResults) -> None:
    assert "orjson +0.1 MB, ssrjson_web +0.0 MB" in texts(make_results())["ASCII: no difference"]


def test_words_on_preload_follow_the_figures(make_results: MakeResults) -> None:
    results = make_results()
    title = "Several workers over one preloaded catalogue"
    assert "takes a reference to each key and value. The count is part" in texts(results)[title]
    assert "ssrjson_web: walks with borrowed references" in texts(results)[title]
    borrowing = make_results(preload=(make_preload("json", growth_mb=4.9),), python="CPython 3.13.0")
    assert "few reference counts" in texts(borrowing)[title]
    unshared = make_results(preload=(make_preload("ssrjson_web", growth_mb=62.8),))
    assert "ssrjson_web: walks" not in texts(unshared)[title]


# ---- words that figures do not support --------------------------------------------------------


def said(results: Results) -> str:
    """All words of the reports about these results."""
    return " ".join([headline(results), short_headline(results), *texts(results), *texts(results).values()])


def test_words_on_growth_give_each_engines_own_figure_where_they_differ(make_results: MakeResults) -> None:
    runs = (
        make_run("orjson", growth_mb=26.4),
        make_run("msgspec", growth_mb=5.2),
        make_run("ssrjson_web", growth_mb=0.9),
    )
    text = said(make_results(runs=runs))
    assert "orjson and msgspec made the server 5 to 26 MB bigger, 9 to 44 % of its 60 MB catalogue" in text
    assert short_headline(make_results(runs=runs)).startswith("orjson and msgspec made the server 5 to 26 MB bigger;")
    assert "With ssrjson_web it grew by 0.9 MB." in text
    assert "15,000 copies here, 5.2 to 26.4 MB" in text


def test_words_on_copies_that_did_not_make_the_server_grow_claim_no_growth(make_results: MakeResults) -> None:
    runs = (make_run("orjson", growth_mb=0.2, copies_mb=0.4), make_run("ssrjson_web", growth_mb=-0.3))
    text = said(make_results(runs=runs))
    assert "orjson left 0.4 MB of cached UTF-8 copies in the catalogue's strings; the server grew by 0 MB." in text
    assert "bigger" not in text
    assert "With ssrjson_web it did not grow." in text
    runs = (*runs, make_run("json", growth_mb=-0.1))
    assert "With ssrjson_web it did not grow, nor with the standard library's json." in said(make_results(runs=runs))
    runs = (runs[0], make_run("ssrjson_web", growth_mb=0.31), make_run("json", growth_mb=0.3))
    assert "With ssrjson_web it grew by 0.3 MB, as with the standard library's json." in said(make_results(runs=runs))


def test_words_call_no_plateau_what_went_on_rising(make_results: MakeResults) -> None:
    runs = (make_run("orjson", growth_mb=26.5, again_mb=8.0), make_run("ssrjson_web", growth_mb=0.0))
    results = make_results(runs=runs)
    assert "plateau" not in said(results)
    assert "added up to 8.0 MB (orjson), which the copies do not explain" in said(results)
    assert [mark.after for mark in curves(results).marks] == ["all again"]
    assert [mark.after for mark in curves(make_results()).marks] == ["all again: a plateau, not a leak"]


def test_words_call_no_plateau_what_was_not_sampled(make_results: MakeResults) -> None:
    results = make_results(runs=(replace(make_run("orjson", growth_mb=26.5), samples=()),))
    assert "plateau" not in said(results)
    assert "a second time" not in said(results)


@pytest.mark.parametrize(
    ("times", "words"),
    [
        ((50.0, 55.0), "No time that shows in this run, when the same text is served again."),
        ((50.0, 50.0), "No time that shows in this run"),
        ((60.0, 40.0), "Time, when the same text is served again."),
    ],
)
def test_words_on_what_copies_buy_follow_the_times(
    times: tuple[float, float], words: str, make_results: MakeResults
) -> None:
    runs = (
        make_run("orjson", growth_mb=26.5, encode_us=times),
        make_run("ssrjson_web", growth_mb=0, encode_us=(9.0, 9.0)),
    )
    text = texts(make_results(runs=runs))["What the copies buy"]
    assert text.startswith(words)
    assert text.endswith("ssrjson_web, without copies: 9 and 9.")


def test_words_do_not_credit_copies_with_what_ours_gains_too(make_results: MakeResults) -> None:
    text = texts(make_results())["What the copies buy"]
    assert "so part of what the others gain does not come from the copies" in text


def test_words_on_stdlib_follow_its_figures(make_results: MakeResults) -> None:
    title = "The standard library's json"
    ours = make_run("ssrjson_web", growth_mb=0.0, encode_us=(400.0, 400.0))
    assert "The difference is time" not in texts(make_results(runs=(make_run("json", growth_mb=0.1), ours)))[title]
    grown = texts(make_results(runs=(make_run("json", growth_mb=9.0, copies_mb=0.0), ours)))[title]
    assert "no memory to gain" not in grown
    assert "grew by 9.0 MB with it, and did not grow with ssrjson_web" in grown
    assert title not in texts(make_results(runs=(make_run("json", growth_mb=9.0), ours)))
    assert "either" not in texts(make_results(runs=(make_run("json", growth_mb=0.0),)))[title]


def test_words_on_ascii_follow_the_figures(make_results: MakeResults) -> None:
    grown = make_results(control=(make_run("orjson", growth_mb=7.0, copies_mb=0.0, script="ascii"),))
    assert "The growth with orjson is not from copies" in texts(grown)["ASCII: no copies"]
    assert "ASCII: no difference" not in texts(grown)
    copied = make_results(control=(make_run("orjson", growth_mb=7.0, copies_mb=1.0, script="ascii"),))
    assert "copies were found with orjson" in texts(copied)["ASCII"]
    assert "never copies" not in said(copied)


@pytest.mark.parametrize(
    ("python", "growth_mb"),
    [("CPython 3.13.0", 62.8), ("CPython 3.11.7", 4.9), ("CPython 3.11.7 free-threaded", 62.8), ("PyPy 3.11.1", 62.8)],
)
def test_words_on_preload_explain_json_only_where_its_python_does(
    python: str, growth_mb: float, make_results: MakeResults
) -> None:
    results = make_results(preload=(make_preload("json", growth_mb=growth_mb),), python=python)
    assert "reference count" not in said(results)
    assert f"json +{growth_mb} MB" in said(results)


def test_words_on_preload_take_copies_from_the_workers(make_results: MakeResults) -> None:
    title = "Several workers over one preloaded catalogue"
    held = make_results(runs=(), preload=(make_preload("orjson", growth_mb=60.0, copies_mb=26.0),))
    assert "orjson: the copies, 26.0 MB in each worker, and every memory page" in texts(held)[title]
    alone = make_results(preload=(make_preload("orjson", growth_mb=20.0, copies_mb=26.0),))
    assert "every memory page" not in texts(alone)[title]
    none = make_results(preload=(make_preload("orjson", growth_mb=60.0, copies_mb=0.0),))
    assert "the copies" not in texts(none)[title]
    ours = make_results(preload=(make_preload("ssrjson_web", growth_mb=20.0, copies_mb=0.0),))
    assert "writes to no object" not in texts(ours)[title]


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


def test_figures_hold_only_finished_runs(make_results: MakeResults) -> None:
    results = make_cut_off(make_results)
    assert [curve.name for curve in curves(results).curves] == ["ssrjson_web"]
    for bars in (growth_bars([results]), encode_bars([results]), preload_bars([results])):
        assert {bar.label for _, group in bars for bar in group} == {"ssrjson_web"}


@pytest.mark.usefixtures("without_picture")
def test_data_marks_runs_that_were_cut_off(make_results: MakeResults, tmp_path: Path) -> None:
    list(write_reports(make_cut_off(make_results), tmp_path, hint="hint"))
    data = json.loads((tmp_path / "results.json").read_text(encoding="utf-8"))
    assert data["is_complete"] is False
    assert [run["is_complete"] for run in data["runs"]] == [False, False, True]
    assert f"orjson (sweep): {data['runs'][0]['cut_off']}" == SWEEP_CUT
    assert [run["is_complete"] for run in data["control"] + data["preload"]] == [False, True, False, True]
    list(write_reports(make_results(), tmp_path, hint="hint"))
    data = json.loads((tmp_path / "results.json").read_text(encoding="utf-8"))
    assert data["is_complete"] is True
    assert {run["cut_off"] for run in data["runs"] + data["preload"]} == {None}


def test_picture_of_runs_that_were_cut_off_is_drawn(make_results: MakeResults, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib", reason="matplotlib is not installed")
    cut = make_cut_off(make_results)
    nothing = make_results(runs=cut.runs[:2], control=(), preload=cut.preload[:1])
    for results in (cut, nothing):
        assert any(line.startswith("picture: ") for line in write_reports(results, tmp_path, hint="hint"))
        assert (tmp_path / "memory.png").stat().st_size > 10_000
        (tmp_path / "memory.png").unlink()


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


def test_table_and_prose_follow_a_narrow_terminal(make_results: MakeResults, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "60")
    lines = render(make_results()).splitlines()
    assert max(map(len, lines)) <= 60
    heads = [line.split()[0] for line in lines if line.startswith("engine")]
    assert len(heads) > 4  # each table in blocks, each with the engines' names
    assert sum("UTF-8 copies" in line for line in lines if line.startswith("engine")) == 3


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


def test_table_marks_pydantic_times(make_results: MakeResults) -> None:
    results = make_results()
    assert "60.5*" in render(results)
    assert "* with validation" in render(results)
    assert "*" not in render(make_results(**only(results, "json", "ssrjson_web")))


def test_table_lists_what_gave_no_result(make_results: MakeResults) -> None:
    failure = Failure(engine="msgspec", part="sweep", reason="ended before it was ready, with status 1\n    Boom: no")
    assert "msgspec (sweep): ended before it was ready, with status 1\n    Boom: no" in render(
        make_results(failures=(failure,))
    )


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


@pytest.mark.parametrize("names", [("orjson",), ("json", "ssrjson_web"), ()])
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


def test_page_says_how_to_look_at_ones_own_application(make_results: MakeResults, tmp_path: Path) -> None:
    list(write_reports(make_results(), tmp_path, hint="hint"))
    page = (tmp_path / "index.html").read_text(encoding="utf-8")
    assert "Is your application affected?" in page
    for command in ("doctor", "audit --pid PID", "audit shop:CATALOGUE"):
        assert f"<code>python -m ssrjson_web {command}</code>" in page
