"""canonical: RFC 8785's text of a value, and an error for what the RFC excludes."""

from __future__ import annotations

import dataclasses
import datetime
import enum
import gc
import random
import shutil
import struct
import uuid
from collections import OrderedDict, UserDict
from collections.abc import Iterator
from decimal import Decimal
from fractions import Fraction
from typing import Any

import check_canonical
import check_floats
import numpy as np
import pydantic
import pytest
from helpers.all_outputs import assert_all_give, encodings, in_chunks
from helpers.structs import msgspec

from ssrjson_web import Fragment, _core

pytestmark = pytest.mark.usefixtures("isa")

# RFC 8785, appendix B
NUMBERS = {
    0x0000000000000000: "0",
    0x8000000000000000: "0",
    0x0000000000000001: "5e-324",
    0x8000000000000001: "-5e-324",
    0x7FEFFFFFFFFFFFFF: "1.7976931348623157e+308",
    0xFFEFFFFFFFFFFFFF: "-1.7976931348623157e+308",
    0x4340000000000000: "9007199254740992",
    0xC340000000000000: "-9007199254740992",
    0x4430000000000000: "295147905179352830000",
    0x44B52D02C7E14AF5: "9.999999999999997e+22",
    0x44B52D02C7E14AF6: "1e+23",
    0x44B52D02C7E14AF7: "1.0000000000000001e+23",
    0x444B1AE4D6E2EF4E: "999999999999999700000",
    0x444B1AE4D6E2EF4F: "999999999999999900000",
    0x444B1AE4D6E2EF50: "1e+21",
    0x3EB0C6F7A0B5ED8C: "9.999999999999997e-7",
    0x3EB0C6F7A0B5ED8D: "0.000001",
    0x41B3DE4355555553: "333333333.3333332",
    0x41B3DE4355555554: "333333333.33333325",
    0x41B3DE4355555555: "333333333.3333333",
    0x41B3DE4355555556: "333333333.3333334",
    0x41B3DE4355555557: "333333333.33333343",
    0xBECBF647612F3696: "-0.0000033333333333333333",
    0x43143FF3C1CB0959: "1424953923781206.2",
}


def double(bits: int) -> float:
    return float(struct.unpack(">d", bits.to_bytes(8, "big"))[0])


def assert_canonical(text: str, value: Any, **options: Any) -> None:
    assert_all_give(("value", repr(text)), value, canonical=True, **options)


def assert_refused(
    value: Any, message: str, place: str, error: Any = _core.JSONEncodeValueError, **options: Any
) -> None:
    for encode in (_core.dumps, _core.dumps_to_bytes, in_chunks):
        with pytest.raises(error, match=message) as caught:
            encode(value, canonical=True, **options)
        assert caught.value.__notes__ == [f"at {place}"]


# ---- the RFC's own examples -------------------------------------------------------------------


@pytest.mark.parametrize(("bits", "text"), NUMBERS.items())
def test_numbers_of_the_rfc(bits: int, text: str) -> None:
    value = double(bits)
    assert_canonical(text, value)
    assert_canonical(f"[{','.join([text] * 9)}]", [value] * 9)
    assert_canonical(f"[[{text},{text}],[{text},{text}]]", np.full((2, 2), value), numpy=True)
    assert_canonical(f'{{"{text}":["中",{text}]}}', {value: ["中", value]})


def test_sample_of_the_rfc() -> None:
    value = {
        "numbers": [333333333.33333329, 1e30, 4.50, 2e-3, 0.000000000000000000000000001],
        "string": "\u20ac$\u000f\u000aA'\u0042\u0022\u005c\\\"/",
        "literals": [None, True, False],
    }
    assert_canonical(
        '{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],'
        '"string":"€$\\u000f\\nA\'B\\"\\\\\\\\\\"/"}',
        value,
    )


def test_order_of_keys_of_the_rfc() -> None:
    value = {
        "\u20ac": "Euro Sign",
        "\r": "Carriage Return",
        "\ufb33": "Hebrew Letter Dalet With Dagesh",
        "1": "One",
        "\U0001f600": "Emoji: Grinning Face",
        "\u0080": "Control",
        "\u00f6": "Latin Small Letter O With Diaeresis",
    }
    keys = ["\r", "1", "\u0080", "\u00f6", "\u20ac", "\U0001f600", "\ufb33"]
    assert list(_core.loads(_core.dumps(value, canonical=True))) == keys
    assert_canonical("{" + ",".join(f'{_core.dumps(key)}:"{value[key]}"' for key in keys) + "}", value)


