"""Types beyond stdlib's json that an option turns into a text, a number or another value."""

from __future__ import annotations

import base64
import enum
import json
import pathlib
import sys
import uuid
from decimal import Decimal
from typing import Any

import pytest
from helpers.all_outputs import assert_all_give, assert_encoded_as, assert_refused
from helpers.call_outcome import outcome
from helpers.processes import run_python
from hypothesis import given
from hypothesis import strategies as st

from ssrjson_web import _core

pytestmark = pytest.mark.usefixtures("isa")


class Colour(enum.Enum):
    RED = "rot"
    GREEN = ("g", 2)
    NOTHING = None


class Access(enum.Flag):
    READ = 1
    WRITE = 2


# ---- uuid


@given(st.uuids(allow_nil=True))
def test_any_uuid_equals_str_and_hex(value: uuid.UUID) -> None:
    assert _core.dumps(value, uuid="hyphenated") == f'"{value}"'
    assert _core.dumps(value, uuid="hex") == f'"{value.hex}"'


def test_uuid_in_every_output() -> None:
    for value in (uuid.UUID(int=0), uuid.UUID(int=2**128 - 1), uuid.UUID("12345678-9abc-def0-1234-56789abcdef0")):
        assert_encoded_as(str(value), value, uuid="hyphenated")
        assert_encoded_as(value.hex, value, uuid="hex")


def test_uuid_of_a_subclass_gives_what_its_int_says() -> None:
    class Own(uuid.UUID):
        pass

    class Odd(uuid.UUID):
        def __getattribute__(self, name: str) -> Any:
            return -1 if name == "int" else uuid.UUID.__getattribute__(self, name)

        def __str__(self) -> str:
            return "odd"

    assert _core.dumps([Own(int=5), Odd(int=5)], uuid="hyphenated") == f'["{uuid.UUID(int=5)}","odd"]'


def test_uuid_without_its_int_raises_attribute_error() -> None:
    for _ in range(3):
        assert outcome(_core.dumps, [object.__new__(uuid.UUID)], uuid="hex")[0] == "AttributeError"


# ---- enum


def test_enum_in_every_output() -> None:
    assert_encoded_as("rot", Colour.RED, enum="value")
    assert_encoded_as(["g", 2], Colour.GREEN, enum="value")
    assert_encoded_as(None, Colour.NOTHING, enum="value")
    assert_encoded_as("GREEN", Colour.GREEN, enum="name")
    assert_encoded_as(3, Access.READ | Access.WRITE, enum="value")


def test_enum_name_is_what_python_says() -> None:
    for member in (*Colour, *Access, Access.READ | Access.WRITE, Access(0)):
        assert _core.dumps(member, enum="name") == json.dumps(member.name)


def test_enum_of_a_type_that_json_knows_is_written_as_that() -> None:
    class Number(enum.IntEnum):
        ONE = 1

    class Text(str, enum.Enum):
        A = "a"

    for option in (None, "value", "name"):
        assert _core.dumps([Number.ONE, Text.A], enum=option) == '[1,"a"]'  # type: ignore[arg-type]


def test_enum_value_may_be_of_a_native_type_too() -> None:
    class Of(enum.Enum):
        ID = uuid.UUID(int=1)
        ITEMS = frozenset([1])
        COLOUR = Colour.RED

    assert _core.dumps(list(Of), natives=True) == f'["{uuid.UUID(int=1)}",[1],"rot"]'


def test_enum_with_properties_of_its_own_gives_those() -> None:
    class Own(enum.Enum):
        A = 1
        B = 2

        @property
        def value(self) -> Any:
            return ["value", self._value_]

        @property
        def name(self) -> Any:
            return f"name {self._name_}"

    assert _core.dumps(list(Own), enum="value") == '[["value",1],["value",2]]'
    assert _core.dumps(list(Own), enum="name") == '["name A","name B"]'


def test_enum_with_members_called_value_and_name() -> None:
    class Odd(enum.Enum):
        value = 1
        name = 2
        _ignore_ = "x"

    for member in (Odd.__members__["value"], Odd.__members__["name"]):
        assert outcome(_core.dumps, member, enum="value") == ("value", repr(json.dumps(member._value_)))
        assert outcome(_core.dumps, member, enum="name") == ("value", repr(json.dumps(member._name_)))


def test_enum_that_is_a_dataclass_too_is_an_enum_first() -> None:
    import dataclasses

    @dataclasses.dataclass
    class Base:
        size: int

    class Animal(Base, enum.Enum):
        CAT = 1

    assert _core.dumps([Animal.CAT], enum="name", dataclass=True) == '["CAT"]'
    assert _core.dumps([Animal.CAT], dataclass=True) == '[{"size":1}]'


