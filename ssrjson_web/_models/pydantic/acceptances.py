"""Acceptances read out of core schemas: which values pydantic's validator returns as they are.

Every kind of schema, key of a schema and config that is not listed here may change or refuse a value, so it is left to
pydantic.
"""

from __future__ import annotations

import datetime
import decimal
import enum
import functools
import math
import uuid
from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar, NamedTuple

from pydantic import BaseModel, TypeAdapter
from pydantic_core import SchemaError, SchemaValidator

from ssrjson_web._core import _Acceptance
from ssrjson_web._models.acceptance import MAX_DEPTH, Acceptance, Accepted, AcceptedField, AcceptedModel
from ssrjson_web._models.plan import PlanField, Rule
from ssrjson_web._models.pydantic.attributes import AttributesWay
from ssrjson_web._models.pydantic.features import KNOWN, SCALARS
from ssrjson_web._models.pydantic.parts import JSON_TYPES, SCALAR_TYPES, SchemaPart
from ssrjson_web._models.pydantic.plans import plan_of
from ssrjson_web._models.pydantic.rules import RuleReader, Schema
from ssrjson_web._models.pydantic.selection import Selection
from ssrjson_web._models.pydantic.traits import schema_parts

__all__ = ["ModelsAcceptanceReader", "TextAcceptanceReader"]

_SAMPLES: dict[str, list[Any]] = {"bool": [True], "int": [0, 2**70], "str": ["", "é\ud800"]}


def _are_kept(kind: str) -> bool:
    """Whether this pydantic returns the very objects that are of the type already."""
    try:
        validator = SchemaValidator({"type": kind})
    except SchemaError:
        return False
    return all(validator.validate_python(one) is one for one in (*SCALARS[kind][1], *_SAMPLES.get(kind, ())))


_KEPT = frozenset(kind for kind in KNOWN if kind not in ("decimal", "bytes") and _are_kept(kind))
"""Scalar schemas whose values need no more than their type. A Decimal may be NaN, which pydantic refuses."""

_CALLED: dict[str, tuple[type, ...]] = {
    "str": (str,),
    "int": (int,),
    "float": (float,),
    "decimal": (decimal.Decimal, str, int),
    "date": (str,),
    "time": (str,),
    "datetime": (str,),
    "timedelta": (str,),
    "uuid": (str,),
    "enum": (str, int),
}
"""The types of values that a scalar schema's own validator converts or checks. It runs no code of users' for them."""

_EVERYWHERE = {"type", "ref", "metadata", "strict"}
_KEYS: dict[str, set[str]] = {
    "int": {"ge", "gt", "le", "lt"},
    "float": {"ge", "gt", "le", "lt", "allow_inf_nan"},
    "str": {"min_length", "max_length"},
    "date": set(),
    "time": {"microseconds_precision"},
    "datetime": {"microseconds_precision"},
    "timedelta": {"microseconds_precision"},
    "enum": {"cls", "members", "sub_type", "missing"},
    "literal": {"expected"},
    "nullable": {"schema"},
    "list": {"items_schema", "min_length", "max_length"},
    "tuple": {"items_schema", "variadic_item_index", "min_length", "max_length"},
    "dict": {"keys_schema", "values_schema", "min_length", "max_length"},
    "union": {"choices", "auto_collapse"},
    "tagged-union": {"choices", "discriminator", "from_attributes"},
    "model": {"cls", "schema", "config", "generic_origin", "frozen", "revalidate_instances", "extra_behavior"},
    "model-fields": {"fields", "model_name", "extra_behavior", "from_attributes", "computed_fields"},
    "model-field": {"schema", "validation_alias", "serialization_alias", "serialization_exclude", "frozen"},
    "default": {"schema", "default", "default_factory", "copy_default"},
}
"""Keys of schemas that this module reads, or that have no effect on an accepted value. Others must be false."""