def test_strings_are_escaped_as_javascript_does() -> None:
    named = {8: "\\b", 9: "\\t", 10: "\\n", 12: "\\f", 13: "\\r"}
    for code in range(0x20):
        escape = named.get(code, f"\\u{code:04x}")
        assert_canonical(f'"{escape}"', chr(code))
    plain = "\x7f\x80/<>&'\u2028\u2029\ufeff\uffff\U0010ffff"
    assert_canonical(f'"{plain}"', plain)


# ---- against others ---------------------------------------------------------------------------


@pytest.mark.skipif(shutil.which("node") is None, reason="node is not on PATH")
def test_random_numbers_and_documents_are_written_as_node_does(isa: str) -> None:
    numbers, documents = check_canonical.sample(1, 0, 20_000)
    assert list(check_canonical.differences(numbers, documents, [isa])) == []


@pytest.mark.skipif(shutil.which("node") is None, reason="node is not on PATH")
def test_the_comparison_with_node_finds_a_difference(monkeypatch: pytest.MonkeyPatch) -> None:
    def dumps(value: Any, canonical: bool) -> str:
        return _core.dumps(value, canonical=canonical).replace("1e-7", "1e-07")

    class Wrong:
        def __getattr__(self, name: str) -> Any:
            return dumps if name == "dumps" else getattr(_core, name)

    monkeypatch.setattr(check_canonical, "_core", Wrong())
    level = _core.get_current_features()["level"]
    assert list(check_canonical.differences([0.5, 1e-7], [{"a": 1e-7}], [level])) == [
        f"{level}: {(1e-7).hex()}: expected 1e-7, got 1e-07",
        f"{level}: {{'a': 1e-07}}: expected '{{\"a\":1e-7}}', got '{{\"a\":1e-07}}'",
    ]


def text_of_float(value: float) -> str:
    """ECMAScript's Number::toString, from the digits of repr."""
    if value == 0:
        return "0"
    sign, digits, exponent = Decimal(repr(value)).normalize().as_tuple()
    assert isinstance(exponent, int)
    k = len(digits)
    n = k + exponent
    text = "".join(map(str, digits))
    if k <= n <= 21:
        text += "0" * (n - k)
    elif 0 < n <= 21:
        text = f"{text[:n]}.{text[n:]}"
    elif -6 < n <= 0:
        text = f"0.{'0' * -n}{text}"
    else:
        text = f"{text[0]}{'.' * (k > 1)}{text[1:]}e{n - 1:+d}"
    return "-" * sign + text


def test_random_numbers_are_written_by_the_rule_of_ecmascript() -> None:
    numbers = check_floats.batch(11, 0, 5000)
    assert _core.dumps(numbers, canonical=True) == f"[{','.join(map(text_of_float, numbers))}]"
    expected = f"[{','.join(map(text_of_float, numbers))}]".encode()
    assert _core.dumps_to_bytes(np.array(numbers), canonical=True, numpy=True) == expected


def test_random_documents_are_read_and_written_unchanged() -> None:
    draw = random.Random(3)
    for _ in range(300):
        text = _core.dumps(check_canonical.random_value(draw), canonical=True)
        assert_canonical(text, _core.loads(text))


# ---- numbers ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "number",
    [2**53 - 1, -(2**53) + 1, 2**53, 2**53 + 2, 10**20, -(10**20), 1152921504606847000, 10**18, 999999999999999900000],
)
def test_int_whose_canonical_text_is_its_own_is_written(number: int) -> None:
    assert_canonical(str(number), number)
    assert_canonical(f'{{"{number}":[{number}]}}', {number: [number]})


def test_int_beyond_the_plain_notation_is_written_with_an_exponent() -> None:
    assert_canonical("[1e+21,-1.5e+300,1e+308]", [10**21, -15 * 10**299, 10**308])


