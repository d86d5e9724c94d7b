"""Dataclasses as objects: dataclasses.asdict is the oracle; a changed class is written by its new fields."""

from __future__ import annotations

import dataclasses
import gc
import sys
import weakref
from typing import Any, ClassVar

import pytest
from helpers.all_outputs import assert_all_give, assert_encoded_as, in_chunks
from helpers.call_outcome import outcome

from ssrjson_web import _core

pytestmark = pytest.mark.usefixtures("isa")


@dataclasses.dataclass
class Point:
    x: Any
    y: Any = 0


@dataclasses.dataclass(frozen=True)
class Slotted:
    __slots__ = ("name", "é")
    name: Any
    é: Any


@dataclasses.dataclass
class Point3(Point):
    z: Any = dataclasses.field(default_factory=list)
    shared: ClassVar[int] = 5
    once: dataclasses.InitVar[int] = 6
    zz: Any = dataclasses.field(default=7, repr=False, compare=False, kw_only=True)


@dataclasses.dataclass
class Empty:
    pass


@dataclasses.dataclass
class Computed:
    x: Any = 1

    @property
    def y(self) -> Any:
        raise AssertionError("not a field")


@dataclasses.dataclass(init=False)
class WithProperty:
    x: Any
    y: Any

    @property  # type: ignore[no-redef]
    def x(self) -> Any:
        return ["property"]

    def __init__(self) -> None:
        self.y = 2


def test_dataclass_equals_asdict_in_every_output() -> None:
    for value in (
        Point(1),
        Point("é", [Point("中", {"k": Point("😀")})]),
        Slotted("a", Slotted("b", ())),
        Point3(1, 2),
        Point3(None, z=[Empty()]),
        Empty(),
        Computed(),
    ):
        assert_encoded_as(dataclasses.asdict(value), value, dataclass=True)
    assert_encoded_as({"x": ["property"], "y": 2}, WithProperty(), dataclass=True)


def test_instance_of_a_plain_subclass_has_the_fields_of_its_base() -> None:
    class Child(Point):
        pass

    child = Child(1, 2)
    child.extra = 3  # type: ignore[attr-defined]
    assert _core.dumps(child, dataclass=True) == '{"x":1,"y":2}'


def test_class_itself_is_no_value() -> None:
    assert outcome(_core.dumps, [Point], natives=True)[0] == "TypeError"


def test_what_only_looks_like_a_dataclass_raises() -> None:
    class Fake:
        __dataclass_fields__ = 5

    assert outcome(_core.dumps, [Fake()], dataclass=True)[0] == outcome(dataclasses.fields, Fake)[0] == "AttributeError"


def test_missing_attribute_raises_attribute_error() -> None:
    point, slotted = Point3(1), object.__new__(Slotted)
    del point.z
    for value in (point, slotted):
        for _ in range(2):
            assert outcome(_core.dumps, [value], dataclass=True)[0] == "AttributeError"
            assert outcome(in_chunks, [value], dataclass=True)[0] == "AttributeError"


def test_getattr_and_getattribute_are_asked() -> None:
    @dataclasses.dataclass
    class Lazy:
        x: Any
        y: Any

        def __getattr__(self, name: str) -> str:
            return f"lazy {name}"

    @dataclasses.dataclass
    class Own:
        __slots__ = ("x",)
        x: Any

        def __getattribute__(self, name: str) -> Any:
            return f"own {name}"

    lazy = Lazy(1, 2)
    del lazy.y
    assert _core.dumps([lazy, Own(1)], dataclass=True) == '[{"x":1,"y":"lazy y"},{"x":"own x"}]'


def test_attributes_of_the_instances_dict_are_read_as_python_reads_them() -> None:
    class Name(str):
        def __eq__(self, other: object) -> bool:
            return str.__eq__(self, other)

        __hash__ = str.__hash__

    point = Point(1, 2)
    point.__dict__.clear()
    point.__dict__[Name("x")] = "by an odd name"
    point.__dict__[5] = 6  # type: ignore[index]
    assert _core.dumps(point, dataclass=True) == '{"x":"by an odd name","y":0}'
    point.__dict__ = {"y": 1, "x": 2}
    assert _core.dumps(point, dataclass=True) == '{"x":2,"y":1}'


def test_attributes_are_read_wherever_an_object_keeps_them() -> None:
    made_otherwise = Point3.__new__(Point3)
    made_otherwise.zz, made_otherwise.z, made_otherwise.y, made_otherwise.x = 4, 3, 2, 1
    with_more = Point3(1, 2, 3, zz=4)
    for i in range(40):  # more than a class's table of keys takes
        setattr(with_more, f"other_{i}", i)
    with_dict, with_other_dict, with_hole = (Point3(1, 2, 3, zz=4) for _ in range(3))
    assert list(with_dict.__dict__) == ["x", "y", "z", "zz"]
    with_other_dict.__dict__ = {"zz": 4, 5: 6, "x": 1, "y": 2, "z": 3}
    del with_hole.x
    with_hole.x = 1
    for point in (Point3(1, 2, 3, zz=4), made_otherwise, with_more, with_dict, with_other_dict, with_hole):
        assert_encoded_as({"x": 1, "y": 2, "z": 3, "zz": 4}, point, dataclass=True)
    del with_dict.y, with_hole.y
    for point in (with_dict, with_hole):  # the class has a default
        assert _core.dumps(point, dataclass=True) == '{"x":1,"y":0,"z":3,"zz":4}'


