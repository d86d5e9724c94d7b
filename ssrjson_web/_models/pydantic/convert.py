"""Values that pydantic converts, because no rule covers them.

What `dump_python(mode="json")` makes of a value leaves no UTF-8 cache in strings, and is what `dump_json` writes where
neither warns. So a warning is an error here: the object, or all that is encoded, is then dumped as a whole.
"""

from __future__ import annotations

import datetime
import types
from collections import deque
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from decimal import Decimal
from enum import Enum
from inspect import getattr_static
from typing import Any
from uuid import UUID

from pydantic import BaseModel, TypeAdapter, main, type_adapter
from pydantic_core import PydanticSerializationError, SchemaSerializer, to_jsonable_python

from ssrjson_web._core import Fragment
from ssrjson_web._models.pydantic.features import KNOWS_CONFIGURED_ALIAS

__all__ = [
    "AS_JSON",
    "STRICT",
    "ObjectConvert",
    "TextConvert",
    "ValueConvert",
    "has_iterator_or_repeated_key",
    "is_of_serializer_function",
    "n_keys",
    "strict_content",
]

STRICT: Mapping[str, Any] = {"warnings": "error"}
"""The options of pydantic's serializers that make an error of a warning."""


def _options(by_alias: bool | None, exclude_unset: bool, exclude_defaults: bool, exclude_none: bool) -> dict[str, Any]:
    """The arguments that the core gives as this pydantic takes them."""
    return {
        "by_alias": by_alias if KNOWS_CONFIGURED_ALIAS else bool(by_alias),
        "exclude_unset": exclude_unset,
        "exclude_defaults": exclude_defaults,
        "exclude_none": exclude_none,
    }


AS_JSON = "Error serializing to JSON: PydanticSerializationError: "
"""What `to_json` writes before the text of an error that `to_python` raises."""


def is_of_serializer_function(error: BaseException) -> bool:
    """Whether a function that serializes raised an error: it is not called again, because that would be seen."""
    text = str(error).removeprefix(AS_JSON)
    return isinstance(error, PydanticSerializationError) and text.startswith("Error calling function")


def _calling_as(method: Any, module: types.ModuleType) -> Callable[..., Any]:
    """A function that calls as a method of a module does: a warning is then of that module, and so is its registry."""

    def call(function: Callable[..., Any], *arguments: Any, **named: Any) -> Any:
        return function(*arguments, **named)

    known = method.__code__
    code = call.__code__.replace(
        co_filename=known.co_filename, co_firstlineno=known.co_firstlineno, co_name=known.co_name
    )
    return types.FunctionType(code, vars(module), known.co_name)


_call_as_model = _calling_as(BaseModel.model_dump, main)
_call_as_adapter = _calling_as(TypeAdapter.dump_python, type_adapter)


def strict_content(to_python: Callable[..., Any], value: Any, **options: Any) -> Any:
    """What a serializer of pydantic makes of a value. NotImplemented where it warns of the value or refuses it.

    Raises what Python code raised that the serializer calls.
    """
    try:
        return to_python(value, mode="json", **options, **STRICT)
    except PydanticSerializationError as error:
        if is_of_serializer_function(error):
            raise
    except OverflowError as error:  # an int that no float holds, where a float is declared
        if _is_of_python_code(error):
            raise
    return NotImplemented


def _strict_text(to_json: Callable[..., bytes], value: Any, **options: Any) -> Any:
    """The text that a serializer of pydantic makes of a value, as `strict_content`."""
    try:
        return Fragment(to_json(value, **options, **STRICT))
    except PydanticSerializationError as error:
        if is_of_serializer_function(error):
            raise
    except OverflowError as error:
        if _is_of_python_code(error):
            raise
    return NotImplemented


class ObjectConvert:
    """Converts an object by the serializer of its class. With `as_text` only its text shows what is NaN."""

    def __init__(self, serializer: SchemaSerializer, *, as_text: bool = False) -> None:
        self._serializer = serializer
        self._as_text = as_text

    def __call__(self, value: Any, is_json: bool, *options: Any) -> Any:
        if has_iterator_or_repeated_key(value, is_json=is_json):
            return NotImplemented
        if is_json and self._as_text:
            return _strict_text(self._serializer.to_json, value, **_options(*options))
        return strict_content(self._serializer.to_python, value, **_options(*options))


class TextConvert:
    """Converts an object by the serializer of its class to what pydantic itself gives, with its warnings and errors.

    That is its text, which may hold NaN or a key twice, or what `dump_python` gives.
    """

    def __init__(self, serializer: SchemaSerializer) -> None:
        self._serializer = serializer

    def __call__(self, value: Any, is_json: bool, *options: Any) -> Any:
        call = _call_as_model if isinstance(value, BaseModel) else _call_as_adapter
        if is_json:
            return Fragment(call(self._serializer.to_json, value, **_options(*options)))
        return call(self._serializer.to_python, value, mode="json", **_options(*options))