_IDLE_CONFIG = {
    "title",
    "from_attributes",
    "loc_by_alias",
    "populate_by_name",
    "validate_by_name",
    "validate_by_alias",
    "serialize_by_alias",
    "hide_input_in_errors",
    "validation_error_cause",
    "cache_strings",
    "allow_inf_nan",
    "coerce_numbers_to_str",
    "regex_engine",
    "revalidate_instances",
    "extra_fields_behavior",
    "frozen",
    "ser_json_timedelta",
    "ser_json_temporal",
    "ser_json_bytes",
    "ser_json_inf_nan",
    "val_json_bytes",
    "val_temporal_unit",
}
"""Config that has no effect on an accepted value, or that this module reads. Other config must be false."""


def _is_covered(rule: Rule | None) -> bool:
    """Whether each value that has the declared type is written by its own type."""
    if rule is None or rule.library:
        return True
    return bool(rule.alternatives) and all(_is_covered(one) for each in rule.alternatives for one in each.rules)


def _unknown_keys(schema: Schema, kind: str) -> list[str]:
    """Keys of a schema that may have an effect on an accepted value."""
    known = _KEYS.get(kind, set())
    return [key for key, value in schema.items() if value and key not in known and key not in _EVERYWHERE]


def _has_only(schema: Schema, kind: str) -> bool:
    return not _unknown_keys(schema, kind)


def _unknown_config(config: Mapping[str, Any]) -> list[str]:
    return [key for key, value in config.items() if value and key not in _IDLE_CONFIG]


def _int_bounds(schema: Schema) -> tuple[int | None, int | None] | None:
    """The least and the greatest int; None where a bound is no int of 64 bits."""
    least = [schema[key] + (key == "gt") for key in ("ge", "gt") if schema.get(key) is not None]
    greatest = [schema[key] - (key == "lt") for key in ("le", "lt") if schema.get(key) is not None]
    if not all(type(one) is int and abs(one) < 2**63 for one in (*least, *greatest)):
        return None
    return max(least, default=None), min(greatest, default=None)


def _float_bounds(schema: Schema) -> tuple[float | None, float | None] | None:
    given = {key: schema[key] for key in ("ge", "gt", "le", "lt") if schema.get(key) is not None}
    if not all(type(one) in (int, float) and float(one) == one and math.isfinite(one) for one in given.values()):
        return None
    steps = {"ge": 0.0, "gt": math.inf, "le": 0.0, "lt": -math.inf}
    bounds = {key: math.nextafter(one, steps[key]) if steps[key] else float(one) for key, one in given.items()}
    least = [one for key, one in bounds.items() if key in ("ge", "gt")]
    most = [one for key, one in bounds.items() if key in ("le", "lt")]
    return max(least, default=None), min(most, default=None)


def _exact(kind: str, schema: Schema) -> tuple[Accepted, ...]:
    """Values of the type itself that are returned as they are."""
    if not _has_only(schema, kind):
        return ()
    if kind == "enum":
        return (Accepted(schema["cls"]),)
    if kind == "str":
        least, greatest = schema.get("min_length"), schema.get("max_length")
        return (Accepted(str, "type" if least is None and greatest is None else "text", least, greatest),)
    if kind in ("int", "float"):
        bounds = _int_bounds(schema) if kind == "int" else _float_bounds(schema)
        if bounds is None:
            return ()
        if kind == "float":  # which must be finite in any case
            return (Accepted(float, "float", *bounds),)
        return (Accepted(int, "type" if bounds == (None, None) else "int", *bounds),)
    return (Accepted(SCALARS[kind][0]),) if kind in _KEPT else ()


_UNLIKE_IN_JSON = ("bytes", "json-or-python", "lax-or-strict", "tagged-union", "union")
"""Schemas that do not convert JSON as they convert the values that it is decoded to."""

_CONVERTING = ("real", "call", "date", "datetime", "uuid")
_CONTAINERS = ("list", "tuple", "dict", "model", "tagged-union", "definition-ref", "any")
"""Schemas whose values other values are within."""

_OWN_WAYS = {
    "custom_init": "an __init__ of its own",
    "post_init": "a model_post_init of its own, or private attributes",
    "root_model": "a root model",
    "serialization": "a serializer",
}
"""What keys of a model's schema stand for."""


def _extra_behavior(schema: Schema, config: Mapping[str, Any]) -> str | None:
    fields = schema["schema"]
    return fields.get("extra_behavior") or schema.get("extra_behavior") or config.get("extra_fields_behavior")


