"""FastAPI's field of a response model with the core's encoder."""

from __future__ import annotations

import copy
import functools
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, TypeAlias

from fastapi.datastructures import DefaultPlaceholder

from ssrjson_web._known.unknown import tell_of_unknown
from ssrjson_web._shared.delegation import attribute_of
from ssrjson_web._shared.validation_counter import ValidationCounter
from ssrjson_web.fastapi._carrier import CarriedBody
from ssrjson_web.fastapi._seams import LIBRARIES, are_seams_stock, is_field_class_stock

if TYPE_CHECKING:
    from ssrjson_web._models.adapter import AdapterEncoder
    from ssrjson_web._models.pydantic.replay import Replay

__all__ = [
    "EncodingField",
    "expected_of",
    "has_adapter",
    "import_models",
    "named_options",
    "no_errors_of",
    "validating",
]

_OPTIONS = ("include", "exclude", "by_alias", "exclude_unset", "exclude_defaults", "exclude_none")
_Options: TypeAlias = tuple[Any, Any, bool, bool, bool, bool]
"""The options of `_OPTIONS`, in this order."""


@dataclass(frozen=True)  # and no tuple, of which `are_alike` does not know whether it has more
class Expected:
    """How a field will be asked to serialize its first value."""

    options: _Options
    writes_bytes: bool
    """Whether it will be asked for bytes, by the versions of FastAPI whose fields can write them."""


def has_adapter(field: Any) -> bool:
    """Whether the field is one of pydantic 2. Fields of pydantic 1 models serialize without a TypeAdapter."""
    return getattr(field, "_type_adapter", None) is not None


@functools.cache
def import_models() -> None:
    """Import what describes models, for the first field and before the first request: others need none of it."""
    import_module("ssrjson_web._models.adapter")
    tell_of_unknown(*LIBRARIES)


def validating(field: Any, replay: Replay | None) -> Any:
    """A field that validates by a replay, if there is one, and otherwise as it does: the field, or a copy."""
    if replay is None:
        return field
    replaying = copy.copy(field)
    replaying._type_adapter = replay
    return replaying


class _Anything:
    """An adapter for which every value is valid."""

    def validate_python(self, value: Any, **_: Any) -> Any:
        return value


def no_errors_of(field: Any) -> Any:
    """What `validate` of FastAPI's own class of fields returns beside a valid value: None or an empty list."""
    return [] if _gives_list(type(field).validate) else None


@functools.cache
def _gives_list(validate: Callable[..., tuple[Any, Any]]) -> bool:
    return validate(SimpleNamespace(_type_adapter=_Anything()), None)[1] is not None


class EncodedValue:
    """Stands for a validated value between the two steps of a field: its body is encoded already."""

    __slots__ = ("body", "encoder", "options", "value")
    body: bytes
    """Empty where pydantic must dump the value."""
    encoder: _CurrentEncoder
    options: _Options
    value: Any
    """The value before validation."""


class _CurrentEncoder:
    """The encoder of a field for its latest options. A route always uses the same ones."""

    def __init__(self, field: Any, *, like_dump_json: bool) -> None:
        self._field = field
        self._like_dump_json = like_dump_json
        # one attribute for the encoder and its key, because threads may share a route
        self._made: tuple[AdapterEncoder, Any, Any, _Options] | None = None

    def prepare(self, options: _Options) -> bool:
        """Make the encoder for options that the first value will have; False where its type is not complete yet."""
        from ssrjson_web._models.pydantic.late_types import complete

        adapter = self._field._type_adapter
        complete(adapter)
        core_schema = adapter.core_schema
        if type(core_schema) is dict and all(type(flag) is bool for flag in options[2:]):
            self._make(adapter, core_schema, options)
        return self._made is not None

    def _make(self, adapter: Any, core_schema: Any, options: _Options) -> AdapterEncoder:
        from ssrjson_web._models.adapter import AdapterEncoder

        encoder = AdapterEncoder(adapter, **named_options(options), like_dump_json=self._like_dump_json)
        self._made = (encoder, adapter, core_schema, copy.deepcopy(options))
        return encoder

    def current(self) -> tuple[AdapterEncoder, Any, Any, _Options] | None:
        """The encoder for the latest options, and its key; None before the first value, and after a rebuild of its
        type."""
        made = self._made
        adapter = self._field._type_adapter
        return made if made is not None and made[1] is adapter and made[2] is adapter.core_schema else None

    @property
    def obstacle(self) -> str | None:
        """Why values are validated by pydantic, empty if they need not be; None before the first value was encoded."""
        return None if self._made is None else self._made[0].obstacle

    @property
    def takes_instances(self) -> bool:
        """Whether instances of models need no validation; True before the first value was encoded."""
        return self._made is None or self._made[0].takes_instances

    def dump(self, value: Any) -> bytes:
        """The body by pydantic, with the latest options."""
        made = self._made
        assert made is not None  # which has made an `EncodedValue`
        return made[0].dump(value)

    def encode(self, value: Any, options: _Options) -> bytes:
        adapter = self._field._type_adapter
        core_schema = adapter.core_schema  # a rebuild replaces it
        made = self.current()
        if made is None or made[3] != options:
            return self._make(adapter, core_schema, options).encode(value)
        return made[0].encode(value)


