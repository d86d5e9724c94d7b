"""Ratios, means, goals, and their tables."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from bench.article_command import Outcome, script_table
from bench.command_output import Page
from bench.kit.tables import Table, significant
from bench.levels import levels_tables
from bench.memory_command import sizes_up_to
from bench.rivals import OURS
from bench.speed_goals import Goal, verdicts
from bench.speed_results import Measurement, Report, Row, geometric_mean, report_from_json, report_to_json
from bench.speed_tables import goals_table, report_tables
from bench.timing import sample

MODE = "encode bytes cold"


def measurement(
    rival: str, ns: float | None, *, converts: bool = False, reason: str = "", wrong: bool = False
) -> Measurement:
    return Measurement(
        rival=rival,
        is_ours=rival == OURS,
        converts=converts,
        sample=None if ns is None else sample([ns, ns, 2 * ns]),
        reason=reason,
        is_wrong=wrong,
    )


def row(case: str, *measurements: Measurement) -> Row:
    return Row(case=case, mode=MODE, n_bytes=10, n_calls=5, n_rounds=3, measurements=measurements)


def report(*rows: Row, level: str = "avx512") -> Report:
    return Report(machine={"level": level, "best level": "avx512"}, rows=rows)


WON = row(
    "rows/x", measurement(OURS, 100), measurement("a", 300), measurement("b", 200), measurement("c", 50, converts=True)
)
LOST = row("rows/y", measurement(OURS, 200), measurement("a", 100), measurement("b", None, reason="refuses"))
ALONE = row("rows/z", measurement(OURS, 200), measurement("a", None, reason="refuses"))
ABSENT = row("rows/w", measurement(OURS, None, reason="wrong", wrong=True), measurement("a", 100))


def test_ratio_is_the_best_peers_time_over_ours_and_ignores_those_who_convert() -> None:
    assert WON.best_peer is not None
    assert WON.best_peer.rival == "b"
    assert WON.ratio == 2
    assert WON.duel is not None
    assert WON.duel.ratio_of_minima == 2
    assert not WON.is_loss
    assert LOST.ratio == 0.5
    assert LOST.is_loss


def test_ratios_on_both_sides_of_one_are_undecided_and_no_loss() -> None:
    unclear = replace(
        LOST, measurements=[replace(LOST.measurements[0], sample=sample([200, 200, 90])), LOST.measurements[1]]
    )
    assert unclear.ratio == 0.5
    assert unclear.is_undecided
    assert not unclear.is_loss
    table = report_tables(report(unclear, LOST))[0]
    assert [cells[-3] for cells in table.rows] == ["0.50?", "0.50 LOSS"]
    assert "? 1 of 2 cases undecided, because the fastest rounds say the opposite: rows/y" in table.notes


@pytest.mark.parametrize("each", [ALONE, ABSENT])
def test_ratio_needs_both_sides(each: Row) -> None:
    assert each.ratio is None
    assert not each.is_loss


def test_geometric_mean() -> None:
    assert geometric_mean([0.5, 2]) == pytest.approx(1)
    assert geometric_mean([1, 10, 100]) == pytest.approx(10)


def test_report_survives_json() -> None:
    original = report(WON, LOST, ABSENT)
    document = json.loads(json.dumps(report_to_json(original)))
    assert document["rows"][0]["ratio"] == 2
    assert document["rows"][0]["best_peer"] == "b"
    restored = report_from_json(document)
    assert [each.ratio for each in restored.rows] == [2, 0.5, None]
    assert json.loads(json.dumps(report_to_json(restored))) == document


MEAN = Goal(title="mean", mode=MODE, cases=("rows/*",), rule="mean", at_least=1.0)
EACH = Goal(title="each", mode=MODE, cases=("rows/*",), rule="each", at_least=1.0)


def test_goal_for_a_mean_and_goal_for_each_case() -> None:
    mean, each = verdicts(report(WON, LOST, ALONE), [MEAN, EACH])
    assert mean.mean == pytest.approx(1)
    assert mean.n_cases == 2
    assert (each.worst, each.worst_case, each.n_short, each.is_met) == (0.5, "rows/y", 1, False)


def test_goal_that_no_case_speaks_to_has_no_verdict() -> None:
    assert verdicts(report(ALONE), [MEAN, EACH]) == []
    assert verdicts(report(WON), [Goal(title="t", mode=MODE, cases=("doc/*",), rule="mean", at_least=1)]) == []


def test_goals_are_lower_at_a_lower_level() -> None:
    (at_best,) = verdicts(report(WON), [Goal(title="t", mode=MODE, cases=("*",), rule="each", at_least=2.4)])
    (lower,) = verdicts(
        report(WON, level="avx2"), [Goal(title="t", mode=MODE, cases=("*",), rule="each", at_least=2.4)]
    )
    assert (at_best.at_least, at_best.is_met) == (2.4, False)
    assert lower.at_least == pytest.approx(1.92)
    assert lower.is_met


def test_tables_mark_losses_refusals_and_wrong_results() -> None:
    same_rivals = [
        row("rows/x", measurement(OURS, 100), measurement("a", 200)),
        row("rows/y", measurement(OURS, 200), measurement("a", 100)),
        row("rows/z", measurement(OURS, None, reason="differs", wrong=True), measurement("a", None, reason="refuses")),
    ]
    table, goals = report_tables(report(*same_rivals))
    assert table.rows[0][:5] == ["rows/x", "0.100", "0.200", "a", "2.00"]
    assert table.rows[1][4] == "0.50 LOSS"
    assert table.rows[2] == ["rows/z", "-", "-", "-", "-", "-", "-/-"]
    notes = "\n".join([*table.notes, *goals.notes])
    assert "1 of 3 cases lost: rows/y" in notes
    assert "a refuses: rows/z" in notes
    assert "WRONG RESULTS OF OURS: rows/z (encode bytes cold)" in notes


def test_table_of_a_run_without_ours_says_so() -> None:
    tables = report_tables(Report(machine={}, rows=[row("rows/x", measurement("a", 100))]))
    assert "no ratios: ssrjson_web was not timed" in tables[-1].notes


def test_levels_stand_side_by_side() -> None:
    tables = levels_tables({"avx2": report(LOST, level="avx2"), "avx512": report(WON, LOST)})
    assert tables[0].headers == ["case", "avx2", "ratio", "avx512", "ratio"]
    assert tables[0].rows == [
        ["rows/y", "0.200", "0.50 LOSS", "0.200", "0.50 LOSS"],
        ["rows/x", "-", "-", "0.100", "2.00"],
    ]


def test_table_as_text_and_as_markdown() -> None:
    table = Table(title="T", headers=["name", "n"], rows=[["a", "1"], ["bcdef", "23"]], notes=["so it is"])
    assert table.as_text().splitlines() == [
        "T", "", "name    n", "-----  --", "a       1", "bcdef  23", "  so it is", "",
    ][:7]  # fmt: skip
    assert "| name | n |\n| --- | ---: |\n| a | 1 |" in table.as_markdown()


@pytest.mark.parametrize(
    ("value", "text"), [(0.0624, "0.062"), (5.312, "5.31"), (31.25, "31.2"), (123.6, "124"), (1240.0, "1240")]
)
def test_significant_digits(value: float, text: str) -> None:
    assert significant(value) == text


def test_article_table_has_ratios_and_goals() -> None:
    ours = Outcome(rival=OURS, elapsed_ms=[90, 100, 300], growth_mb=[0.1, 2.5, 0.1])
    other = Outcome(rival="ssrjson", elapsed_ms=[400, 250, 100], growth_mb=[0.1])
    table = script_table("article-dumps", [ours, other], 1000, rounds=3)
    assert [line[4] for line in table.rows] == ["1.00", "2.50"]
    assert table.notes == [
        "goal: RSS grows by at most 2.0 MB: NO (+2.5)",
        "goal: at most 0.5 of ssrjson's time: yes (0.40)",
    ]


def test_article_table_of_fewer_processes_decides_no_goal() -> None:
    ours = Outcome(rival=OURS, elapsed_ms=[90], growth_mb=[0.1])
    other = Outcome(rival="ssrjson", elapsed_ms=[400, 250], growth_mb=[0.1, 0.1])
    notes = script_table("article-dumps", [ours, other], 1000, rounds=3).notes
    assert notes == [
        "UNFINISHED: ssrjson_web, 1 of 3 processes",
        "UNFINISHED: ssrjson, 2 of 3 processes",
        "goals: undecided, because ssrjson_web was not timed to the end",
    ]
    whole = Outcome(rival=OURS, elapsed_ms=[90] * 3, growth_mb=[0.1] * 3)
    notes = script_table("article-dumps", [whole, other], 1000, rounds=3).notes
    assert notes[1:] == ["goal: RSS grows by at most 2.0 MB: yes (+0.1)"]


def test_goals_of_a_run_that_was_stopped_are_missed_or_undecided() -> None:
    stopped = replace(report(WON), is_complete=False)
    table = goals_table(stopped)
    assert {cells[-1] for cells in table.rows} == {"undecided"}
    assert any(note.startswith("INCOMPLETE") for note in table.notes)
    lost = goals_table(replace(report(LOST), is_complete=False))
    assert {cells[-1] for cells in lost.rows if "case lost" in cells[1]} == {"NO, 1 short"}
    assert {cells[-1] for cells in goals_table(report(WON)).rows} != {"undecided"}


def test_sizes_end_with_the_bound() -> None:
    assert sizes_up_to(1) == [1]
    assert sizes_up_to(10) == [1, 4, 10]
    assert sizes_up_to(64) == [1, 4, 16, 64]


def test_page_stopped_before_its_end_says_so() -> None:
    page = Page(machine={"cpu": "x"}, tables=[], document={}, is_complete=False)
    assert "INCOMPLETE" in page.as_text()
    assert "INCOMPLETE" in page.as_markdown()
