"""Code of an application that runs where values of a type are validated or written: twice, if that is done twice."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Collection, Container, Iterable, Iterator, Mapping
from contextlib import suppress
from types import MemberDescriptorType
from typing import Any

from pydantic import BaseModel

from ssrjson_web._models.pydantic.private_attributes import has_plain_private_attributes, post_init_of
from ssrjson_web._models.pydantic.traits import USERS_VALUES, schema_parts
from ssrjson_web._shared.kept_by_class import kept_by_class
from ssrjson_web._shared.names import class_name_of, name_of

__all__ = ["CodeOfAnswers", "look_with", "names_read_by", "users_code_in"]

_NO_POST_INIT = BaseModel.model_post_init
_OWN = ("pydantic", "pydantic_core", "builtins")
_MAPPED = ("sqlalchemy", "sqlmodel")
"""Libraries whose attributes are read without code of the application, once they are loaded."""
_FACTORIES = (list, dict, set, frozenset, tuple, str, int, float, bool, bytes)


def users_code_in(schema: Any) -> str:
    """What of an application's code would run twice where a schema is used twice; empty where nothing does."""
    if not isinstance(schema, dict):
        return "its type is not complete yet, or is pydantic 1's"
    return _first_code(schema_parts(schema, skips=USERS_VALUES))


class CodeOfAnswers:
    """What of an application's code runs where a value is validated by a schema and written."""

    def __init__(self, schema: Any) -> None:
        self._schema = schema
        self.of_writing = self._of_validation = self._around_models = ""
        """`of_writing`: of serializers and computed fields."""
        if not isinstance(schema, dict):
            self.of_writing = users_code_in(schema)
            return
        parts = list(schema_parts(schema, skips=USERS_VALUES))
        written = [part["serialization"] for part in parts if isinstance(part.get("serialization"), dict)]
        computed = [{"computed_fields": part["computed_fields"]} for part in parts if part.get("computed_fields")]
        self.of_writing = _first_code((*written, *computed))
        skips = (*USERS_VALUES, "serialization")
        self._of_validation = _first_code(schema_parts(schema, skips=skips))
        around = schema_parts(schema, skips=skips, enters_models=False)
        self._around_models = _first_code(part for part in around if part.get("type") != "model")

    def of(self, value: Any) -> str:
        """What runs for a value; empty where nothing does. An instance of a model is not validated again."""
        is_validated = self._around_models or not _are_instances(self._schema, self._schema, value)
        return self.of_writing or (self._of_validation if is_validated else "")


def _first_code(parts: Iterable[Mapping[str, Any]]) -> str:
    return next(filter(None, map(_code_in, parts)), "")


def _are_instances(schema: Any, whole: Any, value: Any) -> bool:
    """Whether a value is of the model of a schema, or a list of such, so that validation gives it as it is."""
    kind = schema["type"]
    if kind == "definitions":
        return _are_instances(schema["schema"], schema, value)
    if kind == "definition-ref":
        named = [one for one in whole.get("definitions", ()) if one.get("ref") == schema["schema_ref"]]
        return len(named) == 1 and _are_instances(named[0], whole, value)
    if kind == "nullable":
        return value is None or _are_instances(schema["schema"], whole, value)
    if kind == "list":
        items = schema.get("items_schema")
        return items is not None and type(value) is list and all(_are_instances(items, whole, one) for one in value)
    config = schema.get("config") or {}
    revalidates = schema.get("revalidate_instances", config.get("revalidate_instances", "never"))
    return kind == "model" and type(value) is schema["cls"] and revalidates == "never"


def _code_in(part: Mapping[str, Any]) -> str:
    factory = part.get("default_factory")
    if factory is not None and factory not in _FACTORIES:
        return f"`{name_of(factory)}`, a default factory, would make two values"
    for function in part.values():
        if callable(function) and not isinstance(function, type) and not _is_pydantics(function):
            return f"`{name_of(function)}` would run twice"
    if part.get("function") is not None and isinstance(part["function"], type) and not _is_pydantics(part["function"]):
        return f"`{name_of(part['function'])}` would run twice"
    for computed in part.get("computed_fields") or ():
        return f"the computed field `{computed['property_name']}` would run twice"
    if part.get("custom_init") or (part.get("type") == "dataclass" and part.get("post_init")):
        return f"`__init__` or `__post_init__` of {class_name_of(part['cls'])} would run twice"
    if part.get("type") == "model" and part.get("post_init"):
        cls = part["cls"]
        if post_init_of(cls) is not _NO_POST_INIT and not has_plain_private_attributes(cls):
            return f"`model_post_init` or a private attribute of {class_name_of(cls)} would run twice"
    return ""


