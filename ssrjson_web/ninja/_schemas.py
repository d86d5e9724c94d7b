"""What Ninja's schemas accept as it is.

A `Schema` is a pydantic model with a validator of its own around it: each value is read through a `DjangoGetter`. For a
dict, and for an object whose attributes are read without code of its class, that gives the values themselves, except
for managers, querysets, files and what can be called.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from django.db.models import Manager, QuerySet
from django.db.models.fields.files import FieldFile
from ninja import Schema
from ninja import schema as schema_module
from ninja.orm import fields as orm_fields
from ninja.schema import DjangoGetter
from pydantic import BaseModel

from ssrjson_web._known.functions import Seams, is_own, stands_in_for
from ssrjson_web._models.language import Acceptance, AcceptedField, ReadingWay
from ssrjson_web._models.pydantic.acceptance_reader import AcceptanceReader
from ssrjson_web._models.pydantic.attributes import AttributesWay
from ssrjson_web._models.pydantic.models_acceptance import ModelsAcceptanceReader
from ssrjson_web._models.pydantic.plans import find_in_class
from ssrjson_web._models.pydantic.text_acceptance import TextAcceptanceReader

__all__ = ["BodyReader", "ResponseReader", "is_getter_stock"]

_LEFT = "the validation of schemas, of bodies and of responses"
_GETTER = Seams(
    lambda: (
        *(DjangoGetter.__init__, DjangoGetter.__getattr__, DjangoGetter._convert_result),
        *(BaseModel.__dict__["model_validate"], BaseModel.model_dump),
    ),
    *(f"ninja.schema.DjangoGetter.{name}" for name in ("__init__", "__getattr__", "_convert_result")),
    *(f"pydantic.main.BaseModel.{name}" for name in ("model_validate", "model_dump")),
    left=_LEFT,
)
_VALIDATOR, _ANY = "ninja.schema.Schema._run_root_validator", "ninja.orm.fields.AnyObject.validate"
stands_in_for(_VALIDATOR, left=_LEFT)
stands_in_for(_ANY, left="the validation of values of a JSONField")


def _function_of(method: Any, name: str) -> Any:
    """The function of a method, if it is Ninja's as we know it."""
    return getattr(method, "__func__", None) if is_own(method, name) else None


_VALIDATE = _function_of(Schema._run_root_validator, _VALIDATOR)
_ANY_OBJECT = _function_of(orm_fields.AnyObject.validate, _ANY)

_CONVERTED = (Manager, QuerySet, FieldFile)
"""Classes whose objects a `DjangoGetter` replaces by others."""


def is_getter_stock() -> bool:
    """Whether a `DjangoGetter` reads and converts values as this module knows, and models validate and dump so."""
    return schema_module.DjangoGetter is DjangoGetter and _GETTER.are_known()


class _GetterWay(AttributesWay):
    """How a `DjangoGetter` finds attributes of objects of a class, where it runs no code of the class."""

    def __init__(self, names: list[tuple[str, str | None]]) -> None:
        super().__init__((), names)  # objects of the schema are read like any others
        self._has_names_for_aliases = any(other is not None for _, other in names)

    def __call__(self, cls: type) -> ReadingWay:
        # an alias that is absent would be looked up as a variable of a template before the name
        if self._has_names_for_aliases or issubclass(cls, _CONVERTED) or find_in_class(cls, "__call__") is not None:
            return "library"
        return super().__call__(cls)


