"""Plans that a class provides itself: their rules are checked, and Python code may change objects meanwhile."""

from __future__ import annotations

import gc
import json
from typing import Any

import pytest

from ssrjson_web import Encoder, get_current_features
from ssrjson_web._models.language import Accepted, Rule
from ssrjson_web._models.plan import Plan, PlanField

IS_FREE_THREADED = get_current_features()["free_threading"]

pytestmark = pytest.mark.usefixtures("isa")


def convert(value: Any, *_options: bool) -> Any:
    return {"converted": type(value).__name__}


class Holder:
    """Attributes in a `__dict__` of their own."""

    def __init__(self, **attributes: Any) -> None:
        self.__dict__.update(attributes)


def class_of(plan: Any) -> Any:
    return type("Planned", (Holder,), {"__ssrjson_plan__": plan})


def plan_of_rule(rule: Any) -> Plan:
    return Plan("dict", (PlanField("a", "a", "A", rule, convert),), convert=convert)


def rule_of(*arguments: Any, **options: Any) -> Rule:
    return (Accepted(*arguments, **options),)


INT = rule_of(int)
STR = rule_of(str)
ADMITTED: dict[str, tuple[Rule, Any, Any]] = {
    "type": (STR, "é", 5),
    "finite": (rule_of(float, "finite"), 1.5, float("inf")),
    "among": (rule_of(str, "among", among=frozenset(["é", "b"])), "é", "c"),
    "among ints": (rule_of(int, "among", among=frozenset([1, 2])), 2, 3),
    "items": (rule_of(list, "items", inner=INT), [1, 2], [1, "a"]),
    "items of a tuple": (rule_of(tuple, "items", inner=INT), (1, 2), (1, "a")),
    "items of anything": (rule_of(list, "items", inner=None), [1, "a"], (1,)),
    "items within items": (
        rule_of(list, "items", inner=rule_of(list, "items", inner=INT)),
        [[1], []],
        [[1], [None]],
    ),
    "places": (rule_of(tuple, "places", places=(INT, STR)), (1, "a"), (1, 2)),
    "places, too many": (rule_of(tuple, "places", places=(INT,)), (1,), (1, 2)),
    "values": (rule_of(dict, "values", inner=INT), {"a": 1}, {"a": "b"}),
    "values under other keys": (rule_of(dict, "values", inner=INT), {}, {1: 1}),
    "fields": (
        rule_of(dict, "fields", 1, mapping={"a": 0, "b": 1}, places=(INT, STR)),
        {"a": 1, "b": "c"},
        {"b": "c"},
    ),
    "fields, unknown": (rule_of(dict, "fields", mapping={"a": 0}, places=(INT,)), {}, {"b": 1}),
    "no fields": (rule_of(dict, "fields", mapping={}, places=()), {}, {"b": 1}),
}


@pytest.mark.parametrize("name", ADMITTED)
def test_rule_admits_what_fits_and_has_the_rest_converted(name: str) -> None:
    rule, fit, unfit = ADMITTED[name]
    cls = class_of(plan_of_rule(rule))
    encoder = Encoder(models="python")  # models=True writes infinities as null
    assert encoder.encode(cls(a=fit)) == Encoder().encode({"a": fit})
    assert encoder.encode([cls(a=unfit)]) == f'[{{"a":{{"converted":"{type(unfit).__name__}"}}}}]'.encode()


def test_rule_of_known_keys_leaves_none_to_the_library_where_none_is_excluded() -> None:
    rule = rule_of(dict, "fields", 1, mapping={"x": 0}, places=(None,))
    model = class_of(plan_of_rule(rule))(a={"x": None})
    assert Encoder(models=True).encode(model) == b'{"a":{"x":null}}'
    assert Encoder(models=True, exclude_none=True).encode(model) == b'{"a":{"converted":"dict"}}'


class Sly(str):
    """A key whose comparison is Python code."""

    __slots__ = ()
    __hash__ = str.__hash__

    def __eq__(self, other: object) -> bool:
        raise KeyError("compared")


REFUSED: dict[str, Any] = {
    "finite str": rule_of(str, "finite"),
    "finite object": rule_of(object, "finite"),
    "items of a dict": rule_of(dict, "items", inner=None),
    "places of a list": rule_of(list, "places", places=(None,)),
    "values of a list": rule_of(list, "values", inner=None),
    "fields of a list": rule_of(list, "fields", mapping={"a": 0}, places=(None,)),
    "fields among a set": rule_of(dict, "among", among=frozenset("a")),
    "place beyond the rules": rule_of(dict, "fields", mapping={"a": 1}, places=(None,)),
    "place before the rules": rule_of(dict, "fields", mapping={"a": -1}, places=(None,)),
    "place that is huge": rule_of(dict, "fields", mapping={"a": 1 << 80}, places=(None,)),
    "place that is none": rule_of(dict, "fields", mapping={"a": "x"}, places=(None,)),
    "key of a subclass": rule_of(dict, "fields", mapping={Sly("a"): 0}, places=(None,)),
    "one among of a subclass": rule_of(str, "among", among=frozenset([Sly("a")])),
    "no such check": rule_of(str, "nichts"),
    "no rule": ("x",),
    "no alternative": ((1, 2),),
}


@pytest.mark.parametrize("name", REFUSED)
def test_rule_that_cannot_be_checked_is_refused(name: str) -> None:
    model = class_of(plan_of_rule(REFUSED[name]))(a="a")
    with pytest.raises((TypeError, ValueError)):
        Encoder(models=True).encode(model)


