"""exclude_none and omit_defaults with models: what lies within an object of pydantic's is written as pydantic does."""

from __future__ import annotations

import collections
import dataclasses
from typing import Any

import pydantic.dataclasses
import pytest
from pydantic import BaseModel, RootModel, TypeAdapter

from ssrjson_web import _core
from ssrjson_web.models import TypedEncoder

attrs = pytest.importorskip("attrs", reason="attrs is not installed")
msgspec = pytest.importorskip("msgspec", reason="msgspec is not installed")
pytestmark = pytest.mark.usefixtures("isa")

Point = collections.namedtuple("Point", "y x")


class Part(BaseModel):
    name: str | None = None
    data: dict[str, Any] = {}
    rest: Any = None


class Rooted(RootModel[dict[str, Any]]):
    pass


class Extra(BaseModel):
    model_config = {"extra": "allow"}
    a: Any = None


@pydantic.dataclasses.dataclass
class Made:
    a: Any = None
    b: Any = 1


@dataclasses.dataclass
class Plain:
    a: Any = None
    b: Any = 1


@attrs.define
class Defined:
    a: Any = None
    b: Any = attrs.Factory(list)
    c: Any = attrs.Factory(lambda self: self.a, takes_self=True)
    d: Any = attrs.field(default=5)


class Packed(msgspec.Struct):
    a: Any = None
    b: Any = 1


class Tagged(msgspec.Struct, tag=True):
    a: Any = None
    b: Any = 1


class Row(msgspec.Struct, array_like=True):
    a: Any = None
    b: Any = 1


MODELS = [
    Part(data={"k": None}, rest=[{"x": None}, (None,)]),
    Part(name="é", rest={"deep": {"er": None}, "part": Part(data={"k": None})}),
    Rooted({"a": None, "b": [None]}),
    Extra(a={"x": None}, **{"y": None, "z": {"w": None}}),
    Made(a={"k": None}),
    Made(),
    Part(rest=Made(a=None, b={"n": None})),
    Part(rest=Plain(a=None, b={"n": None})),
    Part(rest=Point(1, None)),
]


@pytest.mark.parametrize("value", MODELS, ids=[f"model {i}" for i in range(len(MODELS))])
def test_model_is_written_as_pydantic_does(value: Any) -> None:
    adapter = TypeAdapter(type(value))
    expected = adapter.dump_json(value, exclude_none=True)
    for options in ({}, {"namedtuple_as_object": True}, {"omit_defaults": True}):
        for form in (True, "pydantic"):
            encoder = _core.Encoder(models=True, exclude_none=form, **options)  # type: ignore[arg-type]
            assert encoder.encode(value) == expected
            assert b"".join(encoder.iterencode(value, 1)) == expected
    # beside a dict that loses its None
    text = _core.dumps([{"a": None, "m": value}, value, {"b": None}], models=True, exclude_none=True)
    assert text.encode() == b'[{"m":' + expected + b"}," + expected + b",{}]"
    kept = _core.dumps_to_bytes({"a": None, "m": value, "b": None}, models=True, exclude_none="pydantic")
    assert kept == b'{"a":null,"m":' + expected + b',"b":null}'


def test_typed_encoder_keeps_none_in_dicts() -> None:
    for declared, value in (
        (dict[str, Any], {"a": None, "b": Part(data={"k": None})}),
        (list[Part], [{"data": {"k": None}}]),
        (dict[str, Part], {"a": {"name": None, "data": {"k": None}}}),
        (Part, {"data": {"k": None}}),
    ):
        adapter: TypeAdapter[Any] = TypeAdapter(declared)
        expected = adapter.dump_json(adapter.validate_python(value), exclude_none=True)
        assert TypedEncoder(declared, exclude_none=True).encode(value) == expected


def test_fields_of_other_libraries_are_left_out() -> None:
    def written(value: Any, **options: Any) -> str:
        return _core.dumps(value, models=True, **options)

    assert written(Plain(b={"n": None}), exclude_none=True) == '{"b":{}}'
    assert written(Defined(), exclude_none=True) == '{"b":[],"d":5}'
    assert written(Packed(b={"n": None}), exclude_none=True) == '{"b":{}}'
    assert written(Tagged(), exclude_none=True) == '{"type":"Tagged","b":1}'
    assert written([Row()], exclude_none=True) == "[[null,1]]"
    assert (
        written(Plain(a=Part(data={"k": None}), b=[{"n": None}]), exclude_none=True)
        == '{"a":{"data":{"k":null}},"b":[{}]}'
    )
    for value in (Plain(), Packed()):
        assert written(value, exclude_none="pydantic") == '{"a":null,"b":1}'


def test_omit_defaults_is_for_dataclasses_and_attrs_classes() -> None:
    def written(value: Any) -> str:
        return _core.dumps(value, models=True, omit_defaults=True)

    assert written([Plain(), Plain(b=2)]) == '[{},{"b":2}]'
    assert written([Defined(), Defined(b=[1], d=6)]) == '[{"c":null},{"b":[1],"c":null,"d":6}]'
    assert (
        written([Packed(), Made(), Part()]) == '[{"a":null,"b":1},{"a":null,"b":1},{"name":null,"data":{},"rest":null}]'
    )


def test_namedtuple_is_an_array_within_models_of_pydantic_and_msgspec() -> None:
    for value, text in (
        (Part(rest=Point(1, 2)), '{"name":null,"data":{},"rest":[1,2]}'),
        (Packed(a=Point(1, 2)), '{"a":[1,2],"b":1}'),
        (Plain(a=Point(1, 2)), '{"a":{"y":1,"x":2},"b":1}'),
        (Defined(a=Point(1, 2), c=3), '{"a":{"y":1,"x":2},"b":[],"c":3,"d":5}'),
    ):
        assert _core.dumps(value, models=True, namedtuple_as_object=True) == text
