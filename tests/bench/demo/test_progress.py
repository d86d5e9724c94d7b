"""The line of progress: the steps are counted, and the time that is left is said."""

from __future__ import annotations

import io

import pytest

from bench.kit import progress as module
from bench.kit.progress import Progress


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True

    def last(self) -> str:
        return self.getvalue().rpartition("\r\033[K")[2]


def test_steps_are_counted_and_the_time_left_follows_the_pace(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 1000.0
    monkeypatch.setattr(module.time, "monotonic", lambda: now)
    monkeypatch.setenv("COLUMNS", "200")
    stream = Terminal()
    progress = Progress(stream)
    progress.plan([10, 10, 200])
    progress.start("json (sweep)", "loading the catalogue")
    assert stream.last() == f"{'1 of 3  json (sweep)':<32} loading the catalogue, about 4 min left"
    now += 5
    progress.advance(50, 100)
    assert stream.last().endswith("]  50 %, about 4 min left")
    now += 15  # twice as long as planned
    progress.finish("done")
    assert f"{'1 of 3  json (sweep)':<32} done\n" in stream.getvalue()
    progress.start("orjson (sweep)", "")
    assert stream.last().endswith("about 7 min left")
    now += 20
    progress.start("last", "")
    now += 380
    progress.advance(99, 100)
    assert stream.last().endswith("3 of 3  last") is False
    assert stream.last().endswith("about 20 s left")
    now += 500  # longer than any plan
    progress.advance(100, 100)
    assert stream.last().endswith("100 %, about 1 s left")


def test_progress_without_a_plan_counts_nothing() -> None:
    stream = Terminal()
    progress = Progress(stream)
    progress.start("ssrjson_web doctor", "reading")
    progress.advance(1, 2)
    assert " of " not in stream.getvalue()
    assert "left" not in stream.getvalue()


def test_progress_fits_into_a_narrow_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "20")
    stream = Terminal()
    progress = Progress(stream)
    progress.plan([1, 1])
    progress.start("json (sweep)", "loading the catalogue")
    progress.advance(1, 2)
    assert max(map(len, stream.getvalue().split("\r\033[K"))) < 20
