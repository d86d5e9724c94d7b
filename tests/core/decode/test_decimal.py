"""parse_float="decimal" and parse_float=Decimal: floats as the Decimals that Decimal() makes of their text."""

from __future__ import annotations

import copy
import json
import pickle
import sys
from decimal import Context, Decimal, localcontext
from typing import Any

import pytest
from helpers.call_outcome import assert_same, outcome
from hypothesis import given
from hypothesis import strategies as st

from ssrjson_web import _core

pytestmark = pytest.mark.usefixtures("isa")

WAYS: list[Any] = ["decimal", Decimal]
digits = st.text("0123456789", min_size=1, max_size=25)
numbers = st.builds(
    lambda sign, whole, fraction, exponent: f"{sign}{whole.lstrip('0') or '0'}.{fraction}{exponent}",
    st.sampled_from(["", "-"]),
    digits,
    digits,
    st.sampled_from(["", "e0", "E+5", "e-7", "e400", "e-400", "E99999", "e100001", "e-100001", "e-0000012"]),
)


def in_each_kind_of_source(text: str) -> list[str | bytes]:
    """The text alone, near the end and far from it, as bytes and as each kind of str."""
    rest = f"[{text}, {text},{text}  ,{'0,' * 40}0"
    return [text, text.encode(), f"{rest}]", f"{rest}]".encode(), *(f'{rest}, "{char}"]' for char in "é中😀")]


def assert_same_decimal(got: Decimal, expected: Decimal) -> None:
    assert type(got) is Decimal
    assert got.as_tuple() == expected.as_tuple()
    assert hash(got) == hash(expected)
    assert sys.getsizeof(got) == sys.getsizeof(expected)
    assert str(got) == str(expected)


@pytest.mark.parametrize("way", WAYS, ids=str)
def test_forms_of_numbers(way: Any) -> None:
    texts = ["1.5", "-1.50", "0.0", "-0.0", "0.00", "-0e5", "1e5", "1E-5", "100.0", "0.000000001"]
    texts += ["9999999999999999999.0", "0.9999999999999999999", "12345678901234567890.5", "1.2345678901234567890123"]
    texts += ["1e99999", "1e-99999", "1e100001"]
    for text in texts:
        for source in in_each_kind_of_source(text):
            value = _core.loads(source, parse_float=way)
            for got in value[:3] if isinstance(value, list) else [value]:
                assert_same_decimal(got, Decimal(text))


@given(st.lists(numbers, max_size=20))
def test_any_numbers(texts: list[str]) -> None:
    for char in ("", "é", "中", "😀"):
        value = _core.loads(f'[[{", ".join(texts)}], "{char}"]', parse_float="decimal")[0]
        assert len(value) == len(texts)
        for got, text in zip(value, texts, strict=True):
            assert_same_decimal(got, Decimal(text))


def test_value_can_be_used_as_any_decimal() -> None:
    value = _core.loads("-1.50", parse_float="decimal")
    assert (value * 2, value.quantize(Decimal("0.1")), f"{value:.1f}", round(value, 1)) == (
        Decimal("-3.00"),
        Decimal("-1.5"),
        "-1.5",
        Decimal("-1.5"),
    )
    for same in (copy.copy(value), copy.deepcopy(value), pickle.loads(pickle.dumps(value)), +value):
        assert_same_decimal(same, Decimal("-1.50"))


def test_ints_and_constants_stay() -> None:
    assert _core.loads("[1, -5, NaN, Infinity]", parse_float="decimal")[:2] == [1, -5]
    assert type(_core.loads("Infinity", parse_float="decimal")) is float
    assert _core.loads("[NaN]", parse_float="decimal", parse_constant=str) == ["NaN"]


def test_precision_of_the_context_does_not_round() -> None:
    with localcontext(Context(prec=3)):
        assert _core.loads("[1.23456789]", parse_float="decimal") == [Decimal("1.23456789")]


@pytest.mark.parametrize("way", WAYS, ids=str)
def test_exponent_beyond_every_decimal_raises_as_in_stdlib(way: Any) -> None:
    for text in ("1e999999999999999999999", "[1.5, -1e-999999999999999999999]"):
        assert_same(outcome(_core.loads, text, parse_float=way), outcome(json.loads, text, parse_float=Decimal), text)


def test_subclasses_and_other_callables_are_hooks() -> None:
    class Price(Decimal):
        pass

    ways: list[Any] = [Price, str, lambda text: [text]]
    assert [type(_core.loads("1.5", parse_float=way)) for way in ways] == [Price, str, list]


def test_hooks_see_decimals() -> None:
    assert _core.loads('{"a": 1.50}', parse_float="decimal", object_hook=repr) == "{'a': Decimal('1.50')}"


def test_decoder_keeps_the_option() -> None:
    decoder = _core.Decoder(parse_float="decimal")
    assert repr(decoder) == "Decoder(parse_float='decimal')"
    for same in (decoder, copy.copy(decoder), pickle.loads(pickle.dumps(decoder))):
        assert_same_decimal(same.decode(b"1.50"), Decimal("1.50"))


def test_another_value_is_refused() -> None:
    wrong: Any
    for wrong, error in (("Decimal", ValueError), ("", ValueError), (5, TypeError), (True, TypeError)):
        with pytest.raises(error, match="parse_float"):
            _core.loads("1", parse_float=wrong)
