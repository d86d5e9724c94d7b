"""Patches of all that the code of REST framework's fields reads, and whether ours does then as stock.

    python rest_patches.py MOMENT PART N_PARTS

What is read is found in the syntax trees of `rest_framework/fields.py` and `relations.py`: attributes of `self`, what
the classes define, settings, and functions of the modules. Each is replaced in a process of its own, on the class that
reads it or on a subclass. It prints a line for each patch with which ours differs, and at the end how many were tried
and how many of them had an effect.
"""

from __future__ import annotations

import ast
import datetime
import decimal
import inspect
import logging
import os
import re
import sys
import traceback
import types
import uuid
import warnings
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import django
from django.conf import settings

MOMENTS = ("before our import", "before the first use", "after the first use", "after three uses")

warnings.simplefilter("ignore")
logging.disable(logging.WARNING)  # patches before our import are logged
if not settings.configured:
    settings.configure(
        DATABASES={"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": ":memory:"}},
        DEFAULT_AUTO_FIELD="django.db.models.BigAutoField",
        INSTALLED_APPS=["rest_framework"],
        SECRET_KEY="x",
        USE_TZ=True,
    )
    django.setup()

from django.db import connection, models  # noqa: E402
from rest_framework import fields, relations, serializers  # noqa: E402
from rest_framework.exceptions import ValidationError  # noqa: E402
from rest_framework.settings import api_settings  # noqa: E402

_MODULES = (fields, relations)


class Thing(models.Model):
    """What relations find."""

    name = models.CharField(max_length=9, unique=True)

    class Meta:
        app_label = "patched"

    def __repr__(self) -> str:
        return f"Thing({self.pk})"


_OPTIONS: dict[str, Callable[[], dict[str, Any]]] = {
    "ChoiceField": lambda: {"choices": ["a", "b", 7]},
    "MultipleChoiceField": lambda: {"choices": ["a", "b"]},
    "DecimalField": lambda: {"max_digits": 5, "decimal_places": 2},
    "RegexField": lambda: {"regex": "^[a-z0-9]+$"},
    "ListField": lambda: {"child": fields.CharField()},
    "DictField": lambda: {"child": fields.CharField()},
    "FilePathField": lambda: {"path": str(Path(__file__).parent)},
    "HiddenField": lambda: {"default": 1},
    "ModelField": lambda: {"model_field": models.CharField(max_length=3)},
    "RelatedField": lambda: {"read_only": True},
    "HyperlinkedRelatedField": lambda: {"view_name": "x", "read_only": True},
    "HyperlinkedIdentityField": lambda: {"view_name": "x"},
    "PrimaryKeyRelatedField": lambda: {"queryset": Thing.objects.all()},
    "SlugRelatedField": lambda: {"queryset": Thing.objects.all(), "slug_field": "name"},
    "ManyRelatedField": lambda: {"child_relation": relations.PrimaryKeyRelatedField(queryset=Thing.objects.all())},
}
"""The arguments of fields that cannot be made without."""
_LEFT_OUT = {"ImageField"}
"""It needs Pillow."""

_SENT: tuple[Any, ...] = (
    *("x", " a ", "", "7", "1.5", "yes", 1, 7, 1.5, True, None, ["a", "b"], [1], {"a": "b"}, {}, "a@b.de", "n1"),
    *("2026-01-02", "2026-01-02T03:04:05", "2026-01-02T03:04:05Z", "03:04:05", "1 00:00:00", "::1", "http://x.de/"),
    "12345678-1234-5678-1234-567812345678",
)
_KEPT: tuple[Any, ...] = (
    *("x", "7", 7, 1.5, True, None, ["a", None], {"a": "b"}, decimal.Decimal("1.234"), uuid.UUID(int=7)),
    *(datetime.date(2026, 1, 2), datetime.time(3, 4), datetime.timedelta(1), datetime.datetime(2026, 1, 2, 3)),
    *(datetime.datetime(2026, 1, 2, 3, tzinfo=datetime.timezone.utc), Thing(pk=5, name="n5"), [Thing(pk=6, name="n6")]),
)


# ---- what is read -------------------------------------------------------------------------------


class Patch(NamedTuple):
    """Something that is replaced."""

    place: str
    """`class`, `subclass`, `setting` or `function`."""
    cls: str
    """The class whose code reads it, and whose field is used."""
    name: str
    number: int
    """Of the replacements that are tried."""


