"""Random values and documents: the bytes, values and errors of ssrjson_web.orjson are those of orjson.

The values leave out what docs/orjson.md lists as different.
"""

from __future__ import annotations

import datetime
import json
import uuid
from typing import Any

import pytest
from check_orjson.parity import (
    MASKS,
    Book,
    Colour,
    Items,
    Members,
    Number,
    Pair,
    Real,
    Slotted,
    Text,
    assert_dumps_alike,
    outcome,
    zone,
)
from helpers.call_outcome import assert_same
from hypothesis import given
from hypothesis import strategies as st

from ssrjson_web import orjson as ours

theirs: Any = pytest.importorskip("orjson", reason="orjson is not installed: nothing to compare with")
pytestmark = pytest.mark.skipif(
    theirs.__version__ != ours.__version__, reason="another release of orjson than the one that is followed"
)


def zones() -> st.SearchStrategy[Any]:
    """Offsets whose seconds are not rounded up: orjson writes 60 minutes for some of those."""
    minutes = st.integers(-1439, 1439)
    return st.none() | st.just(datetime.timezone.utc) | minutes.map(zone)


def microseconds() -> st.SearchStrategy[int]:
    """orjson drops a zero of times that have 10,000 to 99,999."""
    return st.just(0) | st.integers(1, 9999) | st.integers(100_000, 999_999)


TEXTS = st.text(max_size=40) | st.text('aé中😀한\ue000\\"\n\x00\ud800', max_size=20)
TIMES = st.times().flatmap(lambda time: microseconds().map(lambda us: time.replace(microsecond=us)))
MOMENTS = st.datetimes(timezones=zones()) | st.dates() | TIMES
SCALARS = (
    st.none()
    | st.booleans()
    | st.integers(-(2**65), 2**65)
    | st.integers(-1000, 1000)
    | st.floats()
    | st.sampled_from([1e16, 1e-5, 1e-6, 2**53, -(2**53), 2**63, 2**64 - 1, -(2**63)])
    | TEXTS
    | MOMENTS
    | st.uuids()
    | st.sampled_from(Colour)
)
DERIVED = TEXTS.map(Text) | st.integers(0, 2**70).map(Number)
STRANGE = st.sampled_from([Real(1.5), Pair(1, 2), {1}, b"x", datetime.timedelta(1), 1j])
KEYS = st.none() | st.booleans() | st.integers(-(2**65), 2**65) | st.floats() | TEXTS | MOMENTS
KEYS |= st.sampled_from(Colour)


def trees(keys: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.recursive(
        SCALARS | SCALARS | SCALARS | DERIVED | STRANGE,
        lambda inner: st.one_of(
            st.lists(inner, max_size=6),
            st.lists(st.floats(-1e20, 1e20), max_size=40),
            st.lists(inner, max_size=3).map(tuple),
            st.lists(inner, max_size=3).map(Items),
            st.dictionaries(keys, inner, max_size=6),
            st.dictionaries(keys, inner, max_size=3).map(Members),
            st.builds(Book, inner, inner, inner),
            st.builds(Slotted, inner, inner, inner),
        ),
        max_leaves=20,
    )


@pytest.mark.parametrize("option", MASKS)
@given(value=trees(TEXTS))
def test_value_is_written_as_orjson_writes_it(isa: str, option: int, value: Any) -> None:
    assert_dumps_alike(theirs, value, option)


@pytest.mark.parametrize("option", [mask for mask in MASKS if mask & ours.OPT_NON_STR_KEYS])
@given(value=trees(KEYS))
def test_keys_are_written_as_orjson_writes_them(isa: str, option: int, value: Any) -> None:
    assert_dumps_alike(theirs, value, option)


PIECES = ["{", "}", "[", "]", ",", ":", '"a"', '"', "\\", "\\u", "\\ud83d", "\\ude00", "\\u00e9", "1", "-", "0", "."]
PIECES += ["e", "+", "12345678901234567890", "-9223372036854775809", "1e400", "true", "false", "nul", "NaN", " ", "\n"]
PIECES += ["é", "中", "😀", "\x00", "\x1f", "x", "\ufeff", "\ud800", "9" * 330, "00", "-Infinity"]
DOCUMENTS = st.lists(st.sampled_from(PIECES), max_size=12).map("".join)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**70), 2**70) | st.floats(allow_nan=False) | TEXTS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXTS, inner, max_size=4),
    max_leaves=10,
)


def assert_loads_alike(document: str) -> None:
    for form in (document, document.encode("utf-8", "surrogatepass")):
        got, expected = outcome(ours.loads, form), outcome(theirs.loads, form)
        assert_same(repr(got), repr(expected), form)


@given(document=DOCUMENTS)
def test_document_is_read_or_refused_as_orjson_does(isa: str, document: str) -> None:
    assert_loads_alike(document)


@given(value=JSON, is_ascii=st.booleans(), cut=st.integers(0, 200), piece=st.sampled_from(["", "", *PIECES]))
def test_changed_document_is_read_or_refused_as_orjson_does(
    isa: str, value: Any, is_ascii: bool, cut: int, piece: str
) -> None:
    document = json.dumps(value, ensure_ascii=is_ascii)
    assert_loads_alike(document[:cut] + piece + document[cut:])
    assert_loads_alike(document[:cut] + piece)


def test_uuids_of_every_version_are_alike(isa: str) -> None:
    for value in (uuid.UUID(int=0), uuid.UUID(int=2**128 - 1), uuid.uuid4()):
        assert ours.dumps([value, {str(value): value}]) == theirs.dumps([value, {str(value): value}])