def test_enum_whose_value_is_itself_is_a_cycle() -> None:
    class Loop(enum.Enum):
        A = 1
        B = 2

    Loop.A._value_, Loop.B._value_ = Loop.B, [Loop.A]
    expected = ("ValueError", "Circular reference detected")
    assert_all_give(expected, Loop.A, enum="value")
    assert_all_give(expected, [Loop.B], enum="value")
    Loop.A._value_ = Loop.A
    assert_all_give(expected, Loop.A, enum="value")
    assert outcome(_core.dumps, Loop.A, enum="value", check_circular=False)[0] == "RecursionError"
    assert outcome(_core.dumps, {Loop.A: 1}, enum="value")[0] == "TypeError"


def test_values_that_bring_new_values_for_ever_raise_recursion_error() -> None:
    from datetime import timedelta

    class Endless(enum.Enum):
        A = 1

        @property
        def value(self) -> Any:
            return object.__new__(Endless)

    class Longer(timedelta):
        def total_seconds(self) -> Any:
            return [Longer(1)]

    for value, options in ((Endless.A, {"enum": "value"}), (Longer(1), {"timedelta": "seconds"})):
        for _, got in (
            (0, outcome(_core.dumps, value, **options)),
            (1, outcome(_core.dumps_to_bytes, value, **options)),
        ):
            assert got[0] == "RecursionError"


# ---- decimal

DECIMALS = (
    *("0", "-0", "1", "-1.50", "1E+5", "0E-7", "0E+3", "123456789012345678901234567890.123456789"),
    *("1E-400", "1E+400", "9.99E-999999", "-7E+999999"),
    # read in place, and the first beyond each limit: digits of a word, zeros after the point, exact quotients
    *(f"{sign}{'9876543210' * 2:.{n}}" for n in (1, 2, 8, 16, 17, 19, 20) for sign in ("", "-")),
    *(
        f"{digits}E-{n}"
        for n in range(1, 25)
        for digits in ("0", "5", "-12345", "9007199254740992", "9007199254740993")
    ),
    *(f"1234567890123456789E-{n}" for n in range(27)),
)


def test_decimal_as_a_number_keeps_all_its_digits() -> None:
    for digits in DECIMALS:
        value = Decimal(digits)
        assert_encoded_as("@", value, raw=str(value), decimal="number")
        read = json.loads(_core.dumps(value, decimal="number"), parse_float=Decimal, parse_int=Decimal)
        assert read.as_tuple() == value.as_tuple()


def test_decimal_as_text_and_as_float() -> None:
    for digits in (*DECIMALS, "NaN", "sNaN", "-NaN123", "sNaN5", "Infinity", "-Infinity"):
        assert_encoded_as(str(Decimal(digits)), Decimal(digits), decimal="str")
    for digits in DECIMALS:
        assert_encoded_as(float(digits), Decimal(digits), decimal="float")


def test_decimal_that_is_not_finite_is_written_as_a_float_is() -> None:
    for digits in ("NaN", "-NaN", "sNaN", "-sNaN", "NaN1", "NaN123", "-sNaN42", "Infinity", "-Infinity"):
        plain = float(digits.replace("s", "").rstrip("0123456789"))
        for choice in ("number", "float"):
            if choice == "float" and "s" in digits:
                assert_refused(Decimal(digits), ValueError, decimal=choice)
                continue
            assert_encoded_as(plain, Decimal(digits), decimal=choice)
            assert_encoded_as(None, Decimal(digits), decimal=choice, nan_as_null=True)
            assert_refused(Decimal(digits), _core.JSONEncodeValueError, decimal=choice, allow_nan=False)


@given(st.decimals() | st.decimals(-(10**15), 10**15, places=2) | st.builds(Decimal, st.text("0123456789", min_size=1)))
def test_any_decimal_equals_str_and_float(value: Decimal) -> None:
    assert _core.dumps(value, decimal="str") == f'"{value}"'
    if value.is_finite():
        assert _core.dumps(value, decimal="number") == str(value)
        assert _core.dumps(value, decimal="float") == json.dumps(float(value))
        assert _core.dumps({value: 0}, decimal="number") == f'{{"{value}":0}}'


def test_decimal_by_the_module_in_python_is_written_too(tmp_path: Any) -> None:
    snippet = """
        import sys
        sys.modules["_decimal"] = None
        import decimal
        from ssrjson_web import dumps
        assert "_pydecimal" in sys.modules
        print(dumps([decimal.Decimal("1.50"), decimal.Decimal("-2E+9")], decimal="str"))
    """
    assert run_python(snippet, tmp_path).stdout == '["1.50","-2E+9"]\n'


