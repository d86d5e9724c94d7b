"""Ratios, means, goals, and their tables."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from bench.rivals import OURS
from bench.speed_goals import Goal, verdicts
from bench.speed_results import Measurement, Report, Row, geometric_mean, report_to_json
from bench.speed_tables import report_tables
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


def test_report_in_json_has_the_ratio_and_the_best_peer_of_each_row() -> None:
    document = json.loads(json.dumps(report_to_json(report(WON, LOST, ABSENT))))
    assert [(each["ratio"], each["best_peer"]) for each in document["rows"]] == [(2, "b"), (0.5, "a"), (None, "a")]


MEAN = Goal(title="mean", mode=MODE, cases=("rows/*",), rule="mean", at_least=1.0)
EACH = Goal(title="each", mode=MODE, cases=("rows/*",), rule="each", at_least=1.0)


def test_goal_for_a_mean_and_goal_for_each_case() -> None:
    mean, each = verdicts(report(WON, LOST, ALONE), [MEAN, EACH])
    assert mean.mean == pytest.approx(1)
    assert mean.n_cases == 2
    assert (each.worst, each.worst_case, each.n_short, each.is_met) == (0.5, "rows/y", 1, False)


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
