"""Keys of native types: written as the value would be, where that is a text, a number or a constant."""

from __future__ import annotations

import datetime
import enum
import math
import pathlib
import uuid
from decimal import Decimal
from typing import Any

import pytest
from helpers.all_outputs import assert_encoded_as, assert_refused
from helpers.call_outcome import outcome

from ssrjson_web import _core

pytestmark = pytest.mark.usefixtures("isa")


class Key(enum.Enum):
    TEXT = "é"
    NUMBER = 5
    REAL = 1.5
    NOTHING = None
    YES = True
    ID = uuid.UUID(int=1)
    PAIR = (1, 2)


NATIVE: list[tuple[Any, Any, dict[str, Any]]] = [
    (datetime.datetime(2026, 1, 2), "2026-01-02T00:00:00", {"datetime": "iso"}),
    (datetime.date(2026, 1, 2), "2026-01-02", {"date": "iso"}),
    (datetime.time(3), "03:00:00", {"time": "iso"}),
    (datetime.timedelta(4), "P4D", {"timedelta": "iso"}),
    (datetime.timedelta(4), 345600.0, {"timedelta": "seconds"}),
    (uuid.UUID(int=1), str(uuid.UUID(int=1)), {"uuid": "hyphenated"}),
    (Decimal("1.50"), "1.50", {"decimal": "number"}),
    (Decimal("1.50"), "1.50", {"decimal": "str"}),
    (Decimal("1.50"), 1.5, {"decimal": "float"}),
    (Decimal("NaN"), math.nan, {"decimal": "number"}),
    (b"\xc3\xa9", "é", {"bytes": "utf-8"}),
    (b"ab", "YWI=", {"bytes": "base64"}),
    (pathlib.PurePosixPath("a/中"), "a/中", {"path": True}),
    (Key.TEXT, "é", {"enum": "value"}),
    (Key.TEXT, "TEXT", {"enum": "name"}),
    (Key.NUMBER, 5, {"enum": "value"}),
    (Key.REAL, 1.5, {"enum": "value"}),
    (Key.NOTHING, None, {"enum": "value"}),
    (Key.YES, True, {"enum": "value"}),
    (Key.ID, str(uuid.UUID(int=1)), {"natives": True}),
]


def test_key_is_written_as_the_value_would_be_in_every_output() -> None:
    for key, plain, options in NATIVE:
        assert_encoded_as({plain: [1, {plain: 2}]}, {key: [1, {key: 2}]}, **options)


def test_key_whose_option_is_off_raises_or_is_skipped() -> None:
    for key, _, _ in NATIVE:
        assert_refused({key: 1})
        assert _core.dumps({key: 1, "a": 2}, skipkeys=True) == '{"a":2}'


def test_key_that_is_a_container_raises_or_is_skipped() -> None:
    keys: list[Any] = [Key.PAIR, frozenset([1]), (1, 2), object(), range(3)]
    for key in keys:
        assert_refused({key: 1}, natives=True)
        assert _core.dumps({key: 1, "a": 2}, natives=True, skipkeys=True) == '{"a":2}'


def test_keys_of_native_types_are_sorted_as_python_sorts_them() -> None:
    days = [datetime.date(2026, 1, day) for day in (3, 1, 2)]
    assert _core.dumps(dict.fromkeys(days, 0), natives=True, sort_keys=True) == (
        '{"2026-01-01":0,"2026-01-02":0,"2026-01-03":0}'
    )
    for mixed in ({days[0]: 1, "a": 2}, {Key.TEXT: 1, Key.NUMBER: 2}):
        assert outcome(_core.dumps, mixed, natives=True, sort_keys=True)[0] == "TypeError"


def test_key_that_raises_passes_its_error_through() -> None:
    class Zone(datetime.tzinfo):
        is_armed = False

        def utcoffset(self, moment: Any) -> Any:
            if Zone.is_armed:
                raise KeyError("zone")
            return datetime.timedelta(0)

    value = {datetime.datetime(2026, 1, 2, tzinfo=Zone()): 1}
    Zone.is_armed = True
    assert outcome(_core.dumps, [value], natives=True)[0] == "KeyError"
    assert outcome(_core.dumps, {b"\xff": 1}, natives=True)[0] == "UnicodeDecodeError"


def test_not_finite_key_follows_the_options() -> None:
    assert outcome(_core.dumps, {Decimal("NaN"): 1}, natives=True, allow_nan=False)[0] == "ValueError"
    assert _core.dumps({Decimal("NaN"): 1}, natives=True, nan_as_null=True) == '{"null":1}'
