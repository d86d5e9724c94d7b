"""Tables and prose in a terminal of any width."""

from __future__ import annotations

import pytest

from bench.kit.plain_text import prose, terminal_width, text_table
from bench.kit.tables import Table, span

HEAD = ("engine", "before", "after", "growth")
ROWS = [("json", "100.0", "100.1", "+0.1"), ("orjson", "100.0", "126.5", "+26.5")]


def test_table_without_a_width_has_all_columns_beside_each_other() -> None:
    assert text_table(HEAD, ROWS).splitlines() == [
        "engine  before  after  growth",
        "------  ------  -----  ------",
        "json     100.0  100.1    +0.1",
        "orjson   100.0  126.5   +26.5",
    ]


def test_table_that_is_too_wide_goes_on_below_with_its_first_column() -> None:
    assert text_table(HEAD, ROWS, width=22).splitlines() == [
        "engine  before  after",
        "------  ------  -----",
        "json     100.0  100.1",
        "orjson   100.0  126.5",
        "",
        "engine  growth",
        "------  ------",
        "json      +0.1",
        "orjson   +26.5",
    ]


def test_column_that_is_wider_than_the_terminal_is_not_cut() -> None:
    assert text_table(("a", "b"), [("x", "y" * 30)], width=10).splitlines()[2] == f"x  {'y' * 30}"


def test_width_is_the_terminals_or_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("COLUMNS", raising=False)
    assert terminal_width() is None
    monkeypatch.setenv("COLUMNS", "72")
    assert terminal_width() == 72


@pytest.mark.parametrize(("columns", "most"), [("40", 40), ("300", 100)])
def test_prose_is_as_wide_as_the_terminal_and_no_wider_than_100(
    columns: str, most: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", columns)
    lines = prose("word " * 100, indent="  ").splitlines()
    assert most - 5 <= max(map(len, lines)) <= most
    assert all(line.startswith("  word") for line in lines)


def test_notes_of_a_table_are_one_line_where_there_is_no_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("COLUMNS", raising=False)
    table = Table(title="t", headers=HEAD, rows=ROWS, notes=["word " * 50 + "end"])
    assert table.as_text().splitlines()[-1].endswith("end")
    monkeypatch.setenv("COLUMNS", "40")
    assert max(map(len, table.as_text().splitlines())) <= 40


def test_span_is_one_number_where_all_agree() -> None:
    assert span([]) == "-"
    assert span([1.04, 1.0]) == "1.0"
    assert span([1.0, -2.0], "+.1f") == "-2.0 to +1.0"
