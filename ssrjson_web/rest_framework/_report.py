"""Which serializers and fields the core reads, and which REST framework, with the reasons."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from types import FunctionType, MappingProxyType
from typing import Any, NamedTuple

from django.core.checks import CheckMessage, Info, Warning
from rest_framework.fields import HiddenField
from rest_framework.serializers import BaseSerializer, ListSerializer, Serializer

from ssrjson_web._shared.endpoint_results import classes_named, names_in
from ssrjson_web._shared.names import name_of
from ssrjson_web.rest_framework._basis import (
    has_opted_out,
    is_ours,
    is_set_up,
    notice_changes,
    replaced_names,
    wanted,
)
from ssrjson_web.rest_framework._fields.describer import NULL, base_of, reading_of
from ssrjson_web.rest_framework._fields.relation import lookup_of, use_of
from ssrjson_web.rest_framework._load_plan import LoadPlan
from ssrjson_web.rest_framework._reading import MANY_ROWS, ReadPlan
from ssrjson_web.rest_framework._templates import CHANGES_TOO_OFTEN, known_of, pristine_of

__all__ = [
    "SerializerReport",
    "check_serializers",
    "check_serializers_to_deploy",
    "reason_of_view",
    "report_of",
    "serializer_classes",
]


class SerializerReport(NamedTuple):
    """What is known of a serializer class."""

    name: str
    reason: str
    """Why REST framework reads its objects. Empty: the core does, but for the fields below."""
    fields: dict[str, str]
    """The reasons of the fields that REST framework reads, by their names; those of nested serializers with a dot."""
    input_reason: str = ""
    """Why REST framework validates data. Empty: the core does, but for the fields below."""
    inputs: Mapping[str, str] = MappingProxyType({})
    """The reasons of the fields that validate their values themselves, by their names."""
    makes_fields: bool = False
    """Whether code of the user's makes the fields of each instance: shorter lists are read by REST framework."""

    def __str__(self) -> str:
        if self.reason:
            text = f"{self.name} is read by REST framework: {self.reason}"
        else:
            which = f" in lists of {MANY_ROWS} objects or more" if self.makes_fields else ""
            text = f"{self.name} is read by the core{which}{_named(self.fields)}"
        if self.input_reason:
            return f"{text}. Its data is validated by REST framework: {self.input_reason}"
        return f"{text}. Its data is validated by the core{_named(self.inputs)}" if self.inputs else text


def _named(reasons: Mapping[str, str]) -> str:
    return ", but for " + ", ".join(f"{name} ({reason})" for name, reason in reasons.items()) if reasons else ""


def report_of(cls: Any) -> SerializerReport:
    """What the core does for a serializer class. It makes an instance where the class has code that makes fields."""
    name = name_of(cls)
    notice_changes()
    reason = _reason_of_class(cls)
    if not is_set_up() or has_opted_out(cls) or not issubclass(cls, Serializer):
        return SerializerReport(name, reason, {})
    try:
        serializer = pristine_of(cls) or cls()
        input_reason, inputs = _reasons_of_input(serializer)
        left = dict(_reasons_of_fields({} if reason else ReadPlan(serializer).by_library))
        makes_fields = not known_of(cls).has_fields_of_stock
        if makes_fields:  # it is the same for nested ones
            left = {name: why for name, why in left.items() if not why.endswith(_MAKES_FIELDS)}
        return SerializerReport(name, reason, left, input_reason, inputs, makes_fields)
    except Exception as error:
        return SerializerReport(name, f"its fields cannot be made here ({type(error).__name__}: {error})", {})


def _reason_of_class(cls: Any) -> str:
    if not is_set_up():
        return 'add "ssrjson_web.rest_framework" to INSTALLED_APPS, or call setup()'
    if has_opted_out(cls):
        return "it says ssrjson = False"
    if not issubclass(cls, Serializer):
        return "it is no Serializer"
    known = known_of(cls).now()
    if not known.is_of_stock:
        return f"somebody has replaced {', '.join(replaced_names()) or 'what it has of REST framework'}"
    if not known.can_be_read:
        return "it has `fields` of its own, or overrides _readable_fields or __getattribute__"
    if known.changes_too_often():
        return CHANGES_TOO_OFTEN
    if not is_ours(cls.to_representation, Serializer, "to_representation"):
        return _REPRESENTS
    return ""


_REPRESENTS = "it overrides to_representation; what that gets from super() is read by the core"


