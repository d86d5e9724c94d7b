"""Serializers that validate data: values, errors, and the calls of the user's code, with the core and without it."""

from __future__ import annotations

import copy
import pickle
import warnings
from collections import OrderedDict
from collections.abc import Iterator, Mapping
from typing import Any

import pytest
from django.http import QueryDict
from django.test import override_settings
from helpers.rest_validation import asked_fields, assert_same, outcome, validate
from rest_framework import serializers
from rest_framework.fields import SkipField, empty
from rest_framework.serializers import ListSerializer, Serializer

from ssrjson_web.rest_framework import disabled, setup, teardown
from ssrjson_web.rest_framework._report import report_of

events: list[Any] = []


@pytest.fixture(autouse=True, scope="module")
def plans() -> Iterator[None]:
    setup()
    yield
    teardown()


def same(make: Any) -> Any:
    """Assert that validation by a serializer is the same with the core, and calls the same; what it does."""

    def call() -> Any:
        events.clear()
        serializer = make()
        found = validate(serializer)
        return [found, list(events), list(getattr(serializer, "child", serializer).fields)]

    return assert_same(call)


class Item(serializers.Serializer):
    name = serializers.CharField(max_length=5)
    size = serializers.IntegerField(min_value=1)
    note = serializers.CharField(required=False, allow_blank=True)


ROWS: list[Any] = [
    {"name": "a", "size": 1},
    {"name": " b ", "size": "2", "note": ""},
    {"name": "", "size": 0, "note": None},
    {"size": 3, "more": 4},
    {},
    None,
    [],
    "x",
    5,
    {"name": "toolong", "size": None},
    {1: 2, "name": "a", "size": 1},
    OrderedDict(name="a", size=1),
]


@pytest.mark.parametrize("partial", [False, True])
@pytest.mark.parametrize("cls", [Item], ids=lambda cls: cls.__name__)
def test_rows_alone_and_together(cls: Any, partial: bool) -> None:
    for row in ROWS:
        same(lambda row=row: cls(data=row, partial=partial))
        same(lambda row=row: cls(data=row, partial=partial, allow_null=True))
    same(lambda: cls(data=ROWS, partial=partial, many=True))
    same(lambda: cls(data=ROWS[:2] * 3, partial=partial, many=True))
    for data in (empty, None, {}, [], "x", (), QueryDict("[0]name=a&[0]size=1&[1]name=b"), iter([])):
        same(lambda data=data: cls(data=data, many=True, partial=partial))


class View(Mapping[str, Any]):
    def __getitem__(self, key: str) -> Any:
        return {"name": "a", "size": 1}[key]

    def __iter__(self) -> Iterator[str]:
        return iter(["name", "size"])

    def __len__(self) -> int:
        return 2


def test_other_mappings_and_forms_go_the_way_of_stock() -> None:
    for data in (View(), QueryDict("name=a&size=1"), QueryDict("name=&size=x&note="), OrderedDict(name="a", size=1)):
        same(lambda data=data: Item(data=data))
        same(lambda data=data: Item(data=[data, data], many=True))


# ---- methods of the user's ---------------------------------------------------------------------


class Checked(serializers.Serializer):
    a = serializers.CharField()
    b = serializers.IntegerField(required=False, default=7)
    c = serializers.CharField(required=False)

    def validate_a(self, value: Any) -> Any:
        events.append(("a", value))
        if value == "bad":
            raise serializers.ValidationError("bad a", code="bad")
        if value == "skip":
            raise SkipField
        if value == "key":
            raise KeyError("a")
        return value.upper()

    @classmethod
    def validate_b(cls, value: Any) -> Any:
        events.append(("b", value))
        return value + 1

    @staticmethod
    def validate_c(value: Any) -> Any:
        events.append(("c", value))
        return [value]

    def validate(self, attrs: Any) -> Any:
        events.append(("all", dict(attrs)))
        if attrs.get("b") == 3:
            raise serializers.ValidationError({"b": "three"})
        if attrs.get("b") == 4:
            raise serializers.ValidationError("four")
        return None if attrs.get("b") == 5 else attrs


CHECKED: list[Any] = [
    {"a": "x"},
    {"a": "bad", "b": "x", "c": "c"},
    {"a": "skip", "b": 1},
    {"b": 1, "c": 5},
    {"a": "x", "b": 2},
]
CHECKED += [{"a": "x", "b": 3, "c": []}, {"a": "y"}]


