"""The names that random programs use: objects to read, data to load, and code of a user, which notes that it is called.

A program's classes, instances and data are Python text, so that what differs can be printed and run again.
"""

from __future__ import annotations

import datetime
import enum
import gc
from collections.abc import Iterator
from contextlib import ExitStack
from typing import Any

from django.core.exceptions import ValidationError as DjangoValidationError
from rest_framework import serializers
from rest_framework.test import APIRequestFactory

from check_serializers import tables
from check_serializers.outcome import describe

__all__ = ["World"]

PRELUDE = """
import collections, copy, datetime, decimal, functools, json, re, types, uuid
from zoneinfo import ZoneInfo as zone
from django.core.exceptions import ObjectDoesNotExist, ValidationError as DjangoValidationError
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import models
from django.db.models import F, Prefetch
from django.http import QueryDict
from django.test import override_settings
from django.utils import timezone, translation
from django.utils.datastructures import MultiValueDict
from django.utils.functional import SimpleLazyObject
from django.utils.translation import gettext_lazy
from rest_framework import serializers
from rest_framework.fields import SkipField, empty
from rest_framework.renderers import JSONRenderer
from check_serializers import tables
"""
"""The imports of a program."""
MAX_NESTED_CALLS = 2


class World:
    """What user code of a program notes and shares while it runs once."""

    def __init__(self) -> None:
        self.events: list[Any] = []
        self.is_noting = False
        self.x: Any = None
        self._n_calls = 0
        self._depth = 0
        self._undone = ExitStack()
        self._lasting = ExitStack()

    def start(self) -> None:
        """A new run."""
        self.events, self._n_calls, self._depth = [], 0, 0
        self.is_noting = True

    def stop(self) -> None:
        """Nothing is noted any more, and the run's changes of classes are taken back."""
        self.is_noting = False
        self._undone.close()

    def close(self) -> None:
        """The program's changes of classes are taken back."""
        self._lasting.close()

    def note(self, name: str, *values: Any, **options: Any) -> None:
        """User code was called."""
        if self.is_noting:
            self.is_noting = False
            self.events.append(
                (name, *map(describe, values), *((key, describe(each)) for key, each in options.items()))
            )
            self.is_noting = True

    def tick(self) -> int:
        """The number of this call in the run."""
        self._n_calls += 1
        return self._n_calls

    def change(self, owner: Any, name: str, value: Any, *, for_good: bool = False) -> None:
        """Sets an attribute of a class until the run ends, or the program."""
        stack = self._lasting if for_good else self._undone
        if name in vars(owner):
            stack.callback(setattr, owner, name, vars(owner)[name])
        else:
            stack.callback(_delete, owner, name)
        setattr(owner, name, value)

    def mischief(self, kind: str, holder: Any) -> Any:
        """What user code should not do, but may, while a run is compared."""
        if not self.is_noting:
            return None
        x = self.x
        rows = x if type(x) is list else [x]
        first = rows[-1] if rows else None
        self.note(kind)
        if kind == "shrink" and type(x) is list and x:
            del x[-1]
        elif kind == "clear" and type(x) in (list, dict):
            x.clear()
        elif kind == "grow" and type(x) is list and x:
            x.append(x[0])
        elif kind == "swap" and type(x) is list and len(x) > 1:
            x[0], x[-1] = x[-1], 5
        elif kind == "forget" and hasattr(first, "__dict__"):
            vars(first).clear()
        elif kind == "other dict" and type(first) is Thing:
            first.__dict__ = {"f0": 1, "f1": None}
        elif kind == "other class" and type(first) is Thing:
            first.__class__ = OtherThing
        elif kind == "key" and type(first) is dict and first:
            first["f1"] = first.pop(next(iter(first)))
        elif kind == "collect":
            gc.collect(0)
        elif kind == "interrupt":
            raise KeyboardInterrupt
        elif kind == "property" and type(first) is Thing:
            self.change(Thing, "f1", property(lambda each: self.note("new property")))
        elif kind == "hook" and isinstance(holder, serializers.Serializer):
            self.change(type(holder), "to_representation", lambda *_: self.note("new to_representation"))
        elif kind == "hook of stock":
            self.change(serializers.CharField, "to_representation", lambda *_: "changed")
        elif kind == "fields" and isinstance(holder, serializers.Serializer):
            holder.fields.pop("f1", None)
        elif kind == "again" and isinstance(holder, serializers.BaseSerializer) and self._depth < MAX_NESTED_CALLS:
            self._depth += 1
            try:
                cls = type(holder)
                self.note("read again", cls(first).data if not isinstance(holder, serializers.ListSerializer) else None)
            except Exception as error:
                self.note("failed again", error)
            finally:
                self._depth -= 1
        return None

    def names(self) -> dict[str, Any]:
        """The namespace of a program."""
        names: dict[str, Any] = {"__name__": "of_program"}
        exec(PRELUDE, names)
        return {
            **names,
            **{each.__name__: each for each in (Number, Text, Whole, Thing, OtherThing, Slotted, changed)},
            **{model.__name__: model for model in (*tables.MODELS, tables.Shown)},
            **_loud(self),
            "Colour": tables.Item.Colour,
            "UTC": datetime.timezone.utc,
            "change": self.change,
            "mischief": self.mischief,
            "note": self.note,
            "request": APIRequestFactory().get("/page/"),
            "tick": self.tick,
        }


def _delete(owner: Any, name: str) -> None:
    if name in vars(owner):
        delattr(owner, name)


