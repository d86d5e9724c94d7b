"""Options of decoding: effects, refused values, and no option fills the UTF-8 cache of the source."""

from __future__ import annotations

import math
from typing import Any

import pytest
from helpers import decode_checks, json_documents, reference_codec, stdlib_json
from helpers.call_outcome import assert_same, outcome
from helpers.decode_checks import assert_decoded
from hypothesis import given
from hypothesis import strategies as st

from ssrjson_web import _core

pytestmark = pytest.mark.usefixtures("isa")

HOOK_NAMES = list(decode_checks.HOOKS)


def call_both(**options: Any) -> list[Any]:
    """What loads and Decoder raise for the options."""
    return [outcome(_core.loads, "1", **options), outcome(_core.Decoder, **options)]


# ---- values of options


@pytest.mark.parametrize("name", HOOK_NAMES)
def test_hook_that_is_not_callable_raises_type_error_that_names_it(name: str) -> None:
    for wrong in (5, b"repr" if name == "parse_float" else "repr", [], object(), False):  # which takes a str
        expected = ("TypeError", f"{name} must be callable or None, not {type(wrong).__name__}")
        assert call_both(**{name: wrong}) == [expected] * 2
    assert _core.loads("[1]", **{name: None}) == [1]


def test_flag_of_a_wrong_type_raises_type_error_that_names_it() -> None:
    for name in ("allow_nan", "allow_surrogates", "jsonc"):
        for wrong in (0, 1, "yes", [], 1.5):
            expected = ("TypeError", f"{name} must be None or a bool, not {type(wrong).__name__}")
            assert call_both(**{name: wrong}) == [expected] * 2
        assert _core.loads("[1]", **{name: None}) == [1]


def test_duplicate_keys_of_a_wrong_value_raises_that_names_it() -> None:
    for wrong in ("first", "", "LAST", "é"):
        expected = ("ValueError", f"duplicate_keys must be None or one of ['last', 'error'], not {wrong!r}")
        assert call_both(duplicate_keys=wrong) == [expected] * 2
    for wrong_type in (True, 1, ["last"]):
        expected = (
            "TypeError",
            f"duplicate_keys must be None or one of ['last', 'error'], not {type(wrong_type).__name__}",
        )
        assert call_both(duplicate_keys=wrong_type) == [expected] * 2


@pytest.mark.parametrize("name", ["max_depth", "max_size"])
def test_limit_of_a_wrong_value_raises_that_names_it(name: str) -> None:
    for wrong in (True, False, 1.0, "1", [], 1j):
        expected = ("TypeError", f"{name} must be None or an int, not {type(wrong).__name__}")
        assert call_both(**{name: wrong}) == [expected] * 2
    for too_small in (0, -1, -(2**62), -(2**63), -(2**100)):
        assert call_both(**{name: too_small}) == [("ValueError", f"{name} must be at least 1")] * 2
    for none in (None, 2**62, 2**63 - 1, 2**63, 2**64, 2**64 + 1, 2**200):
        assert _core.loads("[[1]]", **{name: none}) == [[1]]
        assert _core.Decoder(**{name: none}).decode("[[1]]") == [[1]]


def test_strict_is_taken_by_its_truth_as_in_stdlib() -> None:
    for truth in (True, 1, "x", [0]):
        assert outcome(_core.loads, '"\t"', strict=truth)[0] == "JSONDecodeError"
    for untruth in (False, 0, "", [], None):
        assert _core.loads('"\t"', strict=untruth) == "\t"

    class Raising:
        def __bool__(self) -> bool:
            raise KeyError("truth")

    assert call_both(strict=Raising()) == [("KeyError", "'truth'")] * 2


def test_defaults_given_change_nothing() -> None:
    defaults: dict[str, Any] = dict.fromkeys(HOOK_NAMES) | {
        "strict": True,
        "allow_nan": True,
        "allow_surrogates": True,
        "duplicate_keys": "last",
        "max_depth": None,
        "max_size": None,
    }
    decoder = _core.Decoder(**defaults)
    for text in json_documents.VALID + json_documents.MALFORMED:
        for source in (text, text.encode("utf-8", "surrogatepass")):
            expected = outcome(stdlib_json.loads, source)
            assert_same(outcome(_core.loads, source, **defaults), expected, source)
            assert_same(outcome(decoder.decode, source), expected, source)


