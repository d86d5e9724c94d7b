"""sort_keys reaches the fields of models and dataclasses: by the key that is written, at every level."""

from __future__ import annotations

import dataclasses
import gc
import weakref
from typing import Any, NamedTuple, TypedDict

import attrs
import pydantic
import pytest
from helpers import stdlib_json
from helpers.all_outputs import assert_all_give, in_chunks
from helpers.structs import HAS_MSGSPEC, msgspec

from ssrjson_web import _core, orjson

pytestmark = pytest.mark.usefixtures("isa")


@dataclasses.dataclass
class Plain:
    b: Any = 1
    a: Any = 2
    é: Any = None


@dataclasses.dataclass(slots=True)
class Slotted:
    z: Any = 1
    y: Any = 2
    x: Any = 3


@attrs.define
class Attrs:
    b: Any = 1
    a: Any = 2


class Struct(msgspec.Struct, rename={"first": "zz", "last": "aa"}, tag_field="mm", tag="t"):
    first: Any = 1
    last: Any = 2


class Child(pydantic.BaseModel):
    d: int = 1
    c: int | None = None


class Model(pydantic.BaseModel):
    model_config = pydantic.ConfigDict(extra="allow")

    b: int = 1
    a: list[Child] = []
    z: int = pydantic.Field(default=3, serialization_alias="A")

    @pydantic.computed_field  # type: ignore[prop-decorator]
    @property
    def aa(self) -> int:
        return 4


class Root(pydantic.RootModel[dict[str, Child]]):
    pass


@pydantic.dataclasses.dataclass
class Checked:
    b: int = 1
    a: Child = dataclasses.field(default_factory=Child)


class Point(NamedTuple):
    y: int = 1
    x: Any = 2


class Row(TypedDict):
    b: Any
    a: Any


def text_of(value: Any) -> tuple[str, str]:
    return "value", repr(stdlib_json.dumps(value, sort_keys=True))


SAMPLES: list[tuple[Any, Any]] = [
    (Plain(), {"b": 1, "a": 2, "é": None}),
    (Plain(Slotted(), Row(b=Attrs(), a=[Slotted()])), None),
    (Slotted(), {"z": 1, "y": 2, "x": 3}),
    (Attrs(), {"b": 1, "a": 2}),
    (Child(), {"d": 1, "c": None}),
    (Model(b=7), {"b": 7, "a": [], "z": 3, "aa": 4}),
    (Model.model_validate({"a": [Child(), Child(c=2)], "y": 5, "B": 6}), None),
    (Root({"z": Child(), "a": Child(d=2)}), None),
    (Checked(), {"b": 1, "a": {"d": 1, "c": None}}),
]
if HAS_MSGSPEC:
    SAMPLES += [(Struct(Plain(), [Struct()]), None), (Struct(), {"mm": "t", "zz": 1, "aa": 2})]


def plain(value: Any) -> Any:
    """Dicts instead of objects, by the libraries themselves."""
    if isinstance(value, pydantic.BaseModel):
        return value.model_dump(mode="json")
    if dataclasses.is_dataclass(value):
        return {field.name: plain(getattr(value, field.name)) for field in dataclasses.fields(value)}
    if attrs.has(type(value)):
        return {name: plain(getattr(value, name)) for name in ("a", "b")}
    if isinstance(value, msgspec.Struct):
        return {"mm": "t", "zz": plain(value.first), "aa": plain(value.last)}  # type: ignore[attr-defined]
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    return [plain(item) for item in value] if isinstance(value, list) else value


@pytest.mark.parametrize(("value", "expected"), SAMPLES)
@pytest.mark.parametrize("models", [True, "python"])
def test_fields_are_sorted_in_every_output(value: Any, expected: Any, models: Any) -> None:
    as_plain = plain(value) if expected is None else expected
    assert_all_give(text_of(as_plain), value, models=models, sort_keys=True)
    assert_all_give(text_of([as_plain, {"k": as_plain}]), [value, {"k": value}], models=models, sort_keys=True)
    for layout in ({"indent": 2}, {"ensure_ascii": True}, {"separators": ("，", ": ")}):
        text = stdlib_json.dumps(as_plain, sort_keys=True, **layout)
        assert_all_give(("value", repr(text)), value, models=models, sort_keys=True, **layout)


def test_fields_of_dataclasses_alone_are_sorted() -> None:
    for options in ({"dataclass": True}, {"natives": True}, {"models": "pydantic", "dataclass": True}):
        value = [Plain(Slotted(), "中"), Checked()]
        expected = [{"b": plain(Slotted()), "a": "中", "é": None}, {"b": 1, "a": {"d": 1, "c": None}}]
        if options == {"models": "pydantic", "dataclass": True}:
            assert_all_give(text_of(expected), value, sort_keys=True, **options)
        else:
            assert_all_give(text_of(expected[:1]), value[:1], sort_keys=True, **options)


