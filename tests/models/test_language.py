"""The language of values: the core has the ops that Python names, each for its use, and refuses all else."""

from __future__ import annotations

import datetime
import decimal
import re
import uuid
from collections.abc import Callable
from pathlib import Path
from typing import Any, get_args

import pytest
from helpers import records_reference

from ssrjson_web import Encoder, _core
from ssrjson_web._models import language
from ssrjson_web._models.language import (
    Accepted,
    AcceptedField,
    AcceptedModel,
    FindingWay,
    LoadRecord,
    Op,
    ReadField,
    ReadingWay,
    ReadRecord,
    Rule,
    StepWay,
)
from ssrjson_web._models.plan import Plan, PlanField
from ssrjson_web._models.types.nodes import Kind, Make, Style

SCHEMA = Path(__file__).parents[2] / "core" / "schema"
ROW = re.compile(r'^    OP\(\w+, "(\w+)", ([^,]+), ([^,]+), (\w+), ', re.MULTILINE)
ROWS = ROW.findall((SCHEMA / "op_list.h").read_text("utf-8"))
MAKING = {name for name, made, *_ in ROWS if made != "OF_NOTHING"}
FITTING = {name for name, _, fits, _ in ROWS if fits != "OF_NOTHING"}


SCHEMA_MAX_DEPTH, VALUE_MAX_DEPTH = 48, 32
OF_VALIDATORS = {"among", "bare", "functions", "model", "places", "plain", "tagged", "text"}
"""Ops that no serializer's record has: they replace pydantic's validators, against which its own tests hold them."""


class Model:
    name = "a"


A_FIELD = AcceptedField("name", "name", None, "name", (Accepted(str),))
MADE = {
    "type": Accepted(bytes),
    "int": Accepted(int, "int", 0, 9),
    "float": Accepted(float, "float", 0.5, 1.0),
    "text": Accepted(str, "text", 1, 9),
    "among": Accepted(str, "among", among=frozenset("a")),
    "plain": Accepted(list, "plain"),
    "real": Accepted(int, "real"),
    "call": Accepted(bytes, "call", validator=len),
    "date": Accepted(str, "date", validator=len),
    "datetime": Accepted(str, "datetime", validator=len),
    "uuid": Accepted(str, "uuid", validator=len),
    "bare": Accepted(str, "bare", 0, 9, validator=len),
    "trimmed": Accepted(str, "trimmed", 1, 9, among=frozenset([""]), validator=len),
    "whole": Accepted(str, "whole"),
    "mapped": Accepted(str, "mapped", mapping={"a": 1}),
    "mapped_or_same": Accepted(int, "mapped_or_same", mapping={1: "a"}),
    "decimal": Accepted(str, "decimal", 3, 2),
    "decimal_text": Accepted(decimal.Decimal, "decimal_text", 5, 2),
    "quantized": Accepted(decimal.Decimal, "quantized", 5, 2),
    "iso": Accepted(datetime.time, "iso"),
    "iso_z": Accepted(datetime.datetime, "iso_z", zone=datetime.timezone.utc),
    "uuid_text": Accepted(uuid.UUID, "uuid_text"),
    "read": Accepted(object, "read", record=ReadRecord((), lambda cls, name: StepWay("attribute"), None)),
    "read_single": Accepted(
        object, "read_single", record=ReadRecord((ReadField("a", (), None),), lambda cls, name: StepWay("item"), None)
    ),
    "load": Accepted(dict, "load", record=LoadRecord((), None, None, 0, 1, 2)),
    "functions": Accepted(object, "functions", before=(len,), after=(len, str), inner=(Accepted(int),)),
    "items": Accepted(list, "items", 0, 9, inner=None),
    "tuple": Accepted(list, "tuple", inner=(Accepted(list, "items", inner=None),)),
    "places": Accepted(tuple, "places", places=(None,)),
    "values": Accepted(dict, "values", inner=None),
    "model": Accepted(dict, "model", model=AcceptedModel(Model, (A_FIELD,))),
    "tagged": Accepted(dict, "tagged", tags={"a": None}, tag_key="a"),
}
FITTED = {
    "type": Accepted(bytes),
    "derived": Accepted(Model, "derived"),
    "float": Accepted(float, "float"),
    "finite": Accepted(float, "finite"),
    "among": Accepted(str, "among", among=frozenset("a")),
    "seconds": Accepted(datetime.timedelta, "seconds"),
    "items": Accepted(set, "items", inner=None),
    "places": Accepted(tuple, "places", places=(None,)),
    "values": Accepted(dict, "values", inner=None),
    "fields": Accepted(dict, "fields", 1, mapping={"a": 0}, places=(None,)),
    "as_pydantic": Accepted(object, "as_pydantic"),
    "as_msgspec": Accepted(object, "as_msgspec"),
    "as_json": Accepted(object, "as_json"),
}


def use_to_make(described: Accepted) -> None:
    if described.record is None:
        _core._Acceptance((described,))
        return
    with pytest.raises(TypeError, match="only a record has records within"):
        _core._Acceptance((described,))
    _core._RecordReader(ReadRecord((ReadField("a", (), (described,), 0),), len, None))  # type: ignore[arg-type]


def fits(value: object, rule: Rule) -> bool:
    """Whether the walk writes a value as it is."""
    field = PlanField("a", "a", "a", rule, lambda value, *options: "converted")
    plan = Plan("dict", (field,), convert=lambda value, *options: "whole")
    made: Any = type("Planned", (), {"__ssrjson_plan__": plan})()
    made.__dict__["a"] = value
    return Encoder(models=True).encode(made) != b'{"a":"converted"}'


