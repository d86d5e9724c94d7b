"""Formats of configs: which config's hold for a value, and that validation is skipped with them as without."""

from __future__ import annotations

import base64
import datetime
import math
from typing import Annotated, Any

import pydantic
import pytest
from check_models.models import VERSION
from pydantic import BaseModel, ConfigDict, Field, TypeAdapter
from typing_extensions import TypedDict

from ssrjson_web import Encoder
from ssrjson_web._models.adapter import AdapterEncoder
from ssrjson_web._models.pydantic.formats import ARE_RESOLVED, format_of, formats_of
from ssrjson_web._models.pydantic.plans import plan_of

pytestmark = [
    pytest.mark.usefixtures("isa"),
    pytest.mark.skipif(not ARE_RESOLVED, reason="with this pydantic all that has formats is pydantic's"),
]
KNOWS_TEMPORAL = pytest.mark.skipif(VERSION < (2, 12), reason="ser_json_temporal is of pydantic >= 2.12")

DAY = datetime.timedelta(days=1, seconds=1, microseconds=500_000)
MOMENT = datetime.datetime(2020, 1, 2, 3, 4, 5, 600, datetime.timezone.utc)
CONFIGS = [
    pytest.param({"ser_json_timedelta": "float"}, id="timedelta"),
    pytest.param({"ser_json_bytes": "base64"}, id="base64"),
    pytest.param({"ser_json_bytes": "hex"}, id="hex"),
    pytest.param({"ser_json_inf_nan": "constants"}, id="constants"),
    pytest.param({"val_json_bytes": "base64"}, id="val"),
    pytest.param({"ser_json_temporal": "seconds"}, id="seconds", marks=KNOWS_TEMPORAL),
    pytest.param({"ser_json_temporal": "milliseconds"}, id="milliseconds", marks=KNOWS_TEMPORAL),
    pytest.param({"ser_json_temporal": "iso8601", "ser_json_timedelta": "float"}, id="both", marks=KNOWS_TEMPORAL),
]


def model_with(config: dict[str, Any]) -> Any:
    class Base(BaseModel):
        model_config = ConfigDict(**config)  # type: ignore[typeddict-item]

    class Part(Base):
        took: datetime.timedelta | None = None
        tags: dict[str, Any] = Field({})

    class Run(Base):
        name: str
        took: datetime.timedelta
        waits: list[datetime.timedelta] = Field([])
        started: datetime.datetime
        data: bytes = b""
        ratio: float = 0.5
        labels: dict[str, Any] = Field({})
        parts: list[Part] = Field([])

    return Run


VALUES = {
    "name": "é",
    "took": DAY,
    "waits": [DAY, -DAY],
    "started": MOMENT,
    "data": b"abc",
    "ratio": 1.5,
    "labels": {"a": [1, 2.5, None, "é"]},
    "parts": [{"took": DAY, "tags": {}}, {"took": None, "tags": {"b": {}}}],
}


def adapters(declared: Any, config: dict[str, Any]) -> list[TypeAdapter[Any]]:
    """The type's own serializer, one of the usual formats as in FastAPI, and one with the formats as the root."""
    return [
        TypeAdapter(declared),
        TypeAdapter(Annotated[declared, Field(description="a")]),
        TypeAdapter(list[declared], config=ConfigDict(**config)),  # type: ignore[typeddict-item]
    ]


@pytest.mark.parametrize("config", CONFIGS)
def test_values_skip_validation_whatever_the_formats_are(config: dict[str, Any]) -> None:
    model = model_with(config)
    for adapter in adapters(model, config):
        is_list = adapter.core_schema["type"] == "list"
        encoder = AdapterEncoder(adapter, like_dump_json=True)
        as_json = adapter.dump_python([model(**VALUES)] if is_list else model(**VALUES), mode="json")
        for one in (VALUES, model(**VALUES), type("Row", (), VALUES)()):
            value = [one] if is_list else one
            expected = adapter.dump_json(adapter.validate_python(value, from_attributes=True))
            assert encoder.encode_unvalidated(value) == expected
            assert encoder.encode(adapter.validate_python(value, from_attributes=True)) == expected
            assert encoder.obstacle == ""
        assert encoder.encode(adapter.validate_python(value, from_attributes=True)) == expected
        try:
            of_json = adapter.dump_json(adapter.validate_python(as_json))
        except ValueError:  # bytes are read otherwise than they are written
            continue
        assert encoder.encode_unvalidated(as_json) in (None, of_json)


