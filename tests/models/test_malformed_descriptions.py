"""Descriptions for the core that nobody would write: each is refused with a reason, or does no harm."""

from __future__ import annotations

import dataclasses
import datetime
import decimal
import gc
import os
import random
import time
import uuid
from collections.abc import Callable, Iterator
from typing import Any, Literal, NamedTuple, TypedDict

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ssrjson_web import Encoder, _core
from ssrjson_web._models.language import (
    Accepted,
    AcceptedField,
    AcceptedModel,
    LoadField,
    LoadRecord,
    ReadField,
    ReadRecord,
    StepWay,
)
from ssrjson_web._models.plan import Plan, PlanField
from ssrjson_web._models.types.describer import Describer
from ssrjson_web._models.types.nodes import Action, Field, Node, Record

MORE = settings(max_examples=max(400, settings().max_examples), deadline=None)
SEEDS = st.integers(0, 2**32)
NUMBERS = (-(2**63), 2**63 - 1, 2**70, -(2**31), 2**31 - 1, -3, -2, -1, 0, 1, 5, 1 << 20)
WORDS = ("", "a", "type", "call", "functions", "model", "tagged", "load", "read", "same", "node", "record", "places")


class Hostile:
    """Whatever the core asks of it runs code that changes the dicts of the description."""

    def __init__(self, dicts: list[Any], random_: random.Random) -> None:
        self.dicts = dicts
        self.random = random_

    def act(self, *arguments: Any) -> Any:
        for one in self.dicts:
            change = self.random.choice(["clear", "add", "pop", "nothing"])
            if change == "clear":
                one.clear()
            elif change == "add":
                one.update({f"added{i}": None for i in range(self.random.choice([1, 50]))})
            elif change == "pop" and one:
                one.popitem()
        return self.random.choice([0, 1, 2**70])

    __call__ = __index__ = __hash__ = act

    def __bool__(self) -> bool:
        return bool(self.act())

    def __float__(self) -> float:
        return float(self.act())

    def __eq__(self, other: object) -> bool:
        return bool(self.act())

    def __repr__(self) -> str:
        self.act()
        return "hostile"


class HostileTuple(tuple):  # type: ignore[type-arg]
    """A named tuple whose names are found by code."""

    acting: Callable[[], Any] = staticmethod(int)
    names: tuple[str, ...] = ()

    @property
    def _fields(self) -> Any:
        self.acting()
        return self.names


class Text(str):
    __slots__ = ()


class Point(NamedTuple):
    x: int
    y: str = "y"


@dataclasses.dataclass
class Slotted:
    __slots__ = ("a", "b")
    a: int
    b: list[int]


class Square(TypedDict):
    kind: Literal["square"]
    side: float


class Circle(TypedDict):
    kind: Literal["circle"]
    radius: float


class Model:
    __slots__ = ("__dict__", "__pydantic_extra__", "__pydantic_fields_set__", "__pydantic_private__")

    def __init__(self) -> None:
        self.a = "a"


class DictModel(dict):  # type: ignore[type-arg]
    __slots__ = ("__dict__", "__pydantic_extra__", "__pydantic_fields_set__", "__pydantic_private__")


TYPES = (int, str, dict, list, tuple, object, type, float, Model, DictModel, Point, time.struct_time, os.stat_result)


def junk(random_: random.Random, dicts: list[Any]) -> Any:
    """Anything but what belongs in a description."""
    hostile = Hostile(dicts, random_)
    tuple_ = HostileTuple(("a",) * random_.choice([2, 3, 5, 8, 17]))
    tuple_.__class__.acting = staticmethod(hostile.act)
    objects: list[Any] = [None, (), ((),), [], {}, "", Text("type"), 1.5, float("nan"), b"a", hostile, len, tuple_]
    objects += [frozenset(["a", 1]), frozenset([1.5]), {"a": 0}, {"a": -1}, {hostile: 1}, True, len, list, set()]
    return random_.choice([random_.choice(several) for several in (objects, NUMBERS, WORDS, TYPES)])


