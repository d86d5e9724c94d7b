"""Decoding nested containers: the depth is limited by memory only, not by the C stack."""

from __future__ import annotations

from typing import Any

import pytest
from helpers.call_outcome import error_outcome

from ssrjson_web import _core

pytestmark = pytest.mark.usefixtures("isa")

DEPTH = 100_000
SHAPES = {"array": ("[", "]"), "object": ('{"a":', "}"), "object with raw key": ('{"中":', "}")}


def depth_of(value: Any) -> tuple[int, Any]:
    """How many containers of one item stand around the innermost value, and that value."""
    depth = 0
    while isinstance(value, (list, dict)) and value:
        value = value[0] if isinstance(value, list) else next(iter(value.values()))
        depth += 1
    return depth, value


@pytest.mark.parametrize("shape", SHAPES)
def test_decode_container_100_000_deep(shape: str) -> None:
    opening, closing = SHAPES[shape]
    for innermost, expected in (("1", 1), ('"é"', "é"), ("[]", []), ("{}", {})):
        text = opening * DEPTH + innermost + closing * DEPTH
        assert depth_of(_core.loads(text)) == (DEPTH, expected)
        assert depth_of(_core.loads(text.encode())) == (DEPTH, expected)


def test_decode_arrays_and_objects_in_turn_100_000_deep() -> None:
    text = '[{"é":' * (DEPTH // 2) + "null" + "}]" * (DEPTH // 2)
    assert depth_of(_core.loads(text)) == (DEPTH, None)


def test_decode_deep_containers_with_items_before_and_after() -> None:
    value = _core.loads('[0,{"a":1,"b":' * 1000 + "null" + ',"c":"x"},[2]]' * 1000)
    for _ in range(1000):
        assert value[0] == 0
        assert value[2] == [2]
        assert list(value[1]) == ["a", "b", "c"]
        value = value[1]["b"]
    assert value is None


@pytest.mark.parametrize("shape", SHAPES)
def test_decode_unclosed_100_000_deep_raises_at_the_end(shape: str) -> None:
    opening, closing = SHAPES[shape]
    for text, message, position in (
        (opening * DEPTH, "Expecting value", len(opening) * DEPTH),
        (opening * DEPTH + "x", "Expecting value", len(opening) * DEPTH),
        (opening * DEPTH + "1", "Expecting ',' delimiter", len(opening) * DEPTH + 1),
        (opening * DEPTH + "1" + closing * (DEPTH - 1), "Expecting ',' delimiter", (len(opening) + 1) * DEPTH),
        (opening * DEPTH + "1" + closing * (DEPTH + 1), "Extra data", (len(opening) + 1) * DEPTH + 1),
    ):
        for source in (text, text.encode()):
            with pytest.raises(_core.JSONDecodeError) as raised:
                _core.loads(source)
            assert error_outcome(raised.value)[1:3] == (message, position)


def test_encode_what_was_decoded_100_000_deep_gives_the_document_back() -> None:
    for opening, closing in SHAPES.values():
        text = opening * DEPTH + "1" + closing * DEPTH
        assert _core.dumps(_core.loads(text)) == text
        assert _core.dumps_to_bytes(_core.loads(text.encode())) == text.encode()
