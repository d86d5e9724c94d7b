"""What the commands print: tables, and text in any encoding; and the line that moves while they work."""

from __future__ import annotations

import io
import sys

import pytest

from ssrjson_web._cli.progress import Progress
from ssrjson_web._shared import plain_text


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_table_has_columns_as_wide_as_they_need() -> None:
    rows = [("json", "100.1", "+0.1"), ("orjson", "126.5", "+26.5")]
    assert plain_text.text_table(("engine", "after", "growth"), rows).splitlines() == [
        "engine  after  growth",
        "------  -----  ------",
        "json    100.1    +0.1",
        "orjson  126.5   +26.5",
    ]


def test_text_is_printed_without_control_characters_and_in_any_encoding(monkeypatch: pytest.MonkeyPatch) -> None:
    for encoding, shown in (("utf-8", "ü中"), ("ascii", "\\xfc\\u4e2d"), ("latin-1", "ü\\u4e2d")):
        for name, printed in (("stdout", plain_text.print_text), ("stderr", plain_text.print_error)):
            raw = io.BytesIO()
            monkeypatch.setattr(sys, name, io.TextIOWrapper(raw, encoding=encoding))
            printed("ü中\t\x1b[31m \x9b \r\x7f \udcff\n")
            getattr(sys, name).flush()
            assert raw.getvalue().decode(encoding) == shown + "\t\\x1b[31m \\x9b \\x0d\\x7f \\udcff\n"
    for name in ("stdout", "stderr"):
        monkeypatch.setattr(sys, name, None)
    plain_text.print_text("x")
    plain_text.print_error("x")


def test_progress_draws_one_line_on_a_terminal_that_fits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    stream = Terminal()
    progress = Progress(stream)
    progress.start("ssrjson_web doctor", "reading")
    progress.advance(2, 2)
    progress.clear()
    lines = stream.getvalue().split("\r\033[K")
    assert lines == ["", f"{'ssrjson_web doctor':<23} reading", f"{'ssrjson_web doctor':<23} [{'#' * 14}", ""]


def test_progress_is_silent_where_there_is_no_terminal() -> None:
    stream = io.StringIO()
    progress = Progress(stream)
    progress.start("ssrjson_web doctor", "reading")
    progress.advance(1, 2)
    progress.say("Stopped.")
    assert stream.getvalue() == "Stopped.\n"