def rebuilt(node: Any, items: list[Any]) -> Any:
    return tuple.__new__(type(node), items)


def mutated(node: Any, random_: random.Random, dicts: list[Any]) -> Any:
    """A description with a fault at a random place, or several."""
    is_tuple = isinstance(node, tuple)
    if random_.random() < 0.15 or not (is_tuple or type(node) is dict) or not node:
        return junk(random_, dicts)
    if not is_tuple:
        changed = dict(node)  # a hostile key of it may change what is in `dicts` already
        key = random_.choice([key for key in node if not isinstance(key, Hostile)] or ["a"])
        value = mutated(node.get(key), random_, dicts)
        if random_.random() < 0.1:
            value = (Accepted(dict, "tagged", tags=changed, tag_key="a"),) * 2
        changed[key] = value
        if random_.random() < 0.2:
            changed[Text(key) if type(key) is str else 5] = value
        dicts.append(changed)
        return changed
    items = list(node)
    if random_.random() < 0.08:
        items = items[:-1] if random_.random() < 0.5 else [*items, items[-1]]
    elif random_.random() < 0.05:
        random_.shuffle(items)
    else:
        for _ in range(random_.choice([1, 1, 1, 2])):
            place = random_.randrange(len(items))
            items[place] = mutated(items[place], random_, dicts)
    return rebuilt(node, items)


# ---- what is mutated


def accepted() -> tuple[Accepted, ...]:
    fields = (
        AcceptedField("a", "a", "A", "a", (Accepted(str, "text", 0, 9),), ("a",)),
        AcceptedField("b", "b", None, None, (Accepted(dict, "model", enclosing=1), Accepted(type(None))), (None,)),
        AcceptedField("c", "c", None, "c", None, factory=list, left_out=([],)),
    )
    model = AcceptedModel(Model, fields, way_of=lambda cls: "own", before=())
    zone = datetime.timezone(datetime.timedelta(hours=1))
    texts = (Accepted(str, "text", 0, 5), Accepted(str, "among", among=frozenset("a")), Accepted(str, "trimmed", 1, 2))
    others = (
        *(Accepted(str, "date", validator=datetime.date.fromisoformat), Accepted(str, "uuid", validator=uuid.UUID)),
        *(Accepted(str, "datetime", validator=datetime.datetime.fromisoformat), Accepted(str, "call", validator=len)),
        *(Accepted(str, "mapped", mapping={"a": 1}), Accepted(str, "decimal", 3, 2)),
        Accepted(str, "bare", validator=len),
        *(Accepted(int, "int", 0, 9), Accepted(int, "real"), Accepted(int, "mapped_or_same", mapping={1: 2})),
        *(Accepted(float, "float", 0.0, 1.0), Accepted(decimal.Decimal, "decimal_text", 5, 2), Accepted(bool)),
        *(Accepted(decimal.Decimal, "quantized", 5, 2), Accepted(datetime.datetime, "iso_z", zone=zone)),
        *(Accepted(datetime.time, "iso"), Accepted(uuid.UUID, "uuid_text"), Accepted(list, "plain")),
        *(Accepted(list, "items", 0, 9, inner=texts), Accepted(tuple, "places", places=(None, texts))),
        *(Accepted(dict, "values", inner=None), Accepted(dict, "model", model=model)),
        Accepted(dict, "tagged", tags={"x": (Accepted(dict, "model", model=model),), "y": None}, tag_key="kind"),
        Accepted(object, "functions", before=(str,), after=(len,), inner=texts),
    )
    return (*texts, *others)


