"""The check of floats itself: it passes on this core, and finds what another core would do wrong."""

from __future__ import annotations

import math
from typing import Any

import check_floats
import pytest

from ssrjson_web import _core

LEVELS = _core.get_current_features()["levels"]


class WrongCore:
    """The core, but for one number that it writes or reads one unit in the last place away."""

    def __init__(self, *, wrong_writing: float = math.nan, wrong_reading: float = math.nan) -> None:
        self.writing, self.reading = wrong_writing, wrong_reading

    def __getattr__(self, name: str) -> Any:
        return getattr(_core, name)

    def dumps(self, value: Any) -> str:
        return _core.dumps(value).replace(repr(self.writing), repr(math.nextafter(self.writing, math.inf)))

    def dumps_to_bytes(self, value: Any) -> bytes:
        return self.dumps(value).encode()

    def loads(self, text: str | bytes) -> Any:
        def wrong(number: float) -> float:
            return math.nextafter(number, math.inf) if number == self.reading else number

        value = _core.loads(text)
        return [wrong(number) for number in value] if isinstance(value, list) else wrong(value)


def test_batch_depends_on_seed_and_index_alone() -> None:
    numbers = check_floats.batch(3, 4, 500)
    assert numbers == check_floats.batch(3, 4, 500)
    assert numbers != check_floats.batch(3, 5, 500)
    assert numbers != check_floats.batch(4, 4, 500)
    assert all(math.isfinite(number) for number in numbers)
    assert 450 < len(numbers) < 550


def test_differences_none_on_this_core() -> None:
    assert list(check_floats.differences(check_floats.batch(5, 0, 4000), LEVELS)) == []


def test_differences_name_a_number_written_wrongly(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(check_floats, "_core", WrongCore(wrong_writing=0.3))
    found = list(check_floats.differences([0.1, 0.2, 0.3], LEVELS[:1]))
    assert {difference.number for difference in found} == {0.3}
    assert {difference.what for difference in found} == {"written among floats", "written alone"}
    assert f"{LEVELS[0]}: written alone 0x1.3333333333333p-2: expected 0.3, got 0.30000000000000004" in map(str, found)


def test_differences_name_a_number_read_wrongly(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(check_floats, "_core", WrongCore(wrong_reading=0.3))
    found = [*map(str, check_floats.differences([0.1, 0.2, 0.3], LEVELS[:1]))]
    wrong = "0x1.3333333333333p-2: expected 0.3, got 0.30000000000000004"
    assert f"{LEVELS[0]}: read from 0.3 {wrong}" in found
    assert f"{LEVELS[0]}: read from 2.999999999999999889e-01 {wrong}" in found
    assert all(wrong in line for line in found)


def test_other_spellings_are_near_and_halfway() -> None:
    numbers = check_floats.batch(1, 0, 20_000)
    spelt = check_floats.other_spellings(numbers)
    assert len(spelt) == len(numbers)
    assert sum(float(text) != number for text, number in zip(spelt, numbers, strict=True)) > len(numbers) // 20
    assert max(map(len, spelt)) > 300


def test_check_floats_stops_at_a_difference_with_status_1(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    difference = check_floats.Difference(level="avx2", what="written alone", number=0.5, expected="0.5", got="0.6")
    monkeypatch.setattr(check_floats, "check", lambda *_: (7, [difference]))
    assert check_floats.main(["--count", "10"]) == 1
    printed = capsys.readouterr().out.splitlines()
    assert printed[0] == "avx2: written alone 0x1.0000000000000p-1: expected 0.5, got 0.6"
    assert "some differ from Python's" in printed[1]
