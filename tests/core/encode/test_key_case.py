"""key_case: keys in camel case, and back, by the rules of djangorestframework-camel-case."""

from __future__ import annotations

import dataclasses
import gc
import random
import re
from collections import OrderedDict, UserDict
from typing import Any

import attrs
import pydantic
import pytest
from helpers.all_outputs import assert_all_give, in_chunks
from helpers.structs import msgspec

from ssrjson_web import Fragment, _core

pytestmark = pytest.mark.usefixtures("isa")

CAMEL = {
    "order_id": "orderId",
    "a_b_c": "aBC",
    "address_1": "address1",
    "x_1_y": "x1Y",
    "v2_key": "v2Key",
    "already": "already",
    "alreadyCamel": "alreadyCamel",
    "HTTP_url": "HTTPUrl",
    "is_HTTP": "is_HTTP",
    "_id": "Id",
    "__typename": "_Typename",
    "trailing_": "trailing_",
    "double__under": "double_Under",
    "_": "_",
    "__": "__",
    "": "",
    "größe_in_cm": "größeInCm",
    "a_é": "a_é",
    "中_a": "中A",
    "😀_b": "😀B",
    "with space_x": "with spaceX",
}
SNAKE = {
    "orderId": "order_id",
    "aBC": "a_bc",
    "HTTPServer": "http_server",
    "userIDs": "user_i_ds",
    "parseHTTP": "parse_http",
    "ABC": "abc",
    "Id": "_id",
    "HelloWorld": "_hello_world",
    "already_snake": "already_snake",
    "größeInCm": "größe_in_cm",
    "Ünder": "ünder",
    "İx": "i̇x",
    "中A": "中a",
    "": "",
    "_": "_",
}
DIGITS = {  # with "snake" and with "snake-joined"
    "address1": ("address_1", "address1"),
    "v2Key": ("v_2_key", "v2_key"),
    "line12End": ("line_12_end", "line12_end"),
    "a1b": ("a1b", "a1b"),
    "sha256": ("sha_256", "sha256"),
    "ID1": ("i_d_1", "id1"),
    "1st": ("1st", "1st"),
}

CAMEL_RULE = re.compile(r"_[a-z0-9]")
SNAKE_RULES = {
    "snake": re.compile(
        r"([a-z0-9]|[A-Z]?(?=[A-Z0-9](?=[a-z0-9]|(?<![A-Z])$)))"
        r"([A-Z]|(?<=[a-z])[0-9](?=[0-9A-Z]|$)|(?<=[A-Z])[0-9](?=[0-9]|$))"
    ),
    "snake-joined": re.compile(r"([a-z0-9]|[A-Z]?(?=[A-Z](?=[a-z])))([A-Z])"),
}


def text(value: object) -> tuple[str, str]:
    return "value", repr(_core.dumps(value))


# ---- the rules --------------------------------------------------------------------------------


@pytest.mark.parametrize(("key", "expected"), CAMEL.items())
def test_key_in_camel_case(key: str, expected: str) -> None:
    for _ in range(2):  # the second time it is looked up
        assert_all_give(text([{expected: 1}]), [{key: 1}], key_case="camel")


@pytest.mark.parametrize("key_case", ["snake", "snake-joined"])
def test_key_in_snake_case(key_case: Any) -> None:
    rows = {**SNAKE, **{key: both[key_case != "snake"] for key, both in DIGITS.items()}}
    for key, expected in rows.items():
        document = _core.dumps([{key: {key: 1}}] * 2)
        for source in (document, document.encode(), document.replace(":", " : ")):
            got = _core.loads(source, key_case=key_case)
            assert got == [{expected: {expected: 1}}] * 2, key
            assert _core.Decoder(key_case=key_case).decode(source) == got


