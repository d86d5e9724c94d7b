"""What schemas dump: values, objects, ways to find them, and what a plan notices."""

from __future__ import annotations

import collections
import decimal
import types
from typing import Any

import pytest
from helpers.marshmallow_schemas import Row, RowSchema, assert_alike, plans_of
from marshmallow import Schema, fields, missing, post_dump

from ssrjson_web.marshmallow import disabled


@pytest.mark.parametrize("things", [[], [Row(1)], [Row(n) for n in range(9)], (Row(1), Row(2)), None, {}, "ab", 5])
def test_many_are_dumped_alike(things: Any) -> None:
    schema = RowSchema(many=True)
    for _ in range(2):
        assert_alike(lambda: schema.dump(things))


def test_rows_of_a_generator_are_dumped_as_they_come() -> None:
    calls: list[Any] = []

    class Seen(RowSchema):
        seen = fields.Function(lambda row: calls.append(("dumped", row.id)))

    def rows() -> Any:
        for n in range(3):
            calls.append(("made", n))
            yield Row(n)

    schema = Seen(many=True)
    schema.dump(rows())
    assert calls == [(verb, n) for n in range(3) for verb in ("made", "dumped")]


def test_results_are_new_containers() -> None:
    class Parts(Schema):
        items = fields.List(fields.Raw())
        pairs = fields.Dict()
        values = fields.Dict(values=fields.Int())

    source = {"items": [1], "pairs": {"a": 1}, "values": {"b": 2}}
    dumped = Parts().dump(source)
    assert dumped == source
    assert all(dumped[name] is not source[name] for name in source)


class Counting:
    def __init__(self) -> None:
        self.calls: list[str] = []

    @property
    def id(self) -> int:
        self.calls.append("id")
        return 1

    @property
    def name(self) -> str:
        self.calls.append("name")
        raise AttributeError("name")

    @property
    def note(self) -> str:
        self.calls.append("note")
        raise KeyError("note")


@pytest.mark.parametrize("only", [("id", "name"), ("id", "name", "note")])
def test_properties_are_read_once_and_their_errors_are_told(only: tuple[str, ...]) -> None:
    schema = RowSchema(only=only)
    schema.dump(Row(1))

    def dump() -> Any:
        thing = Counting()
        try:
            return schema.dump(thing), thing.calls
        except KeyError as error:
            return repr(error), thing.calls

    result = dump()
    with disabled():
        assert dump() == result
    assert result[1].count("name") == 1


class Items:
    def __getitem__(self, key: str) -> Any:
        if key == "name":
            raise IndexError(key)
        if key == "ok":
            raise ZeroDivisionError
        return {"id": 4, "price": 1}[key]

    name = "attribute"
    at = None


@pytest.mark.parametrize(
    "thing",
    [
        {"id": 1, "items": 2},
        collections.defaultdict(lambda: 7),
        collections.namedtuple("Pair", "id name")(1, "two"),
        types.SimpleNamespace(id=1, name=missing),
        Items(),
        collections.ChainMap({"id": 1}),
        None,
        7,
        "text",
        Row,
        types,
    ],
    ids=lambda thing: type(thing).__name__,
)
def test_values_are_found_where_marshmallow_finds_them(thing: Any) -> None:
    for only in (("id", "name"), ("id", "name", "at", "price"), ("ok",), ("tags", "key", "day", "weight")):
        schema = RowSchema(only=only)
        assert_alike(lambda schema=schema: schema.dump(thing))
        assert_alike(lambda schema=schema: schema.dump([thing, thing], many=True))


def test_attributes_with_dots_are_followed() -> None:
    class Dotted(Schema):
        deep = fields.Str(attribute="a.b.c", dump_default="default")
        name = fields.Int(attribute="a.n")

    schema = Dotted()
    inner = types.SimpleNamespace(c="found")
    for thing in (
        {"a": {"b": inner, "n": 1}},
        {"a": {"b": None}},
        {"a": 1},
        {},
        types.SimpleNamespace(a={"b": {"c": 1}}),
    ):
        assert_alike(lambda thing=thing: schema.dump(thing))
    assert plans_of(schema) == {None}


def test_default_is_taken_for_missing_and_called_each_time() -> None:
    calls: list[int] = []

    class Defaults(Schema):
        a = fields.Str(dump_default=lambda: calls.append(1) or "made")
        b = fields.Raw(dump_default=5)
        c = fields.Int(dump_default="7")
        d = fields.Raw(dump_default=lambda: calls.append(1) or missing)

    schema = Defaults()
    for thing in ({}, dict.fromkeys("abcd", missing), {"a": "x", "b": None, "c": 1, "d": missing.__class__}):
        assert_alike(lambda thing=thing: schema.dump(thing))
    assert len(calls) == 8
    assert plans_of(schema) == {None}