def test_methods_are_called_with_the_same_in_the_same_order() -> None:
    for row in [*CHECKED, {"a": "key"}, {"a": "x", "b": 4}]:
        same(lambda row=row: Checked(data=row))
    same(lambda: Checked(data=CHECKED, many=True))
    same(lambda: Checked(data=[*CHECKED, {"a": "key"}, {"a": "x"}], many=True))
    same(lambda: Checked(data=[*CHECKED, {"a": "x", "b": 4}, {"a": "x"}], many=True))


def test_method_of_an_instance_is_called() -> None:
    def make() -> Any:
        serializer = Item(data={"name": "a", "size": 1})
        serializer.validate_name = lambda value: events.append(value) or "changed"
        return serializer

    assert "changed" in str(same(make))


def test_method_that_is_none_or_a_property() -> None:
    class Odd(Item):
        validate_name = None

        @property
        def validate_size(self) -> Any:
            events.append("asked")
            return None

    same(lambda: Odd(data={"name": "a", "size": 1}))
    same(lambda: Odd(data=ROWS, many=True))


# ---- fields that change while they validate -----------------------------------------------------


def requires(self: Any, value: Any) -> Any:
    events.append(value)
    if value == "x":
        self.fields["c"].required = True
    return value


def removes(self: Any, value: Any) -> Any:
    if value == "x":
        self.fields.pop("c")
    return value


def replaces(self: Any, value: Any) -> Any:
    if value == "x":
        self.fields["c"] = serializers.IntegerField()
    return value


def looks(self: Any, value: Any) -> Any:
    events.append(list(self.fields))
    return value


def raises_after(self: Any, value: Any) -> Any:
    self.fields["c"].allow_null = True
    raise serializers.ValidationError("after")


def makes_partial(self: Any, value: Any) -> Any:
    self.fields["b"].read_only = True
    return value


CHANGES = [requires, removes, replaces, looks, raises_after, makes_partial]


@pytest.mark.parametrize("change", CHANGES, ids=lambda change: change.__name__)
@pytest.mark.parametrize("name", ["validate_a", "validate_b", "validate", "validate_c"])
def test_fields_that_a_method_changes_are_used_at_once(change: Any, name: str) -> None:
    class Changing(serializers.Serializer):
        z = serializers.CharField(required=False)
        a = serializers.CharField()
        b = serializers.CharField(required=False)
        c = serializers.CharField(required=False)

    if name == "validate":

        def validate_all(self: Any, attrs: Any) -> Any:
            change(self, attrs.get("a"))
            return attrs

        Changing.validate = validate_all  # type: ignore[method-assign]
    else:
        setattr(Changing, name, change)
    rows: list[Any] = [
        {"a": "y", "b": "b"},
        {"a": "x", "z": 5, "b": "x"},
        {"a": "y", "c": None},
        {"a": "y", "c": "x"},
        {},
    ]
    for row in rows:
        same(lambda row=row: Changing(data=row))
    same(lambda: Changing(data=rows, many=True))
    same(lambda: Changing(data=rows * 3, many=True))


def test_data_that_a_method_changes_is_used_at_once() -> None:
    class Changing(serializers.Serializer):
        a = serializers.CharField()
        b = serializers.CharField()
        c = serializers.CharField()

        def validate_b(self, value: Any) -> Any:
            self.fields["a"].required = False
            self.initial_data.update(a="later", c="later")
            return value

    same(lambda: Changing(data={"a": "x", "b": "y", "c": "z"}))


class Keeping(serializers.CharField):
    def to_internal_value(self, data: Any) -> Any:
        self.kept = [*getattr(self, "kept", []), data]
        return super().to_internal_value(data)


def test_state_that_a_field_keeps_is_found_in_fields() -> None:
    class Of(serializers.Serializer):
        a = Keeping()

        def validate(self, attrs: Any) -> Any:
            events.append(self.fields["a"].kept)
            return attrs

    for data in ({"a": "x"}, {"a": "y"}):
        same(lambda data=data: Of(data=data))
    same(lambda: Of(data=[{"a": "x"}, {"a": 5}, {"a": []}, {"a": "y"}], many=True))


