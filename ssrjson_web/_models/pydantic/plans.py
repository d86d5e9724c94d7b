"""Plans of pydantic models and dataclasses, read out of their core schemas."""

from __future__ import annotations

import types
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from pydantic import BaseModel
from pydantic_core import SchemaError

from ssrjson_web._models.plan import Plan, PlanField
from ssrjson_web._models.pydantic.convert import ObjectConvert, TextConvert, ValueConvert
from ssrjson_web._models.pydantic.facts import SchemaTraits, has_untyped, may_repeat_keys, schema_traits
from ssrjson_web._models.pydantic.features import KNOWS_CONFIGURED_ALIAS
from ssrjson_web._models.pydantic.formats import formats_of
from ssrjson_web._models.pydantic.releases import obstacle_of_core
from ssrjson_web._models.pydantic.rules import UNCOVERED, RuleReader, Schema, holds_any
from ssrjson_web._models.pydantic.traits import names_method, schema_parts

__all__ = ["dumped_plan_of", "find_in_class", "is_base_model", "plan_of"]


def is_base_model(cls: type) -> bool:
    """Whether a class is a BaseModel that `jsonable_encoder` dumps as its plan says.

    That takes a class without a `model_dump` of its own and without keys that `jsonable_encoder` drops.
    """
    return (
        issubclass(cls, BaseModel)
        and cls.model_dump is BaseModel.model_dump
        and not any(_is_dropped(key) for key in _keys(cls))
    )


def _is_dropped(key: str) -> bool:
    return key.startswith("_sa")


def _keys(cls: type[BaseModel]) -> Iterator[str]:
    for name, field in cls.model_fields.items():
        yield field.serialization_alias or field.alias or name
    for name, computed in cls.model_computed_fields.items():
        yield computed.alias or name


def _planned(cls: Any, kind: Any, traits: SchemaTraits, *, as_text: bool = False, **parts: Any) -> Plan:
    """A plan whose fields the core writes. Only objects without one of the fields are converted as a whole."""
    serializer = cls.__pydantic_serializer__
    convert = ObjectConvert(serializer, as_text=as_text or traits.has_own_nan)
    return Plan(kind, convert=convert, dump=TextConvert(serializer), is_of_root=_is_of_root(cls, traits), **parts)


def _opaque(cls: Any, *, as_text: bool = False) -> Plan:
    """The plan of a class whose objects only pydantic converts, or writes."""
    traits = schema_traits(vars(cls).get("__pydantic_core_schema__"), {})
    return _planned(cls, "opaque", traits, as_text=as_text)


def _opaque_text(cls: Any) -> Plan:
    """The plan of a class whose objects only pydantic writes."""
    traits = schema_traits(vars(cls)["__pydantic_core_schema__"], {})
    convert = TextConvert(cls.__pydantic_serializer__)
    return Plan("opaque", convert=convert, is_of_root=_is_of_root(cls, traits))


def _is_of_root(cls: Any, traits: SchemaTraits) -> bool:
    """Whether the serializer of a class writes untyped values in formats that another root would not."""
    return traits.has_own_formats and has_untyped(vars(cls).get("__pydantic_core_schema__"))


