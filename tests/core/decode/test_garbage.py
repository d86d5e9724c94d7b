"""Collections that run within a call of the core, and drop what it looks into: a right answer or an error, no crash."""

from __future__ import annotations

from pathlib import Path

import pytest
from helpers.processes import run_python

PARTS = '{"k": [{"é": ["a1", {"b": "b1"}, ["c1"]], "z": "z1"}, {"é": [["d1"]]}, ["e1", ["f1"]]]}'
CASES = {
    "parts": "loads(PARTS + ' ', only=['/k/*/*/*/*', '/k/*/é/*/b', '/k/2/1'], jsonc=True, duplicate_keys='error')",
    "unknown tag": "UNION.make([{'kind': made('square'), 'side': 1}, {'kind': made('x' * 60), 'pad': []}])",
    "tag of another type": "UNION.make([{'kind': [made('x' * 60)], 'pad': []}])",
    "unknown field": "CLOSED.make([{made('a'): 1, made('x' * 60): []}])",
    "unknown fields that are dropped": "MOVIE.make({made('a' * n): [] for n in range(9)} | {'when': '2026-01-02'})",
    "value of no kind": "plan_of(list[int]).make([1, [made('x' * 60)], 1.5, object()])",
    "value that is not listed": "plan_of(list[Literal['a', 5]]).make(['a', made('x' * 60), 7**90])",
    "values of classes": "plan_of(list[Node]).make([{'value': 7**9, 'children': [{'value': 7**9}]} for _ in 'ab'])",
    "values of texts": "plan_of(dict[int, Times]).make({'5': {'at': made(ISO), 'id': made(ID), 'price': made('1.5')}})",
    "places": "plan_of(tuple[Point, Point]).make([[7**9, made('y')], [7**9]])",
    "records read": "READER.read_all([row, {'a': made(' x ')}, row], CALL)",
    "records loaded": "LOADER.load_all([{'a': made(' x '), 'b': 7**9, 'd': {'a': [7**9]}}, {'d': [7**9]}], CALL)",
    "values accepted": "for_all([{'k': [made('x'), 7**9]}, (made('y'), 1.5), [made(ISO), 7**9], {'kind': made('x')}])",
}

SNIPPET = """
    import dataclasses, datetime, decimal, gc, uuid
    from typing import Literal, NamedTuple, TypedDict, Union
    from ssrjson_web import _core, loads
    from ssrjson_web._core import _Acceptance, _RecordLoader, _RecordReader, _TypePlan
    from ssrjson_web._models.language import Accepted, AcceptedField, AcceptedModel
    from ssrjson_web._models.language import LoadField, LoadRecord, ReadField, ReadRecord, StepWay
    from ssrjson_web._models.types import plan_of
    from ssrjson_web._models.types.nodes import Action, Field, Node as NodeOf, Record

    PARTS = {parts!r}
    ISO, ID = "2026-01-02T03:04:05+01:00", "12345678-1234-1234-1234-123456789abc"

    def made(text):  # that nothing else holds
        return (text + " ")[:-1]

    @dataclasses.dataclass
    class Square:
        kind: Literal["square"]
        side: float
        def __post_init__(self):
            self.more = []

    @dataclasses.dataclass
    class Circle:
        kind: Literal["circle"]

    @dataclasses.dataclass
    class Node:
        value: int
        children: "list[Node]" = dataclasses.field(default_factory=list)

    @dataclasses.dataclass
    class Times:
        at: datetime.datetime
        id: uuid.UUID
        price: decimal.Decimal

    class Point(NamedTuple):
        x: int
        y: str = "y"

    class Movie(TypedDict, total=False):
        when: datetime.date

    class Row:
        def __init__(self):
            self.__dict__.update(a=made("x"), b=[7**9, made("y")], c={{"a": made("z")}})

    class Model:
        __slots__ = ("__dict__", "__pydantic_extra__", "__pydantic_fields_set__", "__pydantic_private__")

    UNION, MOVIE = plan_of(list[Union[Square, Circle]]), plan_of(Movie)
    closed = Record("dict", dict, (Field("a", "a", -1, False),), True)
    CLOSED = _TypePlan((
        NodeOf("array", {{"array": Action("list", nodes=(1,))}}),
        NodeOf("object", {{"object": Action("record", record=closed)}}),
    ), True)

    def called(*arguments):
        return [str(len(arguments))]

    def CALL(number):
        return called

    values = (
        Accepted(str, "trimmed", 1, 5), Accepted(list, "items", inner=None), Accepted(int, "decimal", 12, 2),
        Accepted(dict, "values", inner=(Accepted(str, "decimal", 5, 2), Accepted(str), Accepted(list))),
    )
    inner = ReadRecord((ReadField("a", ("a",), values, 0, 0),), lambda cls, name: StepWay("item"), None)
    fields = tuple(ReadField(key, (key,), (*values, Accepted(object, "read", record=inner)), 0, 0) for key in "abc")
    READER = _RecordReader(ReadRecord(fields, lambda cls, name: StepWay("stored" if cls is Row else "item"), None))
    within = LoadRecord((LoadField("a", ("in", "a"), values, 0),), None, None, 0, 0, 0)
    LOADER = _RecordLoader(LoadRecord((
        *(LoadField(key, (key,), values, 0) for key in "ab"),
        LoadField("d", ("d",), (Accepted(dict, "load", record=within), Accepted(list, "load", record=within)), 0),
    ), None, None, 0, 0, 0))
    field = AcceptedField("k", "k", None, "k", (Accepted(list, "items", inner=None),), factory=list)
    model = AcceptedModel(Model, (field,))
    items = (
        Accepted(dict, "model", model=model), Accepted(str, "datetime", validator=datetime.datetime.fromisoformat),
        Accepted(int, "real"), Accepted(float), Accepted(list, "plain"),
    )
    ACCEPTED = _Acceptance((Accepted(list, "items", inner=(
        *items, Accepted(tuple, "items", inner=items),
        Accepted(list, "items", inner=items), Accepted(dict, "tagged", tags={{"x": items}}, tag_key="kind"),
    )),))

    def for_all(value):
        ACCEPTED.for_text(value)
        return ACCEPTED.for_models(value, [])

    class Dropping:
        def __init__(self):
            self.me = self

        def __del__(self):
            for one in gc.get_objects():
                if type(one) in (list, dict):
                    one.clear()

    def call(row, n=0):
        if n:
            Dropping()
            row.held = [[] for _ in range(99)]  # a list that is kept for the next one is no allocation
            gc.set_threshold(gc.get_count()[0] + n, 1, 1)
            gc.enable()
        try:
            {expression}
        except (AttributeError, KeyError, TypeError, ValueError, RuntimeError):
            pass
        gc.disable()

    call(Row())  # modules that it imports are not to be dropped
    gc.disable()
    gc.freeze()
    for level in _core.get_current_features()["levels"]:
        _core._use_level(level)
        for n in range(1, 60):
            call(Row(), n)
            gc.set_threshold(700, 10, 10)
            gc.collect()
        print(level)
    print("end")
"""


@pytest.mark.parametrize("case", CASES)
def test_garbage_collected_within_a_call_may_drop_what_is_looked_into(case: str, tmp_path: Path) -> None:
    done = run_python(SNIPPET.format(parts=PARTS, expression=CASES[case]), tmp_path, PYTHONMALLOC="debug")
    assert done.stdout.split()[-1:] == ["end"], done
