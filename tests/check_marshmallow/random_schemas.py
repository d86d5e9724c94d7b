"""Random schemas, with hooks, overrides and options, and random objects and data for them."""

from __future__ import annotations

import collections
import random
import types
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import marshmallow
from marshmallow import EXCLUDE, INCLUDE, RAISE, Schema, fields, missing, validate
from marshmallow.decorators import post_dump, post_load, pre_dump, pre_load, validates, validates_schema

from check_marshmallow.random_fields import IS_VERSION_3, Drawn, anything, note, options, random_field

COLLECTION = "pass_many" if IS_VERSION_3 else "pass_collection"


@dataclass
class DrawnSchema:
    """A random schema class, and what makes values for it."""

    cls: Any
    fields: dict[str, Drawn]

    def internal(self, r: random.Random) -> Any:
        """An object to dump."""
        values: dict[str, Any] = {}
        for name, drawn in self.fields.items():
            key = drawn.field.attribute or name
            if r.random() < 0.06:
                continue
            value = anything(r) if r.random() < 0.08 else None if r.random() < 0.06 else drawn.internal(r)
            _put(values, key, value)
        return as_object(r, values)

    def external(self, r: random.Random) -> Any:
        """Data to load."""
        values: dict[Any, Any] = {}
        goodness = r.choice([0.02, 0.02, 0.1, 0.3])
        for name, drawn in r.sample(list(self.fields.items()), len(self.fields)):
            if r.random() < goodness:
                continue
            key = drawn.field.data_key if drawn.field.data_key is not None else name
            values[key] = anything(r) if r.random() < goodness else None if r.random() < 0.03 else drawn.external(r)
        if r.random() < 0.1:
            values.update(
                {key: anything(r) for key in r.sample(["extra", "more", "x1", "x2", "x3"], r.randrange(1, 5))}
            )
        kind = r.random()
        if kind < 0.03:
            return r.choice([None, 1, "text", [], collections.UserDict(values), collections.OrderedDict(values)])
        if kind < 0.04:
            values[1] = 2
        return values


def _put(values: dict[str, Any], key: str, value: Any) -> None:
    head, _, rest = key.partition(".")
    if rest:
        inner = values.setdefault(head, {})
        if isinstance(inner, dict):
            _put(inner, rest, value)
    else:
        values[head] = value


class Plain:
    def __init__(self, values: dict[str, Any]) -> None:
        self.__dict__.update(values)


class Slotted:
    __slots__ = ("f0", "f1", "f2", "f3", "f4")


class WithItems(Plain):
    def __getitem__(self, key: Any) -> Any:
        note("__getitem__", key)
        if key == "f1":
            raise IndexError(key)
        if key == "f2":
            raise ValueError(key)
        return self.__dict__[key]


class WithGetattr(Plain):
    def __getattr__(self, name: str) -> Any:
        note("__getattr__", name)
        if name == "f0":
            return "found"
        raise AttributeError(name)


class WithProperties(Plain):
    @property
    def f0(self) -> Any:
        note("property f0")
        return self.__dict__.get("f0", 1)

    @property
    def f1(self) -> Any:
        note("property f1")
        raise AttributeError("f1")

    @property
    def f2(self) -> Any:
        note("property f2")
        if self.__dict__.get("f2") is None:
            raise ZeroDivisionError
        return self.__dict__["f2"]


class Row(tuple):
    """As the rows of a database: a tuple with attributes."""


def as_object(r: random.Random, values: dict[str, Any]) -> Any:
    """An object that has values as attributes or items."""
    kind = r.random()
    if kind < 0.3:
        return values
    if kind < 0.34:
        return collections.defaultdict(list, values)
    if kind < 0.38:
        slotted = Slotted()
        for name in Slotted.__slots__:
            if name in values:
                setattr(slotted, name, values[name])
        return slotted
    if kind < 0.42:
        row = Row(values.values())
        row.__dict__.update(values)
        return row
    if kind < 0.44:
        return r.choice([None, 1, "text", [], types.SimpleNamespace(**values)])
    return r.choice([Plain, Plain, Plain, WithItems, WithGetattr, WithProperties])(values)


# Hooks