class Dynamic(serializers.Serializer):
    a = serializers.CharField()
    b = serializers.IntegerField(required=False)
    c = serializers.DateField(required=False)

    def __init__(self, *args: Any, only: Any = None, **options: Any) -> None:
        super().__init__(*args, **options)
        for name in set(self.fields) - set(only or self.fields):
            self.fields.pop(name)


class Getting(serializers.Serializer):
    a = serializers.CharField()
    b = serializers.IntegerField(required=False)

    def get_fields(self) -> Any:
        events.append("get_fields")
        found = super().get_fields()
        if self.context.get("short"):
            del found["b"]
        return found


def test_fields_of_an_instance() -> None:
    rows = [{"a": "x", "b": 1, "c": "2024-02-29"}, {"b": "y"}, {"a": " z ", "c": "x"}] * 3
    for only in (None, ["a"], ["a", "c"]):
        same(lambda only=only: Dynamic(data=rows[0], only=only))
        same(lambda only=only: Dynamic(data=rows, only=only, many=True))
    for context in ({}, {"short": True}):
        same(lambda context=context: Getting(data=rows[0], context=context))
        same(lambda context=context: Getting(data=rows, context=context, many=True))
        same(lambda context=context: Getting(data=[5, None, {}], context=context, many=True))


def test_many_rows_of_changed_fields_are_accepted_by_the_core() -> None:
    with asked_fields() as names:
        serializer = Dynamic(data=[{"a": "x", "b": 1}] * 20, only=["a"], many=True)
        assert serializer.is_valid()
    assert serializer.validated_data == [{"a": "x"}] * 20
    assert not names


def test_changed_fields_are_read_after_they_have_validated() -> None:
    def make() -> Any:
        serializer = Dynamic(data=[{"a": "x", "b": 1, "c": "2024-02-29"}] * 5, only=["a", "c"], many=True)
        serializer.is_valid()
        return serializer.data, list(serializer.child.fields)

    assert "b" not in str(assert_same(make))


def test_copy_of_a_serializer_has_its_fields() -> None:
    def make() -> Any:
        serializer = Dynamic(data=[{"a": "x"}] * 5, only=["a"], many=True)
        serializer.is_valid()
        return list(copy.copy(serializer.child).fields), list(copy.deepcopy(serializer).child.fields)

    assert_same(make)


def test_pickled_serializer_validates() -> None:
    for _ in range(3):
        serializer = Item(data={"name": "a", "size": "1"})
        assert serializer.is_valid()
        again = pickle.loads(pickle.dumps(serializer))
        assert list(again.fields) == list(serializer.fields)
        assert again.to_internal_value({"name": "b", "size": 2}) == {"name": "b", "size": 2}


# ---- sources, nesting ---------------------------------------------------------------------------


class Inner(serializers.Serializer):
    x = serializers.IntegerField()
    y = serializers.CharField(required=False)

    def validate_x(self, value: Any) -> Any:
        events.append(("x", value, self.root is not self))
        return value


class Pair(serializers.Serializer):
    left = serializers.IntegerField(source="at.left")
    right = serializers.IntegerField(source="at.right", required=False)
    all = Inner(source="*")
    one = Inner(required=False, allow_null=True)
    some = Inner(many=True, required=False, allow_empty=False, max_length=3)
    deep = serializers.ListField(child=Inner(), required=False)
    shown = serializers.CharField(read_only=True, default="d")


class Clash(serializers.Serializer):
    at = serializers.IntegerField()
    left = serializers.IntegerField(source="at.left")


class Star(serializers.Serializer):
    a = serializers.ListField(source="*")
    b = serializers.IntegerField(source="*", allow_null=True)


PAIRS: list[Any] = [
    {"left": 1, "all": {"x": 1}},
    {"left": 1, "right": "2", "all": {"x": 1, "y": "z"}, "one": {"x": 2}, "some": [{"x": 3}, {"x": 4}]},
    {"left": "a", "all": {"x": "a"}, "one": {}, "some": [{"x": 3}, {}, 5]},
    {"left": 1, "all": None, "one": None, "some": []},
    {"left": 1, "all": [], "one": 5, "some": {}, "deep": [{"x": 1}, {"x": "x"}]},
    {"left": 1, "all": {"x": 1}, "some": [{"x": 1}] * 4, "deep": [{"x": 1}], "shown": "x"},
    {},
]