def _kind_of_field(field: Schema) -> str:
    """What a field's values go through."""
    kinds = [part["type"] for part in schema_parts(field, enters_models=False) if isinstance(part.get("type"), str)]
    if "serialization" in field["schema"]:
        return "a serializer"
    if any(kind.startswith("function-") for kind in kinds):
        return "a validator"
    shown = [kind for kind in kinds if kind not in ("model-field", "default", "nullable")]
    return f"the type {shown[0]}" if shown else "its type"


class _Output(NamedTuple):
    """What becomes of a field in the text."""

    key: str | None
    """None: it is left out."""
    is_by_type: bool = True
    """Each value of the declared type is written by its own type."""
    left_out: tuple[()] | tuple[Any] = ()
    """The value that is not written, in a tuple."""


_NO_MODEL: Schema = {"cls": None, "schema": None}
"""Stands for a model that no other can be."""


class _AcceptanceReader(RuleReader):
    """Reads the acceptance of an adapter's schema."""

    is_for_json: ClassVar[bool] = False
    """Whether the values are decoded JSON, which holds no models."""

    def __init__(self, schema: Schema) -> None:
        super().__init__(schema)
        self._open: list[Schema] = []  # schemas of models that are being read
        self._selection: Selection | None = None  # until the outermost model is read
        self.obstacle = ""
        """The first model or field whose dicts are left to pydantic, and why."""

    def read(self, config: Mapping[str, Any]) -> _Acceptance | None:
        """The compiled acceptance; None where no value would be accepted, or any."""
        unknown = _unknown_config(config)
        if unknown:
            self._note(f"the config {unknown[0]}")
        acceptance = () if unknown else self._acceptance(self.schema, config, 0)
        if acceptance == ():
            self._note("its type")
        return _Acceptance(acceptance) if acceptance else None

    def _note(self, obstacle: str) -> None:
        self.obstacle = self.obstacle or obstacle

    def _any(self) -> Acceptance:
        raise NotImplementedError

    def _is_serialized_otherwise(self, schema: Schema) -> bool:
        """Whether the text of a value is not what its type says, where that matters."""
        raise NotImplementedError

    def _outputs(self, cls: Any, fields: Schema) -> Mapping[str, _Output] | None:
        """What becomes of each field; None where other code decides."""
        raise NotImplementedError

    def _options(self) -> Mapping[str, bool]:
        return {}

    def _way_of(self, cls: type, fields: tuple[AcceptedField, ...]) -> AttributesWay | None:
        raise NotImplementedError

    def _made_by(self, part: SchemaPart) -> tuple[Sequence[type], Callable[[Any], Any] | None]:
        """What makes the accepted values of a part that pydantic validates by itself, and of values of which types."""
        raise NotImplementedError

    def _acceptance(self, schema: Schema, config: Mapping[str, Any], depth: int) -> Acceptance:
        acceptance = self._read_acceptance(schema, config, depth)
        is_partial = acceptance == () or (acceptance is not None and schema["type"] == "union")
        if not is_partial or depth == 0:  # validating the whole by itself would gain nothing
            return acceptance
        known = {one.exact_type for one in acceptance or ()}
        others = self._part_accepted(schema, config) or ()
        return (*(acceptance or ()), *(one for one in others if one.exact_type not in known))

    def _part_accepted(self, schema: Schema, config: Mapping[str, Any]) -> Acceptance:
        """Values that only pydantic knows to validate."""
        classes, make = self._made_by(SchemaPart(schema, config, self._definitions))
        return () if make is None else tuple(Accepted(cls, "call", known=make) for cls in classes)

    def _read_acceptance(self, schema: Schema, config: Mapping[str, Any], depth: int) -> Acceptance:
        kind: str = schema["type"]
        if kind == "definition-ref":
            target = self._target(schema)
            return () if target is None else self._acceptance(target, config, depth)
        if depth > MAX_DEPTH or self._is_serialized_otherwise(schema):
            return ()
        if kind in _KEPT or kind in _CALLED:
            return self._scalar(kind, schema, config)
        if kind == "model":
            return self._model(schema, depth + 1)
        if not _has_only(schema, kind):
            return ()
        if kind == "none":
            return (Accepted(type(None)),)
        if kind == "any":
            return self._any()
        if kind == "literal":
            return self._literals_accepted(schema["expected"])
        if kind == "nullable":
            inner = self._acceptance(schema["schema"], config, depth)
            if inner is None:
                return None
            return (*(one for one in inner if one.exact_type is not type(None)), Accepted(type(None)))
        if kind in ("union", "tagged-union"):
            if schema.get("strict"):  # which holds for the choices
                return ()
            read = self._union if kind == "union" else self._tagged
            return read(schema, config, depth)
        if kind in ("list", "dict"):
            return self._container_accepted(schema, config, depth + 1)
        if kind == "tuple" and not self.is_for_json:  # which becomes a tuple
            return self._tuple_accepted(schema, config, depth + 1)
        return ()

    def _target(self, schema: Schema) -> Schema | None:
        """The schema that a reference leads to; None: nowhere, or it is no reference."""
        return self._definitions.get(schema["schema_ref"]) if schema["type"] == "definition-ref" else None

    def _scalar(self, kind: str, schema: Schema, config: Mapping[str, Any]) -> Acceptance:
        """Values of the type itself, and those of JSON that the schema's validator converts to it."""
        if kind == "enum" and (not issubclass(schema["cls"], enum.Enum) or schema.get("missing")):
            return ()
        exact = _exact(kind, schema)
        own = {one.exact_type for one in exact}
        called = [cls for cls in _CALLED.get(kind, ()) if cls not in own]
        if kind == "float" and exact:
            least, greatest = exact[0].least, exact[0].greatest
            return (*exact, Accepted(int, "real", least, greatest))
        if not called or (exact and (kind in ("str", "int") or schema.get("strict"))):
            return exact
        validate = SchemaPart(schema, config, {}).validator()
        check: Any = kind if exact and kind in ("date", "datetime", "uuid") else "call"
        return exact if validate is None else (*exact, *(Accepted(cls, check, known=validate) for cls in called))

    @staticmethod
    def _literals_accepted(expected: list[Any]) -> Acceptance:
        if not all(type(one) in (str, int, bool, type(None)) for one in expected):
            return ()
        known = {cls: frozenset(one for one in expected if type(one) is cls) for cls in (str, int, bool)}
        if known[int] & known[bool]:  # pydantic returns one of two that are equal
            return ()
        named = tuple(Accepted(cls, "among", known=values) for cls, values in known.items() if values)
        return (*named, Accepted(type(None))) if None in expected else named

    def _union(self, schema: Schema, config: Mapping[str, Any], depth: int) -> Acceptance:
        """Choices that are told apart by the type alone, with at most one container among them."""
        choices: list[Any] = schema["choices"]
        # with a label; and a literal accepts what is equal to it, such as True for 1
        if any(isinstance(choice, tuple) or choice["type"] == "literal" for choice in choices):
            return ()
        accepted = [
            # what one choice converts another may take as it is
            tuple(one for one in self._acceptance(choice, config, depth) or () if one.check not in _CONVERTING)
            for choice in choices
        ]
        flat = [one for alternatives in accepted for one in alternatives]
        n_containers = sum(choice["type"] in _CONTAINERS for choice in choices)
        is_clear = len({one.exact_type for one in flat}) == len(flat) and n_containers < 2
        return tuple(flat) if all(accepted) and is_clear else ()

    def _tagged(self, schema: Schema, config: Mapping[str, Any], depth: int) -> Acceptance:
        """Dicts whose tags say which choice they are for. Objects are left to pydantic, which reads their tags."""
        key, choices = schema["discriminator"], schema["choices"]
        if type(key) is not str or not all(type(tag) is str for tag in choices):
            return ()
        accepted: dict[str, Acceptance] = {
            tag: tuple(one for one in self._acceptance(choice, config, depth) or () if one.exact_type is dict)
            for tag, choice in choices.items()
            if isinstance(choice, Mapping)
        }
        if len(accepted) < len(choices) or not all(accepted.values()):
            return ()
        return (Accepted(dict, "tagged", known=accepted, tag_key=key),)

    def _container_accepted(self, schema: Schema, config: Mapping[str, Any], depth: int) -> Acceptance:
        least, greatest = schema.get("min_length"), schema.get("max_length")
        if schema["type"] == "list":
            inner = self._acceptance(schema.get("items_schema") or {"type": "any"}, config, depth)
            return () if inner == () else (Accepted(list, "items", least, greatest, inner=inner),)
        keys = schema.get("keys_schema") or {"type": "any"}
        if keys["type"] not in ("str", "any") or any(value for key, value in keys.items() if key not in _EVERYWHERE):
            return ()
        inner = self._acceptance(schema.get("values_schema") or {"type": "any"}, config, depth)
        return () if inner == () else (Accepted(dict, "values", least, greatest, inner=inner),)

    def _tuple_accepted(self, schema: Schema, config: Mapping[str, Any], depth: int) -> Acceptance:
        """Tuples, and lists in their place: their text is the same."""
        classes: tuple[type, ...] = (tuple,) if schema.get("strict") else (tuple, list)
        items = [self._acceptance(item, config, depth) for item in schema["items_schema"]]
        if any(item == () for item in items):
            return ()
        if schema.get("variadic_item_index") is None:
            return tuple(Accepted(cls, "places", known=tuple(items)) for cls in classes)
        least, greatest = schema.get("min_length"), schema.get("max_length")
        return tuple(Accepted(cls, "items", least, greatest, inner=items[0]) for cls in classes if len(items) == 1)

    def _model(self, schema: Schema, depth: int) -> Acceptance:
        cls = schema["cls"]
        config: Mapping[str, Any] = schema.get("config") or {}
        revalidates = schema.get("revalidate_instances") or config.get("revalidate_instances") or "never"
        selection, self._selection = self._selection, None
        instances = (Accepted(cls),) if revalidates == "never" and selection is None else ()
        model: AcceptedModel | int | None = None
        own = self._own_way(schema, config)
        opened = [one["schema"] is schema["schema"] and one["cls"] is cls for one in reversed(self._open)]
        if own:
            self._note(f"{cls.__name__}: {own}")
        elif any(opened):
            model = opened.index(True) + 1
        else:
            # within itself a model is written with all fields
            self._open.append(schema if selection is None else _NO_MODEL)
            try:
                model = self._model_of_dict(schema, config, depth, selection)
            finally:
                self._open.pop()
        if model is None:
            return () if self.is_for_json else instances
        return (*instances, Accepted(dict, "model", model=model))

    def _own_way(self, schema: Schema, config: Mapping[str, Any]) -> str:
        """What of a model, beside its fields, may change or refuse a dict; empty where nothing does."""
        cls, fields = schema["cls"], schema["schema"]
        unknown = _unknown_keys(schema, "model")
        if unknown:
            return _OWN_WAYS.get(unknown[0], unknown[0])
        unknown = _unknown_config(config)
        if unknown:
            return f"the config {unknown[0]}"
        if fields["type"] != "model-fields":
            return "a validator"
        if not _has_only(fields, "model-fields") or schema.get("strict") or fields.get("strict"):
            return "strict"
        extra = _extra_behavior(schema, config)
        if extra not in (None, "ignore", "forbid"):
            return f"extra={extra!r}"
        return "" if cls.__new__ is object.__new__ else "a __new__ of its own"

    def _model_of_dict(
        self, schema: Schema, config: Mapping[str, Any], depth: int, selection: Selection | None
    ) -> AcceptedModel | None:
        cls, fields = schema["cls"], schema["schema"]
        outputs = self._outputs(cls, fields)
        if outputs is None:
            self._note(f"{cls.__name__}: a serializer or a computed field")
            return None
        accepted: list[AcceptedField] = []
        for name, output in outputs.items():
            shown = output if selection is None or selection.has(name) else output._replace(key=None)
            field = self._field(name, shown, fields["fields"][name], config, depth)
            if field is None or (field.acceptance == () and not field.default and field.factory is None):
                self._note(f"{cls.__name__}.{name}: {_kind_of_field(fields['fields'][name])}")
                return None
            accepted.append(field)
        return AcceptedModel(
            cls,
            tuple(accepted),
            forbids_extra=_extra_behavior(schema, config) == "forbid",
            way_of=self._way_of(cls, tuple(accepted)),
            **self._options(),
        )

    def _field(
        self, name: str, output: _Output, field: Schema, config: Mapping[str, Any], depth: int
    ) -> AcceptedField | None:
        alias = field.get("validation_alias")
        if not _has_only(field, "model-field") or not isinstance(alias, (str, type(None))):
            return None
        by_name = bool(config.get("validate_by_name") or config.get("populate_by_name"))
        key, other_key = alias or name, name if by_name and alias not in (None, name) else None
        if config.get("validate_by_alias") is False:
            key, other_key = name, None
        schema = field["schema"]
        default: tuple[()] | tuple[Any] = ()
        factory = None
        if schema["type"] == "default":
            if not _has_only(schema, "default") or self._is_serialized_otherwise(schema):
                return None
            default, factory = _default(schema), _factory(schema)
            schema = schema["schema"]
        if output.is_by_type:
            acceptance = self._acceptance(schema, config, depth)
        else:
            acceptance = self._part_accepted(schema, config)
        sample = default or (() if factory is None else (factory(),))
        if sample and acceptance is not None and not _is_kept(acceptance, sample[0]):
            default, factory = (), None  # pydantic does not validate a default, and warns when it is written
        if output.left_out and acceptance is not None:
            acceptance = tuple(filter(_is_compared_as_it_is, acceptance))
        return AcceptedField(name, key, other_key, output.key, acceptance, default, factory, output.left_out)