def test_random_keys_follow_the_regular_expressions() -> None:
    draw = random.Random(1)
    for n in range(3000):
        key = "".join(draw.choices("aabzAB01_Z9__é中İÉß\n😀" if n % 3 else "abAB01_", k=draw.randrange(9)))
        camel = CAMEL_RULE.sub(lambda match: match[0][1].upper(), key)
        assert _core.dumps({key: 1}, key_case="camel") == _core.dumps({camel: 1})
        for key_case, rule in SNAKE_RULES.items():
            document = _core.dumps({key: 1})
            assert _core.loads(document, key_case=key_case) == {rule.sub(r"\1_\2", key).lower(): 1}  # type: ignore[arg-type]


# ---- which keys -------------------------------------------------------------------------------


def test_keys_at_every_level_and_no_values() -> None:
    value = {"a_b": [{"c_d": "e_f", "g": ({"h_i": {}},)}], "j_k": {"l_m": None}}
    expected = {"aB": [{"cD": "e_f", "g": [{"hI": {}}]}], "jK": {"lM": None}}
    assert_all_give(text(expected), value, key_case="camel")
    assert_all_give(text(expected), OrderedDict(value), key_case="camel")
    assert_all_give(text(expected), UserDict(value), key_case="camel", mapping=True)
    for layout in ({"indent": 2}, {"ensure_ascii": True}, {"separators": ("，", ": ")}, {"sort_keys": True}):
        assert_all_give(("value", repr(_core.dumps(expected, **layout))), value, key_case="camel", **layout)
    assert _core.loads(_core.dumps(expected), key_case="snake") == {
        "a_b": [{"c_d": "e_f", "g": [{"h_i": {}}]}],
        "j_k": {"l_m": None},
    }


def test_names_of_fields() -> None:
    @dataclasses.dataclass
    class Plain:
        first_name: Any = 1
        last_name: Any = None

    @dataclasses.dataclass(slots=True)
    class Slotted:
        first_name: Any = 1
        last_name: Any = None

    @attrs.define
    class Attrs:
        first_name: Any = 1
        last_name: Any = None

    class Struct(msgspec.Struct):
        first_name: Any = 1
        last_name: Any = None

    class Model(pydantic.BaseModel):
        first_name: int = 1
        last_name: Any = None

    for cls in (Plain, Slotted, Attrs, Struct, Model):
        value: Any = cls()
        assert_all_give(text({"firstName": 1, "lastName": None}), value, models=True, key_case="camel")
        assert_all_give(text({"firstName": 1}), value, models=True, key_case="camel", exclude_none=True)
        held: Any = cls(first_name=2, last_name={"in_ner": [cls()]})
        inner = {"firstName": 1, "lastName": None}
        expected = {"aB": {"firstName": 2, "lastName": {"inNer": [inner]}}}
        assert_all_give(text(expected), {"a_b": held}, models=True, key_case="camel")


def test_aliases_are_keys_as_any_other() -> None:
    class Model(pydantic.BaseModel):
        model_config = pydantic.ConfigDict(extra="allow")
        first_name: int = pydantic.Field(default=1, serialization_alias="given_name")

    assert _core.dumps(Model(), models=True, key_case="camel") == '{"firstName":1}'
    assert _core.dumps(Model(), models=True, by_alias=True, key_case="camel") == '{"givenName":1}'
    assert _core.dumps(Model.model_validate({"x_y": 2}), models=True, key_case="camel") == '{"firstName":1,"xY":2}'


class Text(str):
    pass


def test_keys_of_other_types_stay() -> None:
    value = {1: 1, None: 2, 1.5: 3, Text("a_b"): 4, "c_d": 5}
    assert_all_give(text({"1": 1, "null": 2, "1.5": 3, "aB": 4, "cD": 5}), value, key_case="camel")
    assert_all_give(text({"x_y": 1, "aB": 2}), {(1,): 1, "a_b": 2}, key_case="camel", key_default=lambda key: "x_y")
    assert_all_give(text({"aB": 2}), {(1,): 1, "a_b": 2}, key_case="camel", skipkeys=True)
    assert_all_give(text({"2": {"aB": 1}, "10": 3}), {10: 3, 2: {"a_b": 1}}, key_case="camel", sort_keys=True)
    for encode in (_core.dumps, _core.dumps_to_bytes, in_chunks):
        with pytest.raises(TypeError, match="not supported between instances"):
            encode({1: 1, "a_b": 2}, key_case="camel", sort_keys=True)


