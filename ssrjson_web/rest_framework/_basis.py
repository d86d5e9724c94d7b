"""What plans rest on: that REST framework's and Django's code is as their files have it, and that nobody objects."""

from __future__ import annotations

import datetime
import functools
from contextvars import ContextVar
from typing import Any

from django.conf import settings
from django.core import validators
from django.core.signals import setting_changed
from django.utils import timezone
from rest_framework import fields, relations, serializers
from rest_framework.fields import FilePathField
from rest_framework.serializers import BaseSerializer
from rest_framework.utils import field_mapping, html, json, model_meta
from rest_framework.utils.formatting import lazy_format
from rest_framework.utils.serializer_helpers import BindingDict

from ssrjson_web._known.functions import are_texts_known, is_text_known, stands_in_for
from ssrjson_web._known.watch import Classes
from ssrjson_web._shared.disabling import DisablingContext

__all__ = [
    "HELPING_CLASSES",
    "OF_MAPPING",
    "VALIDATORS",
    "acts_as_stock",
    "disabled",
    "generation",
    "has_opted_out",
    "is_disabled",
    "is_made_by_stock",
    "is_mapping_own",
    "is_of_stock",
    "is_ours",
    "is_same_zone",
    "is_set_up",
    "keeps",
    "notice_changes",
    "replaced",
    "users_classes",
    "wanted",
    "zone_in_use",
]

# ---- whether plans are used ---------------------------------------------------------------------

_DISABLED: ContextVar[bool] = ContextVar("ssrjson_web.rest_framework.disabled", default=False)
is_disabled = _DISABLED.get


def disabled() -> Any:
    """A context manager, and a decorator of functions, within which serializers do what REST framework's own do.

    It holds for the current thread or asyncio task, and for the tasks that it starts. An `async def` may be decorated.
    """
    return DisablingContext(_DISABLED)


def has_opted_out(cls: type) -> bool:
    """Whether a serializer class, or one that it derives from, says `ssrjson = False`."""
    return getattr(cls, "ssrjson", True) is False


replaced: dict[type, dict[str, tuple[Any, Any]]] = {}
"""By class and name: the function that `setup` has put there, and the stock one.

Not by both in a tuple: without the GIL CPython locks a dict to look for a key that is no str and may be freed.
"""


wanted: dict[tuple[Any, str], None] = {}
"""What `setup` would replace, by class or module and name."""


def is_set_up() -> bool:
    """Whether `setup` has been called, and not taken back."""
    return bool(replaced)


def is_ours(found: Any, cls: type, name: str) -> bool:
    """Whether a function is the one that replaces a method of REST framework's."""
    return found is replaced.get(cls, _NONE).get(name, _NOTHING)[0]


_NONE: dict[str, tuple[Any, Any]] = {}
_NOTHING = (object(), None)

# ---- REST framework's own code ------------------------------------------------------------------

_library = Classes(("django", "rest_framework"), is_ours)
_generation = 0


def generation() -> int:
    """A number that is another one after a setting has changed, with `override_settings` or its signal alone; or after
    `notice_changes` has found that somebody has replaced something of a library."""
    return _generation


def notice_changes() -> None:
    """Look whether somebody has replaced something of a library that plans rely on. It comes before each use of one."""
    if not _library.hold():
        _library.forget()
        _count()


def _count(**_: Any) -> None:
    global _generation
    _generation += 1


setting_changed.connect(_count, dispatch_uid="ssrjson_web.rest_framework")

_MODULES = (fields, relations, serializers)
_HELPERS = (html, model_meta)
OF_MAPPING = (
    *("get_field_kwargs", "get_relation_kwargs", "get_nested_relation_kwargs", "get_url_kwargs"),
    *("get_detail_view_name", "get_unique_validators", "get_unique_error_message", "needs_label"),
)
HELPING_CLASSES = (field_mapping.ClassLookupDict, BindingDict, lazy_format)
VALIDATORS = (
    *(validators.BaseValidator, validators.RegexValidator, validators.EmailValidator, validators.URLValidator),
    *(validators.ProhibitNullCharactersValidator, validators.FileExtensionValidator, validators.DecimalValidator),
)
_NAMES_OF_MODULES = tuple(module.__name__ for module in _MODULES)
# what runs when a field is made, beside what Python does
_MAKING = ("__init__", "__new__", "__deepcopy__", "__setattr__", "__getattribute__", "bind", "validators")
_MAKING_OF_FIELDS = (*_MAKING, "get_validators", "choices")