def test_class_that_is_changed_after_its_first_use_gets_a_new_plan() -> None:
    @dataclasses.dataclass
    class Changing:
        x: Any = 1
        y: Any = 2

    value = Changing()

    def text() -> str:
        return _core.dumps(value, dataclass=True)

    assert [text(), text()] == ['{"x":1,"y":2}'] * 2
    Changing.x = property(lambda self: "property")
    assert text() == '{"x":"property","y":2}'
    Changing.__getattribute__ = lambda self, name: "own"  # type: ignore[assignment]
    assert text() == '{"x":"own","y":"own"}'
    del Changing.__getattribute__, Changing.x
    assert text() == '{"x":1,"y":2}'
    fields = Changing.__dataclass_fields__
    Changing.__dataclass_fields__ = {"y": fields["y"]}
    assert text() == '{"y":2}'
    del Changing.__dataclass_fields__
    assert outcome(text)[0] == "TypeError"


def test_base_that_is_changed_counts_for_its_subclass() -> None:
    @dataclasses.dataclass
    class Base:
        x: Any = 1

    class Child(Base):
        pass

    child = Child()
    assert _core.dumps(child, dataclass=True) == '{"x":1}'
    Base.x = property(lambda self: "property")
    assert _core.dumps(child, dataclass=True) == '{"x":"property"}'


def test_object_whose_class_is_changed_has_the_fields_of_its_new_class() -> None:
    @dataclasses.dataclass
    class Other:
        b: Any = 5

    @dataclasses.dataclass
    class First:
        a: Any = 1

    value: Any = First()
    assert _core.dumps(value, dataclass=True) == '{"a":1}'
    value.__class__ = Other
    assert _core.dumps(value, dataclass=True) == '{"b":5}'


def test_default_that_becomes_a_descriptor_is_asked() -> None:
    class Default:
        pass

    @dataclasses.dataclass
    class Holder:
        x: Any = Default()  # noqa: RUF009

    empty, holder = Holder.__new__(Holder), Holder(1)
    assert outcome(_core.dumps, empty, dataclass=True)[0] == "TypeError"
    assert [_core.dumps(holder, dataclass=True) for _ in range(2)] == ['{"x":1}'] * 2
    Default.__get__ = lambda self, instance, owner=None: "got"  # type: ignore[attr-defined]
    assert _core.dumps([empty, holder], dataclass=True) == '[{"x":"got"},{"x":1}]'
    Default.__set__ = lambda self, instance, value: None  # type: ignore[attr-defined]
    assert holder.x == "got"
    assert _core.dumps([empty, holder], dataclass=True) == '[{"x":"got"},{"x":"got"}]'


def test_classes_by_the_thousand_are_told_apart_and_freed() -> None:
    references = []
    for n in range(3000):
        names = [f"f{n % 7}", f"g{n}"][: 1 + n % 2]
        slots = {"slots": True} if n % 3 == 0 else {}
        made = dataclasses.make_dataclass(f"C{n}", [(name, int) for name in names], **slots)
        value = made(*range(len(names)))
        assert _core.dumps(value, dataclass=True) == _core.dumps(dataclasses.asdict(value))
        if n % 100 == 0:
            references.append(weakref.ref(made))
        del made, value
        if n % 500 == 0:
            gc.collect()
    unused = weakref.ref(dataclasses.make_dataclass("Unused", ["field"]))
    gc.collect()
    if _core.get_current_features()["free_threading"] and unused() is not None:
        pytest.skip("Python 3.13 without the GIL keeps all classes once there was a second thread")
    assert [reference() for reference in references] == [None] * len(references)


def test_dataclass_that_refers_to_itself_is_a_cycle() -> None:
    loop = Point(1)
    loop.y = [loop]
    slotted = Slotted(1, [])
    slotted.é.append({"k": slotted})
    for value in (loop, [loop], slotted):
        assert_all_give(("ValueError", "Circular reference detected"), value, dataclass=True)
    assert outcome(_core.dumps, loop, dataclass=True, check_circular=False)[0] == "RecursionError"


@pytest.mark.parametrize("cls", [Point, Slotted])
def test_dataclasses_100_000_deep(cls: type) -> None:
    value: Any = None
    for _ in range(100_000):
        value = cls(1, value)
    text = _core.dumps(value, dataclass=True)
    name = "y" if cls is Point else "é"
    first = "x" if cls is Point else "name"
    assert text == f'{{"{first}":1,"{name}":' * 100_000 + "null" + "}" * 100_000
    assert in_chunks(value, 65536, dataclass=True) == text.encode()
    while value is not None:  # or freeing it would take the C stack
        value = getattr(value, name)


def test_dataclass_as_a_key_is_no_key() -> None:
    assert outcome(_core.dumps, {Slotted("a", "b"): 1}, natives=True)[0] == "TypeError"
    assert _core.dumps({Slotted("a", "b"): 1, "k": 2}, natives=True, skipkeys=True) == '{"k":2}'


def test_references_are_given_back() -> None:
    point, slotted, computed, text = Point("x" * 30), Slotted("é", []), WithProperty(), "y" * 30
    point.y = text
    things: list[Any] = [point, slotted, computed, text, Point, Slotted, WithProperty]

    def call() -> None:
        for value in (point, slotted, computed, [point] * 3):
            _core.dumps(value, dataclass=True)
            in_chunks(value, dataclass=True)
            outcome(_core.dumps, [value, object()], dataclass=True)

    call()
    before = [sys.getrefcount(thing) for thing in things]
    for _ in range(100):
        call()
    assert [sys.getrefcount(thing) for thing in things] == before
