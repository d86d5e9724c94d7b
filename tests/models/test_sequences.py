"""Tuples, sequences and sets within models: as pydantic makes and writes them, or left to it."""

from __future__ import annotations

import collections
import decimal
import typing
import uuid
from collections.abc import Iterator, Sequence
from typing import Annotated, Any, NamedTuple

import pydantic
import pytest
from check_models.functions import Row, assert_made_alike
from helpers.pydantic_outcome import outcome, text_of
from pydantic import AfterValidator, BaseModel, ConfigDict, Field, TypeAdapter, create_model

from ssrjson_web._models.adapter import AdapterEncoder, bodies_maker, models_obstacle
from ssrjson_web._models.pydantic.sequences import list_of_sequence

HAS_OTHER_DEQUES = tuple(map(int, pydantic.VERSION.split(".")[:2])) < (2, 10)  # made by functions


class Item(BaseModel):
    name: str = "a"

    def model_post_init(self, context: Any, /) -> None:
        """An effect that only the making of a model has."""


class Held(BaseModel):
    run: tuple[Item, ...] = ()
    pair: tuple[int, Item] | None = None
    short: Annotated[tuple[int, ...], Field(min_length=1, max_length=2)] = (1,)
    nothing: tuple[()] = ()
    sequence: Sequence[Item] = ()
    deep: typing.Sequence[tuple[Sequence[int], ...]] | None = None
    ids: set[int] = Field(default_factory=set)
    names: frozenset[str] = frozenset()
    latest: typing.Deque[int] | None = None  # noqa: UP006

    def model_post_init(self, context: Any, /) -> None:
        """As above."""


class Lists(list[Any]):
    pass


class Tuples(tuple[Any, ...]):
    __slots__ = ()


class Pair(NamedTuple):
    n: int
    item: Any


class Disguised:
    """An object that says that it is a list."""

    @property
    def __class__(self) -> Any:
        return list

    def __iter__(self) -> Iterator[Any]:
        return iter([1])

    def __len__(self) -> int:
        return 1

    def __repr__(self) -> str:
        return "Disguised()"


VALUES: list[tuple[Any, int]] = [
    ({"run": [{"name": "x"}, {}], "pair": [1, {}], "short": [1, 2], "nothing": [], "sequence": [{}]}, 2),
    ({"deep": [[[1], []], []], "short": [3]}, 2),
    ({"run": ({"name": "x"},), "pair": (1, Row(name="b")), "short": (1, 2), "nothing": ()}, 1),
    ({"sequence": ({"name": "x"}, Item()), "deep": (((1,), [2]), ()), "short": [1]}, 1),
    ({"run": [Item(name="kept")], "sequence": [Item()], "short": [1]}, 2),
    ({"run": [{"name": 1}], "short": [1]}, 0),
    ({"run": [{}], "pair": [1], "short": [1, 2, 3], "nothing": [1], "sequence": "text", "deep": [[1]]}, 0),
    ({"run": Lists([{}]), "short": [1]}, 0),
    ({"run": Tuples(({},)), "short": [1]}, 0),
    ({"pair": Pair(1, {}), "short": [1]}, 0),
    ({"sequence": Lists([{}]), "short": [1]}, 0),
    ({"sequence": Pair(1, {}), "short": [1]}, 0),
    ({"sequence": range(2), "short": [1]}, 0),
    ({"sequence": collections.deque([{}]), "short": [1]}, 0),
    ({"run": {0: {}}.values(), "short": [1]}, 0),
    ({"run": Disguised(), "short": [1]}, 0),
    ({"sequence": Disguised(), "short": [1]}, 0),
    ({"sequence": {"name": "x"}, "short": [1]}, 0),
    ({"run": None, "short": [1]}, 0),
    ({"ids": [1, 2, 1], "names": ["é"], "latest": [3], "short": [1]}, 2),
    ({"ids": {1, 2}, "names": frozenset("a"), "latest": (3,), "short": [1]}, 1),
    ({"ids": ["1"], "short": [1]}, 2),
    ({"ids": [Row()], "short": [1]}, 0),
    ({"ids": ["x"], "names": [1], "short": [1]}, 0),
    ({"ids": [[1]], "short": [1]}, 0),
]


@pytest.mark.parametrize(("value", "n_made"), VALUES, ids=repr)
def test_models_get_the_sequences_that_pydantic_makes(value: Any, n_made: int) -> None:
    n_alike = assert_made_alike(TypeAdapter(Held), lambda: value)
    assert n_alike == n_made or (HAS_OTHER_DEQUES and "latest" in value)


@pytest.mark.parametrize("value", [value for value, _ in VALUES], ids=repr)
@pytest.mark.parametrize("options", [{}, {"exclude_defaults": True}, {"exclude_unset": True}], ids=repr)
def test_texts_of_sequences_are_those_of_pydantic(value: Any, options: Any) -> None:
    adapter = TypeAdapter(Held)
    encoder = AdapterEncoder(adapter, like_dump_json=True, **options)
    body = encoder.encode_unvalidated(value)
    if body:
        assert outcome(lambda: body) == outcome(lambda: adapter.dump_json(adapter.validate_python(value), **options))


