"""What schemas load: values, errors, validators, and what a plan notices."""

from __future__ import annotations

import collections
import decimal
from typing import Any

import pytest
from helpers.marshmallow_schemas import Row, RowSchema, assert_alike, outcome, plans_of
from marshmallow import EXCLUDE, INCLUDE, RAISE, Schema, ValidationError, fields, missing, validate, validates_schema

from ssrjson_web.marshmallow import disabled


def loadable(n: int) -> dict[str, Any]:
    with disabled():
        data: dict[str, Any] = RowSchema().dump(Row(n))
    return data


def test_rows_are_loaded_alike() -> None:
    schema = RowSchema()
    assert_alike(lambda: schema.load(loadable(1)))
    assert_alike(lambda: schema.load([loadable(n) for n in range(9)], many=True))
    assert len(plans_of(schema)) == 1


WRONG: dict[str, Any] = {
    "id": ["1", " 12 ", 1.5, True, None, "x", [], 10**400, float("inf"), missing],
    "name": [1, b"ab", b"\xff", None, ["x"], "\ud800"],
    "price": ["1.50", "x", "NaN", 1, 1.1, None, True, "1_0", " 2 ", "Infinity", {}],
    "at": ["2026-11-27T09:05:00Z", "2026-11-27", "x", 5, None, "", "2026-11-27T09:05:00+05:30", "2026-11-27T24:00:00"],
    "day": ["2026-11-27", "2026-1-2", "20261127", "x", None, 5],
    "ok": ["true", "off", 1, 0, 2, 1.0, None, [], "x"],
    "weight": [1, "1.5", "nan", float("nan"), float("inf"), None, True, 10**400],
    "key": ["00000000-0000-0000-0000-000000000001", "0" * 32, "x", 5, None, b"0123456789abcdef", "{" + "0" * 32 + "}"],
    "tags": [[], ["a"], ["a", 1], [None], "ab", None, ("a",), {"a": 1}, {1, 2}],
    "note": [None, "", 1],
}


@pytest.mark.parametrize("name", WRONG)
def test_wrong_and_nearly_right_values_give_the_same(name: str) -> None:
    schema = RowSchema()
    for value in WRONG[name]:
        data = {**loadable(2), name: value}
        assert_alike(lambda data=data: schema.load(data))
        assert_alike(lambda data=data: schema.load([loadable(1), data, data], many=True))
        assert_alike(lambda data=data: schema.validate(data))


@pytest.mark.parametrize(
    "data", [None, 1, "x", [], [{}], collections.OrderedDict(id=1), collections.UserDict(id=2), {1: 2}]
)
def test_data_that_is_no_dict_gives_the_same(data: Any) -> None:
    schema = RowSchema()
    for many in (False, True):
        assert_alike(lambda many=many: schema.load(data, many=many))
        assert_alike(lambda many=many: schema.load([data, {"id": "x"}], many=many))


@pytest.mark.parametrize("unknown", [EXCLUDE, INCLUDE, RAISE])
@pytest.mark.parametrize("partial", [None, True, False, ("id", "name"), {"id"}, ["none"]])
def test_options_are_respected(unknown: str, partial: Any) -> None:
    class Required(Schema):
        id = fields.Int(required=True)
        name = fields.Str(required=True, data_key="title")
        n = fields.Int(load_default=4)

    schema = Required()
    for data in ({}, {"id": 1}, {"title": "x", "z": 1, "y": 2, "x": 3, "w": 4}, {"id": "x", "more": 1}):
        assert_alike(lambda data=data: schema.load(data, unknown=unknown, partial=partial))
        assert_alike(lambda data=data: schema.load([data, data], many=True, unknown=unknown, partial=partial))


def test_defaults_are_the_same_objects_and_calls() -> None:
    calls: list[int] = []
    shared: list[int] = []

    class Defaults(Schema):
        a = fields.List(fields.Int(), load_default=shared, validate=validate.Length(min=1))
        b = fields.Int(load_default=lambda: calls.append(1) or 9)
        c = fields.Int(load_default=None)
        d = fields.Int(load_default=7, validate=lambda value: calls.append(value))

    schema = Defaults()
    for _ in range(2):
        loaded = schema.load({})
        assert loaded == {"a": [], "b": 9, "c": None, "d": 7}
        assert loaded["a"] is shared
    assert calls == [1, 1]
    schema.fields["c"].load_default = False
    assert schema.load({})["c"] is False


def test_default_that_is_replaced_by_an_equal_one_is_noticed() -> None:
    schema = Schema.from_dict({"a": fields.Int(load_default=1)})()
    assert repr(schema.load({})) == "{'a': 1}"
    assert repr(schema.load({})) == "{'a': 1}"
    schema.fields["a"].load_default = True
    assert repr(schema.load({})) == "{'a': True}"


