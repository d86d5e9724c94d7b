"""JSON options in the config of a model: Encoder(models=True) against model_dump_json."""

from __future__ import annotations

import datetime
import decimal
import enum
import ipaddress
import json
import math
import re
from typing import Annotated, Any, Literal, Optional

import pydantic
import pytest
from check_models.models import VERSION
from helpers.pydantic_outcome import outcome
from pydantic import BaseModel, ConfigDict, Field, RootModel, SerializeAsAny, TypeAdapter, computed_field
from typing_extensions import TypedDict

from ssrjson_web import Encoder, dumps_to_bytes
from ssrjson_web._models.adapter import AdapterEncoder
from ssrjson_web.models import TypedEncoder

pytestmark = pytest.mark.usefixtures("isa")

KNOWS_STRINGS = pytest.mark.skipif(VERSION < (2, 9), reason='ser_json_inf_nan="strings" is of pydantic >= 2.9')
KNOWS_ALIAS = pytest.mark.skipif(VERSION < (2, 11), reason="serialize_by_alias is of pydantic >= 2.11")
NOT_FINITE = [None, "null", "constants", pytest.param("strings", marks=KNOWS_STRINGS)]


class OwnFloat(float):
    pass


class Colour(enum.Enum):
    RED = 1e16


def config_of(**options: Any) -> ConfigDict:
    return ConfigDict(**{key: value for key, value in options.items() if value is not None})  # type: ignore[typeddict-item]


def model_of_floats(mode: str | None) -> Any:
    class Floats(BaseModel):
        model_config = config_of(ser_json_inf_nan=mode)
        real: float
        maybe: float | None = None
        anything: Any = None
        listed: list[float] = []
        untyped: list[Any] = []
        by_name: dict[str, float] = {}
        by_real: dict[float, float] = {}
        either: float | str = 0.5
        number: int | float = 0.5

    return Floats


REALS = [math.nan, math.inf, -math.inf, 1e16, 1e-5, 1e-6, 1e22, -0.0, 1.5, OwnFloat("nan"), OwnFloat(1e16), 1, True]


@pytest.mark.parametrize("mode", NOT_FINITE)
@pytest.mark.parametrize("real", REALS, ids=repr)
def test_floats_are_written_as_the_config_says(mode: Any, real: Any) -> None:
    model = model_of_floats(mode).model_construct(
        real=real,
        maybe=real,
        anything=real,
        listed=[real, 0.5, real],
        untyped=[real, {"a": [real]}, {real: real}, {None: 1, 1: 2}],
        by_name={"é": real},
        by_real={real: real},
        either=real,
        number=real,
    )
    expected = model.model_dump_json(warnings=False).encode()
    encoder = Encoder(models=True)
    assert outcome(lambda: encoder.encode(model)) == ("value", expected)
    assert outcome(lambda: encoder.encode({"a": [model]})) == ("value", b'{"a":[' + expected + b"]}")
    assert outcome(lambda: b"".join(encoder.iterencode(model, chunk_size=1))) == ("value", expected)
    encoder_of_adapter = AdapterEncoder(TypeAdapter(type(model)), like_dump_json=True)
    assert outcome(lambda: encoder_of_adapter.encode(model)) == ("value", expected)


@pytest.mark.parametrize("inner_mode", NOT_FINITE)
@pytest.mark.parametrize("outer_mode", NOT_FINITE)
def test_floats_of_nested_models_are_written_as_pydantic_has_it(inner_mode: Any, outer_mode: Any) -> None:
    class Inner(BaseModel):
        model_config = config_of(ser_json_inf_nan=inner_mode)
        real: float = math.nan
        anything: Any = math.inf

    class Derived(Inner):
        model_config = config_of(ser_json_inf_nan=outer_mode)
        more: float = math.nan

    class Outer(BaseModel):
        model_config = config_of(ser_json_inf_nan=outer_mode)
        inner: Inner = Inner()
        derived: Inner = Derived()
        anything: Any = [Inner(), {"a": Derived()}]
        wide: SerializeAsAny[Inner] = Derived()
        listed: list[Inner] = [Inner(), Derived()]
        either: Inner | int = Inner()
        real: float = math.nan

    class Root(RootModel[list[Inner]]):
        pass

    for model in (Outer(), Root([Inner(), Derived()]), Derived()):
        assert Encoder(models=True).encode(model) == model.model_dump_json().encode()
    assert Encoder(models=True).encode([Inner(), math.nan]) == TypeAdapter(Any).dump_json([Inner(), math.nan])


