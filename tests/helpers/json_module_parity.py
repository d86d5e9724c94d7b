"""ssrjson_web.json held against the running Python's json, call by call."""

from __future__ import annotations

import io
import json as theirs
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest

from helpers.call_outcome import assert_same, outcome
from ssrjson_web import json as ours


def assert_same_from(call: Callable[[Any], Any], case: object = None) -> None:
    """The call gives the same value, or the same error, with ours as with stdlib's module."""
    assert_same(outcome(call, ours), outcome(call, theirs), case)


def dumped(json: Any, value: object, **options: Any) -> str:
    """What `dump` leaves in a file."""
    file = io.StringIO()
    json.dump(value, file, **options)
    return file.getvalue()


def count_core_calls(monkeypatch: pytest.MonkeyPatch) -> SimpleNamespace:
    """How often ours calls the core from now on: `dumps` and `loads`."""
    counts = SimpleNamespace(dumps=0, loads=0)
    module: Any = ours
    dumps, dumps_in_python, loads = module._core_dumps, module._core_dumps_in_python, module._core_loads

    def counting_dumps(*args: Any, **options: Any) -> Any:
        counts.dumps += 1
        return dumps(*args, **options)

    def counting_dumps_in_python(*args: Any, **options: Any) -> Any:
        counts.dumps += 1
        return dumps_in_python(*args, **options)

    def counting_loads(document: Any, **options: Any) -> Any:
        counts.loads += 1
        return loads(document, **options)

    monkeypatch.setattr(ours, "_core_dumps", counting_dumps)
    monkeypatch.setattr(ours, "_core_dumps_in_python", counting_dumps_in_python)
    monkeypatch.setattr(ours, "_core_loads", counting_loads)
    return counts
