"""natives=True: every option of a type, each in its first format."""

from __future__ import annotations

import dataclasses
import datetime
import decimal
import enum
import inspect
import pathlib
import re
import types
import uuid
from typing import Any

import pytest

from ssrjson_web import _core

pytestmark = pytest.mark.usefixtures("isa")

MODIFIERS = {"timespec", "utc", "naive", "float32"}
"""Options after natives that are of no type of their own: they say how values of other types are written."""


@dataclasses.dataclass
class Point:
    x: int


class Colour(enum.Enum):
    RED = "red"


def samples() -> dict[str, Any]:
    numpy = pytest.importorskip("numpy")

    class Tensor:
        __dlpack__ = staticmethod(numpy.arange(3).__dlpack__)
        __dlpack_device__ = staticmethod(numpy.arange(3).__dlpack_device__)

    return {
        "datetime": datetime.datetime(2026, 1, 2, 3, 4, 5),
        "date": datetime.date(2026, 1, 2),
        "time": datetime.time(3, 4, 5),
        "timedelta": datetime.timedelta(days=400, seconds=2),
        "uuid": uuid.UUID(int=5),
        "enum": Colour.RED,
        "decimal": decimal.Decimal("1.50"),
        "bytes": b"text",
        "dataclass": Point(1),
        "iterables": {1},
        "mapping": types.MappingProxyType({"a": 1}),
        "path": pathlib.PurePosixPath("/a"),
        "numpy": numpy.arange(3),
        "arrays": Tensor(),
    }


def first_value(option: str) -> Any:
    """The first format of an option, as its error message lists them; True for an option without formats."""
    with pytest.raises((ValueError, TypeError)) as caught:
        _core.dumps(1, **{option: "?"})
    found = re.search(r"None or (?:one of \[)?'([^']+)'", str(caught.value))
    return found[1] if found else True


def test_natives_switches_on_each_type_in_its_first_format() -> None:
    names = list(inspect.signature(_core.dumps).parameters)
    options = [name for name in names[names.index("natives") + 1 :] if name not in MODIFIERS]
    values = samples()
    assert set(options) == set(values), "an option of a type needs a sample here, a modifier its name in MODIFIERS"
    for option in options:
        alone = _core.dumps(values[option], **{option: first_value(option)})
        assert _core.dumps(values[option], natives=True) == alone, option
