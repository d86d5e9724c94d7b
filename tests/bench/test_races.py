"""The races: each prints a row for each of its documents, and none is run with a contender that is wrong."""

from __future__ import annotations

import importlib.util
import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from bench.__main__ import main
from bench.races.race import Contender, Document, Race, lanes_of
from bench.races.table import RACES
from bench.timing import Clock, Settings

BRIEF = Settings(loop_ns=1).with_rounds(1)


def documents_of(race: Race) -> list[Document]:
    missing = [name for name in race.needs if importlib.util.find_spec(name) is None]
    if missing:
        pytest.skip(f"{missing[0]} is not installed")
    found = list(race.documents(race.quick_size))
    if not found:
        pytest.skip("no library that makes the documents is installed")
    return found


@pytest.mark.parametrize("race", RACES, ids=lambda race: race.name)
def test_race_has_a_row_for_each_document(race: Race, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    names = [document.name for document in documents_of(race)]
    file = tmp_path / "figures.json"
    assert main([race.name, "--quick", "--rounds", "1", "--json", str(file)]) == 0
    rows = json.loads(file.read_text("utf-8"))["rows"]
    assert [row["case"] for row in rows] == names
    for row in rows:
        assert [each["is_ours"] for each in row["measurements"]][:2] == [True, False]
        assert all(each["sample"]["median_ns"] > 0 for each in row["measurements"])
    output = capsys.readouterr().out
    assert f"{race.name}: µs a{'n' * (race.unit == 'event')} {race.unit}, median" in output
    assert all(name in output for name in names)


def spoilt(document: Document, place: int) -> Document:
    """The document with a contender whose result is a little wrong."""
    right = document.contenders[place]

    def call(argument: Any) -> Any:
        result = right.call(argument)
        return result[2:] if isinstance(result, bytes | str | list) and result else [result]

    def loop(batch: Sequence[object], clock: Clock) -> int:
        raise AssertionError("a race was run with a wrong contender")

    contenders = [replace(each, loop=loop) for each in document.contenders]
    contenders[place] = replace(contenders[place], call=call)
    return replace(document, contenders=contenders)


@pytest.mark.parametrize("race", [race for race in RACES if race.name != "pauses"], ids=lambda race: race.name)
def test_race_is_refused_where_any_contender_gives_a_wrong_result(race: Race) -> None:
    documents_of(race)
    for document in race.documents(race.quick_size):
        for place, contender in enumerate(document.contenders):
            row = race.row(spoilt(document, place), BRIEF)
            assert [each.rival for each in row.measurements if each.is_wrong] == [contender.name]
            assert all(each.sample is None for each in row.measurements)


def test_pauses_compares_the_bodies_before_and_while_they_are_timed() -> None:
    race = next(race for race in RACES if race.name == "pauses")
    documents_of(race)
    for document in race.documents(1):
        for place in range(len(document.contenders)):
            assert race.row(spoilt(document, place), BRIEF).ours is None
        shorter = replace(document, make=lambda make=document.make: [make()[0][1:]], is_right=lambda _: True)
        assert [each.is_wrong for each in race.row(shorter, BRIEF).measurements] == [True, False, False]
        break


def test_command_with_a_wrong_contender_fails_and_names_it(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    document = Document(
        name="a document",
        contenders=[Contender(name="ours", call=lambda _: 1), Contender(name="another", call=lambda _: 2)],
        make=lambda: None,
        is_right=lambda result: bool(result == 1),
        n_bytes=1,
    )
    monkeypatch.setattr(Race, "documents", lambda self, size: [document])
    assert main(["arrays", "--quick"]) == 1
    assert "another not timed, another gives a wrong result: every case" in capsys.readouterr().out
    assert len(lanes_of(replace(document, contenders=document.contenders[:1]))) == 1


def test_schemas_takes_setup_back() -> None:
    schema = pytest.importorskip("marshmallow", reason="marshmallow is not installed").Schema
    documents_of(next(race for race in RACES if race.name == "schemas"))
    assert not hasattr(schema._serialize, "__wrapped__")


def test_size_and_cases_that_cannot_be_used_are_named(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["parts", "--size", "0"]) == 2
    assert main(["parts", "--quick", "--cases", "nothing"]) == 2
    assert "no case matches 'nothing'" in capsys.readouterr().err