def _is_pydantics(function: Any) -> bool:
    """Whether a function is pydantic's, or one of Python's own types that it calls."""
    return _is_of(function, (*_OWN, *sys.stdlib_module_names) if isinstance(function, type) else _OWN)


def _is_of(function: Any, libraries: Container[str]) -> bool:
    module = getattr(function, "__module__", None) or type(function).__module__
    return isinstance(module, str) and module.partition(".")[0] in libraries


def names_read_by(schema: Any) -> frozenset[str]:
    """The names of attributes that may be read of objects of which a schema makes models."""
    return frozenset(_names_in(schema)) if isinstance(schema, dict) else frozenset()


def _names_in(schema: Any) -> Iterator[str]:
    for part in schema_parts(schema):
        fields = part.get("fields")
        for name, field in fields.items() if isinstance(fields, dict) else ():
            yield name
            yield from _aliases_in(field.get("validation_alias") if isinstance(field, dict) else None)


def _aliases_in(alias: Any) -> Iterator[str]:
    if isinstance(alias, str):
        yield alias
    elif isinstance(alias, list):
        for one in alias:
            yield from _aliases_in(one)


@kept_by_class(64)
def _code_of_model(cls: Any) -> str:
    """What runs where a model is written."""
    return CodeOfAnswers(vars(cls).get("__pydantic_core_schema__")).of_writing


def look_with(names: Collection[str]) -> Callable[[Any], tuple[str, Iterable[Any]]]:
    """A `Look` (`_compare/values.py`) at models, dataclasses, and objects of which only these attributes are read."""

    def look(value: Any) -> tuple[str, Iterable[Any]]:
        cls = type(value)
        if isinstance(value, type):
            return f"an answer holds the class {class_name_of(value)}", ()
        held = _held(value)
        fields = inspect.getattr_static(cls, "__dataclass_fields__", None)
        if issubclass(cls, BaseModel):
            read = {**held, **_extra_of(value)}
            reason = _code_of_model(cls) or _code_of_attributes(cls, names, held)
        elif fields is None and not names:
            return f"code of {class_name_of(cls)} may run twice", ()
        else:
            read = {name: held[name] for name in {*(fields or ()), *names} if name in held}
            reason = _code_of_attributes(cls, {*(fields or ()), *names}, held)
        return reason, () if reason else list(read.values())

    return look


_extra = inspect.getattr_static(BaseModel, "__pydantic_extra__")


def _extra_of(model: Any) -> dict[str, Any]:
    """The extra fields of a model. One with a root has not even the attribute."""
    with suppress(AttributeError):
        return _extra.__get__(model) or {}
    return {}


def _held(value: Any) -> dict[str, Any]:
    """What an object has in its slots and its `__dict__`."""
    held: dict[str, Any] = {}
    for cls in type(value).__mro__:
        for name, slot in vars(cls).items():
            if type(slot) is MemberDescriptorType and not name.startswith("__"):
                with suppress(AttributeError):
                    held[name] = slot.__get__(value)
    with suppress(AttributeError):
        held |= object.__getattribute__(value, "__dict__")
    return held


def _code_of_attributes(cls: type, names: Iterable[str], held: Mapping[str, Any]) -> str:
    """Whether code of a class runs where these attributes are read."""
    for name in ("__getattr__", "__getattribute__"):
        found = inspect.getattr_static(cls, name, None)
        if found not in (None, object.__getattribute__) and not _is_of(found, (*_OWN, *_MAPPED)):
            return f"`{name}` of {class_name_of(cls)} would run twice"
    for name in names:
        found = inspect.getattr_static(cls, name, None)
        is_code = hasattr(type(found), "__get__") and type(found) is not MemberDescriptorType
        if is_code and not (name in held and _is_of(type(found), _MAPPED)):
            return f"the attribute `{name}` of {class_name_of(cls)} would be read twice"
    return ""