@pytest.mark.parametrize(
    "number",
    [2**53 + 1, -(2**53) - 1, 2**60, 2**63, 2**64 - 1, 2**64, 2**64 + 1, -(2**64), 10**23 + 1, 10**309, 7**400],
)
def test_int_that_readers_would_change_is_refused(number: int) -> None:
    message = f"Number is not exact in canonical JSON, whose numbers are doubles: {number}"
    assert_refused({"a": [1, number]}, message, '$.a[1]; int53="str" writes it')
    assert_canonical(f'"{number}"', number, int53="str")
    assert_canonical(f'{{"{number}":1}}', {number: 1})


def test_int53_error_refuses_each_unsafe_int() -> None:
    assert_refused([2**53], "Integer beyond 53 bits", "$[0]", int53="error")


def test_array_of_ints_that_readers_would_change_is_refused() -> None:
    assert_canonical("[1,9007199254740992]", np.array([1, 2**53]), numpy=True)
    assert_refused([np.array([1, 2**53 + 1])], "Number is not exact", '$[0]; int53="str" writes it', numpy=True)


@pytest.mark.parametrize("number", [float("nan"), float("inf"), -float("inf")])
def test_number_that_is_not_finite_is_refused(number: float) -> None:
    hint = "; nan_as_null=True or nan_as_str=True writes it"
    assert_refused({"a": number}, "Out of range float values", f"$.a{hint}")
    assert_refused({"b": {number: 1}}, "Out of range float values", f"key 0 of $.b{hint}")
    assert_canonical('[null,{"null":null}]', [number, {number: number}], nan_as_null=True)
    name = {"nan": "NaN", "inf": "Infinity", "-inf": "-Infinity"}[str(number)]
    assert_canonical(f'{{"{name}":"{name}"}}', {number: number}, nan_as_str=True)


def test_decimal_is_a_number_where_that_is_exact() -> None:
    values = [Decimal(text) for text in ("1.50", "0.1", "1E+3", "-0.0", "1e-7", "123456789012345.67", "0")]
    assert_canonical("[1.5,0.1,1000,0,1e-7,123456789012345.67,0]", values, decimal="number")
    for text in ("0.1000000000000000055511151231257827", "12345678901234567.8", "1E+400", "1E-400", f"1.{'3' * 300}"):
        hint = '$[0]; decimal="str" writes it'
        assert_refused([Decimal(text)], "Number is not exact", hint, natives=True)
    assert_canonical("[0.1]", [Decimal("0.1000000000000000055511151231257827")], decimal="float")


def test_moments_as_numbers() -> None:
    when = datetime.datetime(2026, 1, 1, 0, 0, 0, 250_000, tzinfo=datetime.timezone.utc)
    assert_canonical("1767225600.25", when, datetime="epoch")
    assert_canonical("1767225600250", when, datetime="epoch-ms")
    assert_canonical("60", datetime.timedelta(minutes=1), timedelta="seconds")


# ---- keys -------------------------------------------------------------------------------------


class Text(str):
    pass


class Colour(enum.Enum):
    RED = "red"


class Named(str, enum.Enum):
    RED = "red"


def test_keys_of_other_types_are_sorted_as_they_are_written() -> None:
    value = {10: 1, 9: 2, True: 3, None: 4, 1.5: 5, 1e16: 6, Text("8"): 7, "中": 8, 2**70: 9}
    assert_canonical(
        '{"1.5":5,"10":1,"10000000000000000":6,"1180591620717411303424":9,"8":7,"9":2,"null":4,"true":3,"中":8}', value
    )
    native = {uuid.UUID(int=1): 1, Colour.RED: 2, datetime.date(2026, 1, 1): 3, "a": 4}
    assert_canonical('{"00000000-0000-0000-0000-000000000001":1,"2026-01-01":3,"a":4,"red":2}', native, natives=True)
    assert_canonical('{"a":1}', {(1, 2): 3, "a": 1}, skipkeys=True)
    assert_canonical("{}", {(1, 2): 3}, skipkeys=True)
    assert_canonical('{"(1, 2)":3,"a":1}', {"a": 1, (1, 2): 3}, key_default=str)
    place = "key 1 of $[0]; key_default=str writes it"
    assert_refused([{"a": 1, (1, 2): 3}], "keys must be str", place, _core.JSONEncodeTypeError)


