"""The fields of classes of each library, and how an object is made of them."""

from __future__ import annotations

import collections
import dataclasses
import inspect
import sys
import typing
from collections.abc import Callable
from typing import Any, NamedTuple

from ssrjson_web._models.types.hints import PYDANTICS, field_hints, refused
from ssrjson_web._models.types.nodes import Style


class FieldType(NamedTuple):
    """A field of a class."""

    key: str
    name: str
    hint: Any
    required: bool
    default: tuple[()] | tuple[Any] = ()
    factory: Callable[[], Any] | None = None


class ClassFields(NamedTuple):
    """The fields of a class."""

    style: Style
    fields: tuple[FieldType, ...]
    forbids_unknown: bool = False
    n_positional: int = 0
    has_post_init: bool = False
    tag: tuple[str, str | int] | None = None
    """The key and the value of a Struct's tag."""
    is_array: bool = False
    """In JSON it is an array of the fields' values."""


def _check_parameters(cls: Any, names: list[str], where: str) -> None:
    """Raise where a class cannot be called with its fields by name."""
    try:
        parameters = inspect.signature(cls).parameters.values()
    except (TypeError, ValueError) as error:
        raise refused(cls, where, "its __init__ has no signature") from error
    by_name = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
    takes_all = any(one.kind is inspect.Parameter.VAR_KEYWORD for one in parameters)
    known = {one.name for one in parameters if one.kind in by_name}
    missing = [name for name in names if name not in known and not takes_all]
    if missing:
        raise refused(cls, where, f"its __init__ does not take the field {missing[0]!r}")
    other = [
        one.name
        for one in parameters
        if one.default is one.empty
        and one.kind not in (inspect.Parameter.VAR_KEYWORD, inspect.Parameter.VAR_POSITIONAL)
        and (one.kind not in by_name or one.name not in names)
    ]
    if other:
        raise refused(cls, where, f"its __init__ needs {other[0]!r}, which is no field")


def _is_init_var(field: Any) -> bool:
    return field._field_type is dataclasses._FIELD_INITVAR  # type: ignore[attr-defined]


def _init_is_generated(cls: Any, fields: list[Any]) -> bool:
    """Whether the `__init__` of a dataclass is what `dataclasses` writes for its fields."""
    params = getattr(cls, "__dataclass_params__", None)
    init = inspect.getattr_static(cls, "__init__", None)
    if params is None or not inspect.isfunction(init):
        return False
    copies = [
        (
            field.name,
            field.type,
            dataclasses.field(
                default=field.default,
                default_factory=field.default_factory,
                kw_only=field.kw_only,
            ),
        )
        for field in fields
    ]
    namespace = {"__post_init__": lambda _: None} if hasattr(cls, "__post_init__") else {}
    try:
        like = dataclasses.make_dataclass(cls.__name__, copies, namespace=namespace, frozen=params.frozen)
    except (TypeError, ValueError):
        return False
    wanted = inspect.getattr_static(like, "__init__")
    parts = ("co_code", "co_consts", "co_names", "co_varnames", "co_freevars", "co_argcount", "co_kwonlyargcount")
    defaults = (init.__defaults__ or (), wanted.__defaults__ or ())
    return (
        all(getattr(init.__code__, part) == getattr(wanted.__code__, part) for part in parts)
        and len(defaults[0]) == len(defaults[1])
        and all(one is other for one, other in zip(*defaults, strict=True))
        and (init.__kwdefaults__ or {}).keys() == (wanted.__kwdefaults__ or {}).keys()
        and all(value is (wanted.__kwdefaults__ or {})[name] for name, value in (init.__kwdefaults__ or {}).items())
    )


def _is_stored(cls: Any, all_fields: list[Any]) -> bool:
    """Whether the core may store the values of a new object: only the generated `__init__` would run."""
    return (
        all(field.init and not _is_init_var(field) for field in all_fields)
        and cls.__new__ is object.__new__
        and type(cls).__call__ is type.__call__
        and (cls.__dataclass_params__.frozen or cls.__setattr__ is object.__setattr__)
        and _init_is_generated(cls, all_fields)
    )


def _of_dataclass(cls: Any, arguments: tuple[Any, ...], where: str) -> ClassFields:
    hints = field_hints(cls, arguments, where)
    all_fields = [
        field
        for field in cls.__dataclass_fields__.values()
        if field._field_type is not dataclasses._FIELD_CLASSVAR  # type: ignore[attr-defined]
    ]
    fields = []
    for field in all_fields:
        if not field.init:
            continue
        hint = hints.get(field.name, field.type)
        has_factory = field.default_factory is not dataclasses.MISSING
        has_default = field.default is not dataclasses.MISSING
        fields.append(
            FieldType(
                field.name,
                field.name,
                hint.type if isinstance(hint, dataclasses.InitVar) else hint,
                required=not has_default and not has_factory,
                default=(field.default,) if has_default else (),
                factory=field.default_factory if has_factory else None,
            )
        )
    if _is_stored(cls, all_fields):
        return ClassFields("stored", tuple(fields), has_post_init=hasattr(cls, "__post_init__"))
    _check_parameters(cls, [field.name for field in fields], where)
    given = tuple(field._replace(default=(), factory=None) for field in fields)
    return ClassFields("by_name", given)