def test_own_validators_are_called_once_in_the_order_of_the_fields() -> None:
    calls: list[Any] = []

    def seen(value: Any) -> None:
        calls.append(value)
        if value in ("bad", 5):
            raise ValidationError("bad")

    class Validated(Schema):
        a = fields.Str(validate=seen)
        b = fields.Int(validate=[seen, validate.Range(max=9), seen])
        c = fields.List(fields.Int(validate=seen))
        d = fields.Str(allow_none=True, validate=seen)

    schema = Validated()
    for data in (
        {"a": "x", "b": 1, "c": [2, 3], "d": None},
        {"a": "bad", "b": 5, "c": [5, "x"], "d": "bad"},
        {"b": 50, "a": "x"},
        {"b": "50", "a": 1},
    ):
        for call in (lambda data=data: schema.load(data), lambda data=data: schema.load([data], many=True)):
            calls.clear()
            found = outcome(call), list(calls)
            with disabled():
                calls.clear()
                assert (outcome(call), list(calls)) == found
    assert len(plans_of(schema)) == 1


VALIDATED: dict[str, tuple[Any, list[Any]]] = {
    "length": (fields.Str(validate=validate.Length(min=2, max=3)), ["a", "ab", "abcd", "é中文", 5]),
    "equal": (fields.Str(validate=validate.Length(equal=2)), ["a", "ab", "abc"]),
    "choices": (fields.Str(validate=validate.OneOf(["a", "b"])), ["a", "c", ""]),
    "choices and length": (fields.Str(validate=[validate.OneOf(["a", "b"]), validate.Length(1)]), ["a", "c", ""]),
    "regexp": (fields.Str(validate=validate.Regexp("a+$")), ["aa", "ab", "\0", "a\n"]),
    "range": (fields.Int(validate=validate.Range(1, 5)), [0, 1, 5, 6, "3", "9", 10**30]),
    "open range": (fields.Int(validate=validate.Range(1, 5, min_inclusive=False, max_inclusive=False)), [1, 2, 4, 5]),
    "range of floats": (fields.Float(validate=validate.Range(0.5, 1.5)), [0.5, 0.4, 1.5, 1.6, 1, 2]),
    "open range of floats": (fields.Float(validate=validate.Range(max=1.5, max_inclusive=False)), [1.5, 1.4]),
    "range of an int by floats": (fields.Int(validate=validate.Range(0.5, 1.5)), [0, 1, 2]),
    "numbers": (fields.Int(validate=validate.OneOf([1, 2])), [1, 3, True]),
    "email": (fields.Email(), ["a@example.com", "x", "", "a@b"]),
    "url": (fields.Url(), ["http://example.com", "x", "ftp://example.com/a"]),
    "items": (fields.List(fields.Int(), validate=validate.Length(max=1)), [[], [1], [1, 2], ["x"]]),
    "only": (fields.List(fields.Int(), validate=validate.ContainsOnly([1])), [[1], [2]]),
    "pairs": (fields.Dict(values=fields.Int(), validate=validate.Length(max=1)), [{}, {"a": 1}, {"a": 1, "b": 2}]),
    "decimal": (fields.Decimal(places=2, validate=validate.Range(min=1)), ["1.00", "0.5", "1.005", 1]),
}


@pytest.mark.parametrize("name", VALIDATED)
def test_validators_of_marshmallow_give_the_same(name: str) -> None:
    field, values = VALIDATED[name]
    schema = Schema.from_dict({"a": field})()
    for value in values:
        assert_alike(lambda value=value: schema.load({"a": value}))
    assert len(plans_of(schema)) == 1


CHANGES = {
    "required": lambda schema: setattr(schema.fields["name"], "required", True),
    "none": lambda schema: setattr(schema.fields["name"], "allow_none", True),
    "validator added": lambda schema: schema.fields["name"].validators.append(validate.Length(max=1)),
    "validator changed": lambda schema: setattr(schema.fields["word"].validators[0], "max", 1),
    "choices changed": lambda schema: schema.fields["word"].validators[1].choices.append("other"),
    "key": lambda schema: setattr(schema.fields["name"], "data_key", "title"),
    "attribute": lambda schema: setattr(schema.fields["name"], "attribute", "title"),
    "field removed": lambda schema: schema.load_fields.pop("name"),
    "unknown": lambda schema: setattr(schema, "unknown", EXCLUDE),
    "partial": lambda schema: setattr(schema, "partial", True),
    "truthy": lambda schema: setattr(schema.fields["ok"], "truthy", {"name"}),
    "format": lambda schema: setattr(schema.fields["day"], "format", "%d.%m.%Y"),
    "strict": lambda schema: setattr(schema.fields["id"], "strict", True),
    "method of a field": lambda schema: setattr(schema.fields["name"], "_deserialize", lambda *a, **k: "own"),
}