def test_keyword_that_is_no_interned_str_is_found() -> None:
    name = "".join(["max_", "depth"])
    assert _core.loads("[1]", **{name: 1}) == [1]
    with pytest.raises(_core.JSONDepthError):
        _core.loads("[[1]]", **{"".join(["max_", "depth"]): 1})


# ---- what they do


@pytest.mark.parametrize("fill", ["", "a" * 40, "é" * 20, "中" * 20, "😀" * 20])
def test_strict_false_lets_control_characters_through(fill: str) -> None:
    for code in range(0x20):
        for text in (f'"{fill}{chr(code)}{fill}"', f'{{"{fill}{chr(code)}": "\\n{chr(code)}{fill}"}}'):
            assert_decoded(text, strict=False)
            assert_decoded(text, strict=True)
    assert_decoded(f'"{fill}\n{fill}\\x"', strict=False)
    assert_decoded(f'"{fill}\n{fill}', strict=False)


@given(st.text(alphabet='ab\t\n\x00\x1f"\\/u12d8éф中😀 ', max_size=60))
def test_strict_false_reads_any_string_as_stdlib(content: str) -> None:
    for text in (f'"{content}"', f'{{"{content}":["{content}"]}}'):
        for source in (text, text.encode()):
            assert_same(
                outcome(_core.loads, source, strict=False), outcome(stdlib_json.loads, source, strict=False), source
            )


def test_allow_nan_false_refuses_constants_where_they_stand() -> None:
    for constant in ("NaN", "Infinity", "-Infinity"):
        for before, after in (
            ("", ""),
            ("  ", " "),
            ("[1, ", "]"),
            ('{"é": [', "]}"),
            ('["中", ', ""),
            ("[\n", "\n]"),
        ):
            text = before + constant + after
            assert_decoded(text, allow_nan=False)
            with pytest.raises(_core.JSONDecodeError, match="NaN and Infinity are not allowed") as raised:
                _core.loads(text, allow_nan=False)
            assert raised.value.pos == len(before)
    assert_decoded("[Nan]", allow_nan=False)
    assert_decoded("[1, -Inf]", allow_nan=False)


def test_allow_nan_false_refuses_numbers_beyond_every_double() -> None:
    for number in ("1e400", "-1e400", "1e309", "-1.8e308", "9" * 400 + ".0", "1" + "0" * 400 + "e0"):
        for before, after in (("", ""), (" ", "\n"), ("[1, ", "]"), ('{"é": [', "]}"), ('["中", ', "]")):
            assert_decoded(before + number + after, allow_nan=False)
            with pytest.raises(_core.JSONDecodeError, match="Number out of range") as raised:
                _core.loads(before + number + after, allow_nan=False)
            assert raised.value.pos == len(before)
    for number in ("1e308", "1.7976931348623157e308", "-1e-400", "0e999", "9" * 400, "1e-999999999999"):
        assert_decoded(number, allow_nan=False)
    assert _core.loads("1e400") == math.inf


@pytest.mark.parametrize("fill", ["", "a" * 70, "é", "中", "😀"])
def test_allow_surrogates_false_refuses_halves_of_pairs(fill: str) -> None:
    halves = ["\\ud83d", "\\ude00", "\\uD83D\\ud83d", "\\ude00\\ud83d", "\\ud83d\\n", "\\ud83dx", "\\ud83d\\u0041"]
    halves += ["\\ud83d\\ude00\\ud83d", "\\udfff", "\\uDBFF\\uE000"]
    for half in halves:
        for text in (f'"{fill}{half}{fill}"', f'["{fill}", {{"{half}{fill}": 1}}]'):
            assert_decoded(text, allow_surrogates=False)
            assert_decoded(text)
            with pytest.raises(_core.JSONDecodeError, match="Lone surrogate in"):
                _core.loads(text, allow_surrogates=False)
    for text in (f'"{fill}\\ud83d\\ude00{fill}"', f'["{fill}\\u4e2d\\uD7FF\\uE000", {{"\\uDBFF\\uDFFF": 1}}]'):
        assert_decoded(text, allow_surrogates=False)


