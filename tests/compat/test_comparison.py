"""The verdict on two runs of a suite."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from compat.comparison import Change, Report, alike_changes, changes, judge


def report(counts: dict[str, int] | None = None, **outcomes: str) -> Report:
    gists = {test: f"traceback\n{test} broke" for test, outcome in outcomes.items() if outcome in ("failed", "error")}
    return Report(outcomes=outcomes, gists=gists, counts=counts or {})


def verdict(stock: Report, ours: Report, **more: Any) -> Any:
    return judge(stock, ours, **{"expected": (), "least_calls": {}, **more})


def test_same_outcomes_are_no_change_whatever_they_are() -> None:
    same = report(a="passed", b="failed", c="skipped", d="xfailed", e="error")
    assert changes(same, same) == []
    assert verdict(same, same).is_good


def test_failure_of_ours_only_is_new() -> None:
    found = verdict(report(a="passed", b="passed"), report(a="passed", b="failed"))
    assert [(each.test, each.stock, each.ours) for each in found.new] == [("b", "passed", "failed")]
    assert found.new[0].gist == "traceback\nb broke"
    assert not found.is_good


def test_test_that_is_skipped_or_vanishes_with_ours_is_new() -> None:
    found = verdict(report(a="passed", b="passed", c="xfailed"), report(a="skipped", c="xfailed"))
    assert [(each.test, each.ours) for each in found.new] == [("a", "skipped"), ("b", "not run")]


def test_file_that_only_ours_cannot_collect_is_new() -> None:
    found = verdict(report(a="passed"), report(a="passed", **{"tests/x.py": "error"}))
    assert [(each.test, each.stock, each.ours) for each in found.new] == [("tests/x.py", "not run", "error")]


def test_test_that_fails_without_ours_too_is_no_change_and_may_mend() -> None:
    found = verdict(report(a="failed", b="failed"), report(a="passed", b="error"))
    assert found.is_good
    assert found.mended == ["a"]


def test_listed_difference_is_expected_and_stale_where_it_passes() -> None:
    listed = ("a", "b", "c")
    found = verdict(
        report(a="passed", b="passed", c="skipped"), report(a="failed", b="passed", c="skipped"), expected=listed
    )
    assert [each.test for each in found.expected] == ["a"]
    assert found.new == []
    assert found.stale == ["b"]  # c did not run
    assert not found.is_good


def test_failure_that_does_not_come_again_is_unstable() -> None:
    stock, ours = report(a="passed", b="passed"), report(a="failed", b="failed")
    again = (report(a="passed", b="passed"), report(a="passed", b="failed"))
    found = verdict(stock, ours, again=again)
    assert [each.test for each in found.unstable] == ["a"]
    assert [each.test for each in found.new] == ["b"]
    both_failed = (report(a="failed", b="failed"), report(a="failed", b="failed"))
    assert verdict(stock, ours, again=both_failed).is_good


def test_ours_that_was_hardly_called_was_not_in_place() -> None:
    ours = report({"responses rendered": 3}, a="passed")
    found = verdict(report(a="passed"), ours, least_calls={"responses rendered": 4, "frames sent": 1})
    assert found.uncalled == {"responses rendered": (3, 4), "frames sent": (0, 1)}
    assert not found.is_good
    assert verdict(report(a="passed"), ours, least_calls={"responses rendered": 3}).is_good


def test_changes_that_end_alike_stand_together() -> None:
    one, two, three = (
        Change(test=name, stock="passed", ours="failed", gist=f"{name}\nE   {error}")
        for name, error in (("a", "KeyError"), ("b", "OSError"), ("c", "KeyError"))
    )
    assert alike_changes([one, two, three]) == [[one, three], [two]]


def test_report_is_read_from_what_the_plug_in_writes(tmp_path: Path) -> None:
    path = tmp_path / "report.json"
    outcomes = {"a": {"outcome": "passed", "gist": ""}, "b": {"outcome": "failed", "gist": "E  x"}}
    path.write_text(json.dumps({"outcomes": outcomes, "counts": {"frames sent": 2}}))
    found = Report.read(path)
    assert found.failures == {"b"}
    assert (found.gists, found.counts) == ({"b": "E  x"}, {"frames sent": 2})
    assert found.summary() == "1 passed, 1 failed"
