"""AdapterEncoder against pydantic's own dump_json and dump_python: the same bytes or the same error."""

from __future__ import annotations

import enum
import gc
import json
from collections import deque
from decimal import Decimal
from typing import Any, Optional, Union

import pydantic
import pytest
from helpers.pydantic_outcome import dumped, outcome
from models import samples as model_samples
from pydantic import BaseModel, TypeAdapter, create_model

from ssrjson_web import scan_utf8_cache, utf8_cache_size
from ssrjson_web._models.adapter import AdapterEncoder

OPTIONS: dict[str, dict[str, Any]] = {
    "by alias": {},
    "by name": {"by_alias": False},
    "without none": {"exclude_none": True},
    "without unset": {"exclude_unset": True},
    "without defaults": {"exclude_defaults": True},
    "without none, unset": {"exclude_none": True, "exclude_unset": True},
    "include": {"include": {"n", "items"}},
    "exclude": {"exclude": {"text": True, "leaf": {"n"}}},
}


def adapter_of(declared: Any) -> TypeAdapter[Any]:
    try:
        return TypeAdapter(declared)
    except (pydantic.errors.PydanticUndefinedAnnotation, AttributeError) as error:
        pytest.skip(f"this pydantic does not resolve the names in {declared}: {error}")


@pytest.mark.parametrize("name", model_samples.VALUES)
def test_adapter_gives_the_bytes_of_dump_json_and_dump_python(name: str) -> None:
    declared, value = model_samples.VALUES[name]
    adapter = adapter_of(declared)
    for option, chosen in OPTIONS.items():
        options: dict[str, Any] = {"by_alias": True, **chosen}
        expected = outcome(lambda options=options: adapter.dump_json(value, **options))
        encoder = AdapterEncoder(adapter, like_dump_json=True, **options)
        got = outcome(lambda encoder=encoder: encoder.encode(value))
        if name == "surrogate" and expected[0] == "PydanticSerializationError":
            assert got[0] == "value", option
            assert json.loads(got[1]) == adapter.dump_python(value, mode="json", **options), option
        else:
            assert got == expected, option
        expected = outcome(lambda options=options: dumped(adapter, value, options))
        encoder = AdapterEncoder(adapter, like_dump_json=False, **options)
        assert outcome(lambda encoder=encoder: encoder.encode(value)) == expected, option


def test_adapter_writes_keys_that_become_one_as_often_as_pydantic() -> None:
    adapter = TypeAdapter(Any)
    value = [{True: 1, "true": 2, None: 3, "None": 4}]
    assert AdapterEncoder(adapter, like_dump_json=True).encode(value) == adapter.dump_json(value)
    assert AdapterEncoder(adapter, like_dump_json=False).encode(value) == dumped(adapter, value, {})


def test_adapter_leaves_no_utf8_cache() -> None:
    texts = [chr(0x4E00 + i) * 40 for i in range(50)]
    model = model_samples.Containers(
        strings=texts, by_name={texts[0]: model_samples.Leaf(text=texts[1])}, anything={texts[2]: texts[3]}
    )
    AdapterEncoder(TypeAdapter(model_samples.Containers), like_dump_json=True).encode(model)
    assert sum(map(utf8_cache_size, texts)) == 0
    assert scan_utf8_cache(model)["bytes"] == 0


def test_adapter_warns_as_pydantic_of_what_is_not_as_declared() -> None:
    value = model_samples.Leaf.model_construct(n="text", text="x")
    encoder = AdapterEncoder(TypeAdapter(model_samples.Leaf), like_dump_json=True)
    with pytest.warns(UserWarning, match="Expected `int`"):
        assert encoder.encode(value) == b'{"n":"text","text":"x"}'


@pytest.mark.parametrize("like_dump_json", [True, False])
@pytest.mark.parametrize("value", [Decimal("1.50"), Decimal("1E+5"), Decimal("NaN"), 3, True], ids=repr)
@pytest.mark.parametrize("declared", [float, Optional[float], int, str, Union[int, str], Any], ids=str)  # noqa: UP007, UP045
def test_adapter_writes_numbers_of_another_type_as_pydantic(declared: Any, value: Any, like_dump_json: bool) -> None:
    made = create_model("Made", n=(declared, ...)).model_construct(n=value)
    adapter = TypeAdapter(type(made))
    encoder = AdapterEncoder(adapter, like_dump_json=like_dump_json)
    expected = outcome(lambda: adapter.dump_json(made) if like_dump_json else dumped(adapter, made, {}))
    got = outcome(lambda: encoder.encode(made))
    assert (got[0].removeprefix("JSONEncode"), got[1]) == expected


class _Measure(BaseModel):
    size: float


_MEASURE = _Measure.model_construct(size=-(10**400))


@pytest.mark.filterwarnings("ignore:Pydantic serializer warnings")
@pytest.mark.parametrize("like_dump_json", [True, False])
@pytest.mark.parametrize(
    ("declared", "value"),
    [(float, 10**400), (list[_Measure], [_MEASURE]), (deque[_Measure], deque([_MEASURE])), (Any, deque([_MEASURE]))],
    ids=str,
)
def test_adapter_writes_an_int_greater_than_any_float_as_pydantic(
    declared: Any, value: Any, like_dump_json: bool
) -> None:
    made = create_model("Made", value=(declared, ...)).model_construct(value=value)
    adapter = TypeAdapter(type(made))
    expected = outcome(lambda: adapter.dump_json(made) if like_dump_json else dumped(adapter, made, {}))
    assert outcome(lambda: AdapterEncoder(adapter, like_dump_json=like_dump_json).encode(made)) == expected