def changed(row: Any, **values: Any) -> Any:
    """A row with other values in its attributes than the database gives."""
    if row is not None:
        vars(row).update(values)
    return row


class Number(enum.IntEnum):
    """Enumerated whole numbers."""

    ONE = 1


class Text(str):
    """Text of a derived class."""


class Whole(int):
    """A number of a derived class."""


class Thing:
    """An object with attributes."""

    is_of_check = True

    def __init__(self, **values: Any) -> None:
        vars(self).update(values)

    def method(self) -> Any:
        return vars(self).get("f0")

    @property
    def shown(self) -> Any:
        return vars(self).get("f1")


class OtherThing(Thing):
    """A second class with the same attributes."""


class Slotted:
    """An object without a dict."""

    is_of_check = True
    __slots__ = ("__dict__", "f0")

    def __init__(self, **values: Any) -> None:
        for name, value in values.items():
            setattr(self, name, value)


def _loud(world: World) -> dict[str, Any]:
    """Classes of which each method is user code, and functions of a user."""
    return _loud_objects(world) | _loud_containers(world) | _loud_values(world) | _loud_functions(world)


def _loud_objects(world: World) -> dict[str, Any]:
    class Loud(Thing):
        def __getattr__(self, name: str) -> Any:
            if name.startswith("__"):
                raise AttributeError(name)
            world.note("__getattr__", name)
            if name == "f0":
                return "of __getattr__"
            raise AttributeError(f"no {name} here")

        @property
        def f2(self) -> Any:
            world.note("f2")
            return vars(self).get("f2", "of f2")

        def f3(self) -> Any:
            world.note("f3")
            return vars(self).get("f3")

    class Watched(Thing):
        def __getattribute__(self, name: str) -> Any:
            if name != "__dict__" and not name.startswith("__"):
                world.note("__getattribute__", name)
            return super().__getattribute__(name)

    class Descriptor:
        def __init__(self, name: str) -> None:
            self.name = name

        def __get__(self, instance: Any, owner: Any) -> Any:
            world.note("__get__", self.name)
            return self if instance is None else 17

        def __set__(self, instance: Any, value: Any) -> None:
            vars(instance)[self.name] = value

    class Described(Thing):
        f1 = Descriptor("f1")

    return {"LoudThing": Loud, "Watched": Watched, "Described": Described}


def _loud_containers(world: World) -> dict[str, Any]:
    class LoudDict(dict):  # type: ignore[type-arg]
        def __getitem__(self, key: Any) -> Any:
            world.note("getitem", key)
            return super().__getitem__(key)

        def get(self, key: Any, default: Any = None) -> Any:
            world.note("get", key)
            return super().get(key, default)

        def __contains__(self, key: Any) -> bool:
            world.note("contains", key)
            return super().__contains__(key)

        def __missing__(self, key: Any) -> Any:
            world.note("missing", key)
            return 5

    class QuietDict(dict):  # type: ignore[type-arg]
        pass

    class LoudList(list):  # type: ignore[type-arg]
        def __iter__(self) -> Iterator[Any]:
            world.note("iter")
            return super().__iter__()

        def __len__(self) -> int:
            world.note("len")
            return super().__len__()

    return {each.__name__: each for each in (LoudDict, QuietDict, LoudList)}


def _loud_values(world: World) -> dict[str, Any]:
    class Key(str):
        def __eq__(self, other: object) -> bool:
            world.note("eq")
            return str.__eq__(self, other)  # type: ignore[arg-type]

        def __hash__(self) -> int:
            world.note("hash")
            return str.__hash__(self)

    class Odd:
        is_of_check = True

        def __str__(self) -> str:
            world.note("str")
            return "odd"

        def __bool__(self) -> bool:
            world.note("bool")
            return True

        def __eq__(self, other: object) -> bool:
            world.note("eq of Odd")
            return False

        def __hash__(self) -> int:
            world.note("hash of Odd")
            return 1

        def __int__(self) -> int:
            world.note("int")
            return 5

    class LoudText(str):
        def __str__(self) -> str:
            world.note("str of text")
            return "loud"

        def strip(self, *args: Any) -> str:
            world.note("strip")
            return super().strip(*args)

    return {each.__name__: each for each in (Key, Odd, LoudText)}


def _loud_functions(world: World) -> dict[str, Any]:
    class Checks:
        """A validator of a user."""

        def __init__(self, refused: Any, wants: str = "") -> None:
            self.refused = refused
            self.requires_context = bool(wants)

        def __call__(self, value: Any, *field: Any) -> None:
            world.note("validator", value, *field)
            if type(value) is type(self.refused) and value == self.refused:
                raise serializers.ValidationError(f"not {value}", code="odd")

    class Default:
        def __init__(self, value: Any, requires_context: bool = False) -> None:
            self.value, self.requires_context = value, requires_context

        def __call__(self, *field: Any) -> Any:
            world.note("default", *field)
            if isinstance(self.value, BaseException):
                raise self.value
            return self.value

    def limit() -> int:
        world.note("limit")
        return 3

    def generated(values: Any) -> Iterator[Any]:
        for value in values:
            world.note("generated")
            yield value

    def refuses(value: Any) -> None:
        world.note("refuses", value)
        if value == "abc":
            raise DjangoValidationError("no %(what)s", code="plain", params={"what": "abc"})

    return {each.__name__: each for each in (Checks, Default, limit, generated, refuses)}