def _hooks(r: random.Random, names: list[str]) -> dict[str, Any]:
    made: dict[str, Any] = {}
    for tag, decorator in (
        ("pre_dump", pre_dump),
        ("post_dump", post_dump),
        ("pre_load", pre_load),
        ("post_load", post_load),
    ):
        if r.random() < 0.12:
            given: dict[str, Any] = {COLLECTION: r.random() < 0.4}
            if tag.startswith("post") and r.random() < 0.4:
                given["pass_original"] = True
            made[tag] = decorator(**given)(_hook(tag, r.random()))
    if r.random() < 0.15:
        name = r.choice([*names, "unknown"])
        made["check_field"] = validates(name)(_field_validator())
    if r.random() < 0.15:
        given = {
            COLLECTION: r.random() < 0.4,
            "pass_original": r.random() < 0.4,
            "skip_on_field_errors": r.random() < 0.6,
        }
        made["check_schema"] = validates_schema(**given)(_schema_validator(r.choice(names)))
    return made


def _hook(tag: str, kind: float) -> Callable[..., Any]:
    def hook(self: Any, data: Any, *original: Any, **kwargs: Any) -> Any:
        note(tag, type(data).__name__, len(original), kwargs)
        if kind < 0.1 and tag.endswith("load"):
            raise marshmallow.ValidationError(f"not by {tag}", "f0")
        if kind > 0.7 and isinstance(data, dict):
            return {**data, "hooked": 1} if tag != "pre_load" else dict(data)
        return data

    return hook


def _field_validator() -> Callable[..., Any]:
    def check(self: Any, value: Any, **kwargs: Any) -> None:
        note("validates", value, kwargs)
        if value in (1, "a", None):
            raise marshmallow.ValidationError("not this")

    return check


def _schema_validator(name: str) -> Callable[..., Any]:
    def check(self: Any, data: Any, *original: Any, **kwargs: Any) -> None:
        note("validates_schema", type(data).__name__, len(original), kwargs)
        if isinstance(data, dict) and len(data) % 3 == 0:
            raise marshmallow.ValidationError("three", name)

    return check


def _overrides(r: random.Random) -> dict[str, Any]:
    made: dict[str, Any] = {}
    if r.random() < 0.05:
        made["get_attribute"] = _get_attribute
    if r.random() < 0.05:
        made["handle_error"] = _handle_error
    if r.random() < 0.04:
        made["on_bind_field"] = _on_bind_field
    if r.random() < 0.04:
        made["_serialize"] = _own_serialize
    if r.random() < 0.04:
        made["ssrjson"] = False
    if r.random() < 0.06 and not IS_VERSION_3:
        made["dict_class"] = r.choice([collections.OrderedDict, collections.UserDict])
    return made


def _get_attribute(self: Any, obj: Any, attr: str, default: Any) -> Any:
    note("get_attribute", attr)
    return super(type(self), self).get_attribute(obj, attr, default)


def _handle_error(self: Any, error: Any, data: Any, **kwargs: Any) -> None:
    note("handle_error", error.messages, kwargs)


def _on_bind_field(self: Any, field_name: str, field_obj: Any) -> None:
    if field_name == "f1":
        field_obj.allow_none = True


def _own_serialize(self: Any, obj: Any, *, many: bool = False) -> Any:
    note("own _serialize", many)
    return super(type(self), self)._serialize(obj, many=many)


def _method(self: Any, value: Any) -> Any:
    note("method", type(value).__name__)
    return missing if self is None else "made"


def _function(value: Any) -> Any:
    note("function", type(value).__name__)
    return missing if isinstance(value, int) else 1


def _called(r: random.Random) -> Drawn:
    kind = r.random()
    given = {name: value for name, value in options(r, "any").items() if name not in ("load_only", "dump_only")}
    if kind < 0.4:
        field: Any = fields.Method(
            *r.choice([("a_method", None), ("a_method", "a_method"), (None, "a_method")]), **given
        )
    elif kind < 0.8:
        field = fields.Function(*r.choice([(_function, None), (_function, _function), (None, _function)]), **given)
    else:
        for name in ("load_default", "dump_default", "required"):
            given.pop(name, None)
        field = fields.Constant(r.choice([None, 1, "constant"]), **given)
    return Drawn(field, anything, anything)


