"""`python -m bench peers`: the table, what it counts as a loss, and what it says of libraries that are wrong."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest
from helpers.bench_command import bench, interrupted, said

from bench.peers_command import lengths_with_copies, peers_table, standing_of
from bench.rivals import select
from bench.speed_results import Measurement, Report, Row
from bench.timing import Sample

SMALL = ["--quick", "--cases", "small/web,rows/emoji", "--rivals", "json,orjson"]


def measurement(rival: str, ns: float, *, best: float | None = None, converts: bool = False) -> Measurement:
    sample = Sample(median_ns=ns, p25_ns=ns, p75_ns=ns, best_ns=ns if best is None else best)
    return Measurement(
        rival=rival,
        is_ours=rival == "ssrjson_web",
        converts=converts,
        sample=sample,
        reason="",
        is_wrong=False,
        cache_bytes=0,
    )


def refused(rival: str, reason: str) -> Measurement:
    return Measurement(
        rival=rival, is_ours=False, converts=False, sample=None, reason=reason, is_wrong=True, cache_bytes=0
    )


def row(case: str, mode: str, measurements: Sequence[Measurement]) -> Row:
    return Row(case=case, mode=mode, n_bytes=9, n_calls=1, n_rounds=1, measurements=measurements)


REPORT = Report(
    machine={},
    rows=[
        row("a", "encode bytes cold", [measurement("ssrjson_web", 10), measurement("orjson", 40)]),
        row("b", "encode bytes cold", [measurement("ssrjson_web", 10), measurement("orjson", 90)]),
        row("a", "encode bytes warm", [measurement("ssrjson_web", 10), measurement("orjson", 30, best=5)]),
        row("a", "encode str cold", [measurement("ssrjson_web", 10), measurement("orjson", 70, converts=True)]),
        row("a", "decode bytes", [measurement("ssrjson_web", 10), refused("orjson", "differs")]),
    ],
)


def test_standing_has_means_of_the_fastest_rounds_losses_and_refusals() -> None:
    standing = standing_of("orjson", REPORT)
    assert standing.mean("fresh") == pytest.approx(6)
    assert standing.mean("again") == pytest.approx(0.5)
    assert standing.mean("loads str") is None
    assert [str(each) for each in standing.losses] == ["again a 0.50"]
    assert standing.converts == {"str"}
    assert standing.refusals == {"differs": ["loads bytes a"]}


def test_table_has_a_row_for_each_library_and_names_losses_and_wrong_results() -> None:
    table = peers_table(
        REPORT,
        select(["orjson"]),
        lengths={"orjson": ("all", "below 9"), "ssrjson_web": ("none", "none")},
        peaks={("orjson", "encode"): 12.34},
        n_mb=4,
    )
    ours, orjson = table.rows
    assert ours[:6] == ["ssrjson_web", "1", "1", "1", "1", "1"]
    assert orjson == ["orjson", "6.00", "0.50", "7.00*", "-", "-", "0.50", "1 of 4", "all", "below 9", "12.3", "-"]
    notes = "\n".join(table.notes)
    assert "LOST to orjson: again a 0.50" in notes
    assert "orjson differs: loads bytes a" in notes


def test_copies_are_those_that_the_doctor_finds() -> None:
    lengths = lengths_with_copies()
    assert lengths["ssrjson_web"] == lengths["json"] == ("none", "none")
    assert lengths["orjson"] == ("all", "all")


def test_command_prints_one_table_and_writes_every_figure(tmp_path: Path) -> None:
    file = tmp_path / "peers.json"
    done = bench("peers", *SMALL, "--json", file)
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("peers: their time over ours, geometric mean of 2 documents") == 1
    table = done.stdout.partition("peers: ")[2].splitlines()
    assert [line.split()[0] for line in table[4:7]] == ["ssrjson_web", "orjson", "json"]
    assert "decode str cold    rows/emoji" in done.stderr
    document = json.loads(file.read_text("utf-8"))
    assert len(document["rows"]) == 2 * 5
    assert all(each["sample"] for row in document["rows"] for each in row["measurements"])
    assert document["copies"]["orjson"] == ["all", "all"]
    if sys.platform == "linux":
        assert set(document["peak_mb"]) == {
            f"{operation} {name}" for operation in ("encode", "decode") for name in ("ssrjson_web", "orjson", "json")
        }
        assert all(peak > 0 for peak in document["peak_mb"].values())


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--cases", "nothing"], "no case matches 'nothing'"),
        (["--rivals", "nobody"], "unknown rival nobody"),
        (["--rounds", "0"], "--rounds is 0"),
    ],
)
def test_arguments_that_cannot_be_used_get_one_line_and_status_2(arguments: list[str], message: str) -> None:
    done = bench("peers", *arguments)
    assert done.returncode == 2
    assert message in done.stderr
    assert "Traceback" not in done.stderr


def test_interrupt_prints_what_was_measured() -> None:
    words = ("peers", "--rivals", "json", "--cases", "rows")
    output, _ = interrupted(*words, until=lambda child: said(child, "rows/ascii"))
    assert "INCOMPLETE" in output
    assert "peers: their time over ours" in output