def is_of_stock(cls: type) -> bool:
    """Whether nobody has replaced a function that a class has of REST framework's or Django's classes, or one of the
    modules of fields."""
    return _are_all_fields_own() and _library.are_own(cls)


def replaced_names() -> list[str]:
    """What `is_of_stock` has found that somebody has replaced."""
    return _library.replaced()


def acts_as_stock(instance: Any) -> bool:
    """Whether the class of a field or validator `is_of_stock`, and it has no methods of its own."""
    return _are_all_fields_own() and _library.acts_as_own(instance)


def _are_all_fields_own() -> bool:
    global _all_fields
    generation, is_own = _all_fields
    if generation != _generation:  # one answer until somebody replaces something
        generation = _generation
        is_own = _is_own_for_all_fields()
        _all_fields = generation, is_own
    return is_own


_all_fields: tuple[int, bool] = (-1, False)
_OF_MODELS = [f"django.db.models.{name}" for name in ("fields", "query", "sql.query", "sql.where")]
"""What is asked while fields are made of a model, and what copies their querysets."""
stands_in_for(*_OF_MODELS, left="all serializers")


def _is_own_for_all_fields() -> bool:
    """Whether the modules of fields are REST framework's own, and what fields call while they are made: they are copied
    instead."""
    return (
        all(map(_library.is_own_module, (*_MODULES, *_HELPERS)))
        and all(map(_library.are_own, HELPING_CLASSES))
        and all(_library.has_own(cls, "__init__") for cls in VALIDATORS)
        and all(map(are_texts_known, _OF_MODELS))
        and _library.has_own(timezone, "is_aware")
        and _is_dumping_known()
    )


@functools.cache
def _is_dumping_known() -> bool:
    """Of `dumps`, which has the name of that of json, whose wrapper it is."""
    return is_text_known(f"{json.__name__}.dumps") and getattr(json.dumps, "__globals__", None) is vars(json)


def is_mapping_own() -> bool:
    """Whether REST framework's own functions say of which fields of a model which fields of a serializer are made."""
    return _library.has_own(field_mapping, *OF_MAPPING)


def is_made_by_stock(cls: type) -> bool:
    """Whether instances of a field class are made by REST framework's code alone, which has no effect but that."""
    names = _MAKING if issubclass(cls, BaseSerializer) else _MAKING_OF_FIELDS
    if issubclass(cls, FilePathField) or not is_of_stock(cls):  # the first reads a directory
        return False
    others = [vars(base) for base in cls.__mro__[:-1] if base.__module__ not in _NAMES_OF_MODULES]
    return not any(name in attributes for attributes in others for name in names)


def keeps(cls: type, owner: type, *names: str) -> bool:
    """Whether a class, which `is_of_stock`, overrides none of some attributes of a class that it derives from."""
    return all(getattr(cls, name, None) is getattr(owner, name, None) for name in names)


def users_classes(cls: type) -> list[type]:
    """A class and those that it derives from, without those of libraries."""
    return [] if _library.has(cls) else [base for base in cls.__mro__[:-1] if not _library.has(base)]


# ---- the time zone ------------------------------------------------------------------------------


def zone_in_use() -> Any:
    """The time zone of the datetimes of fields that have no zone of their own; None: they are naive."""
    return timezone.get_current_timezone() if settings.USE_TZ else None


def is_same_zone(zone: Any, other: Any) -> bool:
    """Whether two time zones are the same, as far as they can be compared."""
    return zone is other or (type(zone) is type(other) is datetime.timezone and zone == other)