def test_iterators_are_left_to_pydantic_and_pulled_once() -> None:
    pulled: list[int] = []

    def numbers() -> Iterator[int]:
        for n in range(3):
            pulled.append(n)
            yield n

    declared = create_model("Run", run=(tuple[int, ...], ...))
    adapter = TypeAdapter(declared)
    encoder = AdapterEncoder(adapter, like_dump_json=True)
    maker = bodies_maker(adapter)
    assert maker is not None
    given: dict[str, Any] = {"run": numbers()}
    assert encoder.encode_unvalidated(given) is None
    assert maker.make(given) == (NotImplemented, None)
    assert pulled == []
    assert adapter.validate_python(given).run == (0, 1, 2)


@pytest.mark.parametrize("outer", ["tuple", "sequence"])
def test_list_that_a_validator_changes_while_it_is_read(outer: str) -> None:
    items: list[Any] = []

    def change(n: int) -> int:
        del items[2:]
        items.extend([7] * (n == 0))
        return n

    item: Any = Annotated[int, AfterValidator(change)]
    adapter = TypeAdapter(create_model("Changed", run=(tuple[item, ...] if outer == "tuple" else Sequence[item], ...)))
    maker = bodies_maker(adapter)
    assert maker is not None
    items[:] = [0, 1, 2, 3]
    made, replay = maker.make({"run": items})
    assert made is NotImplemented
    assert replay is not None
    items[:] = [0, 1, 2, 3]
    assert type(replay.validate_python({"run": items}).run) is (tuple if outer == "tuple" else list)


def test_sequences_of_what_strict_types_refuse_are_left_to_pydantic() -> None:
    class Exact(BaseModel):
        pair: tuple[int, int] = Field(strict=True)

    maker = bodies_maker(TypeAdapter(Exact))
    assert maker is None or maker.make({"pair": [1, 2]})[0] is NotImplemented


def test_tuples_in_tuples_are_made_to_the_depth_of_other_containers() -> None:
    declared: Any = int
    value: Any = 1
    for _ in range(14):
        declared, value = tuple[declared, ...], [value]
    deep = create_model("Deep", run=(declared, ...))
    adapter = TypeAdapter(deep)
    assert models_obstacle(adapter) == ""
    assert assert_made_alike(adapter, lambda: {"run": value}) == 2
    assert text_of(deep, {"run": value}) is not None


def test_only_the_sequences_of_pydantic_are_known() -> None:
    def schema_of(declared: Any) -> Any:
        return TypeAdapter(declared).core_schema

    known = schema_of(Sequence[str])
    assert list_of_sequence(known) == {"type": "list", "items_schema": {"type": "str"}}
    assert list_of_sequence(schema_of(typing.Sequence[str])) is not None
    assert list_of_sequence({**known, "serialization": {"type": "any"}}) is None
    assert list_of_sequence({**known, "strict": True}) is None
    steps = [known["python_schema"]["steps"][0], {**known["python_schema"]["steps"][1], "function": len}]
    assert list_of_sequence({**known, "python_schema": {"type": "chain", "steps": steps}}) is None
    other = [{"type": "is-instance", "cls": list}, known["python_schema"]["steps"][1]]
    assert list_of_sequence({**known, "python_schema": {"type": "chain", "steps": other}}) is None


def test_union_that_only_scalars_are_accepted_of_is_an_obstacle() -> None:
    adapter = TypeAdapter(create_model("Held", data=(dict[str, Any] | Any | None, None)))
    encoder = AdapterEncoder(adapter, like_dump_json=True)
    assert encoder.encode_unvalidated({"data": {"a": 1}}) is None
    assert encoder.obstacle == "Held.data: the type union"
    scalars = TypeAdapter(create_model("Scalars", data=(decimal.Decimal | uuid.UUID, ...)))
    assert AdapterEncoder(scalars, like_dump_json=True).obstacle == ""


def test_sets_of_floats_are_left_to_pydantic() -> None:
    class Constants(BaseModel):
        model_config = ConfigDict(ser_json_inf_nan="constants")
        held: set[float]

    adapter = TypeAdapter(Constants)
    encoder = AdapterEncoder(adapter, like_dump_json=True)
    for value in (float("-inf"), "nan", 1.5):
        assert encoder.encode_unvalidated({"held": [value]}) is None
    assert encoder.obstacle == "Constants.held: the type set"


def test_sets_of_models_are_an_obstacle() -> None:
    class Frozen(BaseModel, frozen=True):
        n: int

    adapter = TypeAdapter(create_model("Sets", held=(set[Frozen], set())))
    encoder = AdapterEncoder(adapter, like_dump_json=True)
    assert encoder.encode_unvalidated({"held": [{"n": 1}]}) is None
    assert encoder.obstacle == "Sets.held: the type set"
    within = TypeAdapter(create_model("Within", held=(tuple[set[Frozen], int], ...)))
    assert AdapterEncoder(within, like_dump_json=True).obstacle == "Within.held: the type tuple"