def test_floats_beside_models_are_written_as_the_options_say() -> None:
    newest = TypeAdapter(float).dump_json(1e16)
    reals = [1e16, 1e-5, 1e-6, math.nan]
    assert dumps_to_bytes(reals, models=True) == b"[" + newest + b",0.00001,1e-6,null]"
    assert dumps_to_bytes(reals, models=True, floats=None, nan_as_null=None) == dumps_to_bytes(reals, models=True)
    assert dumps_to_bytes(reals, models=True, floats="repr") == b"[1e+16,1e-05,1e-06,null]"
    assert dumps_to_bytes(reals, models=True, floats="e16", nan_as_null=False) == b"[1e16,0.00001,1e-6,NaN]"
    assert dumps_to_bytes(reals, models="python") == b"[1e+16,1e-05,1e-06,NaN]"
    with pytest.raises(ValueError, match="Out of range float values"):
        dumps_to_bytes(reals, models=True, nan_as_null=False, allow_nan=False)


def test_options_of_floats_hold_in_models_too() -> None:
    model = model_of_floats(None)(real=math.nan, listed=[1e-5], anything=1e-5)
    text = dumps_to_bytes(model, models=True, floats="repr", nan_as_null=False)
    assert text.startswith(b'{"real":NaN,"maybe":null,"anything":1e-05,"listed":[1e-05],')


@pytest.mark.parametrize("mode", NOT_FINITE)
def test_models_as_python_are_json_dumps_of_what_is_dumped(mode: Any) -> None:
    model = model_of_floats(mode)(real=math.nan, listed=[1e-5, 1e16], by_name={"a": math.inf})
    expected = json.dumps(model.model_dump(mode="json"), separators=(",", ":"), ensure_ascii=False).encode()
    assert Encoder(models="python").encode(model) == expected
    with pytest.raises(ValueError, match="Out of range float values"):
        Encoder(models="python", allow_nan=False).encode(model)


# ---- aliases -------------------------------------------------------------------------------------


@KNOWS_ALIAS
@pytest.mark.parametrize("by_alias", [None, True, False])
@pytest.mark.parametrize("inner_says", [None, True, False])
@pytest.mark.parametrize("outer_says", [None, True, False])
def test_aliases_are_written_as_the_config_says(by_alias: Any, inner_says: Any, outer_says: Any) -> None:
    inner_config = config_of(serialize_by_alias=inner_says)

    class Inner(BaseModel):
        model_config = inner_config
        a: int = Field(1, serialization_alias="A")

        @computed_field(alias="C")  # type: ignore[prop-decorator]
        @property
        def c(self) -> int:
            return 1

    class Derived(Inner):
        b: int = Field(1, serialization_alias="B")

    @pydantic.dataclasses.dataclass(config=inner_config)
    class Data:
        a: int = Field(1, serialization_alias="A")

    class Known(TypedDict):
        a: Annotated[int, Field(serialization_alias="A")]

    class Configured(TypedDict):
        __pydantic_config__ = inner_config  # type: ignore[misc]
        a: Annotated[int, Field(serialization_alias="A")]

    class Root(RootModel[Inner]):
        pass

    class Outer(BaseModel):
        model_config = config_of(serialize_by_alias=outer_says)
        inner: Inner = Field(Inner(), serialization_alias="Inner")
        derived: Inner = Derived()
        data: Data = Data()
        known: Known = {"a": 1}
        configured: Configured = {"a": 1}
        either: Inner | int = Inner()
        anything: Any = [Inner(), Derived(), Data()]
        root: Root = Root(Inner())
        listed: list[Inner] = [Inner(), Derived()]
        by_number: dict[int, Inner] = {1: Inner()}

    encoder = Encoder(models=True, by_alias=by_alias)
    for model in (Outer(), Inner(), Derived(), Root(Derived())):
        assert encoder.encode(model) == model.model_dump_json(by_alias=by_alias).encode()
    assert encoder.encode([Data()]) == TypeAdapter(list[Data]).dump_json([Data()], by_alias=by_alias)