class ValueConvert:
    """Converts the value of one field, by pydantic and the field's own schema.

    `holds_any` says whether its rule admits values of no declared type, and `may_repeat_keys` whether two keys of an
    object may have the same text, which is one key in a dict. With `as_text` only the text shows what is NaN.
    """

    def __init__(
        self,
        schema: Mapping[str, Any],
        definitions: Mapping[str, Mapping[str, Any]],
        config: Mapping[str, Any],
        *,
        holds_any: bool,
        may_repeat_keys: bool,
        as_text: bool = False,
    ) -> None:
        self._schema = schema
        self._definitions = definitions
        self._config = config
        self._holds_any = holds_any
        self._may_repeat_keys = may_repeat_keys
        self._as_text = as_text
        self._serializer: SchemaSerializer | None = None

    def make_serializer(self) -> SchemaSerializer:
        """The serializer, which is kept. Raises SchemaError where pydantic makes none of the schema alone."""
        schema: Any = self._schema
        if self._definitions:
            schema = {"type": "definitions", "schema": schema, "definitions": list(self._definitions.values())}
        made = self._serializer = SchemaSerializer(schema, self._config)  # type: ignore[arg-type]
        return made

    def __call__(self, value: Any, is_json: bool, *options: Any) -> Any:
        if has_iterator_or_repeated_key(value, is_json=is_json):
            return NotImplemented
        serializer = self._serializer or self.make_serializer()
        named = _options(*options)
        try:
            # a float field may hold an int or a Decimal
            if is_json and (self._as_text or isinstance(value, (int, float, Decimal))):
                return Fragment(serializer.to_json(value, **named, **STRICT))
            content = serializer.to_python(value, mode="json", **named, **STRICT)
        except PydanticSerializationError as error:
            if is_of_serializer_function(error):
                raise
            # a value that pydantic refuses: the core knows more types, and has a hook to ask
            return value if is_json and self._holds_any and not _is_warning(error) else NotImplemented
        except OverflowError as error:  # an int that no float holds, where a float is declared
            if _is_of_python_code(error):
                raise
            return NotImplemented
        return NotImplemented if is_json and self._may_repeat_keys and n_keys(content) < n_keys(value) else content


def _is_of_python_code(error: Exception) -> bool:
    """Whether an exception that its catcher has from pydantic was raised by Python code, which pydantic called."""
    traceback = error.__traceback__
    while traceback is not None and traceback.tb_next is not None:
        traceback = traceback.tb_next
    callers = (__name__, type_adapter.__name__)
    return traceback is not None and traceback.tb_frame.f_globals.get("__name__") not in callers


def _is_warning(error: PydanticSerializationError) -> bool:
    """Whether STRICT made an error of pydantic's warnings. They come last: whatever else is wrong is raised before."""
    return str(error).startswith("Pydantic serializer warnings:")


def n_keys(value: Any) -> int:
    """The number of keys in all dicts that a value is made of."""
    if isinstance(value, dict):
        return len(value) + sum(map(n_keys, value.values()))
    return sum(map(n_keys, value)) if isinstance(value, (list, tuple)) else 0


def has_iterator_or_repeated_key(value: Any, *, is_json: bool) -> bool:
    """Whether pydantic must write a value at once, with all that is around it.

    An iterator within can be iterated once, so that nothing may be converted twice. Of JSON an object may have a key
    twice, which a dict that is made of it has once: a dict, where keys of other types than str may have the same text,
    or a model whose extra fields may have the key of a declared one.
    """
    if type(value) in _OF_NOTHING:
        return False
    under_way = [value]
    seen = {}  # held, so that an id is that of one object
    while under_way:
        one = under_way.pop()
        cls = type(one)
        if cls in _OF_NOTHING or id(one) in seen:
            continue
        seen[id(one)] = one
        if isinstance(one, dict):
            if is_json and _may_repeat_text(one):
                return True
            under_way.extend(one.values())
        elif isinstance(one, (list, tuple, set, frozenset, deque)):
            under_way.extend(one)
        elif hasattr(cls, "__next__"):
            return True
        elif isinstance(one, Enum):
            under_way.append(one._value_)
        elif hasattr(cls, "__pydantic_serializer__") or hasattr(cls, "__dataclass_fields__"):
            extra = getattr(one, "__pydantic_extra__", None) if hasattr(cls, "__pydantic_serializer__") else None
            if is_json and extra and _repeats_key(cls, extra):
                return True
            under_way.extend(getattr(one, "__dict__", {}).values())
            under_way.extend(_in_slots(one, cls))
            under_way.extend((extra or {}).values())
    return False


def _in_slots(one: Any, cls: type) -> list[Any]:
    """The values of a dataclass's fields that are slots; no code of the application is called."""
    fields: Iterable[str] = getattr(cls, "__dataclass_fields__", ())
    found = []
    for name in fields:
        slot = getattr_static(cls, name, None)
        if type(slot) is types.MemberDescriptorType:
            with suppress(AttributeError):  # it is empty
                found.append(slot.__get__(one))
    return found


_OF_NOTHING = frozenset({str, int, float, bool, bytes, type(None), Decimal, UUID, datetime.date, datetime.datetime})
"""Types of values that hold no others."""

_UNLIKE_KEYS = (str, int, UUID, datetime.date)
"""Types of keys of which no two that differ have the same text."""


def _may_repeat_text(keys: Mapping[Any, Any]) -> bool:
    """Whether two keys of a dict may have the same text."""
    types_of_keys = set(map(type, keys))
    if len(keys) < 2 or (len(types_of_keys) == 1 and types_of_keys <= set(_UNLIKE_KEYS)):
        return False
    try:
        return len(to_jsonable_python(dict.fromkeys(keys))) < len(keys)
    except (ValueError, TypeError, OverflowError):  # pydantic finds what it is
        return True


def _repeats_key(cls: Any, extra: Mapping[Any, Any]) -> bool:
    fields = {**cls.model_fields, **cls.model_computed_fields}
    own = {getattr(field, name, None) for field in fields.values() for name in ("alias", "serialization_alias")}
    return any(type(key) is not str or key in fields or key in own for key in extra)