@pytest.mark.parametrize("change", CHANGES)
def test_plan_notices_what_is_changed(change: str) -> None:
    def made() -> Schema:
        word = fields.Str(validate=[validate.Length(max=9), validate.OneOf(["ab", "c"])])
        parts = {"id": fields.Int(), "name": fields.Str(), "word": word, "ok": fields.Bool(), "day": fields.Date()}
        return Schema.from_dict(parts)()

    ours, stock = made(), made()
    data: list[Any] = [
        {"id": "1", "name": "name", "word": "ab", "ok": "name", "day": "2026-11-27"},
        {"title": "x", "word": "other", "name": None},
        {"day": "27.11.2026", "more": 1, "id": 1},
    ]
    for schema in (ours, stock):
        for one in data:
            outcome(lambda schema=schema, one=one: schema.load(one))
            outcome(lambda schema=schema, one=one: schema.load(one))
        CHANGES[change](schema)
    for one in data:
        with disabled():
            expected = outcome(lambda one=one: stock.load(one))
        assert outcome(lambda one=one: ours.load(one)) == expected


def test_dotted_attributes_are_put_into_dicts() -> None:
    class Dotted(Schema):
        a = fields.Int(attribute="deep.a")
        b = fields.Int(attribute="deep.b.c")

    class Within(Schema):
        a = fields.Dict(attribute="deep")
        b = fields.Int(attribute="deep.b")

    for cls, n_plans in ((Dotted, 1), (Within, 0)):
        schema = cls()
        for data in ({"a": 1, "b": 2}, {"b": 2}, {"a": {}, "b": 1}, {"a": {"b": {}}, "b": 1}, {}):
            assert_alike(lambda schema=schema, data=data: schema.load(data))
        assert len(plans_of(schema)) == n_plans


def test_decimals_follow_the_context() -> None:
    schema = Schema.from_dict({"a": fields.Decimal(places=2)})()
    for precision in (28, 4, 40):
        for value in ("1", "1.5", "123456.25", "1.005", 12345, 0.1, "9" * 13):
            with decimal.localcontext() as context:
                context.prec = precision
                assert_alike(lambda value=value: schema.load({"a": value}))


def test_schema_validator_sees_what_was_loaded_and_given() -> None:
    calls: list[Any] = []

    class Checked(RowSchema):
        @validates_schema(pass_original=True)
        def check(self, data: Any, original: Any, **kwargs: Any) -> None:
            calls.append((dict(data), original, sorted(kwargs)))
            if data["id"] == 2:
                raise ValidationError("two", "id")

    schema = Checked()
    rows = [loadable(n) for n in range(3)]
    assert_alike(lambda: schema.load(rows, many=True))
    assert len(calls) == 6
    assert calls[:3] == calls[3:]


# Schemas within schemas


class Inner(Schema):
    class Meta:
        register = False

    id = fields.Int(required=True)
    name = fields.Str(validate=validate.Length(max=3))
    more = fields.List(fields.Int())


class Outer(Schema):
    class Meta:
        register = False

    one = fields.Nested(Inner)
    all = fields.Nested(Inner, many=True, unknown=EXCLUDE)
    some = fields.List(fields.Nested(Inner, allow_none=True))
    plucked = fields.Pluck(Inner, "id")


NESTED: list[Any] = [
    {"one": {"id": 1, "name": "a", "more": [1]}, "all": [{"id": 1}, {"id": 2, "x": 1}], "some": [{"id": 1}, None]},
    {"one": {}, "all": [{}, {"id": "x"}, 5], "some": [{}, {"id": 1}, 5, None]},
    {"one": {"id": 1, "x": 2, "y": 3}, "some": [{"id": 1, "x": 2}], "all": []},
    {"one": 5, "all": {}, "some": 5, "plucked": 1},
    {"one": None, "all": None, "some": None, "plucked": "x"},
    {"all": [{"id": 1, "name": "long one", "more": [1, "x"]}], "one": {"id": 1, "more": ["x"]}, "z": 1},
]


@pytest.mark.parametrize("partial", [None, True, ("one.id", "all"), False])
def test_nested_schemas_are_loaded_alike(partial: Any) -> None:
    schema = Outer()
    for _ in range(3):
        for data in NESTED:
            assert_alike(lambda data=data: schema.load(data, partial=partial))
        assert_alike(lambda: schema.load(NESTED, many=True, partial=partial))