class TextAcceptanceReader(_AcceptanceReader):
    """Reads which values may be written without validation: their text is that of the validated value.

    `schema` is an adapter's. `from_attributes` says whether models are made of other objects, too. The other options
    are those that the text is written with.
    """

    def __init__(
        self,
        schema: Schema,
        *,
        from_attributes: bool,
        include: Any,
        exclude: Any,
        by_alias: bool,
        exclude_unset: bool,
        exclude_defaults: bool,
        exclude_none: bool,
    ) -> None:
        super().__init__(schema)
        self._exclude_defaults = exclude_defaults
        self._has_selection = include is not None or exclude is not None
        if self._has_selection:
            self._selection = Selection.read(include, exclude, self.schema, self._target)
        self._from_attributes = from_attributes
        self._by_alias = by_alias
        self._flags = {"exclude_unset": exclude_unset, "exclude_none": exclude_none}

    def read(self, config: Mapping[str, Any]) -> _Acceptance | None:
        if self._has_selection and self._selection is None:
            self._note("include or exclude")
            return None
        if not _is_covered(self.rule(self.schema, config)):
            self._note("its type")
            return None
        return super().read(config)

    def _any(self) -> Acceptance:
        # another value may hold what can be read once only
        return (
            *(Accepted(one) for one in (str, int, bool, type(None))),
            *(Accepted(float, "float"), Accepted(list, "plain"), Accepted(dict, "plain")),
        )

    def _is_serialized_otherwise(self, schema: Schema) -> bool:
        return "serialization" in schema

    def _made_by(self, part: SchemaPart) -> tuple[Sequence[type], Callable[[Any], Any] | None]:
        return SCALAR_TYPES, part.text_maker(
            from_attributes=self._from_attributes,
            by_alias=self._by_alias,
            exclude_defaults=self._exclude_defaults,
            **self._flags,
        )

    def _outputs(self, cls: Any, fields: Schema) -> Mapping[str, _Output] | None:
        plan = plan_of(cls)
        is_plain = plan.kind == "dict" and not plan.computed
        if not is_plain or [field.attribute for field in plan.fields] != list(fields["fields"]):
            return None
        return {field.attribute: self._output(field) for field in plan.fields}

    def _output(self, field: PlanField) -> _Output:
        if field.is_excluded:
            return _Output(None)
        left_out = field.default if self._exclude_defaults else ()
        return _Output(field.alias if self._by_alias else field.key, _is_covered(field.rule), left_out)

    def _options(self) -> Mapping[str, bool]:
        return self._flags

    def _way_of(self, cls: type, fields: tuple[AcceptedField, ...]) -> AttributesWay | None:
        return AttributesWay(cls, [(field.key, field.other_key) for field in fields]) if self._from_attributes else None


