"""FastAPI's field of a response model with the core's encoder."""

from __future__ import annotations

import copy
from typing import Any, TypeAlias

from ssrjson_web._models.adapter import AdapterEncoder
from ssrjson_web._models.pydantic.replay import Replay
from ssrjson_web._shared.delegation import attribute_of
from ssrjson_web._shared.route_report import ValidationCounter
from ssrjson_web.fastapi._carrier import CarriedBody
from ssrjson_web.fastapi._seams import are_seams_stock, is_field_class_stock

__all__ = ["EncodingField", "NoErrors", "has_adapter", "validating"]

_Options: TypeAlias = tuple[Any, Any, bool, bool, bool, bool]
"""The options include, exclude, by_alias, exclude_unset, exclude_defaults and exclude_none, in this order."""


def has_adapter(field: Any) -> bool:
    """Whether the field is one of pydantic 2. Fields of pydantic 1 models serialize without a TypeAdapter."""
    return getattr(field, "_type_adapter", None) is not None


def validating(field: Any, replay: Replay | None) -> Any:
    """A field that validates by a replay, if there is one, and otherwise as it does: the field, or a copy."""
    if replay is None:
        return field
    replaying = copy.copy(field)
    replaying._type_adapter = replay
    return replaying


class NoErrors:
    """What a field's `validate` returns beside a valid value: None or an empty list, by the version of FastAPI."""

    def __init__(self) -> None:
        self.is_known = False
        self._errors: Any = None

    def learn(self, result: Any) -> Any:
        """Look at a result of `validate`, which is returned."""
        if not result[1]:
            self._errors, self.is_known = result[1], True
        return result

    def make(self) -> Any:
        return None if self._errors is None else self._errors[:]


class EncodedValue:
    """Stands for a validated value between the two steps of a field: its body is encoded already."""

    __slots__ = ("body", "encoder", "options", "value")
    body: bytes
    """Empty where pydantic must dump the value."""
    encoder: _CurrentEncoder
    options: _Options
    value: Any
    """The value before validation."""

    def is_of(self, encoder: _CurrentEncoder, options: _Options) -> bool:
        """Whether this encoder has made the body with these options."""
        return self.encoder is encoder and self.options == options


class _CurrentEncoder:
    """The encoder of a field for its latest options. A route always uses the same ones."""

    def __init__(self, field: Any, *, like_dump_json: bool) -> None:
        self._field = field
        self._like_dump_json = like_dump_json
        # one attribute for the encoder and its key, because threads may share a route
        self._made: tuple[AdapterEncoder, Any, Any, _Options] | None = None

    def encode_unvalidated(self, value: Any) -> EncodedValue | None:
        """The body for a value that need not be validated, with the latest options; None where it must be."""
        made = self._current()
        if made is None:
            return None
        body = made[0].encode_unvalidated(value)
        if body is None:
            return None
        encoded = EncodedValue()
        encoded.body, encoded.encoder, encoded.options, encoded.value = body, self, made[3], value
        return encoded

    def validated(self, value: Any) -> tuple[Any, Replay | None]:
        """`AdapterEncoder.validated` of the latest options' encoder, for a value that has no body without it."""
        made = self._current()
        return (NotImplemented, None) if made is None else made[0].validated(value)

    def _current(self) -> tuple[AdapterEncoder, Any, Any, _Options] | None:
        """The encoder and its key; None before the first value was encoded, and after a rebuild of its type."""
        made = self._made
        adapter = self._field._type_adapter
        return made if made is not None and made[1] is adapter and made[2] is adapter.core_schema else None

    @property
    def obstacle(self) -> str | None:
        """Why values are validated by pydantic, empty if they need not be; None before the first value was encoded."""
        return None if self._made is None else self._made[0].obstacle

    def dump(self, value: Any) -> bytes:
        """The body by pydantic, with the latest options."""
        made = self._made
        assert made is not None  # which has made an `EncodedValue`
        return made[0].dump(value)

    def encode(self, value: Any, options: _Options) -> bytes:
        adapter = self._field._type_adapter
        core_schema = adapter.core_schema  # a rebuild replaces it
        made = self._current()
        if made is None or made[3] != options:
            encoder = AdapterEncoder(adapter, **_named(options), like_dump_json=self._like_dump_json)
            made = self._made = (encoder, adapter, core_schema, copy.deepcopy(options))
        return made[0].encode(value)


class EncodingField:
    """Replaces a `ModelField`. It validates as the field does and serializes to bytes.

    `serialize` returns a `CarriedBody`, so the response class must be `CarriedResponse`.
    """

    def __init__(self, field: Any) -> None:
        self._field = field
        self._as_dump_json = _CurrentEncoder(field, like_dump_json=True)
        self._as_response = _CurrentEncoder(field, like_dump_json=False)
        self._latest: _CurrentEncoder | None = None
        self._no_errors = NoErrors()
        self.counter = ValidationCounter()

    def __getattr__(self, name: str) -> Any:
        return attribute_of(self, "_field", name)

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self._field,)  # a copy learns by itself what it knows beside the field

    @property
    def obstacle(self) -> str | None:
        """Why values are validated by pydantic, empty if they need not be; None before the first one was encoded."""
        return None if self._latest is None else self._latest.obstacle

    def validate(self, value: Any, *values: Any, **named: Any) -> Any:
        """The validated value and the errors, as the field gives them; or an `EncodedValue` and no errors.

        Until the first value is serialized the options are unknown, and the field validates.
        """
        replay = None
        if self._latest is not None and self._no_errors.is_known and self._is_stock():
            encoded = self._latest.encode_unvalidated(value)
            if encoded is not None:
                self.counter.n_bypassed += 1
                return encoded, self._no_errors.make()
            made, replay = self._latest.validated(value)
            if made is not NotImplemented:
                self.counter.n_bypassed += 1
                return made, self._no_errors.make()
        self.counter.n_validated += 1
        return self._no_errors.learn(validating(self._field, replay).validate(value, *values, **named))

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
            if not more and value.is_of(self._as_dump_json, options):
                return value.body or self._as_dump_json.dump(self._validated(value))
            value = self._validated(value)
        if not more and self._is_stock():  # options of future versions of FastAPI
            self._latest = self._as_dump_json
            return self._as_dump_json.encode(value, options)
        body: bytes = self._field.serialize_json(value, **_named(options), **more)
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
            if is_known and value.is_of(self._as_response, options):
                carrier.body = value.body or self._as_response.dump(self._validated(value))
                return carrier
            value = self._validated(value)
        if is_known and self._is_stock():
            self._latest = self._as_response
            carrier.body = self._as_response.encode(value, options)
            return carrier
        return self._field.serialize(value, mode=mode, **_named(options), **more)

    def _validated(self, encoded: EncodedValue) -> Any:
        return self._field.validate(encoded.value)[0]

    def _is_stock(self) -> bool:
        return are_seams_stock() and is_field_class_stock(type(self._field))


def _named(options: _Options) -> dict[str, Any]:
    names = ("include", "exclude", "by_alias", "exclude_unset", "exclude_defaults", "exclude_none")
    return dict(zip(names, options, strict=True))