def _reasons_of_fields(left: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    return ((name, _reason_of_field(field)) for name, field in left.items())


_MAKES_FIELDS = f"it makes fields by code of its own, and the core reads it after {MANY_ROWS} objects of a long list"


def _reason_of_field(field: Any) -> str:
    cls = type(field)
    if use_of(field) is None:
        own = _is_of_user(cls, "get_attribute")
        return f"{cls.__name__} overrides get_attribute" if own else f"{cls.__name__} reads the whole object"
    nested = field.child if isinstance(field, ListSerializer) else field
    if isinstance(field, ListSerializer) and not isinstance(nested, Serializer):
        return f"ListSerializer of a {type(nested).__name__}"
    if isinstance(field, ListSerializer) and not is_ours(cls.to_representation, ListSerializer, "to_representation"):
        return f"{cls.__name__}: {_REPRESENTS}"
    if isinstance(nested, BaseSerializer):
        why = _reason_of_class(type(nested))
        if not why and not known_of(type(nested)).has_fields_of_stock:
            why = _MAKES_FIELDS
        return f"{type(nested).__name__}: {why}" if why else f"{type(nested).__name__} is nested in itself, or too deep"
    if _is_of_user(cls, "to_representation"):
        return f"{cls.__name__} overrides to_representation"
    return cls.__name__ if reading_of(field) is None else f"{cls.__name__} with its options"


def _is_of_user(cls: Any, name: str) -> bool:
    return not _is_of_stock(getattr(cls, name))


def _is_of_stock(found: Any) -> bool:
    return str(getattr(found, "__module__", "")).startswith("rest_framework.")


# ---- what is validated --------------------------------------------------------------------------


def _reasons_of_input(serializer: Any) -> tuple[str, dict[str, str]]:
    """Why REST framework validates what a serializer is given, and why fields validate every value themselves."""
    cls = type(serializer)
    if not known_of(cls).now().can_be_loaded:
        return "it overrides fields, _writable_fields, set_value, _read_only_defaults or attribute access", {}
    try:
        plan = LoadPlan(cls, serializer.fields, False)
    except ValueError:
        return "a validate_<field> is no method, or a source is within another one", {}
    by_core = {field.key for field in plan.fields if any(one != NULL for one in field.acceptance or ())}
    left = [field for field in serializer.fields.values() if not field.read_only and field.field_name not in by_core]
    reasons = {field.field_name: _reason_of_input(field) for field in left}
    return "", {name: reason for name, reason in reasons.items() if reason}


def _reason_of_input(field: Any) -> str:
    if isinstance(field, (BaseSerializer, HiddenField)):
        return ""  # it has a plan of its own; or no value
    if not field.source_attrs:
        return 'source="*"'
    cls, base = type(field), base_of(field)
    if base is None:
        return cls.__name__ if _is_of_stock(cls) else f"{cls.__name__} validates by code of its own"
    return "" if lookup_of(field) is not None else f"{base.__name__} with its options"


# ---- views --------------------------------------------------------------------------------------


def reason_of_view(view: Any, actions: Iterable[str], given: Mapping[str, Any] = MappingProxyType({})) -> str:
    """What the core does for the serializers of a view, as far as it names them; empty where it names none.

    `actions` are its methods that answer requests, and `given` are the attributes that it gets for the route.
    """
    named = given.get("serializer_class", getattr(view, "serializer_class", None))
    chooses = getattr(view, "get_serializer_class", None)
    is_chosen = chooses is not None and _is_of_user(view, "get_serializer_class")
    found = [named] if _is_serializer(named) else []
    if is_chosen:
        found += _serializers_in(view, chooses)
    elif not found:
        found = [cls for name in actions for cls in _serializers_in(view, getattr(view, name, None))]
    if is_chosen and not found:
        return "which serializers it has is not known: get_serializer_class names none"
    return "; ".join(
        str(report_of(cls)).replace(f"{name_of(cls)} ", f"{cls.__name__} ", 1) for cls in dict.fromkeys(found)
    )


def _is_serializer(found: object) -> bool:
    return isinstance(found, type) and issubclass(found, BaseSerializer) and not _is_of_stock(found)


def _serializers_in(view: Any, function: Any) -> list[Any]:
    """Serializers that a method of a view names, itself or by an attribute of the view."""
    found: list[Any] = classes_named(function, BaseSerializer)
    for name in names_in(function.__code__) if isinstance(function, FunctionType) else ():
        held = getattr(view, name, None)
        found += held.values() if isinstance(held, Mapping) else held if isinstance(held, (list, tuple)) else [held]
    return [one for one in found if _is_serializer(one)]


# ---- checks -------------------------------------------------------------------------------------


def serializer_classes() -> list[type]:
    """The serializers that are defined in this process, without REST framework's own, by their names."""
    found = {cls for cls in _derived(Serializer) if not _is_of_stock(cls)}
    return sorted(found, key=name_of)


def _derived(cls: type) -> Iterator[type]:
    derived: type
    for derived in cls.__subclasses__():
        yield derived
        yield from _derived(derived)


def check_serializers(**_: Any) -> list[CheckMessage]:
    """Warnings of methods that another package has replaced."""
    return list(_check_replacements())


def check_serializers_to_deploy(**_: Any) -> list[CheckMessage]:
    """Infos about the serializers and fields that REST framework reads."""
    if not is_set_up():
        return []
    reports = map(report_of, serializer_classes())
    return [Info(f"{report}.", id="ssrjson_web.I003") for report in reports if any(report[1:])]


def _check_replacements() -> Iterator[CheckMessage]:
    for cls, name in wanted:
        found = vars(cls).get(name)
        if is_set_up() and not is_ours(found, cls, name):
            where = f"{getattr(cls, '__qualname__', cls.__name__)}.{name}"
            yield Warning(
                f"{where} has been replaced by {getattr(found, '__module__', type(found).__module__)}: "
                "REST framework and that package do its work.",
                hint='Put "ssrjson_web.rest_framework" before that package in INSTALLED_APPS, or remove one of them.',
                id="ssrjson_web.W005",
            )
