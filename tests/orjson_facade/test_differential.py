"""Random values and documents: the bytes, values and errors of ssrjson_web.orjson are those of orjson.

The values leave out what docs/orjson.md lists as different.
"""

from __future__ import annotations

import json
import uuid
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

pytest.importorskip("orjson", reason="orjson is not installed: nothing to compare with")
pytest.importorskip("numpy", reason="numpy is not installed: its arrays are written, too")

import orjson as theirs
from check_orjson import run
from check_orjson.parity import assert_dumps_alike, outcome
from helpers.call_outcome import assert_same

from ssrjson_web import orjson as ours

pytestmark = pytest.mark.skipif(
    theirs.__version__ != ours.__version__, reason="another release of orjson than the one that is followed"
)

TEXTS = st.text(max_size=40) | st.text('aé中😀한\ue000\\"\n\x00\ud800', max_size=20)


@pytest.mark.parametrize("option", run.ALL_MASKS)
def test_random_trees_are_written_as_orjson_writes_them(isa: str, option: int) -> None:
    assert run.check(option, 400, 20261123) == 400


def test_trees_depend_on_the_seed_alone() -> None:
    first, again, other = (run.trees_for(0, seed) for seed in ("1", "1", "2"))
    assert [repr(first.tree()) for _ in range(50)] == [repr(again.tree()) for _ in range(50)]
    assert [repr(other.tree()) for _ in range(50)] != [repr(first.tree()) for _ in range(50)]


def test_difference_is_found() -> None:
    class Wrong:
        @staticmethod
        def dumps(value: Any, **options: Any) -> bytes:
            written: bytes = theirs.dumps(value, **options)
            return written.replace(b"1.5", b"1.50")

    with pytest.raises(AssertionError):
        assert_dumps_alike(Wrong, [1.5], 0)


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
