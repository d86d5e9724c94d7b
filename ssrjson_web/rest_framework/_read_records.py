"""Serializers described, and records that are made of descriptions."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Hashable, Mapping
from operator import attrgetter
from typing import Any, Literal, NamedTuple, TypeAlias

from rest_framework import fields, relations
from rest_framework.fields import Field
from rest_framework.relations import RelatedField
from rest_framework.serializers import ListSerializer, Serializer

from ssrjson_web._models.acceptance import Acceptance, Accepted
from ssrjson_web._models.records import ReadField, ReadRecord
from ssrjson_web._plans.basis import has_own_methods, owner_of
from ssrjson_web.rest_framework import _read_calls as calls
from ssrjson_web.rest_framework._fields import (
    Template,
    has_fields_of_stock,
    is_pristine,
    keeps_fields,
    template_to_read,
)
from ssrjson_web.rest_framework._read_fields import Kind, Now, is_hashable, kind_of
from ssrjson_web.rest_framework._stock import is_of_stock
from ssrjson_web.rest_framework._switch import has_opted_out, is_ours
from ssrjson_web.rest_framework._ways import Use, WayOf

__all__ = ["Call", "DescribedField", "DescribedRecord", "Describer", "can_be_planned", "reads_by_plan", "record_of"]

MAX_LEVELS = 5
"""Serializers in serializers beyond this are read by their own `to_representation`."""

Shape: TypeAlias = Literal["whole", "value", "method", "key", "slug", "nested", "many", "keys", "list", "dict"]


class DescribedField(NamedTuple):
    """All that decides how a field is read."""

    name: str
    shape: Shape
    source: tuple[str, ...] = ()
    kind: Kind | None = None
    options: tuple[Hashable, ...] = ()
    inner: Any = None
    """The `DescribedRecord` of a nested serializer, or the `DescribedField` of items."""


class DescribedRecord(NamedTuple):
    """All that decides how a serializer reads."""

    fields: tuple[DescribedField, ...]


class Call(NamedTuple):
    """A call of a record: how to get the callable of the serializer at hand."""

    path: tuple[str, ...]
    """The names of fields on the way to the field."""
    get: Callable[[Any, Any], Callable[..., Any]]
    """Of the serializer that has the field, and a function that returns the field."""


# ---- describing ---------------------------------------------------------------------------------


class Describer:
    """Makes descriptions, and remembers of which templates and classes."""

    def __init__(self, now: Now) -> None:
        self.now = now
        self.has_zone = False
        """Whether a field has the time zone in use."""
        self._around: list[type] = []
        self.templates: list[tuple[type, Template]] = []

    def describe(self, serializer: Any) -> DescribedRecord:
        """The description of a serializer, by the fields that it has."""
        self._around.append(type(serializer))
        try:
            fields = serializer.fields.items()
            return DescribedRecord(tuple(self._field(name, field) for name, field in fields if not field.write_only))
        finally:
            self._around.pop()

    def _field(self, name: str, field: Any) -> DescribedField:
        whole = DescribedField(name, "whole")
        if field.field_name != name or has_own_methods(field) or not is_of_stock(type(field)):
            return whole
        source = tuple(field.source_attrs)
        if "__iter__" in source or not all(type(step) is str for step in source):
            return whole
        found = self._found(name, field, source)
        return found if found is not None and is_hashable(found.options) else whole

    def _found(self, name: str, field: Any, source: tuple[str, ...]) -> DescribedField | None:
        """Of a field whose value is found as REST framework's fields find it; otherwise None."""
        cls = type(field)
        getter, represents = owner_of(cls, "get_attribute"), owner_of(cls, "to_representation")
        if getter is relations.ManyRelatedField:
            return self._keys(name, field, source)
        if getter is RelatedField:
            uses_key = owner_of(cls, "use_pk_only_optimization")
            if uses_key is relations.PrimaryKeyRelatedField:
                return self._key(name, field, source)
            if uses_key not in (RelatedField, relations.HyperlinkedIdentityField):
                return None
        elif getter is not Field:
            return None
        if represents is fields.SerializerMethodField:
            return DescribedField(name, "method", options=(field.method_name,)) if not source else None
        if represents is relations.SlugRelatedField:
            return DescribedField(name, "slug", source, options=_names_of_slug(field))
        return self._value(name, field)._replace(source=source)

    def _value(self, name: str, field: Any) -> DescribedField:
        """What becomes of a value, however it is found."""
        by_itself = DescribedField(name, "value")
        cls = type(field)
        represent, represents = cls.to_representation, owner_of(cls, "to_representation")
        if has_own_methods(field) or not is_of_stock(cls):
            return by_itself
        if is_ours(represent, Serializer, "to_representation"):
            inner = self._nested(field)
            return DescribedField(name, "nested", inner=inner) if inner is not None else by_itself
        if is_ours(represent, ListSerializer, "to_representation"):
            child = field.child
            is_read = reads_by_plan(child)
            return DescribedField(name, "many", inner=self._nested(child) if is_read else None)
        if represents in (fields.ListField, fields.DictField):
            shape: Shape = "list" if represents is fields.ListField else "dict"
            of_items = self._value("", field.child)
            return DescribedField(name, shape, inner=of_items) if _is_pure(of_items) else by_itself
        kind = kind_of(field)
        options = kind.options_of(field, self.now) if kind is not None else None
        self.has_zone |= isinstance(field, fields.DateTimeField)
        if options is None or not is_hashable(options):
            return by_itself
        return DescribedField(name, "value", kind=kind, options=options)

    def _nested(self, serializer: Any) -> DescribedRecord | None:
        """The description of a nested serializer; None where its fields are not known before it makes them."""
        cls = type(serializer)
        if len(self._around) > MAX_LEVELS or cls in self._around or not can_be_planned(cls):
            return None
        if "fields" in vars(serializer):
            return self.describe(serializer)
        template = template_to_read(cls, at_once=True) if is_pristine(serializer) and has_fields_of_stock(cls) else None
        if template is None or template.pristine is None:
            return None
        self.templates.append((cls, template))
        return self.describe(template.pristine)

    def _key(self, name: str, field: Any, source: tuple[str, ...]) -> DescribedField | None:
        if not source or owner_of(type(field), "to_representation") is not relations.PrimaryKeyRelatedField:
            return None
        if field.pk_field is None:
            return DescribedField(name, "key", source, inner=DescribedField("", "value", kind=_KEY))
        described = self._value("", field.pk_field)
        is_known = described.shape == "value"
        return DescribedField(name, "key", source, inner=described if is_known else DescribedField("", "value"))

    def _keys(self, name: str, field: Any, source: tuple[str, ...]) -> DescribedField | None:
        child = field.child_relation
        if len(source) != 1 or owner_of(type(field), "to_representation") is not relations.ManyRelatedField:
            return None
        inner = None
        if not has_own_methods(child) and is_of_stock(type(child)):
            represents = owner_of(type(child), "to_representation")
            if represents is relations.PrimaryKeyRelatedField and child.pk_field is None:
                inner = DescribedField("", "slug", options=("pk",))
            elif represents is relations.SlugRelatedField:
                inner = DescribedField("", "slug", options=_names_of_slug(child))
        return DescribedField(name, "keys", source, inner=inner)