def test_keys_are_sorted_as_they_are_written() -> None:
    value = {"a_z": 1, "ab": 2, "a_a": 3}
    assert_all_give(text({"aA": 3, "aZ": 1, "ab": 2}), value, key_case="camel", sort_keys=True)
    assert_all_give(text({"1": 4, "aA": 3, "aZ": 1, "ab": 2}), {**value, 1: 4}, key_case="camel", canonical=True)


def test_fragment_is_left_as_it_is() -> None:
    assert _core.dumps({"a_b": Fragment('{"c_d":1}')}, key_case="camel") == '{"aB":{"c_d":1}}'


# ---- two keys that become one -----------------------------------------------------------------


def test_two_keys_that_are_written_alike_are_refused() -> None:
    many = {f"key_{n}x": n for n in range(200)}
    for value in ({"a_b": 1, "aB": 2}, {"aB": 1, "a_b": 2}, {**many, "key7x": 1}, {"中_b": 1, "中B": 2}):
        for options in ({}, {"sort_keys": True}):
            for encode in (_core.dumps, _core.dumps_to_bytes, in_chunks):
                with pytest.raises(
                    _core.JSONEncodeValueError, match="Two keys of an object are both written '"
                ) as caught:
                    encode({"k": [value]}, key_case="camel", **options)
                assert caught.value.__notes__ == ["at $.k[0]"]
    assert len(_core.loads(_core.dumps(many, key_case="camel"))) == 200


def test_two_keys_that_become_one_when_they_are_read() -> None:
    document = '{"aB": 1, "x": [], "a_b": 2}'
    assert _core.loads(document, key_case="snake") == {"a_b": 2, "x": []}
    with pytest.raises(_core.JSONDecodeError, match="Duplicate key") as caught:
        _core.loads(document, key_case="snake", duplicate_keys="error")
    assert caught.value.pos == document.index('"a_b"')


# ---- reading ----------------------------------------------------------------------------------


def test_hooks_see_the_keys_in_snake_case() -> None:
    document = '[{"aB": {"cD": 1}}]'
    assert _core.loads(document, key_case="snake", object_pairs_hook=list) == [[("a_b", [("c_d", 1)])]]
    seen: list[Any] = []
    _core.loads(document, key_case="snake", object_hook=lambda value: seen.append(dict(value)))
    assert seen == [{"c_d": 1}, {"a_b": None}]


def test_each_kind_of_source_and_lines() -> None:
    for neighbour in ("é", "中", "😀"):
        document = f'{{"aB": "{neighbour}", "{neighbour}C": {{"longKey{"x" * 100}Y": 1}}}}'
        rule = SNAKE_RULES["snake"]
        expected = {"a_b": neighbour, f"{neighbour}c": {rule.sub(r"\1_\2", f"longKey{'x' * 100}Y").lower(): 1}}
        assert _core.loads(document, key_case="snake") == expected
        assert _core.loads(document.encode(), key_case="snake") == expected
    rows = _core.Decoder(key_case="snake")
    assert rows.decode(b'{"aB":1}') == {"a_b": 1}


def test_reading_with_and_without_the_option_does_not_mix() -> None:
    document = _core.dumps([{"firstName": n, "lastName": [{"firstName": n}]} for n in range(50)])
    for _ in range(3):
        assert _core.loads(document)[7] == {"firstName": 7, "lastName": [{"firstName": 7}]}
        assert _core.loads(document, key_case="snake")[7] == {"first_name": 7, "last_name": [{"first_name": 7}]}
        assert _core.dumps(_core.loads(document, key_case="snake"), key_case="camel") == document
        assert _core.dumps({"line_1": 1}, key_case="camel") == '{"line1":1}'
        assert _core.loads('{"line1":1}', key_case="snake") == {"line_1": 1}
        assert _core.loads('{"line1":1}', key_case="snake-joined") == {"line1": 1}