class _PlanReader(RuleReader):
    """Reads the plan of a class, which is the root, out of its core schema."""

    def __init__(self, schema: Schema) -> None:
        super().__init__(schema)
        own = self._unwrap(self.schema)
        self._root = formats_of((own or {}).get("config"))
        self._traits = schema_traits(schema, {})
        self._definitions_repeat = may_repeat_keys(list(self._definitions.values()))

    def _is_written_by_its_plan(self, schema: Schema) -> bool:
        return formats_of(schema.get("config")) == self._root or not self._has_untyped(schema)

    def _field(
        self, attribute: str, alias: str, schema: Schema, is_excluded: bool, config: Mapping[str, Any]
    ) -> PlanField | None:
        """The plan of one attribute; None where pydantic makes no serializer for its schema."""
        rule = self.rule(schema, config)
        convert: Any = None
        if not names_method(schema):
            is_any = holds_any(rule)
            convert = ValueConvert(
                schema,
                self._definitions,
                config,
                holds_any=is_any and not self._root,
                may_repeat_keys=is_any or self._definitions_repeat or may_repeat_keys(schema),
                as_text=self._traits.has_own_nan,
            )
            if rule == UNCOVERED:  # every value is converted
                try:
                    convert.make_serializer()
                except SchemaError:
                    return None
        is_of_root = bool(self._root) and self._has_untyped(schema)
        return PlanField(attribute, attribute, alias, rule, convert, is_excluded, self._default(schema), is_of_root)

    def plan(self, cls: Any) -> Plan:
        """The plan of the class that the schema is of."""
        traits = self._traits
        if traits.needs_text or (traits.has_formats and traits.has_non_str_keys):
            return _opaque_text(cls)
        if traits.has_own_formats and traits.has_non_str_keys:  # of which two may have the same text
            return _opaque(cls, as_text=True)
        schema = self._unwrap(self.schema)
        is_own = schema is not None and schema.get("cls") is cls and not (traits.has_formats or traits.has_missing)
        fields = self._unwrap(schema["schema"]) if schema is not None and is_own else None
        if schema is None or fields is None:
            return _opaque(cls)
        config: Mapping[str, Any] = schema.get("config", {})
        if schema["type"] == "model" and schema.get("root_model"):
            rule = self.rule(schema["schema"], config)
            root = PlanField("root", "root", "root", rule)
            return _planned(cls, "root", traits, fields=(root,))
        if schema["type"] == "model" and fields["type"] == "model-fields":
            return self._plan_of_fields(cls, "dict", fields["fields"], fields, config)
        if schema["type"] == "dataclass" and fields["type"] == "dataclass-args":
            named = {field["name"]: field for field in fields["fields"] if not field.get("init_only")}
            if list(named) == list(schema["fields"]):
                return self._plan_of_fields(cls, "ordered-dict", named, fields, config)
        return _opaque(cls)

    def _plan_of_fields(
        self, cls: Any, kind: Any, fields: Mapping[str, Schema], schema: Schema, config: Mapping[str, Any]
    ) -> Plan:
        computed: Sequence[Schema] = schema.get("computed_fields", ())
        if any("serialization_exclude_if" in field for field in (*fields.values(), *computed)):
            return _opaque(cls)
        declared = [
            (name, field.get("serialization_alias", name), field["schema"], bool(field.get("serialization_exclude")))
            for name, field in fields.items()
        ]
        properties = [
            (one["property_name"], one.get("alias", one["property_name"]), one["return_schema"], False)
            for one in computed
        ]
        planned: list[PlanField] = []
        for name, alias, inner, is_excluded in (*declared, *properties):
            written = str.__str__(alias)  # it may be a member of an enum
            field = self._field(name, written, inner, is_excluded, config)
            if field is None or (field.convert is None and len(planned) >= len(declared)):
                return _opaque(cls)
            planned.append(field)
        by_alias = KNOWS_CONFIGURED_ALIAS and bool(config.get("serialize_by_alias"))
        n = len(declared)
        return _planned(
            cls, kind, self._traits, fields=tuple(planned[:n]), computed=tuple(planned[n:]), by_alias=by_alias
        )


def find_in_class(cls: type, name: str) -> Any:
    """The attribute as the class or its first base that has it defines it; None where none does."""
    return next((vars(base)[name] for base in cls.__mro__ if name in vars(base)), None)


def _has_own_attributes(cls: type, names: Iterable[str]) -> bool:
    """Whether code of a class, and not `__dict__`, decides the values of an object, or of attributes of these names."""
    if find_in_class(cls, "__getattribute__") is not object.__getattribute__:
        return True
    if not isinstance(find_in_class(cls, "__dict__"), (types.GetSetDescriptorType, type(None))):
        return True
    found = [type(find_in_class(cls, name)) for name in names]
    return any(hasattr(one, "__get__") and (hasattr(one, "__set__") or hasattr(one, "__delete__")) for one in found)


def plan_of(cls: Any) -> Plan:
    """The plan of a pydantic model or dataclass. The caller keeps it with the class."""
    schema = vars(cls).get("__pydantic_core_schema__")
    if not isinstance(schema, dict) or "__pydantic_serializer__" not in vars(cls) or obstacle_of_core():
        return _opaque(cls)  # not fully defined yet, serialized by a base class, or by a version that is not known
    plan = _PlanReader(schema).plan(cls)
    if plan.kind == "opaque":
        return plan
    got = () if plan.kind == "dict" else [field.attribute for field in plan.fields]
    return _opaque(cls) if _has_own_attributes(cls, got) else plan


def dumped_plan_of(cls: type[BaseModel]) -> Plan:
    """The plan of a model for callers that call `model_dump` of the outermost object only, as FastAPI does."""
    plan = plan_of(cls)
    within = (
        part["cls"] for part in schema_parts(vars(cls)["__pydantic_core_schema__"]) if part.get("type") == "model"
    )
    return plan if plan.kind == "opaque" or all(map(is_base_model, within)) else _opaque(cls)