def test_two_keys_that_are_written_alike_are_refused() -> None:
    for value in ({1: 1, "1": 2}, {"true": 1, True: 2}, {None: 1, "null": 2}, {"red": 1, Colour.RED: 2}):
        assert_refused({"k": value}, "Two keys of an object are both written '", "$.k", natives=True)

    class Pairs(dict[Any, Any]):
        def items(self) -> Any:
            return [("a", 1), ("a", 2)]

    assert_refused([Pairs(a=1)], "Two keys of an object are both written 'a'", "$[0]")

    class Twice(pydantic.BaseModel):
        a: int = pydantic.Field(default=1, serialization_alias="x")
        b: int = pydantic.Field(default=2, serialization_alias="x")

    message = "Fragment is not JSON, or an object in it has a key twice"
    assert_refused([Twice()], message, "$[0]", models=True, by_alias=True)


def test_order_with_and_without_characters_beyond_16_bits_in_one_call() -> None:
    keys = ["\ufb33", "\U0001f600", "a", "\ue000", "\U00010000b", "\U00010000a", "\uffff\U00010000", "\ud7ff"]
    value = {key: n for n, key in enumerate(keys)}
    expected = sorted(keys, key=lambda key: key.encode("utf-16-be"))
    assert expected != sorted(keys)
    for _ in range(3):  # the order that sort_keys remembers is another one
        assert list(_core.loads(_core.dumps(value, sort_keys=True))) == sorted(keys)
        assert list(_core.loads(_core.dumps(value, canonical=True))) == expected
    draw = random.Random(5)
    for n in (1, 63, 64, 65, 300):
        names = {"".join(draw.choices(check_canonical.ALPHABET, k=3)): n for _ in range(n)}
        got = list(_core.loads(_core.dumps_to_bytes([names, names], canonical=True))[0])
        assert got == sorted(names, key=lambda key: key.encode("utf-16-be"))


def test_every_kind_of_object_is_sorted() -> None:
    @dataclasses.dataclass
    class Plain:
        b: Any
        a: Any

    class Struct(msgspec.Struct):
        b: Any
        a: Any

    class Model(pydantic.BaseModel):
        b: float
        a: int

    text = '{"a":1,"b":2}'
    for value in (Plain(2.0, 1), Struct(2.0, 1), Model(b=2.0, a=1), OrderedDict(b=2.0, a=1), {"b": 2.0, "a": 1}):
        assert_canonical(text, value, models=True)
        assert_canonical(f'{{"k":[{text},1e+21]}}', {"k": [value, 1e21]}, models=True)
    assert_canonical(text, UserDict(b=2.0, a=1), natives=True)


def test_what_a_library_writes_is_arranged_too() -> None:
    class Held(msgspec.Struct):
        when: Any
        keys: Any

    class Loose(pydantic.BaseModel):
        z: float
        a: pydantic.JsonValue = None

    value = Held(datetime.timedelta(seconds=5), {1: 2.0, "0": {"b": 1.0, "a": [Held(1e16, {})]}})
    text = '{"keys":{"0":{"a":[{"keys":{},"when":10000000000000000}],"b":1},"1":2},"when":"PT5S"}'
    assert_canonical(text, value, models=True)
    loose = Loose.model_construct(z=Decimal("1.50"), a={"b": 1e-7, "a": 1.0})
    written = _core.loads(_core.dumps(loose, models=True))
    assert_canonical(_core.dumps(written, canonical=True), loose, models=True)
    assert _core.dumps(loose, models=True, sort_keys=True) == _core.dumps(written, sort_keys=True, floats="e+16")


# ---- what is excluded -------------------------------------------------------------------------


@pytest.mark.parametrize("text", ["\ud800", "a\udfff中", "😀\ud83d", "\ude00\ud83d"])
def test_lone_surrogate_is_refused(text: str) -> None:
    assert_refused([text], "surrogates not allowed", "$[0]", _core.JSONEncodeUnicodeEncodeError)
    assert_refused({text: 1}, "surrogates not allowed", "key 0 of $", _core.JSONEncodeUnicodeEncodeError)