def reads(depth: int = 2) -> ReadRecord:
    inner: tuple[Accepted, ...] = accepted()[::2]
    if depth:
        inner += (Accepted(object, "read", record=reads(depth - 1)),)
        single = ReadRecord((ReadField("a", (), None, 0, 0),), lambda cls, name: StepWay("attribute"), None)
        inner += (Accepted(list, "read_single", record=single),)
    fields = (ReadField("a", ("a",), inner, 0, 1), ReadField("é", ("a", "__class__"), None, 2, 3))
    return ReadRecord(fields, lambda cls, name: StepWay("stored" if cls is Model else "attribute"), None)


def loads(depth: int = 2) -> LoadRecord:
    inner: tuple[Accepted, ...] = accepted()[::2]
    if depth:
        record = loads(depth - 1)
        inner += (Accepted(dict, "load", record=record), Accepted(list, "load", 0, 3, record=record))
    fields = (
        LoadField("a", ("a",), inner, 0, 1, 2, may_be_absent=True),
        LoadField("b", ("in", "b"), None, 3, default=("b",)),
        LoadField("c", (), (), 4, of_whole_dict=True),
    )
    return LoadRecord(fields, "absent", None, 5, 6, 7, 8, 9, 10, 11)


def nodes() -> tuple[Node, ...]:
    parts = (Slotted, Point, Square | Circle, dict[int, datetime.date], set[int], float, uuid.UUID, Literal["a", 1])
    return Describer().describe(tuple[parts])  # type: ignore[valid-type]


def rules() -> Plan:
    text = (Accepted(str), Accepted(str, "among", among=frozenset("a")))
    alternatives = (
        *(Accepted(list, "items", inner=text), Accepted(tuple, "places", places=(text, None))),
        *(Accepted(dict, "values", inner=text), Accepted(datetime.timedelta, "seconds")),
        Accepted(dict, "fields", 1, mapping={"x": 0, "y": 1}, places=(text, None)),
        *(Accepted(float, "finite"), Accepted(float, "float"), Accepted(Model, "derived")),
    )
    fields = (
        PlanField("a", "a", "A", alternatives, lambda value, *options: ["made"]),
        PlanField("b", "b", "b", (Accepted(object, "as_json"),), lambda value, *options: ["made"], default=(1,)),
    )
    return Plan("dict", fields, (PlanField("c", "c", "c"),), lambda value, *options: ["whole"])


# ---- what is done with it


def values() -> Iterator[Any]:
    model = Model()
    yield from ("a", " a ", "2026-01-02", "2026-01-02T03:04:05Z", str(uuid.UUID(int=5)), 1, -5, 2**70, 0.5, True, None)
    yield from (decimal.Decimal("1.50"), datetime.datetime(2026, 1, 2, tzinfo=datetime.timezone.utc), datetime.time(1))
    yield from ([], ["a", "b"], [[[1]]], ("a", "b"), (1,), {}, {"a": "a"}, {"kind": "x", "a": "b"}, model)
    yield {"kind": "y"}
    yield from ({"a": {"a": ["a"]}, "b": {"a": "x", "b": None}}, [{"a": 1}], {1: 2}, [[1]] * 9, datetime.timedelta(1))
    made = {"a": 1, "b": [2]}
    place = [made, [1, "z"], {"kind": "circle", "radius": 1}, {"5": "2026-01-02"}, [1], 1, str(uuid.UUID(int=5)), "a"]
    yield place
    yield from place


def tried(run: Callable[..., Any], *arguments: Any) -> None:
    try:
        run(*arguments)
    except SystemError:
        raise
    except Exception as error:
        if not str(error):
            pytest.fail(f"{type(error)} says nothing")


def called(*arguments: Any) -> Any:
    return arguments[0] if arguments else None


def resolve(number: int) -> Callable[..., Any]:
    return called


def use_acceptance(description: Any) -> None:
    acceptance = _core._Acceptance(description)
    for value in values():
        tried(acceptance.for_text, value)
        tried(acceptance.for_models, value, [])


def use_reader(description: Any) -> None:
    reader = _core._RecordReader(description)
    for value in values():
        tried(reader.read, value, resolve)