class ModelsAcceptanceReader(_AcceptanceReader):
    """Reads of which values of decoded JSON models can be made without validation.

    With `like_validate_json` they are those of `validate_json`, otherwise those of `validate_python`.
    """

    is_for_json = True

    def __init__(self, schema: Schema, *, like_validate_json: bool = False) -> None:
        super().__init__(schema)
        self._like_validate_json = like_validate_json

    def read(self, config: Mapping[str, Any]) -> _Acceptance | None:
        return super().read(config) if _makes_equal_models() else None

    def _any(self) -> Acceptance:
        return None

    def _is_serialized_otherwise(self, schema: Schema) -> bool:
        return False

    def _read_acceptance(self, schema: Schema, config: Mapping[str, Any], depth: int) -> Acceptance:
        validated = {key: value for key, value in schema.items() if key != "serialization"}
        return super()._read_acceptance(validated, config, depth)

    def _made_by(self, part: SchemaPart) -> tuple[Sequence[type], Callable[[Any], Any] | None]:
        if self._like_validate_json and part.has_kind(*_UNLIKE_IN_JSON):
            return (), None
        return JSON_TYPES, part.validator()

    def _outputs(self, cls: Any, fields: Schema) -> Mapping[str, _Output] | None:
        return dict.fromkeys(fields["fields"], _Output(None))

    def _way_of(self, cls: type, fields: tuple[AcceptedField, ...]) -> AttributesWay | None:
        return None