def reads_by_plan(serializer: Any) -> bool:
    """Whether the `to_representation` of an object is the one that replaces that of `Serializer`."""
    return "to_representation" not in vars(serializer) and is_ours(
        type(serializer).to_representation, Serializer, "to_representation"
    )


def _names_of_slug(field: Any) -> tuple[str, ...]:
    return tuple(str(field.slug_field).replace("__", ".").split("."))


def _is_pure(described: DescribedField) -> bool:
    """Whether the values of a list can be tried without running code twice."""
    if described.shape in ("list", "dict"):
        return _is_pure(described.inner)
    return described.shape == "value" and described.kind is not None


_of_iteration = attrgetter("_readable_fields", "__getattribute__")


def can_be_planned(cls: Any) -> bool:
    """Whether a class iterates over its `fields` as REST framework does."""
    return keeps_fields(cls) and _of_iteration(cls) == _of_iteration(Serializer) and not has_opted_out(cls)


_ACCEPTED_KEYS: Acceptance = (Accepted(int), Accepted(str), Accepted(uuid.UUID))
_KEY = Kind(lambda field, now: (), lambda: _ACCEPTED_KEYS)

# ---- records ------------------------------------------------------------------------------------

_NONE = Accepted(type(None))


class _Writer:
    """Makes records of descriptions, and numbers their calls."""

    def __init__(self) -> None:
        self.calls: list[Call] = []

    def number(self, path: tuple[str, ...], get: Callable[[Any, Any], Callable[..., Any]]) -> int:
        self.calls.append(Call(path, get))
        return len(self.calls) - 1

    def record(self, described: DescribedRecord, path: tuple[str, ...]) -> ReadRecord:
        uses: dict[str, Use] = {}
        made = tuple(self.field(field, (*path, field.name), uses) for field in described.fields)
        return ReadRecord(made, WayOf(uses), calls.SKIPPED)

    def field(self, field: DescribedField, path: tuple[str, ...], uses: dict[str, Use]) -> ReadField:
        if field.shape == "method":
            return ReadField(
                field.name, (), (_NONE,), convert=self.number(path, calls.method_getter(str(field.options[0])))
            )
        steps = _steps_of(field, uses)
        if field.shape == "whole" or steps is None:
            return ReadField(field.name, (), (), convert=self.number(path, calls.represent_whole))
        acceptance, convert = self.value(field, path)
        resume = self.number(path, calls.RESUME.get(field.shape, calls.resume_value)) if steps else -1
        number = -1 if acceptance is None or convert is None else self.number(path, convert)
        return ReadField(field.name, steps, acceptance, number, resume)

    def value(self, field: DescribedField, path: tuple[str, ...]) -> tuple[Acceptance, Any]:
        """The acceptance of a field's value, None included, and how to get what converts the others."""
        shape = field.shape
        if shape == "key":
            return self._with_none(self.inner(field.inner, path)), calls.convert_key
        if shape == "slug":
            return (_NONE, self.single(field.options, path)), calls.convert_value
        if shape == "keys":
            items = self.inner(field.inner, path)
            convert = calls.convert_value
            return ((_NONE, Accepted(list, "items", inner=items)) if items else (_NONE,)), convert
        function = field.kind.function if field.kind is not None else None
        return self._with_none(self.inner(field, path)), calls.converter_of(function)

    def inner(self, field: DescribedField | None, path: tuple[str, ...]) -> Acceptance:
        """The acceptance of a value that is not None."""
        if field is None:
            return ()
        if field.shape == "slug":
            return (self.single(field.options, path),)
        if field.shape == "nested":
            return (Accepted(object, "read", record=self.record(field.inner, path)),)
        if field.shape == "many":
            if field.inner is None:
                return ()
            return (Accepted(list, "items", inner=(Accepted(object, "read", record=self.record(field.inner, path)),)),)
        if field.shape in ("list", "dict"):
            items = self._with_none(self.inner(field.inner, path))
            if field.shape == "list":
                return (Accepted(list, "items", inner=items), Accepted(tuple, "items", inner=items))
            return (Accepted(dict, "values", inner=items),)
        return field.kind.acceptance_of(*field.options) if field.kind is not None else ()

    @staticmethod
    def _with_none(acceptance: Acceptance) -> Acceptance:
        return acceptance if acceptance is None else (_NONE, *acceptance)

    def single(self, names: tuple[Any, ...], path: tuple[str, ...]) -> Accepted:
        """What `attrgetter` finds in an object."""
        uses: dict[str, Use] = dict.fromkeys(names, "attribute")
        resume = self.number(path, calls.resume_attribute(names))
        record = ReadRecord((ReadField("", tuple(names), None, resume=resume),), WayOf(uses), calls.SKIPPED)
        return Accepted(object, "read_single", record=record)


def _steps_of(field: DescribedField, uses: dict[str, Use]) -> tuple[str, ...] | None:
    """The steps of a field. None, if one of them has another use in a field before."""
    steps = field.source
    if not steps:
        return ()
    wanted: dict[str, Use] = dict.fromkeys(steps[:-1], "value")
    last, use = steps[-1], _USES.get(field.shape, "value")
    if use == "key":
        last += "_id"
    if last in wanted:
        return None
    wanted[last] = use
    if any(uses.get(step, use) != use for step, use in wanted.items()):
        return None
    uses.update(wanted)
    return (*steps[:-1], last)


_USES: Mapping[Shape, Use] = {"many": "objects", "keys": "keys", "key": "key"}


def record_of(described: DescribedRecord) -> tuple[ReadRecord, tuple[Call, ...]]:
    """The record of a description, and its calls by their numbers."""
    writer = _Writer()
    record = writer.record(described, ())
    return record, tuple(writer.calls)