def _read_names(node: ast.ClassDef) -> Iterator[tuple[str, str]]:
    """The places and names of what the code of a class reads."""
    for statement in node.body:
        if isinstance(statement, ast.FunctionDef):
            yield "class", statement.name
        elif isinstance(statement, ast.Assign):
            yield from (("class", target.id) for target in statement.targets if isinstance(target, ast.Name))
    for inner in ast.walk(node):
        if isinstance(inner, ast.Attribute) and isinstance(inner.value, ast.Name):
            places = {"self": "class", "api_settings": "setting"}
            if inner.value.id in places:
                yield places[inner.value.id], inner.attr
        elif isinstance(inner, ast.Name) and isinstance(inner.ctx, ast.Load):
            yield "function", inner.id


def _names_by_class() -> dict[str, list[tuple[str, str]]]:
    found = {}
    for module in _MODULES:
        for node in ast.parse(inspect.getsource(module)).body:
            if isinstance(node, ast.ClassDef) and issubclass(getattr(module, node.name), fields.Field):
                names = dict.fromkeys(one for one in _read_names(node) if not one[1].startswith("__"))
                found[node.name] = [one for one in names if one[0] != "function" or _is_function(one[1])]
    return found


def _is_function(name: str) -> bool:
    return any(isinstance(vars(module).get(name), types.FunctionType) for module in _MODULES)


def patches() -> Iterator[Patch]:
    """All of them. What a subclass inherits from `Field` is replaced in one class alone."""
    by_class = _names_by_class()
    for name, names in by_class.items():
        if name in _LEFT_OUT:
            continue
        cls = _class(name)
        for place, read in names:
            for number in range(len(_replacements_of(place, cls, read))):
                yield Patch(place, name, read, number)
        bases = [base.__name__ for base in cls.__mro__ if base.__name__ in by_class]
        bases = [base for base in bases if base != "Field" or name == "CharField"]
        for read in dict.fromkeys(one for base in bases for place, one in by_class[base] if place == "class"):
            for number in range(len(_replacements_of("class", cls, read))):
                yield Patch("subclass", name, read, number)


def _class(name: str) -> Any:
    return next(getattr(module, name) for module in _MODULES if hasattr(module, name))


# ---- what it is replaced by ---------------------------------------------------------------------

_ABSENT = object()


def _replacements_of(place: str, cls: Any, name: str) -> list[Any]:
    if place == "setting":
        value = getattr(api_settings, name)
    elif place == "function":
        value = next(vars(module)[name] for module in _MODULES if name in vars(module))
    else:
        value = inspect.getattr_static(cls, name, _ABSENT)
    return list(_replacements(value))


def _replacements(value: Any) -> Iterator[Any]:
    """Other values than the one at hand, in place of it."""
    if isinstance(value, types.FunctionType):
        yield _twisting(value)
    elif isinstance(value, (staticmethod, classmethod)):
        yield type(value)(_twisting(value.__func__))
    elif isinstance(value, property):
        yield property(_twisting(value.fget), value.fset)
    elif isinstance(value, (bool, str, int, list, set, dict, tuple)):
        yield _twisted(value)
        yield type(value)()
    else:  # an attribute that instances have, or None
        yield from (False, True, "x", 2, None if value is _ABSENT else [])


def _twisting(function: Any) -> Any:
    return lambda *args, **kwargs: _twisted(function(*args, **kwargs))


