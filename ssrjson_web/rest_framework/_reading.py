"""Serializers that read objects by the core: `to_representation` of `Serializer` and `ListSerializer`.

A new instance of a class is read by what is known of the class; one whose fields exist already, because something may
have been done to them, by a plan of its own fields. Equal plans share what is compiled of them.

A nested serializer whose class makes fields by code of its own makes them when it is first asked. So it reads its first
objects as REST framework does, and the others, as long as the list around it is read, by a plan of the fields it has.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable, Hashable, Mapping
from functools import partial
from typing import Any, NamedTuple

from django.db.models.manager import BaseManager
from rest_framework import fields
from rest_framework.serializers import BaseSerializer, ListSerializer, Serializer
from rest_framework.utils.serializer_helpers import BindingDict

from ssrjson_web._core import _RecordReader
from ssrjson_web._known.watch import owner_of
from ssrjson_web._models.django.ways import Use, WayOf, is_plain_queryset
from ssrjson_web._models.language import Acceptance, Accepted, ReadField, ReadRecord
from ssrjson_web.rest_framework import _resuming as calls
from ssrjson_web.rest_framework._basis import acts_as_stock, generation, is_disabled, is_ours, notice_changes
from ssrjson_web.rest_framework._fields.describer import NOTHING, NULL, Describer, reading_of
from ssrjson_web.rest_framework._fields.relation import read_relation, use_of
from ssrjson_web.rest_framework._templates import (
    TEMPLATE,
    Template,
    fields_to_hide,
    known_of,
    may_have_plan,
    template_of,
    users_field_classes,
)

__all__ = ["MANY_ROWS", "ReadPlan", "plan_to_read", "read_by_plan", "read_list_by_plan"]

MANY_ROWS = 16
"""A list of this number of objects gets a plan at once, however seldom the class is used."""
_LONG = 3
"""A list of this many times the number is long. Of nested serializers whose fields are not known, a plan is made sooner
there, because many objects are still to come."""
_ROWS_OF_A_USE = 2
"""Objects of a shorter list that count as one use of the class."""

MAX_LEVELS = 5
"""Serializers in serializers beyond this are read by their own `to_representation`."""


class Call(NamedTuple):
    """A call of a record: how to get the callable of the serializer at hand."""

    path: tuple[str, ...]
    """The names of fields on the way to the field."""
    get: Callable[..., Callable[..., Any]]
    """Of the serializer that has the field, a function that returns the field, and the arguments."""
    arguments: tuple[Any, ...] = ()


class ReadPlan(Describer):
    """A record, which is compiled, and its calls."""

    def __init__(self, serializer: Any) -> None:
        super().__init__(users_field_classes(serializer.fields.values()))
        self.calls: list[Call] = []
        self.by_library: dict[str, Any] = {}
        """The fields that REST framework reads, by their dotted names."""
        self._templates: list[tuple[type, Template]] = []
        """Of nested serializers."""
        self._around: list[type] = []
        self._path: tuple[str, ...] = ()
        self._has_unknown = False
        """Whether the fields of a nested serializer are not known."""
        self.reader = _reader_of(self._record(serializer), tuple(self.calls))

    def holds(self) -> bool:
        return super().holds() and all(
            known_of(cls).now().can_be_read
            and known_of(cls).has_fields_of_stock
            and known_of(cls).template(at_once=True) is template
            for cls, template in self._templates
        )

    def run(self, read: Callable[..., Any], serializer: Any, data: Any) -> Any:
        """What a method of the reader makes of an object or of several. Nested serializers may get plans meanwhile."""
        own = vars(serializer).get(_NESTED)
        if own is not None and own.plan is self:
            return read(data, own.resolve)
        if not self._has_unknown:
            return read(data, self.resolve(serializer))
        is_long = type(data) is list and len(data) >= _LONG * MANY_ROWS
        meanwhile = _Meanwhile([], MANY_ROWS if is_long else _LONG * MANY_ROWS)
        try:
            return read(data, self.resolve(serializer, meanwhile))
        finally:
            for one in meanwhile.begun:
                vars(one).pop(_NESTED, None)

    def resolve(self, serializer: Any, meanwhile: _Meanwhile | None = None) -> Callable[[int], Callable[..., Any]]:
        """A function that returns the callables of a serializer for the core. Nested serializers may get plans
        meanwhile."""
        return partial(self._resolve, serializer, meanwhile)

    def _resolve(self, serializer: Any, meanwhile: _Meanwhile | None, number: int) -> Callable[..., Any]:
        path, get, arguments = self.calls[number]
        holder = serializer
        for name in path[:-1]:
            holder = _serializer_in(fields_to_hide(holder)[name])

        def get_field() -> Any:
            field = fields_to_hide(holder)[path[-1]]
            one = _serializer_in(field)
            if meanwhile is not None and isinstance(one, Serializer) and _NESTED not in vars(one):
                vars(one)[_NESTED] = _Nested(meanwhile)
                meanwhile.begun.append(one)
            return field

        return get(holder, get_field, *arguments)

    def _call(self, get: Callable[..., Any], *arguments: Any) -> int:
        """The number of a new call for the field that is described."""
        self.calls.append(Call(self._path, get, arguments))
        return len(self.calls) - 1

    # ---- records --------------------------------------------------------------------------------

    def _record(self, serializer: Any) -> ReadRecord:
        """That of a serializer, by the fields that it has."""
        around = self._path
        self._around.append(type(serializer))
        uses: dict[str, Use] = {}
        made = []
        for name, field in serializer.fields.items():
            if not field.write_only:
                self._path = (*around, name)
                made.append(self._field(name, field, uses))
        self._around.pop()
        self._path = around
        return ReadRecord(tuple(made), WayOf(uses), calls.SKIPPED)

    def _field(self, name: str, field: Any, uses: dict[str, Use]) -> ReadField:
        is_known = field.field_name == name and acts_as_stock(field)
        use = use_of(field) if is_known else None
        represents = owner_of(type(field), "to_representation")
        if use is not None and represents is fields.SerializerMethodField and not field.source_attrs:
            return ReadField(name, (), (NULL,), convert=self._call(calls.call_method, field.method_name))
        is_many = is_ours(_represents(field), ListSerializer, "to_representation")
        steps = _steps_of(field, "objects" if is_many and use == "value" else use, uses) if use is not None else None
        if steps is None or represents is fields.SerializerMethodField:
            self.by_library[".".join(self._path)] = field
            return ReadField(name, (), (), convert=self._call(calls.represent_whole))
        accepted = self._relation(field)
        if accepted is None:
            accepted, convert = self._value(field)
        else:
            convert = self._call(calls.convert_key if use == "key" else calls.convert_value)
        resume = -1
        resume = self._call(calls.resume_whole if use == "keys" else calls.resume_value) if steps else -1
        return ReadField(name, steps, (NULL, *accepted), convert, resume)

    def _relation(self, field: Any) -> tuple[Accepted, ...] | None:
        accepted = read_relation(field, self)
        return None if accepted is None else tuple(one for one in accepted if one != NULL)

    def _value(self, field: Any) -> tuple[tuple[Accepted, ...], int]:
        """What becomes of the values of a field that are not None, and the number of the call for others."""
        nested = self._nested(field)
        if nested:
            return nested, self._call(calls.convert_value)
        reading = reading_of(field)
        accepted = NOTHING if reading is None else reading.describe(field, self) or ()
        if reading is not None and reading.function is not None:
            return accepted, self._call(calls.convert_by, reading.function)
        if reading is not None and reading.converter is not None:
            return accepted, self._call(calls.convert_with, reading.converter)
        if not accepted:
            self.by_library[".".join(self._path)] = field
            self._has_unknown |= isinstance(_serializer_in(field), Serializer)
        return accepted, self._call(calls.convert_value)

    def value_of(self, field: Any) -> Acceptance:
        # the values of a list are tried without running code that might run again
        reading = reading_of(field)
        accepted = NOTHING if reading is None else reading.describe(field, self)
        return (NULL, *accepted) if accepted else NOTHING

    def single(self, names: tuple[str, ...]) -> Accepted:
        uses: dict[str, Use] = dict.fromkeys(names, "attribute")
        resume = self._call(calls.resume_attribute, names)
        record = ReadRecord((ReadField("", names, None, resume=resume),), WayOf(uses), calls.SKIPPED)
        return Accepted(object, "read_single", record=record)

    # ---- nested serializers ---------------------------------------------------------------------

    def _nested(self, field: Any) -> tuple[Accepted, ...]:
        if is_ours(_represents(field), Serializer, "to_representation"):
            record = self._nested_record(field)
            return (Accepted(object, "read", record=record),) if record is not None else ()
        if not is_ours(_represents(field), ListSerializer, "to_representation"):
            return ()
        items: Acceptance = ()
        if not isinstance(field.child, BaseSerializer):
            reading = reading_of(field.child)
            items = () if reading is None else reading.describe(field.child, self) or ()  # it represents None, too
        elif reads_by_plan(field.child):
            record = self._nested_record(field.child)
            items = () if record is None else (Accepted(object, "read", record=record),)
        return (Accepted(list, "items", inner=items),) if items else ()

    def _nested_record(self, serializer: Any) -> ReadRecord | None:
        """That of a nested serializer; None where its fields are not known before it makes them."""
        cls = type(serializer)
        if len(self._around) > MAX_LEVELS or cls in self._around or not known_of(cls).now().can_be_read:
            return None
        if "fields" in vars(serializer):
            return self._record(serializer)
        template = template_of(serializer, at_once=True)
        if template is None:
            return None
        self._templates.append((cls, template))
        return self._record(template.pristine)


def _serializer_in(field: Any) -> Any:
    """The child of a ListSerializer, otherwise the field itself."""
    return field.child if isinstance(field, ListSerializer) else field


class _Meanwhile(NamedTuple):
    """What is known of all nested serializers while a list is read."""

    begun: list[Any]
    """Those that have a `_Nested`."""
    n_first: int
    """How many objects each reads as REST framework does before it gets a plan, which costs as much time as it
    saves for this number."""


class _Nested:
    """What is known of a nested serializer while a list around it is read."""

    def __init__(self, meanwhile: _Meanwhile) -> None:
        self.n_rows = 0
        """Objects that it has read without a plan."""
        self.plan: ReadPlan | None = None
        self._meanwhile = meanwhile

    def has_many(self, n_rows: int) -> bool:
        """Whether it is time for a plan, with this number of objects more."""
        return self.n_rows + n_rows > self._meanwhile.n_first

    def __reduce__(self) -> tuple[Any, ...]:
        return (type(None), ())  # a serializer that is copied meanwhile goes without it

    def begin(self, serializer: Any, plan: ReadPlan) -> None:
        self.plan, self._fields = plan, serializer.fields
        self._live = list(self._fields.values())
        # each callable is made once, and knows what it has made of a nested serializer's fields
        self.resolve = functools.cache(plan.resolve(serializer, self._meanwhile))

    def plan_for(self, serializer: Any) -> ReadPlan | None:
        """The plan, if the serializer still has the fields of which it was made."""
        is_same = vars(serializer).get("fields") is self._fields and list(self._fields.values()) == self._live
        return self.plan if is_same else None


_NESTED = "_ssrjson_nested"
"""Where a nested serializer has what is known of it, while the list is read."""


def _represents(field: Any) -> Any:
    return type(field).to_representation if isinstance(field, BaseSerializer) else None


def reads_by_plan(serializer: Any) -> bool:
    """Whether the `to_representation` of an object is the one that replaces that of `Serializer`."""
    return "to_representation" not in vars(serializer) and is_ours(
        type(serializer).to_representation, Serializer, "to_representation"
    )


def _steps_of(field: Any, use: Use, uses: dict[str, Use]) -> tuple[str, ...] | None:
    """The steps of a field. None, if they are no names, or one of them has another use in a field before."""
    steps = tuple(field.source_attrs)
    if not all(type(step) is str for step in steps) or "__iter__" in steps:
        return None
    if not steps:
        return ()
    wanted: dict[str, Use] = dict.fromkeys(steps[:-1], "value")
    last = f"{steps[-1]}_id" if use == "key" else steps[-1]
    if last in wanted:
        return None
    wanted[last] = use
    if any(uses.get(step, use) != use for step, use in wanted.items()):
        return None
    uses.update(wanted)
    return (*steps[:-1], last)


# ---- what is compiled ---------------------------------------------------------------------------

_MAX_READERS = 1000
_readers: dict[Hashable, _RecordReader] = {}


def _reader_of(record: ReadRecord, made: tuple[Call, ...]) -> _RecordReader:
    """The record, compiled. Equal ones of serializers with fields of their own are compiled once."""
    key = generation(), _frozen(record), _frozen(made)
    reader = _readers.get(key)
    if reader is None:
        if len(_readers) >= _MAX_READERS:
            _readers.clear()
        reader = _readers[key] = _RecordReader(record)
    return reader


class _Same:
    """A value that is equal to itself alone, and can be hashed."""

    def __init__(self, value: Any) -> None:
        self.value = value

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Same) and other.value is self.value

    def __hash__(self) -> int:
        return id(self.value)


def _frozen(value: Any) -> Hashable:
    """The same, as something that can be hashed."""
    try:
        hash(value)
    except Exception:
        if isinstance(value, tuple):
            return tuple(map(_frozen, value))
        if isinstance(value, Mapping):
            return tuple((key, _Same(one)) for key, one in value.items())  # 1 equals True and 1.0
        return _Same(value)
    return value  # type: ignore[no-any-return]


# ---- what is replaced ---------------------------------------------------------------------------


def plan_to_read(serializer: Any, n_rows: int) -> ReadPlan | None:
    """The plan by which a serializer reads objects. None: REST framework reads them."""
    own = vars(serializer).get(_NESTED)
    if own is not None and not is_disabled() and own.plan is not None:
        found: ReadPlan | None = own.plan_for(serializer)
        return found
    is_at_once = n_rows >= MANY_ROWS or (own is not None and own.has_many(n_rows))
    if is_disabled() or not (is_at_once or may_have_plan(type(serializer), n_rows // _ROWS_OF_A_USE)):
        return None
    if not is_at_once and "fields" in vars(serializer):
        return None
    notice_changes()
    if not known_of(type(serializer)).now().can_be_read:
        return None
    template = template_of(serializer, at_once=is_at_once)
    if template is not None:
        vars(serializer)[TEMPLATE] = template
        plan: ReadPlan | None = template.reading.find(lambda: ReadPlan(template.pristine))
        if plan is not None:
            return plan
    if not is_at_once:
        return None
    made = serializer.fields  # errors of making them are the user's
    notice_changes()
    if not known_of(type(serializer)).now().can_be_read:
        return None
    if type(made) not in (BindingDict, dict) or vars(serializer).get("fields") is not made:
        return None
    try:
        plan = ReadPlan(serializer)
    except Exception:  # fields of another kind than REST framework's
        return None
    if own is not None:
        own.begin(serializer, plan)
    return plan


def read_by_plan(stock: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    """Replaces `Serializer.to_representation`."""

    def to_representation(self: Any, instance: Any) -> Any:
        plan = plan_to_read(self, 1)
        if plan is not None:
            made = plan.run(plan.reader.read, self, instance)
            if made is not NotImplemented:
                return made
        own = vars(self).get(_NESTED)
        if own is not None:
            own.n_rows += 1
        return stock(self, instance)

    return to_representation


def read_list_by_plan(stock: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    """Replaces `ListSerializer.to_representation`."""

    def to_representation(self: Any, data: Any) -> Any:
        child = self.child
        if is_disabled() or not isinstance(child, Serializer) or not reads_by_plan(child):
            return stock(self, data)
        iterable = data.all() if isinstance(data, BaseManager) else data
        if is_plain_queryset(type(iterable)):
            rows = list(iterable)
        elif type(iterable) is list:
            rows = iterable
        else:
            return stock(self, iterable)
        if not rows:
            return []
        walk = iter(rows)
        first = next(walk)
        plan = plan_to_read(child, len(rows))
        if not rows or rows[0] is not first:  # fields are made after the first row is taken, and have changed the list
            return [child.to_representation(row) for row in itertools.chain((first,), walk)]
        if plan is not None:
            made = plan.run(plan.reader.read_all, child, rows)
            if made is not NotImplemented:
                return made
        return [child.to_representation(row) for row in rows]

    return to_representation