def test_aliases_are_left_to_the_class_by_default() -> None:
    class Named(BaseModel):
        a: int = Field(1, serialization_alias="A")

    assert Encoder(models=True).encode(Named()) == Named().model_dump_json().encode() == b'{"a":1}'
    assert Encoder(models=True, by_alias=None).encode(Named()) == b'{"a":1}'
    assert Encoder(models=True, by_alias=True).encode(Named()) == b'{"A":1}'
    with pytest.raises(TypeError, match="by_alias must be None or a bool"):
        Encoder(models=True, by_alias=1)  # type: ignore[arg-type]


# ---- untyped values ------------------------------------------------------------------------------

UNTYPED: dict[str, Any] = {
    "keys": {None: 1, True: 2, 1.5: 3, 1e16: 4, math.nan: 5, datetime.date(2020, 1, 2): 6, decimal.Decimal("1.50"): 7},
    "keys of one text": {1: 1, "1": 2, None: 3, "None": 4},
    "types that the core has no format for": [re.compile("é+"), ipaddress.IPv4Address(1), 1j, Colour.RED],
    "deep": [[[[[[[[[[[[[[[[[[[[[[1j]]]]]]]]]]]]]]]]]]]]]],
    "sets": [{1j}, frozenset([1e16])],
}


@pytest.mark.parametrize("name", UNTYPED)
def test_untyped_values_are_written_as_pydantic_writes_them(name: str) -> None:
    class Untyped(BaseModel):
        anything: Any
        listed: list[Any] = []

    model = Untyped(anything=UNTYPED[name], listed=[UNTYPED[name]])
    expected = outcome(lambda: model.model_dump_json().encode())
    if expected[0] == "value":  # older versions know fewer types
        assert Encoder(models=True).encode(model) == expected[1]


def test_untyped_value_that_pydantic_refuses_is_for_the_hook() -> None:
    class Untyped(BaseModel):
        anything: Any

    model = Untyped(anything=[object(), {"a": range(2)}, 1e-5])
    with pytest.raises(TypeError, match="Object of type object is not JSON serializable"):
        Encoder(models=True).encode(model)
    encoder = Encoder(models=True, default=lambda value: type(value).__name__)
    assert encoder.encode(model) == b'{"anything":["object",{"a":"range"},0.00001]}'


def test_keys_of_one_text_are_all_written() -> None:
    class Counted(BaseModel):
        by_key: dict[int | str, int]
        nested: list[dict[int | str, int]] = []

    model = Counted(by_key={1: 1, "1": 2}, nested=[{1: 1, "1": 2}])
    expected = model.model_dump_json().encode()
    assert expected.count(b'"1":2') == 2
    assert expected.count(b'"1":1') == 2
    assert Encoder(models=True).encode(model) == expected
    assert AdapterEncoder(TypeAdapter(Counted), like_dump_json=True).encode(model) == expected
    adapter = TypeAdapter(dict[int | str, int])
    assert AdapterEncoder(adapter, like_dump_json=True).encode({1: 1, "1": 2}) == b'{"1":1,"1":2}'


@KNOWS_STRINGS
@pytest.mark.parametrize("root", ["null", "constants", "strings"])
def test_nan_in_a_union_has_the_format_of_the_root(root: Any) -> None:
    class Real(BaseModel):
        model_config = config_of(ser_json_inf_nan="strings")
        x: float

    class One(BaseModel):
        tag: Literal["one"] = "one"
        real: Real

    class Other(BaseModel):
        tag: Literal["other"] = "other"
        real: Real

    class Whole(BaseModel):
        of_tag: Annotated[One | Other, Field(discriminator="tag")]
        of_type: Real | int

    value = {"of_tag": {"tag": "one", "real": {"x": math.inf}}, "of_type": {"x": math.nan}}
    for declared in (Optional[Whole], list[Whole]):  # noqa: UP045 - a type that may have a config
        adapter: TypeAdapter[Any] = TypeAdapter(declared, config=config_of(ser_json_inf_nan=root))
        given = [value] if declared == list[Whole] else value
        expected = adapter.dump_json(adapter.validate_python(given))
        assert TypedEncoder(adapter).encode(given) == expected
        assert TypedEncoder(adapter).encode(adapter.validate_python(given)) == expected
