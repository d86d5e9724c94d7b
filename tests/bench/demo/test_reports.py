"""The reports of results: the words, the tables, the page and the data."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from helpers.demo_results import make_preload, make_run

from bench.demo.findings import findings, headline, short_headline
from bench.demo.page import page_of, write_reports
from bench.demo.results import Failure, Results

MakeResults = Callable[..., Results]


def texts(results: Results) -> dict[str, str]:
    return dict(findings(results))


def shown(results: Results) -> str:
    return " ".join(page_of(results).as_text().split())


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
    runs = tuple(run for run in results.runs if run.engine in ("json", "ssrjson_web"))
    pair = make_results(runs=runs, control=(), preload=())
    assert headline(pair) == "json and ssrjson_web left no cached UTF-8 copies in the catalogue's strings."
    assert list(texts(pair)) == ["The standard library's json"]


# ---- runs that were cut off -------------------------------------------------------------------

CUT_OFF = (
    "orjson (sweep): cut off after 40 s: 820 of 2,000 records",
    "msgspec (sweep): cut off after 40 s: each record served once, 600 of 2,000 again",
    "orjson (ascii control): cut off after 40 s: 200 of 2,000 records",
    "json (preload): cut off after 40 s: its workers served 820 and 2,000 of 2,000 records",
)


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
def test_no_figure_of_a_run_that_was_cut_off_is_shown(make_results: MakeResults) -> None:
    text = shown(make_cut_off(make_results))
    for figure in ("11.5", "12.5", "13.5", "14.5", "111.", "112.", "113.", "26.5", "served twice"):
        assert figure not in text
    for line in CUT_OFF:
        assert line in text
    assert "UNFINISHED" in text
    assert re.search(r"orjson 100\.0 cut off( -){6}", text)


def test_words_claim_nothing_of_runs_that_were_cut_off(make_results: MakeResults) -> None:
    results = make_cut_off(make_results)
    words = {
        title: text
        for title, text in texts(results).items()
        if title not in ("Cut off", "Several workers over one preloaded catalogue")
    }
    assert not [title for title, text in words.items() if re.search(r"\b(json|orjson|msgspec)\b", text)]
    assert headline(results) == (
        "ssrjson_web left no cached UTF-8 copies in the catalogue's strings. Cut off, and left out: orjson and msgspec."
    )
    nothing = make_results(runs=results.runs[:2], control=(), preload=results.preload[:1])
    assert headline(nothing) == "No engine completed its load."
    assert list(texts(nothing)) == ["Cut off"]
    assert not nothing.all_served_twice


# ---- tables and files -------------------------------------------------------------------------


def test_table_has_a_row_for_each_process(make_results: MakeResults) -> None:
    table = next(each for each in page_of(make_results()).tables if each.headers[1] == "process")
    assert [row[:2] for row in table.rows[:3]] == [
        ["json", "parent 4000"],
        ["json", "worker 4001"],
        ["json", "worker 4002"],
    ]
    assert table.rows[0][2:] == ["90.0", "90.0", "12.0", "12.0", "+0.0", ""]
    assert table.rows[5] == ["orjson", "worker 4002", "90.0", "133.4", "12.0", "98.9", "+86.9", "26.0"]
    assert table.rows[8] == ["ssrjson_web", "worker 4002", "90.0", "92.5", "12.0", "16.9", "+4.9", "0.0"]


def test_files_hold_every_figure_words_and_picture(make_results: MakeResults, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib", reason="matplotlib is not installed")
    failure = Failure(engine="x", part="sweep", reason="<script>alert(1)</script>")
    results = make_results(failures=(failure,))
    assert len(list(write_reports(page_of(results), tmp_path))) == 3
    assert (tmp_path / "memory.png").read_bytes().startswith(b"\x89PNG")
    source = (tmp_path / "index.html").read_text(encoding="utf-8")
    assert not [word for word in ("url(", "@import", "<script", "http://", "https://") if word in source]
    for part in ("python -m bench demo", "+26.5", "MALLOC_ARENA_MAX=2", "worker 4002", "data:image/png;base64,"):
        assert part in source
    data = json.loads((tmp_path / "results.json").read_text(encoding="utf-8"))
    assert [run["engine"] for run in data["runs"]] == ["json", "orjson", "msgspec", "pydantic", "ssrjson_web"]
    assert data["runs"][1]["processes"][0]["caches"]["bytes"] == 26_500_000
    assert data["runs"][1]["samples"][0] == {"seconds": 0.0, "rss_bytes": 100_000_000}
    assert data["preload"][2]["processes"][2]["uss_trimmed_bytes"] == 16_900_000
    assert data["versions"]["ssrjson_web"]
    assert data["options"]["out"] == "demo-out"


@pytest.mark.usefixtures("without_picture")
def test_report_that_cannot_be_written_leaves_no_half_of_a_file(
    make_results: MakeResults, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = page_of(make_results(), hint="hint")
    assert page.texts[-1] == ("No picture", "matplotlib is not installed (hint)")
    write_text = Path.write_text

    def fill_the_disk(path: Path, content: str, encoding: str | None = None) -> int:
        write_text(path, content[:10], encoding)
        if path.suffix == ".json":
            raise OSError(28, "No space left on device")
        return 10

    monkeypatch.setattr(Path, "write_text", fill_the_disk)
    with pytest.raises(OSError, match="No space left"):
        list(write_reports(page, tmp_path))
    assert [path.name for path in tmp_path.iterdir()] == ["index.html"]
