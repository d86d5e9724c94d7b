"""Serializers that read objects by the core: `to_representation` of `Serializer` and `ListSerializer`.

A new instance of a class is read by what is known of the class; one whose fields exist already, because something may
have been done to them, by a description of its own fields. Equal descriptions share a reader.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any
from weakref import WeakKeyDictionary

from django.db.models.manager import BaseManager
from rest_framework.serializers import ListSerializer, Serializer

from ssrjson_web._core import _RecordReader
from ssrjson_web.rest_framework._fields import Template, has_fields_of_stock, is_pristine, template_of
from ssrjson_web.rest_framework._read_fields import Now, now
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
        holder = holder.fields[name]
        if isinstance(holder, ListSerializer):
            holder = holder.child
    return get(holder, partial(_field, holder, path[-1]))


def _field(serializer: Any, name: str) -> Any:
    return serializer.fields[name]


_readers: dict[DescribedRecord, Reader] = {}


def _reader_of(described: DescribedRecord) -> Reader:
    reader = _readers.get(described)
    if reader is None:
        if len(_readers) >= _MAX_READERS:
            _readers.clear()
        reader = _readers[described] = Reader(described)
    return reader


class _OfClass:
    """What reads the new instances of a class, and of what it has been made."""

    def __init__(self, template: Template, now: Now) -> None:
        describer = Describer(now)
        described = describer.describe(template.pristine)
        self._template = template
        self._nested = describer.templates
        self._functions: list[tuple[Any, tuple[Any, Any]]] = list(describer.functions.items())
        self.reader = _reader_of(described)

    def holds(self, template: Template) -> bool:
        """Whether all of that is as it was."""
        return (
            self._template is template
            and all(
                cls.get_attribute is get and cls.to_representation is represent
                for cls, (get, represent) in self._functions
            )
            and all(
                has_fields_of_stock(cls) and can_be_planned(cls) and template_of(cls) is used
                for cls, used in self._nested
            )
        )


_of_classes: WeakKeyDictionary[type, dict[Now, _OfClass]] = WeakKeyDictionary()
_MAX_CONDITIONS = 100


def _reader_of_new(cls: type, n_rows: int) -> Reader | None:
    """The reader of an instance that is as new. None: it may differ from others, or the class is hardly used."""
    if not has_fields_of_stock(cls):
        return None
    template = template_of(cls, at_once=n_rows >= _MANY_ROWS)
    if template is None or not template.has_stock_fields:
        return None
    known = _of_classes.get(cls)
    if known is None:
        known = _of_classes.setdefault(cls, {})
    current = now()
    found = known.get(current)
    if found is None or not found.holds(template):
        if len(known) >= _MAX_CONDITIONS:
            known.clear()
        found = known[current] = _OfClass(template, current)
    return found.reader


def reader_of(serializer: Any, n_rows: int) -> Reader | None:
    """What reads objects for a serializer by the core. None: REST framework does."""
    cls = type(serializer)
    if is_disabled() or not can_be_planned(cls):
        return None
    own = vars(serializer)
    if "fields" not in own:
        kept = own.get(_KEPT)
        if kept is not None and kept[0] == now():
            return kept[1]  # type: ignore[no-any-return]
        reader = _reader_of_new(cls, n_rows) if is_pristine(serializer) else None
        if reader is not None:
            own[_KEPT] = (now(), reader)
            return reader
    if n_rows < _MANY_ROWS:
        return None
    return _reader_of(Describer(now()).describe(serializer))


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
        reader = reader_of(child, len(rows)) if rows else None
        if reader is not None:
            made = reader.read_all(rows, reader.resolve(child))
            if made is not NotImplemented:
                return made
        return [child.to_representation(row) for row in rows]

    return to_representation
