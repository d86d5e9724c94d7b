"""Of which values models can be made without validation."""

from __future__ import annotations

import functools
from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Any

from pydantic import BaseModel, TypeAdapter

from ssrjson_web._core import _Acceptance
from ssrjson_web._models.language import MAX_DEPTH, Acceptance, Accepted, AcceptedField
from ssrjson_web._models.pydantic.acceptance_reader import AcceptanceReader, Output, is_iterable
from ssrjson_web._models.pydantic.accepted_scalars import SCALAR_KINDS
from ssrjson_web._models.pydantic.attributes import AttributesWay
from ssrjson_web._models.pydantic.functions import (
    WithHandler,
    functions_around,
    is_given_handler,
    post_init_by_name,
)
from ssrjson_web._models.pydantic.parts import JSON_TYPES, SCALAR_TYPES, SchemaPart, of_scalars
from ssrjson_web._models.pydantic.rules import Schema

__all__ = ["ModelsAcceptanceReader", "ValuesAcceptanceReader"]


class ModelsAcceptanceReader(AcceptanceReader):
    """Reads of which values of decoded JSON models can be made without validation.

    With `like_validate_json` they are those of `validate_json`, otherwise those of `validate_python`. With
    `calls_functions` those are among them that validators of the application are called for. `from_attributes` is
    pydantic's option: decoded JSON has no objects, but an iterator that is validated later tells of it in its errors.
    """

    is_for_json = True
    makes_models = True

    def __init__(
        self,
        schema: Schema,
        *,
        like_validate_json: bool = False,
        calls_functions: bool = False,
        from_attributes: bool = False,
    ) -> None:
        super().__init__(schema)
        self.is_like_validate_json = like_validate_json
        self._calls_functions = calls_functions
        self._from_attributes = from_attributes
        self._n_levels = 0  # of functions, one within another

    def read(self, config: Mapping[str, Any]) -> _Acceptance | None:
        return super().read(config) if _makes_equal_models() else None

    def _options_of_readings(self) -> Hashable:
        return type(self), self.is_like_validate_json, self._calls_functions, self._from_attributes

    def _any(self) -> Acceptance:
        return None

    def _is_serialized_otherwise(self, schema: Schema) -> bool:
        return False

    def _read_acceptance(self, schema: Schema, config: Mapping[str, Any], depth: int) -> Acceptance:
        if self._calls_functions and is_given_handler(schema):
            return self._with_handler(schema, config) if depth else ()  # validating the whole by itself gains nothing
        if self._calls_functions and schema["type"].startswith("function-"):
            return self._by_functions(schema, config, depth)
        validated = {key: value for key, value in schema.items() if key != "serialization"}
        return super()._read_acceptance(validated, config, depth)

    def _with_handler(self, schema: Schema, config: Mapping[str, Any]) -> Acceptance:
        """Any value, of which the function around a schema makes the validated one."""
        returning: Schema = {"type": "no-info", "function": _handler_alone}
        part = SchemaPart({**schema, "function": returning}, config, self._definitions)
        handler_of = None if part.makes_infos() else part.caller()
        if handler_of is None:
            return ()
        function = WithHandler(schema["function"]["function"], self._called(handler_of))
        return (Accepted(object, "functions", before=(function,), inner=None),)

    def _called(self, validate: Callable[..., Any]) -> Callable[..., Any]:
        """A method of a validator, with the options that the whole is validated with."""
        return functools.partial(validate, from_attributes=True) if self._from_attributes else validate

    def _by_functions(self, schema: Schema, config: Mapping[str, Any], depth: int) -> Acceptance:
        around = functions_around(schema, self._target)
        if around.schema is schema or self._n_levels == MAX_DEPTH:
            return ()
        self._n_levels += 1
        inner = self._acceptance(around.schema, config, depth)
        self._n_levels -= 1
        if inner == ():
            return ()
        return (Accepted(object, "functions", before=around.before, after=around.after, inner=inner),)

    def _model(self, schema: Schema, depth: int) -> Acceptance:
        if not self._calls_functions:
            return super()._model(schema, depth)
        post_init = schema.get("post_init")
        if not post_init:
            return self._with_before(schema, depth)
        if self._n_levels == MAX_DEPTH:
            return ()
        self._n_levels += 1
        accepted = self._with_before({**schema, "post_init": None}, depth) or ()
        self._n_levels -= 1
        instances = tuple(one for one in accepted if one.op == "type")
        made = tuple(one for one in accepted if one.op != "type")
        if not made:
            return instances
        return (*instances, Accepted(object, "functions", after=(post_init_by_name(post_init),), inner=made))

    def _with_before(self, schema: Schema, depth: int) -> Acceptance:
        """A model, with the functions that are called with what it is made of."""
        config = None if self._open else schema.get("config") or {}
        before, after, fields = functions_around(schema["schema"], self._target, config)
        if not before or after:
            return super()._model(schema, depth)
        accepted = super()._model({**schema, "schema": fields}, depth) or ()
        return tuple(
            one if one.model is None else one._replace(model=one.model._replace(before=before)) for one in accepted
        )

    def _made_by(self, part: SchemaPart) -> tuple[Sequence[type], Callable[[Any], Any] | None]:
        if self.is_like_validate_json and not part.is_alike_in_json():
            return (), None
        return JSON_TYPES, self._validator_of(part)

    def _validator_of(self, part: SchemaPart) -> Callable[[Any], Any] | None:
        validate = part.validator()
        return None if validate is None else self._called(validate)

    def _outputs(self, cls: Any, fields: Schema, config: Mapping[str, Any]) -> Mapping[str, Output] | None:
        return dict.fromkeys(fields["fields"], Output(None))