def use_loader(description: Any) -> None:
    loader = _core._RecordLoader(description)
    for value in values():
        if type(value) is list:
            tried(loader.load_all, value, resolve)
        tried(loader.load, value, resolve)


def use_nodes(description: Any) -> None:
    plan = _core._TypePlan(description, True)
    for value in values():
        tried(plan.make, value)
        tried(plan.make, [value] * 8)


def use_plan(description: Any) -> None:
    class Planned:
        __ssrjson_plan__ = description
        c = "c"

    for value in values():
        planned = Planned()
        planned.__dict__.update(a=value, b=value)
        tried(Encoder(models=True, natives=True, default=str).encode, [planned])


DESCRIPTIONS: dict[str, tuple[Callable[[], Any], Callable[[Any], None]]] = {
    "acceptance": (accepted, use_acceptance),
    "record that is read": (reads, use_reader),
    "record that is loaded": (loads, use_loader),
    "type plan": (nodes, use_nodes),
    "plan": (rules, use_plan),
}


@pytest.mark.parametrize("name", DESCRIPTIONS)
@given(seed=SEEDS)
@MORE
def test_description_with_faults_is_refused_or_harmless(name: str, seed: int) -> None:
    describe, use = DESCRIPTIONS[name]
    dicts: list[Any] = []
    description = mutated(describe(), random.Random(seed), dicts)
    try:
        use(description)
    except (TypeError, ValueError, OverflowError) as error:
        if not str(error):
            pytest.fail(f"{type(error)} says nothing")
    for one in dicts:
        one.clear()
    if seed % 50 == 0:
        gc.collect()


@pytest.mark.parametrize("name", DESCRIPTIONS)
def test_description_without_faults_is_taken(name: str) -> None:
    describe, use = DESCRIPTIONS[name]
    use(describe())


# ---- faults that no random description is likely to have


class Acting:
    """A truth value or number that runs a function when it is asked for."""

    def __init__(self, act: Callable[[], Any]) -> None:
        self.act = act

    def __bool__(self) -> bool:
        self.act()
        return False

    def __index__(self) -> int:
        self.act()
        return 0

    __float__ = __index__  # type: ignore[assignment]


def model_with(forbids_extra: Any) -> tuple[Accepted, ...]:
    model = AcceptedModel(Model, (), forbids_extra=forbids_extra)
    return (Accepted(dict, "model", model=model),)


def test_tags_that_change_while_they_are_compiled_are_those_of_before() -> None:
    tags: dict[str, Any] = {}

    def change() -> None:
        tags.clear()
        tags.update({f"new{i}": (Accepted(dict),) for i in range(100)})

    tags.update(a=model_with(Acting(change)), b=(Accepted(str),))
    acceptance = _core._Acceptance((Accepted(dict, "tagged", tags=tags, tag_key="kind"),))
    assert len(tags) == 100
    assert acceptance.for_text({"kind": "new5"}) is NotImplemented
    assert acceptance.for_text({"kind": "a"}) == {}


def test_actions_that_change_while_they_are_compiled_are_those_of_before() -> None:
    actions: dict[Any, Any] = {}
    record = Record("dict", dict, (Field("a", "a", -1, True),), forbids_unknown=Acting(actions.clear))  # type: ignore[arg-type]
    actions.update(object=Action("record", record=record), array=Action("list", nodes=(-1,)))
    plan = _core._TypePlan((Node("anything", actions),), False)
    assert not actions
    assert plan.make([1]) == [1]
    assert plan.make({"a": 1}) == {"a": 1}


def test_tags_that_change_after_they_are_compiled_are_those_of_before() -> None:
    places = {"a": 0}
    action = Action("tagged", mapping=places, expected="'a'", tag_key="kind", nodes=(1,))
    plan = _core._TypePlan(
        (Node("x", {"object": action}), Node("x", {"object": Action("dict", nodes=(-1, -1))})), False
    )
    places["b"] = 10**6
    assert plan.make({"kind": "a"}) == {"kind": "a"}
    with pytest.raises(ValueError, match="Expected 'a', got 'b'"):
        plan.make({"kind": "b"})