@pytest.mark.parametrize("config", CONFIGS)
@pytest.mark.parametrize("untyped", [DAY, MOMENT, b"abc", math.nan, [DAY], {"a": DAY}, "é", 1.5], ids=repr)
def test_untyped_values_have_the_formats_of_the_root(config: dict[str, Any], untyped: Any) -> None:
    class Inner(BaseModel):
        model_config = ConfigDict(**config)  # type: ignore[typeddict-item]
        untyped: Any
        typed: datetime.timedelta = DAY

    class Outer(BaseModel):
        inner: Inner
        beside: Any = None

    class OuterOfOwn(Outer):
        model_config = ConfigDict(ser_json_timedelta="float", ser_json_bytes="hex")

    for cls in (Outer, OuterOfOwn):
        value = cls(inner=Inner(untyped=untyped), beside=[Inner(untyped=untyped), untyped])
        for adapter in adapters(cls, config):
            is_list = adapter.core_schema["type"] == "list"
            encoder = AdapterEncoder(adapter, like_dump_json=True)
            assert encoder.encode([value] if is_list else value) == adapter.dump_json([value] if is_list else value)
        assert Encoder(models=True).encode([value]) == b"[" + value.model_dump_json().encode() + b"]"


def test_typed_dict_and_dataclass_have_the_formats_that_pydantic_gives_them() -> None:
    class Known(TypedDict):
        __pydantic_config__ = ConfigDict(ser_json_timedelta="float")  # type: ignore[misc]
        took: datetime.timedelta

    @pydantic.dataclasses.dataclass(config=ConfigDict(ser_json_timedelta="float"))
    class Data:
        took: datetime.timedelta

    class Usual(BaseModel):
        known: Known
        data: Data

    class Own(Usual):
        model_config = ConfigDict(ser_json_timedelta="float")

    for cls in (Usual, Own):
        value: Any = cls.model_validate({"known": {"took": DAY}, "data": Data(DAY)})
        assert Encoder(models=True).encode(value) == value.model_dump_json().encode()
        for adapter in adapters(cls, {"ser_json_timedelta": "float"})[:2]:
            assert AdapterEncoder(adapter, like_dump_json=True).encode(value) == adapter.dump_json(value)
    for declared, value in ((Known, {"took": DAY}), (Data, Data(DAY))):
        adapter = TypeAdapter(declared)
        assert AdapterEncoder(adapter, like_dump_json=True).encode(value) == adapter.dump_json(value)


@pytest.mark.parametrize("sign", [1, -1])
@pytest.mark.parametrize(
    "microseconds", [0, 1, 7, 999_999, 10**6, 2**53 - 1, 10**15 + 1, 86400 * 10**11 - 1, 86400 * 10**11 + 1, 8 * 10**19]
)
def test_seconds_of_any_timedelta_are_those_of_pydantic(microseconds: int, sign: int) -> None:
    class Run(BaseModel):
        model_config = ConfigDict(ser_json_timedelta="float")
        took: datetime.timedelta
        waits: list[datetime.timedelta]

    took = sign * datetime.timedelta(microseconds=microseconds)
    run = Run(took=took, waits=[took, DAY])
    assert Encoder(models=True).encode(run) == run.model_dump_json().encode()


def test_fields_that_formats_concern_are_the_only_ones_that_are_converted() -> None:
    plan = plan_of(model_with({"ser_json_timedelta": "float"}))
    checks = {field.attribute: [one.op for one in field.rule] for field in plan.fields if field.rule}
    assert checks["took"] == ["seconds"]
    assert checks["name"] == checks["started"] == ["type"]
    assert {field.attribute for field in plan.fields if field.is_of_root} == {"labels", "parts"}
    assert plan.is_of_root


def test_bytes_are_left_to_pydantic_in_formats_that_the_core_has_not() -> None:
    assert format_of("bytes", formats_of({"ser_json_bytes": "base64"})) == "own"
    assert format_of("bytes", formats_of({"ser_json_bytes": "utf8"})) == "usual"
    assert formats_of({"ser_json_timedelta": "iso8601", "title": "a"}) == ()
    assert (
        base64.urlsafe_b64encode(b"abc").decode()
        in TypeAdapter(bytes, config=ConfigDict(ser_json_bytes="base64")).dump_json(b"abc").decode()
    )