def _handler_alone(_: Any, handler: Any) -> Any:
    return handler


class ValuesAcceptanceReader(ModelsAcceptanceReader):
    """Reads of which Python values, as an endpoint returns them, models can be made without validation.

    `from_attributes` says whether models are made of other objects, too.
    """

    is_for_json = False

    def _made_by(self, part: SchemaPart) -> tuple[Sequence[type], Callable[[Any], Any] | None]:
        return SCALAR_TYPES, self._validator_of(part)

    def _with_part(self, schema: Schema, config: Mapping[str, Any], depth: int) -> Acceptance:
        accepted = super()._with_part(schema, config, depth)
        if schema["type"] == "typed-dict" and not _is_of_scalars(schema):
            self._note(f"{self._place}the type typed-dict")
        return accepted

    def _part_accepted(self, schema: Schema, config: Mapping[str, Any]) -> Acceptance:
        accepted = super()._part_accepted(schema, config) or ()
        if schema["type"] == "typed-dict":
            validate = self._validator_of(SchemaPart(schema, config, self._definitions))
            return () if validate is None else (Accepted(dict, "call", validator=of_scalars(validate)),)
        if not accepted or not is_iterable(schema):
            return accepted
        return (*accepted, accepted[0]._replace(exact_type=list))  # of which nothing is pulled now

    def _way_of(self, schema: Schema, fields: Sequence[AcceptedField]) -> AttributesWay | None:
        return AttributesWay.of_model(schema, fields) if self._from_attributes else None


def _is_of_scalars(typed_dict: Schema) -> bool:
    inner = [field["schema"] for field in typed_dict["fields"].values()]
    unwrapped = (one["schema"] if one["type"] == "nullable" else one for one in inner)
    return all(one["type"] in ("none", "literal", *SCALAR_KINDS) for one in unwrapped)


@functools.cache
def _makes_equal_models() -> bool:
    """Whether a model that the core makes cannot be told from one of this pydantic.

    It may have attributes that this module does not know, and that would be absent.
    """

    class Probe(BaseModel):
        n: int
        text: str = "a"

    adapter = TypeAdapter(Probe)
    acceptance = AcceptanceReader.read(ModelsAcceptanceReader(adapter.core_schema), {})
    if acceptance is None:
        return False
    ours, theirs = acceptance.for_models({"n": 1}), adapter.validate_python({"n": 1})
    names = ("__dict__", "__pydantic_extra__", "__pydantic_fields_set__", "__pydantic_private__")
    return type(ours) is Probe and all(getattr(ours, name, _ABSENT) == getattr(theirs, name, _ABSENT) for name in names)


_ABSENT = object()
