"""Nested serializers whose classes make fields by code of their own: the first objects of a list are read by REST
framework, the others by a plan of the fields that it has made, and nobody sees a difference."""

from __future__ import annotations

import functools
import pickle
from collections.abc import Iterator
from typing import Any

import pytest
from helpers import rest_reading
from helpers.rest_reading import note, same, same_call
from rest_framework import serializers

from ssrjson_web.rest_framework._reading import _LONG, MANY_ROWS, plan_to_read

LONG = 2 * _LONG * MANY_ROWS


@pytest.fixture(scope="module", autouse=True)
def shop(project: None) -> Iterator[None]:
    with rest_reading.project():
        yield


def _fewer(serializer: Any) -> Any:
    fields = super(Own, serializer).fields
    for name in serializer.left_out:
        fields.pop(name)
    return note(fields) and fields


class Own(serializers.Serializer):
    """As the serializers of NetBox."""

    a = serializers.CharField()
    b = serializers.IntegerField(required=False)
    secret = serializers.CharField(default="s")
    left_out: tuple[str, ...] = ("secret",)
    fields = functools.cached_property(_fewer)


class Making(serializers.Serializer):
    """As those of Tandoor."""

    a = serializers.CharField()
    seen = serializers.SerializerMethodField()

    def get_fields(self) -> Any:
        note("get_fields")
        return {**super().get_fields(), "own": Own(source="one", allow_null=True)}

    def get_seen(self, row: Any) -> Any:
        return note(("seen", list(self.fields), self.context.get("of"), self.parent is not None))


class Told(Own):
    def to_representation(self, instance: Any) -> Any:
        return {**super().to_representation(instance), "told": note("told")}


def outer(many: bool, cls: Any = Own, **options: Any) -> Any:
    return type("Outer", (serializers.Serializer,), {"n": cls(many=many, allow_null=True, **options)})


def rows_of(number: int, many: bool, step: int = 1) -> list[dict[str, Any]]:
    made = [{"a": place, "b": 2, "one": {"a": "é", "b": place} if place % 3 else None} for place in range(number)]
    return [
        {"n": ([one] * (place % 3) if many else one) if place % step == 0 else None} for place, one in enumerate(made)
    ]


@pytest.mark.parametrize("step", [1, 2, 1000])
@pytest.mark.parametrize("number", [1, MANY_ROWS - 1, MANY_ROWS, MANY_ROWS + 1, LONG])
@pytest.mark.parametrize("many", [False, True])
@pytest.mark.parametrize("cls", [Own, Making, Told])
def test_objects_of_lists_of_each_length(cls: Any, many: bool, number: int, step: int) -> None:
    made = outer(many, cls)
    same(lambda: made(rows_of(number, many, step), many=True, context={"of": "context"}))


def _plans_meanwhile(cls: Any, rows: list[Any], many: bool = False) -> list[Any]:
    """Of a nested serializer, whether it has a plan when it reads each of its objects."""
    plans: list[Any] = []

    class Row(cls):  # type: ignore[misc]
        a = serializers.SerializerMethodField()

        def get_a(self, row: Any) -> None:
            nested = vars(self).get("_ssrjson_nested")
            plans.append(nested is not None and nested.plan is not None)

    serializer = outer(many, Row)(rows, many=True)
    assert len(serializer.data) == len(rows)
    nested = serializer.child.fields["n"]
    assert not any(
        "_ssrjson_nested" in vars(one) for one in (serializer.child, nested, getattr(nested, "child", nested))
    )
    return plans


@pytest.mark.parametrize("cls", [Own, Making, Told])
def test_core_reads_once_there_have_been_many(cls: Any) -> None:
    plans = _plans_meanwhile(cls, rows_of(LONG, False))
    assert plans.index(True) == MANY_ROWS
    assert all(plans[MANY_ROWS:])
    assert not any(_plans_meanwhile(cls, rows_of(_LONG * MANY_ROWS - 1, False)))  # it would not be worth it
    plans = _plans_meanwhile(cls, [{"n": [{"a": 1, "b": 2, "one": None}] * 9}] * MANY_ROWS, many=True)
    assert len(plans) == 9 * MANY_ROWS
    first = plans.index(True)
    assert first == (48 if cls is Told else 45)  # the 48th, or the list with that
    assert all(plans[first:])