def draw_schema(r: random.Random, depth: int = 0) -> DrawnSchema:
    """A schema class. Raises ValueError where marshmallow does not take its options."""
    names = [f"f{i}" for i in range(r.randrange(1, 7 if depth == 0 else 4))]
    drawn = {name: _called(r) if r.random() < 0.1 else random_field(r, depth) for name in names}
    meta: dict[str, Any] = {"register": False}
    if r.random() < 0.3:
        meta["unknown"] = r.choice([EXCLUDE, INCLUDE, RAISE])
    if r.random() < 0.1:
        meta["index_errors"] = False
    if r.random() < 0.1:
        meta["datetimeformat"] = r.choice(["rfc", "%Y"])
    if r.random() < 0.1:
        meta["many"] = True
    if IS_VERSION_3 and r.random() < 0.1:
        meta["ordered"] = True
    body = {name: part.field for name, part in drawn.items()}
    body |= {"a_method": _method, "Meta": type("Meta", (), meta), **_hooks(r, names), **_overrides(r)}
    return DrawnSchema(type(Schema)("Drawn", (Schema,), body), drawn)


def nested(r: random.Random, depth: int, *, inner: bool = False) -> Drawn:
    """A field with a schema within."""
    schema = draw_schema(r, depth + 1)
    given = options(r, "any", is_inner=inner)
    many = r.random() < 0.35
    name = r.choice(list(schema.fields))
    how: Any = r.choice([schema.cls, lambda: note("lambda") or schema.cls(), schema.cls(**_maybe_only(r, schema))])
    own: dict[str, Any] = {"many": many}
    if r.random() < 0.2:
        own["unknown"] = r.choice([EXCLUDE, INCLUDE, RAISE])
    if r.random() < 0.15:
        return Drawn(
            fields.Pluck(schema.cls, name, **own, **given),
            lambda r: [schema.internal(r) for _ in range(2)] if many else schema.internal(r),
            lambda r: [schema.fields[name].external(r)] if many else schema.fields[name].external(r),
        )
    own |= _maybe_only(r, schema)
    return Drawn(
        fields.Nested(how, **own, **given),
        lambda r: [schema.internal(r) for _ in range(r.randrange(4))] if many else schema.internal(r),
        lambda r: [schema.external(r) for _ in range(r.randrange(4))] if many else schema.external(r),
    )


def _maybe_only(r: random.Random, schema: DrawnSchema) -> dict[str, Any]:
    if r.random() > 0.2:
        return {}
    return {r.choice(["only", "exclude"]): r.sample(list(schema.fields), r.randrange(len(schema.fields)))}


def instance_options(r: random.Random, schema: DrawnSchema) -> dict[str, Any]:
    """Keyword arguments of the schema class."""
    drawn = _maybe_only(r, schema)
    if r.random() < 0.2:
        drawn["many"] = True
    if r.random() < 0.1:
        drawn["partial"] = r.choice([True, False, ("f0", "f1.f0"), {"f2"}])
    if r.random() < 0.1:
        drawn["unknown"] = r.choice([EXCLUDE, INCLUDE, RAISE])
    if r.random() < 0.1:
        drawn["dump_only"] = ["f0"]
    if IS_VERSION_3 and r.random() < 0.1:
        drawn["context"] = {"a": 1}
    return drawn


CHANGES: list[Callable[[Any, str], Any]] = [
    lambda schema, name: setattr(schema.fields[name], "required", True),
    lambda schema, name: setattr(schema.fields[name], "allow_none", True),
    lambda schema, name: setattr(schema.fields[name], "data_key", "changed"),
    lambda schema, name: setattr(schema.fields[name], "attribute", "other"),
    lambda schema, name: setattr(schema.fields[name], "dump_default", 0),
    lambda schema, name: setattr(schema.fields[name], "load_default", False),
    lambda schema, name: schema.fields[name].validators.append(validate.Length(max=1)),
    lambda schema, name: schema.dump_fields.pop(name, None),
    lambda schema, name: schema.load_fields.pop(name, None),
    lambda schema, name: setattr(schema, "unknown", EXCLUDE),
    lambda schema, name: setattr(schema, "get_attribute", lambda obj, attr, default: note("own", attr) or 1),
    lambda schema, name: setattr(
        schema.fields[name], "_serialize", lambda value, attr, obj: note("own _serialize") or 2
    ),
    lambda schema, name: setattr(
        schema.fields[name], "_deserialize", lambda value, attr, data, **k: note("own load") or 2
    ),
]
"""What a user may do to a schema between two calls."""
