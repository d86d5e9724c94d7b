"""docs/versions.md: the line that the log gets."""

import logging
import re
from pathlib import Path
from typing import Any

lines: list[str] = []


class _Lines(logging.Handler):
    def emit(self, record: logging.LogRecord) -> None:
        lines.append(record.getMessage())


def before(names: dict[str, Any]) -> None:
    logging.getLogger("ssrjson_web").addHandler(_Lines())


def after(names: dict[str, Any]) -> None:
    page = Path(__file__).parents[3] / "docs" / "versions.md"
    shown = page.read_text(encoding="utf-8").partition("```\nmarshmallow ")[2].partition("\n```")[0].replace("\n", " ")
    (line,) = lines
    logged = re.sub(r"replaced by \S+ of \S+:\d+", "replaced by shop.patches.<lambda> of shop/patches.py:6", line)
    assert logged.partition(": ")[2] == shown.partition(": ")[2]