@pytest.mark.parametrize("options", [{}, {"exclude_unset": True}, {"exclude_defaults": True}, {"exclude_none": True}])
def test_adapter_writes_an_int_where_a_model_is_declared_as_pydantic(options: dict[str, bool]) -> None:
    made = create_model("Made", inner=(model_samples.Leaf, ...)).model_construct(inner=enum.IntFlag("Bits", "A B")(3))
    adapter = TypeAdapter(type(made))
    got = outcome(lambda: AdapterEncoder(adapter, like_dump_json=True, **options).encode(made))
    assert (got[0].removeprefix("JSONEncode"), got[1]) == outcome(lambda: adapter.dump_json(made, **options))


@pytest.mark.parametrize("like_dump_json", [True, False])
def test_adapter_writes_an_object_without_one_of_its_fields_as_pydantic(like_dump_json: bool) -> None:
    inner = create_model("Inner", f=(float, 1.0), g=(int, 0))
    outer = create_model("Outer", inner=(inner, None), inners=(list[inner], []), gone=(int, 0))  # type: ignore[valid-type]
    values = [inner.model_construct(f=number, g=1) for number in (Decimal("1.50"), 2.5)]
    del values[0].__dict__["g"]
    made = outer.model_construct(inner=values[0], inners=values)
    for is_whole in (True, False):
        if not is_whole:
            del made.__dict__["gone"]
        adapter = TypeAdapter(outer)
        expected = adapter.dump_json(made) if like_dump_json else dumped(adapter, made, {})
        assert AdapterEncoder(adapter, like_dump_json=like_dump_json).encode(made) == expected


def test_adapter_follows_model_rebuild() -> None:
    class Later(BaseModel):
        model_config = pydantic.ConfigDict(defer_build=True)
        n: int = 1
        text: str = "é"

    model = Later()
    encoder = AdapterEncoder(TypeAdapter(Later), like_dump_json=True)
    assert encoder.encode(model) == '{"n":1,"text":"é"}'.encode()
    field = Later.model_fields["text"]
    field.serialization_alias = field.alias = "Ausdruck"
    Later.model_rebuild(force=True)
    fresh = AdapterEncoder(TypeAdapter(list[Later]), like_dump_json=True)
    assert fresh.encode([model]) == TypeAdapter(list[Later]).dump_json([model], by_alias=True)
    assert b"Ausdruck" in fresh.encode([model])


def test_adapter_of_a_class_that_goes_does_not_keep_its_objects() -> None:
    encoder = AdapterEncoder(TypeAdapter(list[model_samples.Leaf]), like_dump_json=True)
    gc.collect()
    before = len(gc.get_objects())
    for _ in range(200):
        encoder.encode([model_samples.Leaf(), model_samples.Derived()])
    gc.collect()
    assert len(gc.get_objects()) < before + 100


def test_adapter_of_a_circular_model_raises_as_pydantic() -> None:
    tree = model_samples.Tree(name="a")
    tree.children.append(tree)
    adapter = TypeAdapter(model_samples.Tree)
    expected = outcome(lambda: adapter.dump_json(tree, by_alias=True))
    assert outcome(lambda: AdapterEncoder(adapter, like_dump_json=True).encode(tree)) == expected
    assert "Circular reference" in expected[1]


def test_adapter_of_nesting_without_end_in_sight_needs_no_c_stack() -> None:
    tree = model_samples.Tree(name="leaf")
    for _ in range(100_000):
        tree = model_samples.Tree.model_construct(name="n", children=[tree])
    text = AdapterEncoder(TypeAdapter(model_samples.Tree), like_dump_json=True).encode(tree)
    assert text.count(b"[") == 100_001
    while tree.children:  # freed level by level, because a chain of finalisers would recurse in C
        tree = tree.children.pop()


def test_adapter_lets_a_computed_field_do_what_it_likes() -> None:
    class Hostile(BaseModel):
        items: list[Any] = []

        @pydantic.computed_field
        @property
        def last(self) -> int:
            self.items.clear()
            self.__dict__["items"] = None
            gc.collect()
            return 1

    adapter = TypeAdapter(list[Hostile])
    models = [Hostile(items=[Hostile(items=["é"])]), Hostile()]
    text = AdapterEncoder(adapter, like_dump_json=True).encode(models)
    assert text == b'[{"items":[],"last":1},{"items":[],"last":1}]'


def test_adapter_raises_as_pydantic_what_a_computed_field_raises() -> None:
    class Failing(BaseModel):
        n: int = 1

        @pydantic.computed_field
        @property
        def bad(self) -> int:
            raise LookupError("nichts")

    adapter = TypeAdapter(Failing)
    for like_dump_json, expected in (
        (True, outcome(lambda: adapter.dump_json(Failing()))),
        (False, outcome(lambda: adapter.dump_python(Failing(), mode="json"))),
    ):
        encoder = AdapterEncoder(adapter, like_dump_json=like_dump_json)
        assert outcome(lambda encoder=encoder: encoder.encode(Failing())) == expected
        assert "nichts" in expected[1]