@pytest.mark.parametrize("option", [{"partial": "on"}, {"type": dict[str, int]}])
def test_options_that_do_not_go_together(option: dict[str, Any]) -> None:
    with pytest.raises(TypeError, match="key_case"):
        _core.Decoder(key_case="snake", **option)


@pytest.mark.parametrize("value", ["Camel", "kebab"])
def test_unknown_case_is_refused(value: Any) -> None:
    with pytest.raises(ValueError, match=f"^key_case must be None or 'camel', not '{value}'$"):
        _core.dumps({}, key_case=value)


def test_case_of_the_other_direction_is_refused_and_named() -> None:
    with pytest.raises(ValueError, match=r"^key_case must be None or 'camel', not 'snake', which is for loads$"):
        _core.dumps({}, key_case="snake")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=r"'snake-joined'\], not 'camel', which is for dumps$"):
        _core.loads("{}", key_case="camel")  # type: ignore[arg-type]


def test_key_of_any_type_is_written_by_its_hook_or_refused() -> None:
    value: dict[Any, Any] = {"a_b": 1, ...: 2, 5: [], (): 3, "c_d": 4}
    wanted = '{"aB":1,"Ellipsis":2,"5":[],"()":3,"cD":4}'
    assert_all_give(("value", repr(wanted)), value, key_case="camel", key_default=repr)
    assert_all_give(("value", repr('{"aB":1,"5":[],"cD":4}')), value, key_case="camel", skipkeys=True)
    assert_all_give(("value", repr('{"5":[],"aB":1,"cD":4}')), value, canonical=True, key_case="camel", skipkeys=True)
    with pytest.raises(TypeError, match="not ellipsis"):
        _core.dumps({...: 1, "a_b": 2}, key_case="camel")


@attrs.define
class AnyAttrs:
    a_b: Any


@dataclasses.dataclass
class AnyDataclass:
    a_b: Any


class AnyStruct(msgspec.Struct):
    a_b: Any


class AnyModel(pydantic.BaseModel):
    a_b: Any


@pytest.mark.parametrize("of", [dict, AnyAttrs, AnyDataclass, AnyStruct, AnyModel])
def test_fragment_in_a_field_is_written_as_it_is(of: Any) -> None:
    value = [of(a_b=Fragment('{"c_d": [1.50], "b": 2}'))]
    for options, key in (({"key_case": "camel"}, "aB"), ({"sort_keys": True}, "a_b")):
        wanted = f'[{{"{key}":{{"c_d": [1.50], "b": 2}}}}]'
        assert_all_give(("value", repr(wanted)), value, models=True, dataclass=True, **options)


# ---- what is kept -----------------------------------------------------------------------------


def test_more_keys_than_are_kept_and_keys_at_the_same_address() -> None:
    draw = random.Random(2)
    for _ in range(20):
        rows = [{f"{draw.choice('ab')}_{draw.randrange(3000)}_x": n} for n in range(500)]
        expected = [{key.replace("_x", "X").replace("_", ""): n for key, n in row.items()} for row in rows]
        assert _core.loads(_core.dumps(rows, key_case="camel")) == expected
        del rows
        gc.collect()


def test_hook_that_changes_everything_does_no_harm() -> None:
    def hook(value: Any) -> Any:
        rows.clear()
        gc.collect()
        _core.dumps([{f"other_{n}": n} for n in range(2000)], key_case="camel")
        return {"made_up": [1]}

    for encode in (_core.dumps, _core.dumps_to_bytes, in_chunks):
        rows: list[Any] = [{"a_b": object(), "c_d": ["e" * 50], "f_g": {"h_i": object()}}, {"j_k": 1}]
        got = _core.loads(encode({"rows_x": rows, "last_y": 1}, key_case="camel", default=hook))
        assert got["lastY"] == 1
        assert got["rowsX"][0] == {"aB": {"madeUp": [1]}, "cD": ["e" * 50], "fG": {"hI": {"madeUp": [1]}}}
