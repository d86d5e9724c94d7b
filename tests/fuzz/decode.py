"""Decoding of arbitrary documents: values, errors and positions held against the oracle.

The first bytes choose the form of the document, the way to decode it and the options.
"""

from __future__ import annotations

import contextlib
import json
from collections.abc import Callable
from typing import Any

from helpers import reference_codec
from helpers.call_outcome import Outcome, assert_same, outcome
from helpers.number_arrays import described
from helpers.number_arrays import expected as expected_arrays
from helpers.selected_parts import selected

from fuzz.draw import Draw
from ssrjson_web import _core

Source = str | bytes | bytearray | memoryview


class Raised(Exception):
    """What a hook raises."""


def shown(name: str) -> Callable[[Any], Any]:
    return lambda value: (name, type(value).__name__, value)


def raising(value: Any) -> Any:
    raise Raised


def text_of(kind: int, data: bytes) -> Source:
    """The document as the source of a kind."""
    if kind < 3:
        return (bytes, bytearray, memoryview)[kind](data)
    if kind == 3:
        return data.decode("latin-1")
    if kind == 4:
        return data.decode("ascii", "replace")
    if kind == 5:
        return data.decode("utf-16-le", "replace")
    if kind == 6:
        return data[: len(data) & ~1].decode("utf-16-le", "surrogatepass")
    if kind == 7:  # each character of one byte, but for some that widen the str
        table = {0x80: "é", 0x81: "中", 0x82: "😀", 0x83: "\ud800", 0x84: "\udfff", 0x85: "\ud83d", 0x86: "\ude00"}
        return data.decode("latin-1").translate(table)
    if kind in (8, 9):
        text = data.decode("utf-8", "replace")
        return text.encode(("utf-16", "utf-32-be")[kind - 8])
    return data.decode("utf-8", "replace")


HOOK_NAMES = ("object_hook", "object_pairs_hook", "array_hook", "parse_float", "parse_int", "parse_constant")


def hooks(draw: Draw) -> dict[str, Any]:
    options: dict[str, Any] = {}
    chosen = draw.byte()
    for i, name in enumerate(HOOK_NAMES):
        if chosen >> i & 1:
            options[name] = shown(name)
    if chosen >> 6 == 3 and options:
        options[draw.choice(list(options))] = raising
    return options


# after a text, which is long enough then for its strings to be looked up among those before them
SPACES = b" " * 600
HAS_SPACES = 64  # a bit of the byte that chooses the limits
HAS_COMMENTS = 128


def limits(chosen: int, draw: Draw) -> dict[str, Any]:
    options: dict[str, Any] = {}
    for i, (name, value) in enumerate(
        (("strict", False), ("allow_nan", False), ("allow_surrogates", False), ("duplicate_keys", "error"))
    ):
        if chosen >> i & 1:
            options[name] = value
    if chosen & HAS_COMMENTS:
        options["jsonc"] = True
    if chosen & 16:
        options["max_depth"] = 1 + draw.byte()
    if chosen & 32:
        options["max_size"] = 1 + draw.word(2)
    return options


def fed(source: Source, draw: Draw, options: dict[str, Any]) -> Any:
    decoder = _core.Decoder(**options)
    at = 0
    while at < len(source):
        n = 1 + draw.below(64)
        decoder.feed(source[at : at + n])
        at += n
        # a number that a hook refuses may not be the number that it is in the end
        if "partial" in options and raising not in options.values() and draw.below(2) == 1:
            with contextlib.suppress(LookupError):
                _ = decoder.value
    return decoder.close()


def raw_slowly(text: str, start: int, options: dict[str, Any]) -> Any:
    """`raw_decode` of the oracle: it begins where stdlib's scanner would."""
    options = dict(options)
    max_size = options.pop("max_size", None)
    if max_size is not None and len(text) > max_size:
        return reference_codec.decode(text, max_size=max_size)
    if start < 0:
        raise ValueError("idx cannot be negative")
    decoder = reference_codec.Decoder(text, **options, at=start)
    return decoder.value(), decoder.at


def lines_slowly(source: Source, options: dict[str, Any]) -> Any:
    options = dict(options)
    max_size = options.pop("max_size", None)
    if max_size is not None and len(source) > max_size:
        return reference_codec.decode(source, max_size=max_size)
    return reference_codec.decode_lines(source, **options)


def is_stdlibs(source: Source, options: dict[str, Any]) -> bool:
    """Whether stdlib's json can be asked too, and gives the same."""
    known = {"object_hook", "object_pairs_hook", "parse_float", "parse_int", "parse_constant", "strict"}
    return options.keys() <= known and not isinstance(source, memoryview)


def has_invalid_utf8(expected: Outcome) -> bool:
    return expected[0] == "UnicodeDecodeError"


FAULTS_OF_STRINGS = ("Unterminated string", "Invalid control character", "Invalid \\", "Lone surrogate")