def test_aliases_are_sorted_as_they_are_written() -> None:
    assert_all_give(text_of({"b": 1, "a": [], "A": 3, "aa": 4}), Model(), models=True, by_alias=True, sort_keys=True)


def test_with_parts_left_out() -> None:
    assert_all_give(text_of({"a": 1}), Plain(None, 1), dataclass=True, exclude_none=True, sort_keys=True)
    assert_all_give(text_of({}), Plain(None, None), dataclass=True, exclude_none=True, sort_keys=True)
    assert_all_give(text_of({"b": 5}), Plain(5), dataclass=True, omit_defaults=True, sort_keys=True)
    assert_all_give(text_of({}), Plain(), dataclass=True, omit_defaults=True, sort_keys=True, indent=1)
    assert_all_give(text_of({"d": 2}), Child(d=2), models=True, exclude_unset=True, sort_keys=True)
    assert_all_give(
        text_of({"p": {"d": 1}, "q": {"b": 1, "é": 3}}),
        {"q": Plain(1, None, 3), "p": Child()},
        models=True,
        exclude_none=True,
        sort_keys=True,
    )


def test_namedtuples_and_a_class_without_fields() -> None:
    assert_all_give(text_of({"y": 1, "x": 2}), Point(), namedtuple_as_object=True, sort_keys=True)
    empty = dataclasses.make_dataclass("Empty", [])()
    assert_all_give(text_of([{}]), [empty], dataclass=True, sort_keys=True)


def test_many_fields_and_many_objects() -> None:
    names = [f"f{n * 37 % 101}" for n in range(101)]
    many = dataclasses.make_dataclass("Many", names)(*range(101))
    assert_all_give(text_of(dict(zip(names, range(101), strict=True))), many, dataclass=True, sort_keys=True)
    rows = [Plain(n, [Slotted(n)] * (n % 3), str(n)) for n in range(300)]
    assert_all_give(text_of([plain(row) for row in rows]), rows, dataclass=True, sort_keys=True)


def test_orjson_sorts_dicts_only_as_the_original_does() -> None:
    assert orjson.dumps({"b": Plain(), "a": 1}, option=orjson.OPT_SORT_KEYS) == (
        b'{"a":1,"b":{"b":1,"a":2,"\xc3\xa9":null}}'
    )


def computed_class(read: Any) -> Any:
    made: Any = dataclasses.make_dataclass("Lazy", ["z", "lazy", "a"])
    made.lazy = property(lambda self: read(self), lambda self, value: None)
    return made


def test_error_of_a_field_has_its_path() -> None:
    def fail(self: Any) -> Any:
        raise LookupError("no")

    with pytest.raises(LookupError):
        _core.dumps({"k": computed_class(fail)(1, 2, 3)}, dataclass=True, sort_keys=True)
    with pytest.raises(_core.JSONEncodeTypeError) as caught:
        _core.dumps({"k": [Plain(1, Slotted(1, 2, object()))]}, dataclass=True, sort_keys=True)
    assert caught.value.__notes__ == ["at $.k[0].a.x"]
    lacking = Slotted()
    del lacking.y
    with pytest.raises(_core.JSONEncodeAttributeError) as missing:
        _core.dumps({"k": lacking}, dataclass=True, sort_keys=True)
    assert missing.value.__notes__ == ["at $.k.y"]


def test_circle_of_objects_is_found() -> None:
    first = Plain()
    first.a = [first]
    for encode in (_core.dumps, _core.dumps_to_bytes, in_chunks):
        with pytest.raises(_core.JSONEncodeValueError, match="Circular reference detected"):
            encode(first, dataclass=True, sort_keys=True)


def test_code_of_a_property_that_changes_everything_does_no_harm() -> None:
    rows: list[Any] = []

    def read(self: Any) -> Any:
        rows.clear()
        self.__dict__.clear()
        gc.collect()
        return _core.dumps(Plain(Slotted()), dataclass=True, sort_keys=True)

    made = computed_class(read)
    made.z = made.a = 0
    for encode in (_core.dumps, _core.dumps_to_bytes, in_chunks):
        rows[:] = [{"k": made(["z"], None, ["a"])}, made(1, 2, 3), "last"]
        text = encode({"rows": rows, "z": 1}, dataclass=True, sort_keys=True)
        assert '"a"' in (text if isinstance(text, str) else bytes(text).decode())


def test_no_object_stays_alive() -> None:
    value = Plain(Plain(), [Plain()])
    alive = weakref.ref(value)
    chunks = _core.Encoder(dataclass=True, sort_keys=True).iterencode(value, 1)
    next(chunks)
    del value
    assert alive() is not None
    del chunks
    gc.collect()
    assert alive() is None