def _twisted(value: Any) -> Any:
    """Another value of the same type; an error where there is none."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, str):
        return f"{value}x"
    if isinstance(value, (int, float, decimal.Decimal)):
        return value + 1
    if isinstance(value, (datetime.date, datetime.datetime)):
        return value + datetime.timedelta(1)
    if isinstance(value, (list, tuple)):
        return (*value[1:], *value[:1]) if isinstance(value, tuple) else [*value, "x"]
    if isinstance(value, set):
        return value | {"x"}
    if isinstance(value, dict):
        return {**value, "x": "y"}
    raise ValidationError(f"patched {type(value).__name__}")


def _apply(patch: Patch, subclass: Any) -> Callable[[], None]:
    """Replaces it. Returns what takes that back."""
    cls: Any = subclass if patch.place == "subclass" else _class(patch.cls)
    replacement = _replacements_of("class" if patch.place == "subclass" else patch.place, cls, patch.name)[patch.number]
    holders = [cls]
    if patch.place == "setting":
        holders = [api_settings]
    elif patch.place == "function":
        holders = [module for module in _MODULES if patch.name in vars(module)]
    known = [(holder, vars(holder).get(patch.name, _ABSENT)) for holder in holders]
    for holder in holders:
        setattr(holder, patch.name, replacement)

    def undo() -> None:
        for holder, before in known:
            if before is _ABSENT:
                delattr(holder, patch.name)
            else:
                setattr(holder, patch.name, before)

    return undo


# ---- uses ---------------------------------------------------------------------------------------


def _serializer_of(cls: Any, options: dict[str, Any]) -> Any:
    made = {"f": cls(**options)}
    if issubclass(cls, fields.SerializerMethodField):
        made["get_f"] = lambda self, instance: "made"
    return type("Row", (serializers.Serializer,), made)


def _outcome(call: Callable[[], Any]) -> str:
    try:
        found = repr(call())
    except Exception as error:
        found = repr(error)
    return re.sub(r"0x[0-9a-f]+", "0x", found)


def _load(row: Any, data: Any, many: bool) -> Any:
    made = row(data=data, many=many)
    return (True, made.validated_data) if made.is_valid() else (False, made.errors)


def _use(row: Any) -> list[str]:
    """What a serializer makes of all values: of one, and of a list."""
    found = []
    for sent in ({}, *({"f": value} for value in _SENT)):
        found.append(_outcome(lambda sent=sent: _load(row, sent, False)))  # type: ignore[misc]
    found.append(_outcome(lambda: _load(row, [{"f": value} for value in _SENT], True)))
    for value in _KEPT:
        holder = types.SimpleNamespace(f=value)
        found.append(_outcome(lambda holder=holder: row(holder).data))  # type: ignore[misc]
        found.append(_outcome(lambda holder=holder: row([holder, holder], many=True).data))  # type: ignore[misc]
    return found


def _difference(row: Any) -> str:
    """Where ours differs from stock; empty: nowhere."""
    from ssrjson_web.rest_framework import disabled

    for time in range(2):
        ours = _use(row)
        with disabled():
            stock = _use(row)
        for one, other in zip(ours, stock, strict=True):
            if one != other:
                return f"at use {time + 1}: {one} instead of {other}"
    return ""


def _result(patch: Patch, moment: str) -> str:
    """`same`, `no effect`, or how ours differs."""
    subclass = type("Own", (_class(patch.cls),), {})
    used = subclass if patch.place == "subclass" else _class(patch.cls)
    name = "CharField" if patch.cls == "Field" else patch.cls
    used = _class(name) if patch.cls == "Field" else used
    make = _OPTIONS.get(name, dict)
    row = None
    if moment != MOMENTS[0]:
        row = _serializer_of(used, make())
    for _ in range(MOMENTS.index(moment) * 2 - 3):
        _use(row)
    undo = _apply(patch, subclass)
    if moment == MOMENTS[0]:
        _set_up()
        try:
            row = _serializer_of(used, make())
        except Exception:  # such a field cannot be made any more
            return "no effect"
    found = _difference(row)
    if found:
        return found
    patched = _use(row)
    undo()
    found = _difference(row)
    if found:
        return f"after it was taken back, {found}"
    return "same" if _use(row) != patched else "no effect"


def _set_up() -> None:
    from ssrjson_web.rest_framework import _templates, setup

    setup()
    _templates.MIN_USES = 1  # for the moments between the first uses


def _in_process(patch: Patch, moment: str) -> str:
    """The same, in another process."""
    reading, writing = os.pipe()
    process = os.fork()
    if process == 0:
        try:
            text = _result(patch, moment)
        except BaseException:
            text = traceback.format_exc()
        os.write(writing, text.encode("utf-8", "backslashreplace")[:60_000])
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading, encoding="utf-8") as pipe:
        found = pipe.read()
    os.waitpid(process, 0)
    return found


def main(moment: str, part: int, n_parts: int) -> None:
    """Tries a part of all patches."""
    with connection.schema_editor() as editor:
        editor.create_model(Thing)
    Thing.objects.bulk_create(Thing(name=f"n{number}") for number in range(1, 9))
    if moment != MOMENTS[0]:
        _set_up()
    results = []
    for patch in patches():
        if zlib.crc32(repr((patch, moment)).encode()) % n_parts == part:
            results.append(_in_process(patch, moment))
            if results[-1] not in ("same", "no effect"):
                print(f"{tuple(patch)}: {results[-1]}", flush=True)
    print(len(results), results.count("same"))


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
