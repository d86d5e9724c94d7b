"""A suite's outcomes without ours and with ours, and their differences."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

FAILURES = ("failed", "error")
NOT_RUN = "not run"


@dataclass(frozen=True, kw_only=True)
class Report:
    """The plug-in's record of a run."""

    outcomes: Mapping[str, str]
    """`passed`, `skipped`, `failed`, ... by the test's id."""
    gists: Mapping[str, str]
    """The end of the traceback, for tests that failed."""
    counts: Mapping[str, int]
    """Number of calls of our methods."""

    @classmethod
    def read(cls, path: Path) -> Report:
        """The report in a file that the plug-in wrote. Raises OSError, ValueError."""
        document = json.loads(path.read_text("utf-8"))
        outcomes = document["outcomes"]
        return cls(
            outcomes={test: each["outcome"] for test, each in outcomes.items()},
            gists={test: each["gist"] for test, each in outcomes.items() if each["gist"]},
            counts=document["counts"],
        )

    @property
    def failures(self) -> set[str]:
        """The tests that failed."""
        return {test for test, outcome in self.outcomes.items() if outcome in FAILURES}

    def summary(self) -> str:
        """`1408 passed, 6 failed`."""
        kinds: dict[str, int] = {}
        for outcome in self.outcomes.values():
            kinds[outcome] = kinds.get(outcome, 0) + 1
        return ", ".join(f"{n} {kind}" for kind, n in sorted(kinds.items(), key=lambda pair: -pair[1])) or "no tests"


@dataclass(frozen=True, kw_only=True)
class Change:
    """A test with another outcome with ours in place."""

    test: str
    stock: str
    ours: str
    gist: str = ""


def changes(stock: Report, ours: Report) -> list[Change]:
    """The tests that got worse with ours: they fail or do not run, but did not fail without it."""
    found = []
    for test, before in stock.outcomes.items():
        after = ours.outcomes.get(test, NOT_RUN)
        if before not in FAILURES and after != before and after in (*FAILURES, NOT_RUN, "skipped"):
            found.append(Change(test=test, stock=before, ours=after, gist=ours.gists.get(test, "")))
    for test in sorted(ours.failures - stock.outcomes.keys()):
        found.append(Change(test=test, stock=NOT_RUN, ours=ours.outcomes[test], gist=ours.gists.get(test, "")))
    return found


def alike_changes(found: Iterable[Change]) -> list[list[Change]]:
    """The changes in groups, by the last line of the traceback."""
    groups: dict[str, list[Change]] = {}
    for each in found:
        groups.setdefault((each.gist.splitlines() or [each.ours])[-1], []).append(each)
    return list(groups.values())


@dataclass(frozen=True, kw_only=True)
class Verdict:
    """The result of a suite."""

    new: list[Change]
    """Changes that are not expected."""
    expected: list[Change]
    """Expected changes, which the suite lists with their reasons."""
    unstable: list[Change]
    """Tests that failed with ours once, but not when their files were run again."""
    stale: list[str]
    """Tests that are listed as different, but pass."""
    mended: list[str]
    """Tests that fail only without ours."""
    uncalled: Mapping[str, tuple[int, int]]
    """Methods that were called too rarely: the number of calls, and the minimum."""

    @property
    def is_good(self) -> bool:
        """Whether ours was in place, and there is no unexpected change."""
        return not (self.new or self.stale or self.uncalled)


def judge(
    stock: Report,
    ours: Report,
    *,
    expected: Collection[str],
    least_calls: Mapping[str, int],
    again: tuple[Report, Report] | None = None,
) -> Verdict:
    """The verdict on two runs. `again` are two more runs of the changed tests: only changes seen there too count."""
    found = changes(stock, ours)
    lasting = {change.test for change in (changes(*again) if again else found)}
    return Verdict(
        new=[each for each in found if each.test not in expected and each.test in lasting],
        expected=[each for each in found if each.test in expected],
        unstable=[each for each in found if each.test not in expected and each.test not in lasting],
        stale=sorted(test for test in expected if ours.outcomes.get(test) == "passed"),
        mended=sorted(stock.failures & {test for test, outcome in ours.outcomes.items() if outcome == "passed"}),
        uncalled={
            name: (ours.counts.get(name, 0), least)
            for name, least in least_calls.items()
            if ours.counts.get(name, 0) < least
        },
    )