@pytest.mark.parametrize("partial", [False, True])
def test_sources_and_nested_serializers(partial: bool) -> None:
    for row in PAIRS:
        same(lambda row=row: Pair(data=row, partial=partial))
    same(lambda: Pair(data=PAIRS, many=True, partial=partial))


def test_targets_that_are_in_each_others_way() -> None:
    for row in ({"at": 1, "left": 2}, {"left": 2}, {"at": 1}):
        same(lambda row=row: Clash(data=row))
    for row in ({"a": [["k", 1]]}, {"a": [["k", 1]], "b": 5}, {"a": [], "b": None}, {"a": [5]}):
        same(lambda row=row: Star(data=row))


# ---- validators ---------------------------------------------------------------------------------


class Sum:
    requires_context = True

    def __init__(self, most: int) -> None:
        self.most = most

    def __call__(self, attrs: Any, serializer: Any) -> None:
        events.append((type(serializer).__name__, sorted(attrs.items(), key=str)))
        if sum(value for value in attrs.values() if type(value) is int) > self.most:
            raise serializers.ValidationError("too much", code="sum")


class Summed(serializers.Serializer):
    a = serializers.IntegerField()
    b = serializers.IntegerField(default=2)
    owner = serializers.CharField(read_only=True, default="me")
    when = serializers.HiddenField(default=lambda: events.append("when") or 1)

    class Meta:
        validators = (Sum(5), Sum(3))


class Counted(serializers.Serializer):
    a = serializers.IntegerField()
    n = serializers.IntegerField(read_only=True, default=lambda: events.append("default") or 1)


def test_validators_of_serializers() -> None:
    for row in ({"a": 1}, {"a": 2}, {"a": 5}, {}, {"a": 1, "when": 9, "owner": "you"}):
        same(lambda row=row: Summed(data=row))
        same(lambda row=row: Summed(data=row, validators=[Sum(0)]))
        same(lambda row=row: Item(data={"name": "a", "size": 1}, validators=[Sum(0)]))
    same(lambda: Summed(data=[{"a": 1}, {"a": 2}, {"a": 5}, {}], many=True))
    same(lambda: Counted(data=[{"a": 1}, {"a": 2}], many=True))
    same(lambda: Counted(data={"a": 1}))


def test_assigned_validators() -> None:
    def make() -> Any:
        serializer = Item(data=[{"name": "a", "size": 1}] * 3, many=True)
        serializer.child.validators = [Sum(0)]
        return serializer

    assert "too much" in str(same(make))


# ---- lists --------------------------------------------------------------------------------------


class Numbered(ListSerializer):  # type: ignore[misc]
    def run_child_validation(self, data: Any) -> Any:
        events.append(data)
        self.child.instance = data
        return super().run_child_validation(data)


class Lengths(ListSerializer):  # type: ignore[misc]
    def to_internal_value(self, data: Any) -> Any:
        events.append(len(data))
        return super().to_internal_value(data)[::-1]

    def validate(self, attrs: Any) -> Any:
        if len(attrs) == 1:
            raise serializers.ValidationError("one")
        return attrs


@pytest.mark.parametrize("list_class", [ListSerializer, Numbered, Lengths], ids=lambda cls: cls.__name__)
@pytest.mark.parametrize("options", [{}, {"allow_empty": False}, {"max_length": 1}, {"min_length": 2}], ids=str)
@pytest.mark.parametrize("as_dict", [False, True])
def test_list_serializers(list_class: Any, options: dict[str, Any], as_dict: bool) -> None:
    class Of(Item):
        class Meta:
            list_serializer_class = list_class

    with override_settings(REST_FRAMEWORK={"LIST_SERIALIZER_ERRORS_AS_DICT": as_dict}):
        for data in ([], ROWS[:1], ROWS[:2], ROWS, ROWS[2:3], "x", None):
            same(lambda data=data: Of(data=data, many=True, **options))


def rows_of_errors() -> Any:
    serializer = Item(data=[{"name": "a", "size": 1}, {}], many=True)
    serializer.is_valid()
    return serializer.errors


def test_warning_of_error_lists_is_that_of_rest_framework_itself() -> None:
    with override_settings(REST_FRAMEWORK={"LIST_SERIALIZER_ERRORS_AS_DICT": False}):
        teardown()
        try:
            expected = outcome(rows_of_errors)
        finally:
            setup()
        assert outcome(rows_of_errors) == expected
        with disabled():
            assert outcome(rows_of_errors) == expected
    warned = [filename for _, _, filename in expected[1]]
    assert all(filename == __file__ for filename in warned)


