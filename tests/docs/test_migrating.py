"""docs/migrating.md: both sides of each row give the same."""

from __future__ import annotations

import collections
import dataclasses
import datetime
import importlib
import re
import uuid
from decimal import Decimal
from typing import Any

import pytest
from helpers.markdown_pages import PAGES

import ssrjson_web
from ssrjson_web import json

PAGE = PAGES["docs/migrating.md"].read_text(encoding="utf-8")
ROW = re.compile(r"^\| `((\w+)\.[^`]*)` \| `([^`]*)` \|$", re.MULTILINE)
ROWS = [(found[2], found[1], found[3]) for found in ROW.finditer(PAGE)]
P = collections.namedtuple("P", "a b")


@dataclasses.dataclass
class C:
    a: int = 1
    b: object = None


def names() -> dict[str, Any]:
    """What the rows name beside the libraries; made anew, because an iterator is used once."""
    moment = datetime.datetime(2026, 11, 23, 12, 30, 15, 250_000)
    return {
        **vars(ssrjson_web),
        "json": json,
        "Decimal": Decimal,
        "N": moment,
        "D": moment.replace(tzinfo=datetime.timezone.utc),
        "U": uuid.UUID(int=5),
        "P": P,
        "C": C,
    }


def test_page_has_rows_of_each_library() -> None:
    assert {library for library, *_ in ROWS} == {"orjson", "ujson", "simplejson", "rapidjson", "msgspec"}


@pytest.mark.parametrize(("library", "before", "after"), ROWS, ids=[before for _, before, _ in ROWS])
def test_both_sides_of_a_row_give_the_same(library: str, before: str, after: str) -> None:
    module = pytest.importorskip(library, reason=f"{library} is not installed")
    known = names()
    if "A" in re.findall(r"\b\w+\b", before):
        known["A"] = pytest.importorskip("numpy", reason="numpy is not installed").array([0.1, 2.5], dtype="f4")
    if library == "msgspec":
        importlib.import_module("msgspec.json")
        known["S"] = module.defstruct("S", [("a", int, 1), ("b", object, None)])
    theirs = eval(before, {**known, library: module})
    ours = eval(after, {**known, **({"A": known["A"]} if "A" in known else {})})
    if isinstance(theirs, str) and isinstance(ours, bytes):
        ours = ours.decode()
    assert (type(ours), ours) == (type(theirs), theirs)