def test_decimal_of_a_subclass_is_written_as_its_base() -> None:
    class Money(Decimal):
        def __str__(self) -> str:
            return "not JSON"

    assert _core.dumps([Money("1.50")], decimal="number") == "[1.50]"
    assert _core.dumps([Money("1.50")], decimal="str") == '["1.50"]'


# ---- bytes


def test_bytes_in_every_output() -> None:
    for text in ("", "a", 'é"\n', "中", "😀\x00"):
        data = text.encode()
        assert_encoded_as(text, data, bytes="utf-8")
        for value in (data, bytearray(data), memoryview(data)):
            assert _core.dumps(value, bytes="utf-8") == _core.dumps(text)
            assert _core.dumps(value, bytes="base64") == f'"{base64.b64encode(data).decode()}"'


@given(st.binary(max_size=200))
def test_any_bytes_equal_base64_of_stdlib(data: bytes) -> None:
    assert _core.dumps(data, bytes="base64") == f'"{base64.b64encode(data).decode()}"'
    assert _core.dumps_to_bytes(data, bytes="base64url") == b'"' + base64.urlsafe_b64encode(data) + b'"'


def test_base64_of_each_length_and_digit() -> None:
    for n in range(70):
        data = bytes(i * 37 % 256 for i in range(n))
        assert_all_give(("value", repr(f'"{base64.b64encode(data).decode()}"')), data, bytes="base64")
    every = bytes(range(256)) * 3
    assert _core.dumps(every, bytes="base64url") == f'"{base64.urlsafe_b64encode(every).decode()}"'


def test_bytes_that_are_not_utf8_raise_unicode_decode_error() -> None:
    for data in (b"\xff", b"a\xc3", b"\xed\xa0\x80"):
        expected = outcome(data.decode)
        assert_all_give(expected, [data], bytes="utf-8")
        assert_all_give(expected, {data: 1}, bytes="utf-8")


def test_memoryview_that_is_not_contiguous_or_released_raises() -> None:
    assert outcome(_core.dumps, memoryview(b"abcd")[::2], bytes="utf-8")[0] == "BufferError"
    released = memoryview(b"abcd")
    released.release()
    assert outcome(_core.dumps, released, bytes="utf-8")[0] == "ValueError"
    assert _core.dumps(memoryview(b"abcd").cast("B", (2, 2)), bytes="utf-8") == '"abcd"'


def test_bytearray_may_be_resized_afterwards() -> None:
    data = bytearray(b"ab")
    _core.dumps([data, {data.decode(): data}], bytes="utf-8")
    data += b"c"


# ---- path


def test_path_is_its_str_in_every_output() -> None:
    for path in (pathlib.PurePosixPath("a/é"), pathlib.PureWindowsPath("c:\\中"), pathlib.Path("/😀"), pathlib.Path()):
        assert_encoded_as(str(path), path, path=True)


def test_path_with_bytes_that_are_not_utf8_raises_in_bytes() -> None:
    path = pathlib.PurePosixPath("a\udcff")
    assert _core.dumps(path, path=True) == '"a\udcff"'
    assert outcome(_core.dumps_to_bytes, path, path=True)[0] == "UnicodeEncodeError"


# ---- all


def test_each_type_is_refused_where_its_option_is_off() -> None:
    values: dict[str, Any] = {
        "uuid": uuid.UUID(int=1),
        "enum": Colour.RED,
        "decimal": Decimal(1),
        "bytes": b"a",
        "path": pathlib.Path("a"),
        "iterables": {1},
        "mapping": type(sys)("x").__class__.__dict__,
    }
    for name, value in values.items():
        off: Any = None if name in ("uuid", "enum", "decimal", "bytes") else False
        assert_refused(value)
        assert_refused(value, **({"natives": True} | {name: off}))
        assert _core.dumps([value], natives=True, **{name: off}, default=lambda _: 1) == "[1]"


def test_types_of_modules_that_come_later_are_found(tmp_path: Any, isa: str) -> None:
    from helpers.processes import run_python

    snippet = """
        import sys
        from ssrjson_web import dumps
        hidden = {name: sys.modules.pop(name, None) for name in ("uuid", "decimal", "pathlib")}
        try:
            dumps(object(), natives=True)
        except TypeError:
            pass
        sys.modules.update({name: module for name, module in hidden.items() if module})
        import uuid, decimal, pathlib
        print(dumps([uuid.UUID(int=0), decimal.Decimal(1), pathlib.Path("a")], natives=True, uuid="hex"))
    """
    done = run_python(snippet, tmp_path, SSRJSON_ISA=isa)
    assert done.stdout.strip() == f'["{"0" * 32}",1,"a"]', done