def test_plan_of_a_field_with_a_name_of_a_subclass_is_refused() -> None:
    plan = Plan("dict", (PlanField(Sly("a"), "a", "a"),), convert=convert)
    with pytest.raises(TypeError, match="subclass"):
        Encoder(models=True).encode(class_of(plan)(a=1))


def test_plan_of_a_computed_field_that_nothing_converts_is_refused() -> None:
    cls = class_of(Plan("dict", computed=(PlanField("c", "c", "c", STR),), convert=convert))
    with pytest.raises(TypeError, match="computed field"):
        Encoder(models=True).encode(cls(c=5))


def test_rule_is_not_changed_by_who_made_it() -> None:
    known = {"x": 0}
    model = class_of(plan_of_rule(rule_of(dict, "fields", mapping=known, places=(INT,))))(a={"x": 1})
    encoder = Encoder(models=True)
    for _ in range(2):  # without the GIL the first plan changes the class, and the next one counts
        assert encoder.encode(model) == b'{"a":{"x":1}}'
    known["x"] = 1_000_000
    assert encoder.encode(model) == b'{"a":{"x":1}}'


@pytest.mark.parametrize("by_alias", [False, True], ids=["in place", "by pairs"])
def test_object_that_goes_while_its_plan_is_made_is_written(by_alias: bool) -> None:
    class Clearing(type):
        def __getattribute__(cls, name: str) -> Any:
            if models and name == "__dict__":
                models.clear()
                gc.collect()
            return super().__getattribute__(name)

    class Model(Holder, metaclass=Clearing):
        __ssrjson_plan__ = plan_of_rule(None)

    encoder = Encoder(models=True, by_alias=by_alias)
    models = [Model(a=["é" * 3])]
    assert encoder.encode(models) == f'[{{"{"aA"[by_alias]}":["ééé"]}}]'.encode()
    assert models == []


def test_class_that_changes_while_its_plan_is_made_gets_another_plan() -> None:
    class Changing(type):
        def __getattribute__(cls, name: str) -> Any:
            found = super().__getattribute__(name)
            if name == "__ssrjson_plan__" and found is first:
                cls.__ssrjson_plan__ = Plan("dict", (PlanField("a", "a", "b"),), convert=convert)
            return found

    first = Plan("dict", (PlanField("a", "a", "a"),), convert=convert)
    model = Changing("Model", (Holder,), {"__ssrjson_plan__": first})(a=1)
    encoder = Encoder(models=True, by_alias=True)
    assert encoder.encode(model) == b'{"a":1}'
    assert encoder.encode(model) == b'{"b":1}'
    assert encoder.encode(model) == b'{"b":1}'


def test_class_that_changes_often_is_written_by_its_plan_of_the_day() -> None:
    cls = class_of(None)
    encoder = Encoder(models=True, by_alias=True)
    for i in range(1500):
        cls.__ssrjson_plan__ = Plan("dict", (PlanField("a", "a", f"k{i}"),), convert=convert)
        assert encoder.encode([cls(a=1), cls(a=2)]) == f'[{{"k{i}":1}},{{"k{i}":2}}]'.encode()


def test_classes_that_come_and_go_are_told_apart() -> None:
    encoder = Encoder(models=True, by_alias=True)
    for i in range(3000):
        cls = class_of(Plan("dict", (PlanField("a", "a", f"k{i}"),), convert=convert))
        assert encoder.encode(cls(a=i)) == f'{{"k{i}":{i}}}'.encode()


def test_computed_field_may_change_all_that_is_under_way() -> None:
    class Model(Holder):
        __ssrjson_plan__ = Plan(
            "dict", (PlanField("a", "a", "a", INT, convert),), (PlanField("c", "c", "c"),), convert=convert
        )

        @property
        def c(self) -> Any:
            models.clear()
            self.__dict__.clear()
            Model.changed = len(models)  # type: ignore[attr-defined]
            gc.collect()
            return ["é" * 3]

    models: list[Any] = [Model(a="x" * 9), Model(a=2)]
    # without the GIL a list is written as it was when it was reached
    rest = ',{"a":2,"c":["ééé"]}' if IS_FREE_THREADED else ""
    assert Encoder(models=True).encode(models) == f'[{{"a":{{"converted":"str"}},"c":["ééé"]}}{rest}]'.encode()
    models += [{"k": Model(a=1), "l": "é" * 3}, 2]
    rest = ",2" if IS_FREE_THREADED else ""
    assert Encoder(models=True).encode(models) == f'[{{"k":{{"a":1,"c":["ééé"]}},"l":"ééé"}}{rest}]'.encode()


def test_stream_of_models_survives_their_change_between_chunks() -> None:
    cls = class_of(plan_of_rule(None))
    models = [cls(a=["é" * 30 for _ in range(5)]), cls(a=1)]
    encoder = Encoder(models=True)
    encoder.encode(models)  # its plan is there, and the dict is walked as it stands
    chunks = encoder.iterencode(models, 1)
    text = next(chunks) + next(chunks)
    models[0].__dict__.clear()
    models.clear()
    gc.collect()
    if IS_FREE_THREADED:  # a model is written as it was when it was reached
        assert json.loads(text + b"".join(chunks)) == [{"a": ["é" * 30] * 5}]
        return
    with pytest.raises(RuntimeError, match="changed size"):
        text += b"".join(chunks)
    assert text == b"[{"
