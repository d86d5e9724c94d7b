"""Serializers that read objects by the core: `to_representation` of `Serializer` and `ListSerializer`.

A new instance of a class is read by what is known of the class; one whose fields exist already, because something may
have been done to them, by a description of its own fields. Equal descriptions share a reader.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from functools import partial
from typing import Any

from django.db.models.manager import BaseManager
from rest_framework.serializers import ListSerializer, Serializer

from ssrjson_web._core import _RecordReader
from ssrjson_web._plans.basis import Watch
from ssrjson_web.rest_framework._conditions import generation, notice_changes, zone_in_use
from ssrjson_web.rest_framework._fields import (
    CHANGED_FIELDS,
    TEMPLATE,
    Template,
    has_fields_of_stock,
    is_pristine,
    keeps_fields,
    known_of,
    template_to_read,
    users_field_classes,
)
from ssrjson_web.rest_framework._plan_in_use import fields_to_hide
from ssrjson_web.rest_framework._read_fields import is_hashable, now, read_settings
from ssrjson_web.rest_framework._read_records import (
    Call,
    DescribedRecord,
    Describer,
    can_be_planned,
    reads_by_plan,
    record_of,
)
from ssrjson_web.rest_framework._switch import is_disabled
from ssrjson_web.rest_framework._ways import is_plain_queryset

__all__ = ["read_by_plan", "read_list_by_plan"]

_MANY_ROWS = 8
_MAX_READERS = 1000


class Reader:
    """A compiled record, and its calls."""

    def __init__(self, described: DescribedRecord) -> None:
        record, self.calls = record_of(described)
        self._core = _RecordReader(record)
        self.read = self._core.read
        self.read_all = self._core.read_all

    def resolve(self, serializer: Any) -> Callable[[int], Callable[..., Any]]:
        """A function that returns the callables of a serializer for the core."""
        return partial(_resolve, self.calls, serializer)


def _resolve(calls: tuple[Call, ...], serializer: Any, number: int) -> Callable[..., Any]:
    path, get = calls[number]
    holder = serializer
    for name in path[:-1]:
        holder = _field(holder, name)
        if isinstance(holder, ListSerializer):
            holder = holder.child
    return get(holder, partial(_field, holder, path[-1]))


def _field(serializer: Any, name: str) -> Any:
    """A field of a serializer, whose fields nobody may have asked for yet."""
    fields = vars(serializer).get("fields")
    if fields is None:
        fields = fields_to_hide(serializer) if keeps_fields(type(serializer)) else serializer.fields
    return fields[name]


_readers: dict[tuple[int, DescribedRecord], Reader] = {}


def _reader_of(described: DescribedRecord) -> Reader:
    key = generation(), described
    reader = _readers.get(key)
    if reader is None:
        if len(_readers) >= _MAX_READERS:
            _readers.clear()
        reader = _readers[key] = Reader(described)
    return reader


class _OfClass:
    """What reads the new instances of a class, and of what it has been made."""

    def __init__(self, template: Template) -> None:
        self.template = template
        self._settings, self._generation = read_settings(), generation()
        self._classes = Watch(users_field_classes(template.pristine.fields.values()))
        describer = Describer(now())
        described = describer.describe(template.pristine)
        self._nested = describer.templates
        self._has_zone = describer.has_zone
        self._readers: dict[Any, Reader] = {}
        self._keep(describer.now.zone, described)

    def __reduce__(self) -> tuple[Any, ...]:
        return (type(None), ())  # a serializer that is pickled or copied goes without it

    def holds(self) -> bool:
        """Whether all of that is as it was."""
        return self._describes() and all(
            has_fields_of_stock(cls) and can_be_planned(cls) and template_to_read(cls, at_once=True) is used
            for cls, used in self._nested
        )

    def _describes(self) -> bool:
        """Whether the fields of the template would be described alike."""
        return self._settings == read_settings() and self._generation == generation() and self._classes.holds()

    def reader(self) -> Reader | None:
        """That for the time zone in use. None, if it cannot be hashed, or something has changed."""
        if not self._describes():
            return None
        zone = zone_in_use() if self._has_zone else None
        try:
            return self._readers[zone]
        except KeyError:
            return self._keep(zone, Describer(now()).describe(self.template.pristine))
        except TypeError:  # a zone that cannot be hashed
            return None

    def _keep(self, zone: Any, described: DescribedRecord) -> Reader | None:
        if len(self._readers) >= _MAX_ZONES:
            self._readers.clear()
        reader = _reader_of(described)
        if is_hashable(zone):
            self._readers[zone if self._has_zone else None] = reader
        return reader


_MAX_ZONES = 100


def _of_new(cls: type, n_rows: int, template: Template | None) -> _OfClass | None:
    """What reads an instance that is as new. None: it may differ from others, or the class is hardly used.

    The instance may have a template already, because it has been used.
    """
    known = known_of(cls)
    if known.differs_in_state == known.n_states or not has_fields_of_stock(cls):
        return None
    template = template or template_to_read(cls, at_once=n_rows >= _MANY_ROWS)
    if template is None:
        return None
    if template.pristine is None:
        known.differs_in_state = known.n_states
        return None
    found: _OfClass | None = known.reading
    if found is None or found.template is not template or not found.holds():
        try:
            found = known.reading = _OfClass(template)
        except Exception:  # fields of another kind than REST framework's
            known.differs_in_state = known.n_states
            return None
    return found


def reader_of(serializer: Any, n_rows: int) -> Reader | None:
    """What reads objects for a serializer by the core. None: REST framework does."""
    cls = type(serializer)
    if is_disabled():
        return None
    notice_changes()
    if not can_be_planned(cls):
        return None
    own = vars(serializer)
    if "fields" not in own and CHANGED_FIELDS not in own:
        kept: _OfClass | None = own.get(_KEPT)
        reader = kept.reader() if kept is not None else None
        if reader is None and is_pristine(serializer):
            kept = own[_KEPT] = _of_new(cls, n_rows, own.get(TEMPLATE))
            if kept is not None:
                own[TEMPLATE] = kept.template
                reader = kept.reader()
        if reader is not None:
            return reader
    if n_rows < _MANY_ROWS:
        return None
    serializer.fields  # noqa: B018 - errors of making them are the user's
    try:
        return _reader_of(Describer(now()).describe(serializer))
    except Exception:  # fields of another kind than REST framework's
        return None


_KEPT = "_ssrjson_reader"
"""An attribute of a serializer that has no fields yet."""


# ---- what is replaced ---------------------------------------------------------------------------


def read_by_plan(stock: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    """Replaces `Serializer.to_representation`."""

    def to_representation(self: Any, instance: Any) -> Any:
        reader = reader_of(self, 1)
        if reader is not None:
            made = reader.read(instance, reader.resolve(self))
            if made is not NotImplemented:
                return made
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
        reader = reader_of(child, len(rows))
        if not rows or rows[0] is not first:  # fields are made after the first row is taken, and have changed the list
            return [child.to_representation(row) for row in itertools.chain((first,), walk)]
        if reader is not None:
            made = reader.read_all(rows, reader.resolve(child))
            if made is not NotImplemented:
                return made
        return [child.to_representation(row) for row in rows]

    return to_representation