def test_error_of_a_list_is_raised_where_warnings_are_errors() -> None:
    with override_settings(REST_FRAMEWORK={"LIST_SERIALIZER_ERRORS_AS_DICT": False}), warnings.catch_warnings():
        warnings.simplefilter("error")
        with disabled():
            expected = outcome(rows_of_errors)
        assert outcome(rows_of_errors) == expected


# ---- what setup replaces ------------------------------------------------------------------------


class Opted(Item):
    ssrjson = False


def test_class_that_opts_out_is_validated_by_its_fields() -> None:
    for cls, expected in ((Item, set()), (Opted, {"name", "size", "note"})):
        for _ in range(2):
            assert cls(data={"name": "a", "size": 1}).is_valid()
        with asked_fields() as names:
            assert cls(data={"name": "a", "size": 1}).is_valid()
        assert names == expected


def test_replaced_methods_look_like_those_of_stock_and_are_taken_back() -> None:
    names = ("to_internal_value", "run_validators", "fields")
    replaced = {name: vars(Serializer)[name] for name in names}
    teardown()
    try:
        stock = {name: vars(Serializer)[name] for name in names}
    finally:
        setup()
    for name in names:
        assert replaced[name] is not stock[name]
        assert replaced[name].__doc__ == stock[name].__doc__
    for name in names[:2]:
        assert replaced[name].__name__ == stock[name].__name__ == name
        assert replaced[name].__qualname__ == stock[name].__qualname__


def test_own_methods_are_kept() -> None:
    class Own(Item):
        def run_validation(self, data: Any = empty) -> Any:
            events.append("run")
            return super().run_validation(data)

        def to_internal_value(self, data: Any) -> Any:
            events.append("to_internal_value")
            return {**super().to_internal_value(data), "own": 1}

        def run_validators(self, value: Any) -> None:
            events.append(("validators", dict(value)))
            super().run_validators(value)

        def set_value(self, dictionary: Any, keys: Any, value: Any) -> None:
            events.append(keys)
            super().set_value(dictionary, keys, value)

    same(lambda: Own(data={"name": "a", "size": 1}))
    same(lambda: Own(data=ROWS, many=True))


# ---- reports ------------------------------------------------------------------------------------


class Reported(Item):
    own = Keeping()
    file = serializers.FileField()
    day = serializers.DateField(input_formats=["%Y"])
    kept = serializers.ListField(child=Keeping())
    null = serializers.CharField(allow_null=True)
    inner = Inner()


def test_report_names_fields_that_validate_values_themselves() -> None:
    report = report_of(Reported)
    assert report.inputs == {
        "own": "Keeping validates by code of its own",
        "file": "FileField",
        "day": "DateField with its options",
        "kept": "ListField with its options",
    }
    assert "Its data is validated by the core, but for " in str(report)
    assert report_of(Item).inputs == {}


def test_report_says_why_a_serializer_has_no_plan() -> None:
    class Told(Item):
        @property
        def validate_size(self) -> Any:
            return None

    class Set(Item):
        def set_value(self, dictionary: Any, keys: Any, value: Any) -> None:
            dictionary[keys[-1]] = value

    assert "validate_<field>" in report_of(Told).input_reason
    assert "set_value" in report_of(Set).input_reason
    assert "validated by REST framework" in str(report_of(Set))


@pytest.mark.parametrize("sent", [1, "x"])
def test_list_of_the_users_class_is_asked_as_by_stock(sent: Any) -> None:
    asked: list[str] = []

    class Loud(list):  # type: ignore[type-arg]
        def __iter__(self) -> Iterator[Any]:
            asked.append("iter")
            return super().__iter__()

        def __len__(self) -> int:
            asked.append("len")
            return super().__len__()

    class Row(serializers.Serializer):
        n = serializers.IntegerField()

    def asked_for() -> list[str]:
        asked.clear()
        with override_settings(REST_FRAMEWORK={"LIST_SERIALIZER_ERRORS_AS_DICT": True}):
            assert Row(data=Loud([{"n": sent}]), many=True).is_valid() == (sent == 1)
        return list(asked)

    ours = asked_for()
    teardown()
    try:
        assert asked_for() == ours
    finally:
        setup()