def test_fields_are_made_when_they_are_first_needed() -> None:
    """Errors of making them, too, are those of the row that needs them."""

    class Wrong(Making):
        def get_fields(self) -> Any:
            raise KeyError(note("wrong"))

    rows = [*[{"n": None}] * 40, {"n": {"a": 1, "one": None}}]
    for cls in (Making, Wrong):
        for many in (rows, rows[:40]):
            same(lambda cls=cls, many=many: outer(False, cls)(many, many=True))


@pytest.mark.parametrize("many", [False, True])
@pytest.mark.parametrize(
    "change",
    [
        lambda fields: fields.pop("b"),
        lambda fields: fields.update(b=serializers.CharField(source="a")),
        lambda fields: fields.update(c=serializers.CharField(default=note("c"))),
        lambda fields: vars(fields.serializer).update(fields={"b": fields["b"]}),
        lambda fields: vars(fields.serializer).pop("fields"),
    ],
)
@pytest.mark.parametrize("place", [3, MANY_ROWS, LONG - 9])
def test_fields_that_are_changed_between_objects(place: int, change: Any, many: bool) -> None:
    class Outer(serializers.Serializer):
        changed = serializers.SerializerMethodField()
        n = Own(many=many)

        def get_changed(self, row: Any) -> None:
            if row["changes"]:
                nested = self.fields["n"]
                change((nested.child if many else nested).fields)

    one = {"a": "é", "b": 2}
    rows = [{"n": [one] if many else one, "changes": number == place} for number in range(LONG)]
    same(lambda: Outer(rows, many=True))
    same(lambda: outer(False, Outer)([{"n": row} for row in rows], many=True))


def test_what_is_known_is_forgotten_after_a_list() -> None:
    """The next list is read by the fields that are there then."""
    rows = rows_of(LONG, False)

    def twice() -> Any:
        serializer = outer(False)(rows, many=True)
        first = serializer.child.fields["n"], serializer.to_representation(rows)
        first[0].fields["a"].source_attrs = ["b"]
        return [first[1], serializer.to_representation(rows), serializer.child.to_representation(rows[1])]

    same_call(twice)


class Raising:
    a = "é"

    @property
    def b(self) -> Any:
        raise ZeroDivisionError(note("b"))


def test_errors_leave_nothing_behind() -> None:
    rows = [*rows_of(LONG - 9, False), {"n": Raising()}]
    same(lambda: outer(False)(rows, many=True))
    serializer = outer(False)(rows, many=True)
    with pytest.raises(ZeroDivisionError):
        _ = serializer.data
    nested = serializer.child.fields["n"]
    assert "_ssrjson_nested" not in vars(nested)
    assert nested.to_representation(rows[1]["n"]) == {"a": "1", "b": 2}


def test_serializer_that_is_copied_meanwhile() -> None:
    class Copied(Own):
        a = serializers.SerializerMethodField()

        def get_a(self, row: Any) -> Any:
            own = vars(self).get("_ssrjson_nested")
            return pickle.loads(pickle.dumps(own)) is None

    same(lambda: outer(False, Copied)(rows_of(LONG - 9, False), many=True))


def test_serializer_that_reads_others_of_its_class_meanwhile() -> None:
    class Nested(Own):
        c = serializers.SerializerMethodField()

        def get_c(self, row: Any) -> Any:
            return self.to_representation({**row, "b": row["b"] - 1}) if row["b"] else None

    same(lambda: outer(False, Nested)(rows_of(LONG - 9, False), many=True))
    same(lambda: outer(True, Nested)(rows_of(LONG - 9, True), many=True))


def test_function_of_the_library_that_is_replaced_while_fields_are_made(monkeypatch: pytest.MonkeyPatch) -> None:
    stock = serializers.CharField.to_representation

    class Replacing(serializers.Serializer):
        a = serializers.CharField()

        def get_fields(self) -> Any:
            monkeypatch.setattr(serializers.CharField, "to_representation", lambda field, value: note(f"new {value}"))
            return super().get_fields()

    def made() -> Any:
        monkeypatch.setattr(serializers.CharField, "to_representation", stock)
        assert Own([{"a": "é"}] * MANY_ROWS, many=True).data[0] == {"a": "é"}  # the function is known
        return Replacing([{"a": "é"}] * MANY_ROWS, many=True)

    same(made)


def test_nested_serializers_have_no_plan_of_their_own_outside_a_list() -> None:
    serializer = outer(False)(rows_of(1, False)[0])
    nested = serializer.fields["n"]
    assert [plan_to_read(nested, 1) for _ in range(LONG - 9)] == [None] * (LONG - 9)