@pytest.mark.parametrize("fill", ["", "a" * 70, "é", "中", "😀"])
def test_duplicate_keys_are_refused_where_the_second_stands(fill: str) -> None:
    for key in (f"a{fill}", f"{fill}", f"{fill}k" * 30):
        for text in (
            f'{{"{key}": 1, "{key}": 2}}',
            f'[{{"x": {{"{key}": [], "y": 1, "{key}": {{}}}}}}]',
            f'{{"{key}": {{"{key}": 1}}, "b": [{{"{key}": 1}}],\n "{key}": 3, "b": 4}}',
            f'{{"{key}x": 1, "{key}\\u0078": 2}}',
            "{" + ", ".join(f'"{key}{i}": {i}' for i in range(40)) + f', "{key}0": 1' + "}",
        ):
            assert_decoded(text, duplicate_keys="error")
            assert_decoded(text, duplicate_keys="last")
            with pytest.raises(_core.JSONDecodeError, match="Duplicate key"):
                _core.loads(text, duplicate_keys="error")
        for text in (
            f'[{{"{key}": 1}}, {{"{key}": 2}}]',
            f'{{"{key}": {{"{key}": {{"{key}": 1}}}}}}',
            "{}",
            "[{}, {}]",
        ):
            assert_decoded(text, duplicate_keys="error")


def test_duplicate_keys_are_refused_before_a_hook_sees_them() -> None:
    for hook in ("object_hook", "object_pairs_hook"):
        options = {hook: decode_checks.HOOKS[hook], "duplicate_keys": "error"}
        assert_decoded('[{"a": 1, "b": 2}, {"a": 1}]', **options)
        assert_decoded('[{"a": 1, "b": 2, "a": 3}]', **options)


def test_allow_surrogates_false_refuses_raw_ones_too() -> None:
    for fill in ("", "a" * 70, "é", "中", "😀"):
        for half in ("\ud800", "\udfff", "\ud83d\ude00"):
            for text in (f'"{fill}{half}"', f'["{fill}", {{"{fill}{half}{fill}": 1}}]', f'"{fill}\\n{half}"'):
                expected = outcome(reference_codec.decode, text, allow_surrogates=False)
                for source in (text, text.encode("utf-8", "surrogatepass")):
                    assert_same(outcome(_core.loads, source, allow_surrogates=False), expected, source)
                assert_decoded(text)
    for text in ('"\ud7ff\ue000\U0010ffff"', '{"\ud7ff": "\ue000"}'):
        assert_decoded(text, allow_surrogates=False)


# ---- no copy


@pytest.mark.parametrize("fill", ["é", "中", "😀", "é\ud800"])
def test_source_is_left_without_utf8_copy(fill: str) -> None:
    texts = [
        f'["{fill}", 1]',
        f'["{fill}", x]',
        f'["{fill}',
        f'{{"{fill}": 1, "{fill}": 2}}',
        f'["{fill}", [[1]]]',
        "\ufeff",
    ]
    choices: list[dict[str, Any]] = [
        {},
        {"duplicate_keys": "error"},
        {"max_depth": 1},
        {"max_size": 3},
        decode_checks.HOOKS,
    ]
    for text in texts:
        for options in choices:
            for call in (_core.loads, decode, decode_lines, raw_decode, feed):
                source = "".join([text])
                outcome(call, source, **options)
                assert _core.utf8_cache_size(source) == 0, (text, options, call)


def decode(source: str, **options: Any) -> Any:
    return _core.Decoder(**options).decode(source)


def decode_lines(source: str, **options: Any) -> Any:
    return _core.Decoder(**options).decode_lines(source)


def raw_decode(source: str, **options: Any) -> Any:
    return _core.Decoder(**options).raw_decode(source)


def feed(source: str, **options: Any) -> Any:
    return decode_checks.fed([source, " "], **options)