def is_other_fault_of_string(got: Outcome, expected: Outcome) -> bool:
    """Whether a string has a lone surrogate, which is refused, and a second fault: the core may name either."""
    return (
        expected[:2] == ("JSONDecodeError", "Lone surrogate in \\uXXXX escape")
        and got[0] == "JSONDecodeError"
        and str(got[1]).startswith(FAULTS_OF_STRINGS)
    )


def compare(got: Outcome, expected: Outcome, case: object) -> None:
    """The oracle decodes the whole text before it reads it; the core finds malformed or too deep text first."""
    if expected[0] == "RecursionError" or (has_invalid_utf8(expected) and got[0] != "value"):
        return
    if is_other_fault_of_string(got, expected):
        return
    assert_same(got, expected, case)


def without_document(result: Outcome) -> Outcome:
    return (*result[:5], *result[6:]) if result[0] == "JSONDecodeError" else result


def is_half_of_a_pair_at_the_end(got: Outcome, expected: Outcome) -> bool:
    """Whether a half without the other is found before the text ends, where the whole text has a malformed escape.

    The low half after a high one is malformed; or nothing follows a low half, which stdlib calls malformed then.
    """
    names_the_half = got[:2] == ("JSONDecodeError", "Lone surrogate in \\uXXXX escape")
    names_the_escape = expected[:2] == ("JSONDecodeError", "Invalid \\uXXXX escape")
    return names_the_half and names_the_escape and expected[2] - got[2] in (len("\\ud83d\\"), len("\\"))


def compare_early(got: Outcome, expected: Outcome, case: object) -> None:
    """What is wrong in the first part of a text is found before the rest is there, and before all of it is too long."""
    is_too_long = expected[0] == "JSONDecodeError" and "max_size" in str(expected[1])
    if (is_too_long and got[0] != "value") or is_half_of_a_pair_at_the_end(got, expected):
        return
    compare(without_document(got), without_document(expected), case)


def decoded_to_arrays(source: Source, options: dict[str, Any]) -> Any:
    return described(_core.loads(source, **options))


def compare_arrays(source: Source, options: dict[str, Any], n_min: int) -> None:
    """With `number_arrays` the values and errors are those of `loads` without it."""
    plain = {name: value for name, value in options.items() if name not in HOOK_NAMES}
    for kind in ("numpy", "array"):
        got = outcome(decoded_to_arrays, source, {**plain, "number_arrays": kind, "number_arrays_from": n_min})
        wanted = outcome(lambda: expected_arrays(_core.loads(source, **plain), kind, n_min))  # noqa: B023
        compare(got, wanted, (kind, source, plain))


POINTERS = ("", "/a", "/*", "/0", "/1/a", "/*/a", "/a/*", "/*/*/*", "/é", "/a/0")


def compare_parts(source: Source, options: dict[str, Any], chosen: int) -> None:
    """With `only` the values are the parts of what `loads` gives, and the errors are the same."""
    plain = {name: value for name, value in options.items() if name not in HOOK_NAMES}
    pointers = POINTERS[chosen % 10 :: 1 + chosen // 64]
    got = outcome(_core.loads, source, only=pointers, **plain)
    compare(got, outcome(lambda: selected(_core.loads(source, **plain), pointers)), (source, pointers, plain))


def decode_one(data: bytes) -> None:
    draw = Draw(data)
    kind, way = draw.below(11), draw.below(6)
    options = hooks(draw)
    chosen = draw.byte()
    options |= limits(chosen, draw)
    splits = Draw(draw.take(draw.below(8)))
    start = draw.below(4) if way == 3 else 0
    source = text_of(kind, draw.rest() + (SPACES if chosen & HAS_SPACES else b""))
    case = (("loads", "decode", "feed", "raw_decode", "decode_lines", "stdlib")[way], source, options)
    if way == 0:
        compare_arrays(source, options, 1 + chosen % 3)
        compare(outcome(_core.loads, source, **options), outcome(reference_codec.decode, source, **options), case)
    elif way == 1:
        compare_parts(source, options, chosen)
        decoder = _core.Decoder(**options)
        expected = outcome(reference_codec.decode, source, **options)
        compare(outcome(decoder.decode, source), expected, case)
        compare(outcome(decoder.decode, source), expected, case)  # shapes and keys are known now
    elif way == 2:
        expected = outcome(reference_codec.decode, source, **options)
        compare(outcome(fed, source, splits, options), expected, case)
        for mode in ("on", "trailing-strings"):
            got = outcome(fed, source, Draw(splits.data), {**options, "partial": mode})
            compare_early(got, expected, (*case, mode))
    elif way == 3 and isinstance(source, str):
        got = outcome(_core.Decoder(**options).raw_decode, source, start)
        compare(got, outcome(raw_slowly, source, start, options), (*case, start))
    elif way == 4:
        got = outcome(_core.Decoder(**options).decode_lines, source)
        compare(got, outcome(lines_slowly, source, options), case)
    elif is_stdlibs(source, options):
        compare(outcome(_core.loads, source, **options), outcome(json.loads, source, **options), case)