class EncodingField:
    """Replaces a `ModelField`. It validates as the field does and serializes to bytes.

    `serialize` returns a `CarriedBody`, so the response class must be `CarriedResponse`.
    """

    def __init__(self, field: Any, expected: Expected | None = None) -> None:
        """Without `expected`, or where it is not so after all, pydantic validates the first value."""
        import_models()
        self._field = field
        self._as_dump_json = _CurrentEncoder(field, like_dump_json=True)
        self._as_response = _CurrentEncoder(field, like_dump_json=False)
        self._latest: _CurrentEncoder | None = None
        self._expected = expected
        self.counter = ValidationCounter()

    def __getattr__(self, name: str) -> Any:
        return attribute_of(self, "_field", name)

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self._field, self._expected)  # a copy learns by itself what it knows beside the field

    @property
    def obstacle(self) -> str | None:
        """Why values are validated by pydantic, empty if they need not be; None before the first one was encoded."""
        return None if self._latest is None else self._latest.obstacle

    @property
    def takes_instances(self) -> bool:
        """Whether instances of models need no validation; True before the first value was encoded."""
        return self._latest is None or self._latest.takes_instances

    def validate(self, value: Any, *values: Any, **named: Any) -> Any:
        """The validated value and the errors, as the field gives them; or an `EncodedValue` and no errors."""
        replay = None
        is_stock = are_seams_stock() and is_field_class_stock(type(self._field))  # not by a call: each answer asks
        latest = (self._latest or self._first()) if is_stock else None
        current = None if latest is None else latest.current()
        if current is not None:
            encoder = current[0]
            body = encoder.encode_unvalidated(value)
            if body is not None:
                valid: Any = EncodedValue()
                valid.body, valid.encoder, valid.options, valid.value = body, latest, current[3], value
            else:
                valid, replay = encoder.validated(value)
            if valid is not NotImplemented:
                self.counter.n_bypassed += 1
                return valid, no_errors_of(self._field)
        self.counter.n_validated += 1
        return validating(self._field, replay).validate(value, *values, **named)

    def _first(self) -> _CurrentEncoder | None:
        """The encoder of the first value; None where its options are not known, or its type is not complete."""
        if self._expected is None:
            return None
        writes_bytes = self._expected.writes_bytes and hasattr(type(self._field), "serialize_json")
        first = self._as_dump_json if writes_bytes else self._as_response
        self._latest = first if first.prepare(self._expected.options) else None
        return self._latest

    def serialize_json(
        self,
        value: Any,
        *,
        include: Any = None,
        exclude: Any = None,
        by_alias: bool = True,
        exclude_unset: bool = False,
        exclude_defaults: bool = False,
        exclude_none: bool = False,
        **more: Any,
    ) -> bytes:
        options = (include, exclude, by_alias, exclude_unset, exclude_defaults, exclude_none)
        if type(value) is EncodedValue:
            if not more and value.encoder is self._as_dump_json and value.options == options:
                return value.body or self._as_dump_json.dump(self._validated(value))
            value = self._validated(value)
        if not more and self._is_stock():  # options of future versions of FastAPI
            self._latest = self._as_dump_json
            return self._as_dump_json.encode(value, options)
        body: bytes = self._field.serialize_json(value, **named_options(options), **more)
        return body

    def serialize(
        self,
        value: Any,
        *,
        mode: str = "json",
        include: Any = None,
        exclude: Any = None,
        by_alias: bool = True,
        exclude_unset: bool = False,
        exclude_defaults: bool = False,
        exclude_none: bool = False,
        **more: Any,
    ) -> Any:
        options = (include, exclude, by_alias, exclude_unset, exclude_defaults, exclude_none)
        is_known = mode == "json" and not more
        carrier = CarriedBody()
        if type(value) is EncodedValue:
            if is_known and value.encoder is self._as_response and value.options == options:
                carrier.body = value.body or self._as_response.dump(self._validated(value))
                return carrier
            value = self._validated(value)
        if is_known and self._is_stock():
            self._latest = self._as_response
            carrier.body = self._as_response.encode(value, options)
            return carrier
        return self._field.serialize(value, mode=mode, **named_options(options), **more)

    def _validated(self, encoded: EncodedValue) -> Any:
        return self._field.validate(encoded.value)[0]

    def _is_stock(self) -> bool:
        return are_seams_stock() and is_field_class_stock(type(self._field))


def expected_of(state: Any) -> Expected | None:
    """How FastAPI will serialize what a route, or its inclusion, returns or yields; None where it does not say it."""
    names = [f"response_model_{name}" for name in _OPTIONS]
    if not all(hasattr(state, name) for name in names):
        return None
    options: Any = tuple(getattr(state, name) for name in names)
    is_default = isinstance(state.response_class, DefaultPlaceholder)
    return Expected(options, is_default or getattr(state, "stream_item_field", None) is not None)


def named_options(options: _Options) -> dict[str, Any]:
    """The options by their names."""
    return dict(zip(_OPTIONS, options, strict=True))