def _of_attrs(cls: Any, arguments: tuple[Any, ...], where: str) -> ClassFields:
    hints = field_hints(cls, arguments, where)
    missing = sys.modules["attr"].NOTHING
    fields = tuple(
        FieldType(
            attribute.name,
            getattr(attribute, "alias", None) or attribute.name.lstrip("_"),
            hints.get(attribute.name, Any if attribute.type is None else attribute.type),
            required=attribute.default is missing,
        )
        for attribute in cls.__attrs_attrs__
        if attribute.init
    )
    _check_parameters(cls, [field.name for field in fields], where)
    return ClassFields("by_name", fields)


def _of_struct(cls: Any, arguments: tuple[Any, ...], where: str) -> ClassFields:
    missing = sys.modules["msgspec"].NODEFAULT
    factory_class = sys.modules["msgspec._core"].Factory
    config = cls.__struct_config__
    hints = field_hints(cls, arguments, where)
    defaults = ((missing,) * len(cls.__struct_fields__) + cls.__struct_defaults__)[len(cls.__struct_defaults__) :]
    fields = tuple(
        FieldType(
            key,
            name,
            hints[name],
            required=default is missing,
            default=() if default is missing or isinstance(default, factory_class) else (default,),
            factory=default.factory if isinstance(default, factory_class) else None,
        )
        for name, key, default in zip(cls.__struct_fields__, cls.__struct_encode_fields__, defaults, strict=True)
    )
    parameters = inspect.signature(cls).parameters.values()
    n_positional = sum(one.kind is inspect.Parameter.POSITIONAL_OR_KEYWORD for one in parameters)
    tag = None if config.tag is None else (config.tag_field, config.tag)
    if config.array_like and (tag is not None or n_positional < len(fields)):
        raise refused(cls, where, "array_like with a tag or with keyword-only fields")
    return ClassFields(
        "by_place",
        fields,
        forbids_unknown=bool(config.forbid_unknown_fields),
        n_positional=n_positional,
        has_post_init=hasattr(cls, "__post_init__"),
        tag=tag,
        is_array=bool(config.array_like),
    )


def _of_typed_dict(cls: Any, arguments: tuple[Any, ...], where: str) -> ClassFields:
    fields = []
    for name, hint in field_hints(cls, arguments, where).items():
        required = name in cls.__required_keys__
        wrapper = typing.get_origin(hint)
        while getattr(wrapper, "_name", None) in ("Required", "NotRequired", "ReadOnly"):
            required = wrapper._name == "Required" or (wrapper._name == "ReadOnly" and required)
            hint = typing.get_args(hint)[0]
            wrapper = typing.get_origin(hint)
        fields.append(FieldType(name, name, hint, required))
    return ClassFields("dict", tuple(fields), forbids_unknown=getattr(cls, "__closed__", None) is True)


def _of_named_tuple(cls: Any, arguments: tuple[Any, ...], where: str) -> ClassFields:
    hints = field_hints(cls, arguments, where)
    defaults = cls._field_defaults
    fields = tuple(
        FieldType(
            name,
            name,
            hints.get(name, Any),
            required=name not in defaults,
            default=(defaults[name],) if name in defaults else (),
        )
        for name in cls._fields
    )
    style: Style = "tuple" if _is_plain_named_tuple(cls) else "by_place"
    return ClassFields(style, fields, n_positional=len(fields), is_array=True)


def _is_plain_named_tuple(cls: Any) -> bool:
    """Whether a NamedTuple does nothing but hold its items when it is made."""
    new = inspect.getattr_static(cls, "__new__", None)
    new = getattr(new, "__func__", new)
    like: Any = inspect.getattr_static(collections.namedtuple("like", cls._fields), "__new__")
    like = getattr(like, "__func__", like)
    defaults = tuple(cls._field_defaults.values())
    return (
        inspect.isfunction(new)
        and tuple(cls._field_defaults) == cls._fields[len(cls._fields) - len(defaults) :]
        and new.__code__.co_code == like.__code__.co_code
        and new.__code__.co_names == like.__code__.co_names
        and new.__code__.co_varnames == like.__code__.co_varnames
        and new.__globals__.get("_tuple_new") is tuple.__new__
        and len(new.__defaults__ or ()) == len(defaults)
        and all(one is other for one, other in zip(new.__defaults__ or (), defaults, strict=True))
        and cls.__init__ is object.__init__
        and type(cls).__call__ is type.__call__
    )


def is_struct(cls: type) -> bool:
    """Whether a class is a Struct of msgspec."""
    msgspec = sys.modules.get("msgspec")
    return msgspec is not None and issubclass(cls, msgspec.Struct)


def _reader_of(cls: type) -> Callable[[Any, tuple[Any, ...], str], ClassFields] | None:
    if typing.is_typeddict(cls) or hasattr(cls, "__required_keys__"):
        return _of_typed_dict
    if issubclass(cls, tuple) and hasattr(cls, "_fields"):
        return _of_named_tuple
    if is_struct(cls):
        return _of_struct
    if hasattr(cls, "__attrs_attrs__"):
        return _of_attrs
    return _of_dataclass if dataclasses.is_dataclass(cls) else None


def has_fields(cls: Any) -> bool:
    """Whether it is a class of a known library."""
    return isinstance(cls, type) and _reader_of(cls) is not None


def class_fields(cls: type, arguments: tuple[Any, ...], where: str) -> ClassFields | None:
    """The fields of a class, which may be a generic one with arguments; None where it is of no known library.

    Raises TypeError where an object cannot be made of its fields.
    """
    reader = _reader_of(cls)
    if reader is None:
        return None
    if hasattr(cls, "__pydantic_validator__"):
        raise refused(cls, where, PYDANTICS)
    if inspect.isabstract(cls):
        raise refused(cls, where, "it is abstract")
    return reader(cls, arguments, where)
