"""docs/encoding.md: values to encode."""

import datetime
from typing import Any


def before(names: dict[str, Any]) -> None:
    names["obj"] = {"when": datetime.datetime(2026, 11, 21, tzinfo=datetime.timezone.utc)}
    names["rows"] = [names["obj"]] * 2
    names["buffer"] = bytearray(b"before ")


def after(names: dict[str, Any]) -> None:
    assert names["buffer"] == b'before {"when":"2026-11-21T00:00:00Z"}\n'