class _SchemasReader(AcceptanceReader):
    """Reads what schemas accept that are read through a `DjangoGetter`."""

    def __init__(self, schema: Mapping[str, Any], **options: Any) -> None:
        super().__init__(schema, **options)
        self._got: set[type] = set()  # classes of schemas whose values are read through one

    def _read_acceptance(self, schema: Mapping[str, Any], config: Mapping[str, Any], depth: int) -> Acceptance:
        if schema["type"] == "function-wrap" and self._is_of_schema(schema):
            self._got.add(schema["schema"]["cls"])
            schema = schema["schema"]
        elif (
            schema["type"] == "function-plain" and _is_any_object(schema) and not self._is_serialized_otherwise(schema)
        ):
            return self._any()
        return super()._read_acceptance(schema, config, depth)

    def _is_of_schema(self, schema: Mapping[str, Any]) -> bool:
        """Whether the only validator around a model is that of Ninja's `Schema`."""
        function, inner = schema["function"], schema["schema"]
        validate = function["function"]
        return (
            function["type"] == "with-info"
            and inner["type"] == "model"
            and _VALIDATE is not None
            and getattr(validate, "__func__", None) is _VALIDATE
            and validate.__self__ is inner["cls"]
            and not self._is_serialized_otherwise(schema)
        )

    def _own_way(self, schema: Mapping[str, Any], config: Mapping[str, Any]) -> str:
        return super()._own_way(schema, config) or (
            self._getters_way(schema, config) if schema["cls"] in self._got else ""
        )

    def _getters_way(self, schema: Mapping[str, Any], config: Mapping[str, Any]) -> str:
        """What of a schema a `DjangoGetter` does otherwise; empty where it does nothing."""
        if not config.get("from_attributes"):
            return "from_attributes=False"
        if getattr(schema["cls"], "_ninja_resolvers", True):
            return "a resolver"
        keys = [
            key for name, field in schema["schema"]["fields"].items() for key in (name, field.get("validation_alias"))
        ]
        return "an alias" if any(isinstance(key, str) and hasattr(DjangoGetter, key) for key in keys) else ""

    def _field(self, *arguments: Any) -> AcceptedField | None:
        field = super()._field(*arguments)
        return None if field is not None and field.paths else field  # a `DjangoGetter` follows them otherwise

    def _scalar(self, kind: str, schema: Mapping[str, Any], config: Mapping[str, Any]) -> Acceptance:
        if kind == "enum" and find_in_class(schema["cls"], "__call__") is not None:  # a `DjangoGetter` calls them
            return ()
        return super()._scalar(kind, schema, config)

    def _union(self, schema: Mapping[str, Any], config: Mapping[str, Any], depth: int) -> Acceptance:
        return () if any(map(_may_be_schema, schema["choices"])) else super()._union(schema, config, depth)

    def _tagged(self, schema: Mapping[str, Any], config: Mapping[str, Any], depth: int) -> Acceptance:
        choices = schema["choices"].values()
        return () if any(map(_may_be_schema, choices)) else super()._tagged(schema, config, depth)


def _may_be_schema(choice: Any) -> bool:
    """Whether a choice of a union may be a schema, which a `DjangoGetter` makes of any object."""
    return not isinstance(choice, Mapping) or choice["type"] in ("function-wrap", "definition-ref")


def _is_any_object(schema: Mapping[str, Any]) -> bool:
    """Whether a schema is that of a `JSONField`, whose values are kept."""
    validate = schema["function"]["function"]
    return (
        _ANY_OBJECT is not None
        and getattr(validate, "__func__", None) is _ANY_OBJECT
        and validate.__self__ is orm_fields.AnyObject
    )


class ResponseReader(_SchemasReader, TextAcceptanceReader):
    """Reads which values `model_dump` would return as they are, once they were validated."""

    mode = "python"
    keeps_instances = False  # the renderer would dump them with other options

    def _scalar(self, kind: str, schema: Mapping[str, Any], config: Mapping[str, Any]) -> Acceptance:
        # the encoder writes text in place of a date or a UUID otherwise than the value itself
        accepted = super()._scalar(kind, schema, config) or ()
        return tuple(one._replace(op="call") if one.op in _DATES else one for one in accepted)

    def _way_of(self, schema: Mapping[str, Any], fields: Sequence[AcceptedField]) -> AttributesWay | None:
        if not (schema.get("config") or {}).get("from_attributes"):
            return None
        if schema["cls"] not in self._got:
            return AttributesWay.of_model(schema, fields)
        return _GetterWay([(field.key, field.other_key) for field in fields])


_DATES = ("date", "datetime", "uuid")


class BodyReader(_SchemasReader, ModelsAcceptanceReader):
    """Reads of which decoded JSON schemas can be made without validation."""