_FACTORIES = (uuid.uuid4, uuid.uuid1, datetime.datetime.now, datetime.datetime.utcnow, datetime.date.today, set)


def _factory(schema: Schema) -> Callable[[], Any] | None:
    """What makes a default of its own for each object, where that has no effect beside."""
    factory = schema.get("default_factory")
    return factory if factory in _FACTORIES else None


def _default(schema: Schema) -> tuple[()] | tuple[Any]:
    """The default that every object gets, in a tuple: a scalar, or an empty list or dict."""
    if "default" in schema:
        value = schema["default"]
        is_empty = type(value) in (list, dict) and not value
        is_scalar = type(value) in (str, int, float, bool, type(None)) or isinstance(value, enum.Enum)
        return (value,) if is_scalar or is_empty else ()
    factory = schema.get("default_factory")
    return (factory(),) if factory in (list, dict) else ()


def _is_compared_as_it_is(accepted: Accepted) -> bool:
    """Whether an accepted value equals a default where the validated one does."""
    if isinstance(accepted.model, AcceptedModel):
        cls: Any = accepted.model.cls
        return cls.__eq__ is BaseModel.__eq__  # so that it equals no dict and no scalar
    return accepted.check not in (*_CONVERTING, "model", "tagged")


def _is_kept(acceptance: tuple[Accepted, ...], default: Any) -> bool:
    """Whether a scalar, or an empty list or dict, is accepted as it is."""
    # without what is within, which may refer to models around it
    shallow = tuple(one._replace(inner=None) for one in acceptance if one.check not in ("model", "tagged"))
    return _Acceptance(shallow).for_text(default) is default


@functools.cache
def _makes_equal_models() -> bool:
    """Whether a model that the core makes cannot be told from one of this pydantic.

    It may have attributes that this module does not know, and that would be absent.
    """

    class Probe(BaseModel):
        n: int
        text: str = "a"

    adapter = TypeAdapter(Probe)
    acceptance = _AcceptanceReader.read(ModelsAcceptanceReader(adapter.core_schema), {})
    if acceptance is None:
        return False
    ours, theirs = acceptance.for_models({"n": 1}), adapter.validate_python({"n": 1})
    names = ("__dict__", "__pydantic_extra__", "__pydantic_fields_set__", "__pydantic_private__")
    return type(ours) is Probe and all(getattr(ours, name, _ABSENT) == getattr(theirs, name, _ABSENT) for name in names)


_ABSENT = object()