def use_to_fit(described: Accepted) -> None:
    assert not fits(object(), (described,))


def test_ops_of_python_are_those_of_the_core() -> None:
    assert sorted(get_args(Op)) == sorted(name for name, *_ in ROWS)
    for examples, ops, name in ((MADE, MAKING, "MADE"), (FITTED, FITTING, "FITTED")):
        assert examples.keys() == ops, f"{name} above has an example for each such op, and for no other"


def test_meaning_of_each_op_is_told() -> None:
    _, making, fitting = re.split(r"^The ops that .+ values.*:$", language.__doc__ or "", flags=re.MULTILINE)
    for text, ops in ((making, MAKING), (fitting, FITTING)):
        told = set(re.findall(r"`(\w+)`(?=:\s|, `|, of a)", text.partition("\nBounds are")[0]))
        assert sorted(ops - told) == [], "the docstring of _models/language.py lacks these"


def test_reference_of_records_knows_each_op_that_they_have() -> None:
    cases = records_reference.known_ops()
    assert sorted(MAKING - cases - OF_VALIDATORS) == [], "`check` of helpers/records_reference.py lacks a case of these"
    assert sorted(cases - MAKING) == [], "`check` of helpers/records_reference.py has cases of what makes no values"


@pytest.mark.parametrize(
    ("names", "header", "macro"),
    [
        (get_args(ReadingWay), "node.h", "WAY"),
        (get_args(FindingWay), "record.h", "WAY"),
        (("nothing", *get_args(Make)), "typed.h", "MAKE"),
        (get_args(Style), "typed.h", "STYLE"),
        (get_args(Kind), "typed.h", "KIND"),
    ],
    ids=["reading ways", "finding ways", "makes", "styles", "kinds"],
)
def test_other_words_of_python_are_those_of_the_core(names: tuple[str, ...], header: str, macro: str) -> None:
    rows = re.findall(rf'^    {macro}\(\w+, "(\w+)"', (SCHEMA / header).read_text("utf-8"), re.MULTILINE)
    assert sorted(names) == sorted(rows)


@pytest.mark.parametrize("op", get_args(Op))
def test_core_takes_an_op_for_its_use_only(op: str) -> None:
    uses: Any = ((MADE, FITTED, use_to_make), (FITTED, MADE, use_to_fit))
    assert op in MADE.keys() | FITTED.keys(), "MADE or FITTED above lacks an example of it"
    for described, others, use in uses:
        if op in described:
            use(described[op])
        else:
            with pytest.raises(TypeError, match=f"an alternative cannot have the op '{op}' with <class"):
                use(others[op])


@pytest.mark.parametrize("described", [Accepted(object, "as_json")._replace(exact_type=str), Accepted(dict, "places")])
def test_op_that_does_not_suit_a_type_is_refused(described: Accepted) -> None:
    with pytest.raises(TypeError, match="an alternative cannot have the op"):
        use_to_fit(described)


@pytest.mark.parametrize("bounds", [{"least": 1}, {"greatest": 1}])
@pytest.mark.parametrize("described", [Accepted(float, "float"), Accepted(list, "items"), Accepted(tuple, "places")])
def test_bounds_that_the_walk_does_not_compare_are_refused(described: Accepted, bounds: Any) -> None:
    with pytest.raises(TypeError, match="lacks what it is checked by"):
        use_to_fit(described._replace(**bounds, places=()))


def nested(n: int, innermost: Any, outer: Callable[[Any], Any]) -> Any:
    for _ in range(n):
        innermost = outer(innermost)
    return innermost


@pytest.mark.parametrize(
    ("op", "hold"),
    [
        ("items", lambda inner: (Accepted(list, "items", inner=inner),)),
        ("places", lambda inner: (Accepted(tuple, "places", places=(inner,)),)),
        ("values", lambda inner: (Accepted(dict, "values", inner=inner),)),
        ("fields", lambda inner: (Accepted(dict, "fields", mapping={"a": 0}, places=(inner,)),)),
    ],
)
def test_rule_is_compared_as_deep_as_a_description_may_be(op: str, hold: Callable[[Any], Rule]) -> None:
    outer: dict[str, Callable[[Any], Any]] = {"items": lambda value: [value], "places": lambda value: (value,)}
    value_of = outer.get(op, lambda value: {"a": value})
    deepest = nested(SCHEMA_MAX_DEPTH - 1, (Accepted(str),), hold)
    assert fits(nested(SCHEMA_MAX_DEPTH - 1, "é", value_of), deepest)
    assert not fits(nested(SCHEMA_MAX_DEPTH - 1, 5, value_of), deepest)
    with pytest.raises(ValueError, match="nested deeper than 48"):
        fits("é", hold(deepest))


@pytest.mark.parametrize("outer", [lambda value: [value], lambda value: {"a": value}], ids=["lists", "dicts"])
def test_values_of_no_declared_type_are_looked_into_to_a_limit(outer: Callable[[Any], Any]) -> None:
    plain = _core._Acceptance((Accepted(list, "plain"), Accepted(dict, "plain")))
    for n, is_known in ((VALUE_MAX_DEPTH, True), (VALUE_MAX_DEPTH + 1, False)):
        value = nested(n, "é", outer)
        assert fits(value, (Accepted(object, "as_json"),)) is is_known
        assert plain.for_text(value) is (value if is_known else NotImplemented)