def test_default_that_raises_is_called_once() -> None:
    calls: list[int] = []

    class Defaults(Schema):
        a = fields.Raw(dump_default=lambda: calls.append(1) or 1 // 0)
        b = fields.Int()

    schema = Defaults()
    for _ in range(3):
        assert_alike(lambda: schema.dump({"a": 1}))
    for n_calls in (1, 2, 3):
        with pytest.raises(ZeroDivisionError):
            schema.dump({})
        assert len(calls) == n_calls


def test_decimals_follow_the_context() -> None:
    class Money(Schema):
        amount = fields.Decimal(places=2, as_string=True)

    schema = Money()
    for value in ("1", "1.5", "1.005", "-0", "1E+2", "12345678901234567.5", "NaN", "99999999999999999999999999.5"):
        for precision in (28, 5, 50):
            with decimal.localcontext() as context:
                context.prec = precision
                assert_alike(lambda value=value: schema.dump({"amount": decimal.Decimal(value)}))


CHANGES = {
    "key": lambda schema: setattr(schema.fields["id"], "data_key", "other"),
    "attribute": lambda schema: setattr(schema.fields["id"], "attribute", "weight"),
    "default": lambda schema: setattr(schema.fields["note"], "dump_default", "none"),
    "field removed": lambda schema: schema.dump_fields.pop("id"),
    "field added": lambda schema: schema.dump_fields.__setitem__("more", fields.Constant(1)),
    "field replaced": lambda schema: schema.dump_fields.__setitem__("id", fields.Constant(1)),
    "new dict of fields": lambda schema: setattr(schema, "dump_fields", {"id": fields.Constant(1)}),
    "order": lambda schema: schema.dump_fields.__setitem__("id", schema.dump_fields.pop("id")),
    "format": lambda schema: setattr(schema.fields["at"], "format", "%Y"),
    "method of the schema": lambda schema: setattr(schema, "get_attribute", lambda obj, attr, default: None),
    "method of a field": lambda schema: setattr(schema.fields["id"], "_serialize", lambda *a, **k: "own"),
    "class of a field": lambda schema: setattr(schema.fields["id"], "__class__", fields.Str),
    "inner field": lambda schema: setattr(schema.fields["tags"], "inner", fields.Constant("x")),
}


@pytest.mark.parametrize("change", CHANGES)
def test_plan_notices_what_is_changed(change: str) -> None:
    ours, stock = RowSchema(), RowSchema()
    row = Row(3)
    for schema in (ours, stock):
        for _ in range(3):
            schema.dump(row)
        CHANGES[change](schema)
    for _ in range(3):
        with disabled():
            expected = stock.dump(row)
        found = ours.dump(row)
        assert (found, list(found)) == (expected, list(expected))


def test_plan_notices_a_patched_class(monkeypatch: pytest.MonkeyPatch) -> None:
    schema = RowSchema()
    expected = schema.dump(Row(1))
    schema.dump(Row(1))
    with monkeypatch.context() as patched:
        patched.setattr(fields.String, "_serialize", lambda *args, **kwargs: "patched")
        assert schema.dump(Row(1))["name"] == "patched"
    assert schema.dump(Row(1)) == expected
    with monkeypatch.context() as patched:
        patched.setattr(RowSchema, "get_attribute", lambda self, obj, attr, default: None)
        assert set(schema.dump(Row(1)).values()) == {None}
    assert schema.dump(Row(1)) == expected
    with monkeypatch.context() as patched:
        patched.setitem(fields.DateTime.SERIALIZATION_FUNCS, "iso", lambda value: "patched")
        assert schema.dump(Row(1))["at"] == "patched"
    assert schema.dump(Row(1)) == expected


# Schemas within schemas


class Author(Schema):
    class Meta:
        register = False

    name = fields.Str()
    books = fields.List(fields.Nested(lambda: Book(only=("title",))))


class Book(Schema):
    class Meta:
        register = False

    title = fields.Str()
    author = fields.Nested(Author, exclude=("books",))
    authors = fields.Nested(Author, many=True)
    names = fields.Pluck(Author, "name", many=True)


def test_nested_schemas_are_dumped_alike() -> None:
    authors = [{"name": str(n), "books": [{"title": "t"}, {"author": None}]} for n in range(3)]
    books = [
        {"title": "a", "author": authors[0], "authors": authors, "names": authors},
        {"author": None, "authors": [], "names": []},
        {"authors": tuple(authors), "names": iter(())},
        {"author": 5, "authors": [None]},
    ]
    for book in books:
        schema = Book()
        for _ in range(4):
            assert_alike(
                lambda schema=schema, book=book: schema.dump(book) if "names" not in book else list(schema.dump(book))
            )
    schema = Book(many=True, exclude=("names",))
    for _ in range(3):
        assert_alike(lambda: schema.dump(books[:2] * 3))


def test_schema_within_is_made_when_marshmallow_makes_it() -> None:
    calls: list[str] = []

    class Outer(Schema):
        inner = fields.Nested(lambda: calls.append("made") or Author())

    schema = Outer()
    for thing in ({}, {}, [], 5):
        schema.dump(thing)
    assert calls == []
    schema.dump({"inner": None})
    schema.dump({"inner": {"name": "x"}})
    assert calls == ["made"]


def test_tree_of_one_schema_is_dumped_to_any_depth() -> None:
    class Tree(Schema):
        value = fields.Int()
        children = fields.List(fields.Nested(lambda: Tree()))

    tree: dict[str, Any] = {"value": 0, "children": []}
    for n in range(1, 12):
        tree = {"value": n, "children": [tree, {"value": -n}]}
    schema = Tree()
    for _ in range(15):
        assert_alike(lambda: schema.dump(tree))


def test_hook_within_is_called() -> None:
    class Hooked(Schema):
        name = fields.Str()

        @post_dump
        def add(self, data: Any, **kwargs: Any) -> Any:
            return {**data, "hooked": True}

    class Outer(Schema):
        inner = fields.Nested(Hooked)

    schema = Outer()
    for _ in range(3):
        assert schema.dump({"inner": {"name": "x"}}) == {"inner": {"name": "x", "hooked": True}}