@pytest.mark.parametrize("cls", [time.struct_time, os.stat_result])
def test_record_of_a_class_that_is_laid_out_in_another_way_is_refused(cls: type) -> None:
    record = Record("tuple", cls, (Field("a", "a", -1, True),))
    action = Action("places", call=cls, record=record, least=1, nodes=(-1,))
    with pytest.raises(TypeError, match="cannot make 'places' of array"):
        _core._TypePlan((Node("x", {"array": action}),), False)


def test_model_that_object_does_not_make_is_left_to_the_library() -> None:
    for cls in (Model, DictModel):
        model = AcceptedModel(cls, (AcceptedField("a", "a", None, "a", None),))
        made = _core._Acceptance((Accepted(dict, "model", model=model),)).for_models({"a": "b"})
        assert made is NotImplemented if cls is DictModel else made.a == "b"


@pytest.mark.parametrize("number", [-(2**63), -1])
@pytest.mark.parametrize("check", ["quantized", "decimal_text"])
def test_negative_number_of_digits_is_refused(check: Any, number: int) -> None:
    with pytest.raises(TypeError, match="has no such text"):
        _core._Acceptance((Accepted(decimal.Decimal, check, 5, number),))


def test_first_bound_that_is_none_is_told() -> None:
    def refuse() -> None:
        raise KeyError("on purpose")

    for bounds in ((Acting(refuse), 5), (5, Acting(refuse)), (Acting(refuse), Acting(refuse))):
        for cls, check in ((int, "int"), (float, "float")):
            with pytest.raises(KeyError, match="on purpose"):
                _core._Acceptance((Accepted(cls, check, *bounds),))  # type: ignore[arg-type]


@pytest.mark.parametrize("number", [2**20, 2**31 - 2, 2**31 - 1, -3, 2**70])
def test_number_that_no_call_has_is_refused(number: int) -> None:
    with pytest.raises((ValueError, OverflowError), match=r"number of a call|too large"):
        _core._RecordReader(ReadRecord((ReadField("a", ("a",), None, 0, number),), len, None))  # type: ignore[arg-type]


def make_nodes(actions: Any) -> _core._TypePlan:
    return _core._TypePlan((Node("x", actions),), True)


@pytest.mark.parametrize(
    ("make", "description"),
    [
        (_core._RecordReader, ReadRecord((), 5, None)),  # type: ignore[arg-type]
        (_core._Acceptance, (Accepted(dict, "model", model=AcceptedModel(Model, (), way_of=5)),)),  # type: ignore[arg-type]
        (
            _core._Acceptance,
            (Accepted(dict, "model", model=AcceptedModel(Model, (AcceptedField("a", "a", None, "a", None, (), 5),))),),  # type: ignore[arg-type]
        ),
        (make_nodes, {"int": Action("same", check=5)}),  # type: ignore[arg-type]
        (make_nodes, {"object": Action("record", record=Record("dict", dict, (Field("a", "a", -1, True, (), 5),)))}),  # type: ignore[arg-type]
        (make_nodes, {"array": Action("mapped", mapping={}, expected="x")}),
    ],
)
def test_what_cannot_be_called_or_looked_up_is_refused(make: Any, description: Any) -> None:
    with pytest.raises(TypeError, match=r"callable|cannot make 'mapped' of array"):
        make(description)


def test_names_of_a_tuple_are_found_without_code_of_its_class() -> None:
    HostileTuple.acting = staticmethod(pytest.fail)  # type: ignore[assignment]
    HostileTuple.names = Accepted._fields
    with pytest.raises(TypeError, match="expected a named tuple with the fields exact_type"):
        _core._Acceptance((HostileTuple(Accepted(str)),))  # type: ignore[arg-type]