def test_fragment_is_read_and_written_as_canonical_json() -> None:
    text = '{ "b": [1.0, 1E400, "\\u00e9"], "a": {"d": 1e-7, "c": null} }'.replace("1E400", "1E21")
    expected = '{"a":{"c":null,"d":1e-7},"b":[1,1e+21,"é"]}'
    for contents in (text, text.encode()):
        assert_canonical(f'{{"k":[{expected},{expected}]}}', {"k": [Fragment(contents), Fragment(contents)]})
    for contents in ('{"a":1,"a":2}', '{"a":', '"\ud800'):
        message = "Fragment is not JSON, or an object in it has a key twice"
        assert_refused({"a": [Fragment(contents)]}, message, "$.a[0]")
    assert_refused([Fragment("[9007199254740993]")], "Number is not exact", '$[0][0]; int53="str" writes it')
    assert_refused([Fragment("[NaN]")], "Out of range", "$[0][0]; nan_as_null=True or nan_as_str=True writes it")


REFUSED: list[dict[str, Any]] = [
    {"indent": 2},
    {"indent": ""},
    {"separators": (", ", ": ")},
    {"sort_keys": False},
    {"ensure_ascii": True},
    {"allow_nan": True},
    {"append_newline": True},
    {"html_safe": True},
    {"line_safe": True},
    {"escape_surrogates": True},
    {"floats": "repr"},
    {"int64": "str"},
    {"float32": "shortest", "numpy": True},
]


@pytest.mark.parametrize("option", REFUSED)
def test_option_that_changes_the_text_is_refused(option: dict[str, Any]) -> None:
    name, value = next(iter(option.items()))
    for make in (_core.dumps, _core.dumps_to_bytes, lambda value, **options: _core.Encoder(**options)):
        with pytest.raises(TypeError) as caught:
            make(1, canonical=True, **option)
        assert str(caught.value) == f"{name}={value!r} cannot be used with canonical=True: RFC 8785 leaves no choice"


TAKEN = """
    arrays by_alias bytes canonical check_circular dataclass date datetime decimal default enum exact_types
    exclude_defaults exclude_none exclude_unset int53 is_write_cache iterables key_case key_default mapping models naive
    namedtuple_as_object nan_as_null nan_as_str natives numpy omit_defaults path skipkeys sqlalchemy_safe time timedelta
    timespec utc uuid
"""
"""Options that say what is written of a value, which is canonical JSON then, and not how."""


def test_each_option_is_known_to_be_refused_or_taken() -> None:
    options = {row[0] for row in _core._options() if row[5]}
    assert options == {next(iter(option)) for option in REFUSED} | set(TAKEN.split()), "see is_canonical_value"


def test_options_that_agree_are_taken() -> None:
    agreeing = {"indent": None, "separators": (",", ":"), "sort_keys": True, "ensure_ascii": False, "allow_nan": False}
    assert_canonical('{"a":1,"b":"é"}', {"b": "é", "a": 1.0}, **agreeing, floats=None, append_newline=False)
    assert repr(_core.Encoder(canonical=True)) == "Encoder(canonical=True)"


# ---- hostile code -----------------------------------------------------------------------------


class Angry:
    """A key or a value whose hook empties what is being written."""

    def __init__(self, container: Any) -> None:
        self.container = container


def empty(angry: Angry) -> str:
    angry.container.clear()
    gc.collect()
    _core.dumps({Angry({}): {2: 3}, "b": 1}, canonical=True, key_default=lambda key: "k")
    return f"key {id(angry) % 7}"


def hostile() -> Iterator[dict[Any, Any]]:
    for n in (1, 3, 70):
        value: dict[Any, Any] = {}
        value.update({f"text {k}" * 2: [f"value {k}" * 2] for k in range(n)})
        value[Angry(value)] = ["v" * n]
        value.update({f"more {k}" * 2: {f"inner {k}": k} for k in range(n)})
        yield value


def test_hook_for_keys_that_empties_the_dict_does_no_harm() -> None:
    for encode in (_core.dumps, _core.dumps_to_bytes, in_chunks):
        for value in hostile():
            n = len(value)
            assert len(_core.loads(encode(value, canonical=True, key_default=empty))) == n
            assert not value


def test_hook_for_keys_that_fails_passes_through() -> None:
    def fail(key: Any) -> Any:
        raise LookupError(key)

    for name, got in encodings({"a": {(1,): 2}}, canonical=True, key_default=fail):
        assert "LookupError" in repr(got), name


def test_no_form_of_a_fraction() -> None:
    assert_refused([Fraction(1, 2)], "Object of type Fraction", "$[0]", _core.JSONEncodeTypeError)
