"""exact_types: only values exactly of JSON's types are written, all others go to default, whose result is final."""

from __future__ import annotations

import collections
import enum
import json
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from helpers.call_outcome import lasting_repr
from helpers.processes import run_python

from ssrjson_web import Encoder

pytestmark = pytest.mark.usefixtures("isa")


class Text(str):
    pass


class Whole(int):
    pass


class Real(float):
    pass


class Listed(list):  # type: ignore[type-arg]
    pass


class Mapped(dict):  # type: ignore[type-arg]
    pass


class Point(NamedTuple):
    x: int


class Number(enum.IntEnum):
    ONE = 1


def encode(value: Any, **options: Any) -> tuple[str, list[Any]]:
    """The text, with what default was asked for, each of which it writes as a string."""
    asked: list[Any] = []

    def default(one: Any) -> str:
        asked.append(one)
        return f"<{type(one).__name__}>"

    return Encoder(default=default, exact_types=True, **options).encode_str(value), asked


@pytest.mark.parametrize(
    "value",
    [None, True, 1, 10**30, -(2**64), 0.5, "é", "中" * 100, [], {}, (), [1, (2, [3])], {"a": {"b": [None, "😀"]}}],
    ids=lasting_repr,
)
def test_exact_types_writes_json_types_as_ever(value: Any) -> None:
    expected = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    assert encode(value) == (expected, [])


@pytest.mark.parametrize(
    "value",
    [
        Text("é"),
        Whole(1),
        Whole(10**30),
        Real(0.5),
        Listed([1]),
        Mapped(a=1),
        Point(1),
        Number.ONE,
        {1},
        b"",
        object(),
        collections.OrderedDict(a=1),
        {1: 2},
        {None: 1},
        {True: 1},
        {0.5: 1},
        {Text("a"): 1},
        {(1, 2): 3},
    ],
    ids=lasting_repr,
)
@pytest.mark.parametrize("wrap", [lambda value: value, lambda value: [0, value], lambda value: {"a": value}])
def test_exact_types_leaves_the_rest_to_default(value: Any, wrap: Any) -> None:
    text, asked = encode(wrap(value))
    assert text == json.dumps(wrap(f"<{type(value).__name__}>"), separators=(",", ":"))
    assert len(asked) == 1
    assert asked[0] is value


def test_exact_types_asks_for_a_dict_with_one_odd_key_as_a_whole() -> None:
    odd = {"a": 1, "b": {"c": 1}, 2: 3}
    assert encode([{"a": 1}, odd]) == ('[{"a":1},"<dict>"]', [odd])


def test_exact_types_answers_of_default_are_written_as_stdlib_writes_them() -> None:
    answer = {1: Text("é"), "l": Listed([Whole(2), Point(3)]), "m": Mapped({None: Real(0.5)})}
    text = Encoder(default=lambda _: answer, exact_types=True).encode_str([object(), "after"])
    assert text == '[{"1":"é","l":[2,[3]],"m":{"null":0.5}},"after"]'


def test_exact_types_answers_of_default_are_not_asked_about_again() -> None:
    asked = []

    def default(value: Any) -> Any:
        asked.append(value)
        return {"inner": {1}}

    with pytest.raises(TypeError, match="Object of type set is not JSON serializable"):
        Encoder(default=default, exact_types=True).encode([b"x"])
    assert asked == [b"x"]


def test_exact_types_asks_again_after_an_answer() -> None:
    text, asked = encode([{1}, [{2}], {3}])
    assert text == '["<set>",["<set>"],"<set>"]'
    assert asked == [{1}, {2}, {3}]


def test_exact_types_without_default_is_a_type_error() -> None:
    for value in (Text("a"), {1: 2}, Point(1)):
        with pytest.raises(TypeError, match="is not JSON serializable"):
            Encoder(exact_types=True).encode([value])


def test_exact_types_keeps_native_types_of_their_own_type_only() -> None:
    class Bytes(bytes):
        pass

    text, asked = encode([b"a", Bytes(b"b"), Number.ONE, {2}], natives=True)
    assert text == '["a","<Bytes>",1,[2]]'
    assert asked == [b"b"]


@pytest.mark.parametrize("key", ["_sa", "_sa_instance_state", "_saé", "_sa中"])
def test_sqlalchemy_safe_leaves_dicts_with_such_a_key_to_default(key: str) -> None:
    odd = {"a": 1, key: 2}
    assert encode([odd, {"_s": 1, "x_sa": 2, "sa": 3, "": 4}], sqlalchemy_safe=True) == (
        '["<dict>",{"_s":1,"x_sa":2,"sa":3,"":4}]',
        [odd],
    )


def test_exact_types_in_chunks_equals_the_whole() -> None:
    value = [{"a": [Text("é"), {"b": {1: 2}}]}, Listed([1])] * 50
    encoder = Encoder(default=lambda one: f"<{type(one).__name__}>", exact_types=True)
    assert b"".join(encoder.iterencode(value, chunk_size=16)) == encoder.encode(value)


def test_exact_types_sorts_keys_too() -> None:
    assert encode({"b": 1, "a": {1}}, sort_keys=True)[0] == '{"a":"<set>","b":1}'


FLOATS = [
    (1e16, "1e+16", "1e16"),
    (-1.5e300, "-1.5e+300", "-1.5e300"),
    (1e-4, "0.0001", "0.0001"),
    (1e-5, "0.00001", "0.00001"),
    (-1.25e-05, "-0.0000125", "-0.0000125"),
    (9.999999999999999e-05, "0.00009999999999999999", "0.00009999999999999999"),
    (9.99e-06, "9.99e-6", "9.99e-6"),
    (1e-09, "1e-9", "1e-9"),
    (1e-10, "1e-10", "1e-10"),
    (5e-324, "5e-324", "5e-324"),
    (0.0, "0.0", "0.0"),
    (-0.0, "-0.0", "-0.0"),
    (123456.5, "123456.5", "123456.5"),
    (9999999999999998.0, "9999999999999998.0", "9999999999999998.0"),
]


@pytest.mark.parametrize(("value", "plus", "bare"), FLOATS)
def test_floats_are_laid_out_as_asked(value: float, plus: str, bare: str) -> None:
    for encoder, text in ((Encoder(floats="e+16"), plus), (Encoder(floats="e16"), bare)):
        assert encoder.encode(value) == text.encode()
        assert encoder.encode_str([value] * 9 + ["中"]) == "[" + (text + ",") * 9 + '"中"]'
        assert encoder.encode([[value, 1], [value]]) == f"[[{text},1],[{text}]]".encode()
    assert Encoder(floats="repr").encode(value) == repr(value).encode()


def test_exact_types_knows_native_types_that_were_not_seen_before(tmp_path: Path) -> None:
    snippet = """
        from ssrjson_web import Encoder
        encoder = Encoder(exact_types=True, natives=True, default=lambda value: f"asked about {value!r}")
        import datetime, decimal, uuid
        print(encoder.encode_str([datetime.date(2026, 1, 2), decimal.Decimal(1), uuid.UUID(int=1), {1}]))
    """
    done = run_python(snippet, tmp_path)
    assert done.stdout.strip() == '["2026-01-02",1,"00000000-0000-0000-0000-000000000001",[1]]', done
