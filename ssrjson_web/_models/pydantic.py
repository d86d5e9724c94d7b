"""pydantic models and dataclasses: plans from their core schemas, for the C core to write what `dump_json` would.

A rule admits a value only where its own type says all about its text. Whatever a schema says beyond that (a
serializer of its own, a config for formats, a type that is not listed below) is converted by pydantic's
`dump_python(mode="json")`, which leaves no UTF-8 copy in values.
"""

from __future__ import annotations

import datetime
import decimal
import enum
import types
import uuid
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias

import pydantic
from pydantic import BaseModel
from pydantic_core import PydanticSerializationError, SchemaError, SchemaSerializer

from ssrjson_web._core import Encoder, Fragment
from ssrjson_web._models.floats import layout_of_pydantic
from ssrjson_web._models.plan import MAX_DEPTH, Alternative, Plan, PlanField, Rule

Schema: TypeAlias = Mapping[str, Any]

ANY = Rule("pydantic")
UNCOVERED = Rule()
NONE = Alternative(type(None))

_DEFAULT_FORMATS = {
    "ser_json_timedelta": "iso8601",
    "ser_json_temporal": "iso8601",
    "ser_json_bytes": "utf8",
    "ser_json_inf_nan": "null",
}
_UNWRAPPED = {
    "function-after": "schema",
    "function-before": "schema",
    "function-wrap": "schema",
    "default": "schema",
    "custom-error": "schema",
    "lax-or-strict": "strict_schema",
    "json-or-python": "json_schema",
}
"""Schemas that are serialized as another one within them, unless they name a serializer."""

_SCALARS: dict[str, tuple[type, list[Any]]] = {
    "bool": (bool, []),
    "int": (int, []),
    "str": (str, []),
    "decimal": (decimal.Decimal, [decimal.Decimal("1.50"), decimal.Decimal("1E+5"), decimal.Decimal("-0")]),
    "bytes": (bytes, [b"", "é".encode()]),
    "date": (datetime.date, [datetime.date(999, 1, 2)]),
    "time": (datetime.time, [datetime.time(1, 2, 3), datetime.time(1, 2, 3, 40, datetime.timezone.utc)]),
    "datetime": (
        datetime.datetime,
        [
            datetime.datetime(999, 1, 2, 3, 4, 5),
            datetime.datetime(2020, 1, 2, 3, 4, 5, 600, datetime.timezone.utc),
            *(
                datetime.datetime(2020, 1, 2, tzinfo=datetime.timezone(datetime.timedelta(seconds=seconds)))
                for seconds in (-19807, -1800, -59.5)
            ),
        ],
    ),
    "timedelta": (
        datetime.timedelta,
        [
            datetime.timedelta(),
            datetime.timedelta(days=730, hours=-25, microseconds=500_000),
            datetime.timedelta(days=365),
            datetime.timedelta(microseconds=-1),
        ],
    ),
    "uuid": (uuid.UUID, [uuid.UUID(int=5)]),
}
"""The exact type of each scalar schema, and values by whose text the formats of this pydantic are known."""


def _has_known_format(name: str) -> bool:
    """Whether this pydantic writes values of a scalar schema as the core's `models=True` does."""
    encoder = Encoder(models=True)
    try:
        serializer = SchemaSerializer({"type": name})
    except SchemaError:
        return False  # younger than this pydantic
    return all(serializer.to_json(value) == encoder.encode(value) for value in _SCALARS[name][1])


def _has_known_formats() -> bool:
    """The same for values of no declared type."""
    encoder = Encoder(models=True)
    serializer = SchemaSerializer({"type": "any"})
    values = [value for _, some in _SCALARS.values() for value in some]
    return all(serializer.to_json(value) == encoder.encode(value) for value in values)


def _union(*kinds: str) -> SchemaSerializer:
    choices: Any = [{"type": kind} for kind in kinds]
    return SchemaSerializer({"type": "union", "choices": choices})


_KNOWN = frozenset(name for name in _SCALARS if _has_known_format(name))
_IS_ANY_KNOWN = _has_known_formats()
_VERSION = tuple(map(int, pydantic.VERSION.split(".")[:2]))
_IS_OLD = _VERSION < (2, 7)
"""Whether dump_json writes computed fields of None that dump_python leaves out."""
_KNOWS_CONFIGURED_ALIAS = _VERSION >= (2, 11)
"""Whether there is `serialize_by_alias`, and `by_alias=None` for what it says."""
_LEAVES_INTS = type(SchemaSerializer({"type": "float"}).to_python(0, mode="json")) is int
"""Whether dump_python leaves an int in a float's place, which dump_json writes as a float."""
_KEEPS_NUMBERS = [_union("float", "int").to_json(1), _union("int", "bool").to_json(True)] == [b"1", b"true"]
"""Whether a choice of a union is taken for numbers of its own type alone."""
FLOATS = layout_of_pydantic()
"""How this pydantic lays out floats: the core's option `floats`."""


def is_base_model(cls: type) -> bool:
    """Whether a class is a BaseModel that `jsonable_encoder` would dump as the plan says: without a `model_dump`
    of its own, and without keys that it drops."""
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


def _alias_choice(by_alias: bool | None) -> bool | None:
    """`by_alias` as this pydantic takes it."""
    return by_alias if _KNOWS_CONFIGURED_ALIAS else bool(by_alias)


def _has_iterator(value: Any) -> bool:
    """Whether a value holds what can be iterated once."""
    if isinstance(value, dict):
        return any(map(_has_iterator, value.values()))
    if isinstance(value, (list, tuple, set, frozenset)):
        return any(map(_has_iterator, value))
    return isinstance(value, Iterator)


class _ObjectConvert:
    """`to_python` of a serializer, for a pydantic whose `by_alias` is never None."""

    def __init__(self, serializer: SchemaSerializer) -> None:
        self._serializer = serializer

    def __call__(
        self,
        value: Any,
        is_json: bool,
        by_alias: bool | None,
        exclude_unset: bool,
        exclude_defaults: bool,
        exclude_none: bool,
    ) -> Any:
        return self._serializer.to_python(
            value,
            mode="json",
            by_alias=_alias_choice(by_alias),
            exclude_unset=exclude_unset,
            exclude_defaults=exclude_defaults,
            exclude_none=exclude_none,
        )


class _ValueConvert:
    """What pydantic makes of the value of one field, by the field's own schema."""

    def __init__(
        self,
        schema: Schema,
        definitions: Mapping[str, Schema],
        config: Mapping[str, Any],
        *,
        holds_any: bool,
        has_odd_keys: bool,
    ) -> None:
        self._schema = schema
        self._definitions = definitions
        self._config = config
        self._holds_any = holds_any
        self._has_odd_keys = has_odd_keys or holds_any
        self._serializer: SchemaSerializer | None = None

    def make_serializer(self) -> SchemaSerializer:
        schema: Any = self._schema
        if self._definitions:
            schema = {"type": "definitions", "schema": schema, "definitions": list(self._definitions.values())}
        return SchemaSerializer(schema, self._config)  # type: ignore[arg-type]

    def __call__(
        self,
        value: Any,
        is_json: bool,
        by_alias: bool | None,
        exclude_unset: bool,
        exclude_defaults: bool,
        exclude_none: bool,
    ) -> Any:
        serializer = self._serializer
        if serializer is None:
            serializer = self._serializer = self.make_serializer()
        if is_json and isinstance(value, (int, float)):
            return Fragment(serializer.to_json(value))  # a float field may hold an int
        options: dict[str, Any] = {
            "by_alias": _alias_choice(by_alias),
            "exclude_unset": exclude_unset,
            "exclude_defaults": exclude_defaults,
            "exclude_none": exclude_none,
        }
        try:
            content = serializer.to_python(value, mode="json", **options)
        except PydanticSerializationError:
            if is_json and self._holds_any and not _has_iterator(value):
                return value  # the core knows more types, and has a hook to ask
            raise
        if is_json and self._has_odd_keys and n_keys(content) < n_keys(value):
            return Fragment(serializer.to_json(value, **options))  # 1 and "1" are one key in a dict only
        return content


def n_keys(value: Any) -> int:
    """Keys of the dicts that a value is made of."""
    if isinstance(value, dict):
        return len(value) + sum(map(n_keys, value.values()))
    return sum(map(n_keys, value)) if isinstance(value, (list, tuple)) else 0


def _convert_object_to_text(
    value: Any, is_json: bool, by_alias: bool | None, exclude_unset: bool, exclude_defaults: bool, exclude_none: bool
) -> Any:
    """What pydantic makes of a whole object where only its own text tells: NaN as such, a key twice."""
    serializer: SchemaSerializer = type(value).__pydantic_serializer__
    options: dict[str, Any] = {
        "by_alias": _alias_choice(by_alias),
        "exclude_unset": exclude_unset,
        "exclude_defaults": exclude_defaults,
        "exclude_none": exclude_none,
    }
    return (
        Fragment(serializer.to_json(value, **options))
        if is_json
        else serializer.to_python(value, mode="json", **options)
    )


def _opaque(cls: Any) -> Plan:
    """Objects that only pydantic converts."""
    convert = _converter_of(cls.__pydantic_serializer__)
    return Plan("opaque", convert=convert, is_to_python=_KNOWS_CONFIGURED_ALIAS)


def _converter_of(serializer: SchemaSerializer) -> Callable[..., Any]:
    """What calls a serializer's `to_python`: that itself, with `is_to_python`, where it takes what the core gives."""
    return serializer.to_python if _KNOWS_CONFIGURED_ALIAS else _ObjectConvert(serializer)


OPAQUE_TEXT = Plan("opaque", convert=_convert_object_to_text)


def _parts(schema: Any, *, enters_models: bool = True) -> Iterator[dict[str, Any]]:
    """All dicts that a schema is made of, but for those that hold values of users."""
    under_way = [schema]
    while under_way:
        part = under_way.pop()
        if isinstance(part, (list, tuple)):
            under_way.extend(part)
        elif isinstance(part, dict):
            yield part
            is_schema = isinstance(part.get("type"), str)
            if enters_models or not (is_schema and part["type"] == "model"):
                under_way.extend(
                    value
                    for key, value in part.items()
                    if not (is_schema and key in ("default", "expected", "metadata"))
                )


def _has_twice(keys: Iterable[str]) -> bool:
    known = list(keys)
    return len(set(known)) < len(known)


def _repeats_key(part: Mapping[str, Any]) -> bool:
    """Whether two fields of one object are written under one key."""
    fields, computed = part.get("fields"), part.get("computed_fields") or ()
    if part.get("type") not in ("model-fields", "dataclass-args", "typed-dict") or not fields:
        return False
    named: list[tuple[str, Any]] = (
        list(fields.items()) if isinstance(fields, dict) else [(field["name"], field) for field in fields]
    )
    shown = [(name, field) for name, field in named if not field.get("serialization_exclude")]
    names = [one["property_name"] for one in computed]
    aliases = [one.get("alias", one["property_name"]) for one in computed]
    return _has_twice([name for name, _ in shown] + names) or _has_twice(
        [field.get("serialization_alias", name) for name, field in shown] + aliases
    )


def _has_odd_keys(part: Mapping[str, Any]) -> bool:
    return part.get("type") == "dict" and part.get("keys_schema", {}).get("type", "str") != "str"


class SchemaTraits(NamedTuple):
    """What a schema has somewhere within it that says more than types do."""

    has_formats: bool
    """A config for formats: it holds for untyped values in all that the schema is of, and there alone."""
    needs_text: bool
    """pydantic's own text says what no value says: NaN, a key twice."""
    runs_once: bool
    """What is iterated is gone then."""
    has_missing: bool
    """A value that stands for no field."""
    has_odd_keys: bool
    """A dict whose keys are no strs: two of them may have one text."""


def schema_traits(schema: Any, config: Mapping[str, Any]) -> SchemaTraits:
    """`config` is that of the serializer as a whole."""
    parts = list(_parts(schema))
    kinds = {part["type"] for part in parts if isinstance(part.get("type"), str)}
    configs = [config, *(part["config"] for part in parts if isinstance(part.get("config"), dict))]
    return SchemaTraits(
        has_formats=not all(_is_usual(one, key) for one in configs for key in _DEFAULT_FORMATS),
        needs_text=(
            not all(_is_usual(one, "ser_json_inf_nan") for one in configs)
            or any(map(_repeats_key, parts))
            or _LEAVES_INTS
            or (_IS_OLD and any(part.get("computed_fields") for part in parts))
        ),
        runs_once="generator" in kinds,
        has_missing="missing-sentinel" in kinds,
        has_odd_keys=any(map(_has_odd_keys, parts)),
    )


def _is_usual(config: Mapping[str, Any], key: str) -> bool:
    return bool(config.get(key, _DEFAULT_FORMATS[key]) == _DEFAULT_FORMATS[key])


def _with_types(alternatives: Iterator[Alternative]) -> Rule:
    """One rule for all alternatives, each type once. Two that look into a container of one type cover nothing."""
    by_type: dict[type, Alternative] = {}
    for new in alternatives:
        old = by_type.setdefault(new.exact_type, new)
        if new == old or old.check == "type":
            continue
        if new.check == "type":
            by_type[new.exact_type] = new
        elif new.check == old.check == "among":
            by_type[new.exact_type] = old._replace(known=frozenset(old.known or ()) | frozenset(new.known or ()))
        else:
            return UNCOVERED
    return Rule(alternatives=tuple(by_type.values()))


class SchemaReader:
    """Reads plans and rules out of a core schema."""

    def __init__(self, schema: Schema) -> None:
        self._definitions: dict[str, Schema] = {}
        self._under_way: list[str] = []
        self._n_unions = 0
        self._whole = schema
        self._n_gaps = 0  # schemas that no rule covers, so far
        self.schema = self._without_definitions(schema)

    def _without_definitions(self, schema: Schema) -> Schema:
        while schema["type"] == "definitions":
            self._definitions.update({one["ref"]: one for one in schema["definitions"]})
            schema = schema["schema"]
        return schema

    def _unwrap(self, schema: Schema) -> Schema | None:
        """The schema that a value is serialized by; None where a serializer of another kind is named."""
        refs = 0
        while True:
            if "serialization" in schema:
                return {"type": "any"} if schema["serialization"] == {"type": "any"} else None
            kind = schema["type"]
            if kind in _UNWRAPPED:
                schema = schema[_UNWRAPPED[kind]]
            elif kind == "chain":
                schema = schema["steps"][-1]
            elif kind == "definitions":
                schema = self._without_definitions(schema)
            elif kind == "definition-ref":
                target = self._definitions.get(schema["schema_ref"])
                refs += 1
                if target is None or refs > len(self._definitions):
                    return None
                schema = target
            else:
                return schema

    # ---- rules -----------------------------------------------------------------------------------

    def rule(self, schema: Schema, config: Mapping[str, Any], depth: int = 0) -> Rule:
        """What a value of a schema must be to be written by its own type."""
        rule = self._rule_of_wrapped(schema, config, depth)
        self._n_gaps += rule == UNCOVERED
        return rule

    def _rule_of_wrapped(self, schema: Schema, config: Mapping[str, Any], depth: int) -> Rule:
        inner = self._unwrap(schema)
        if inner is None:
            return UNCOVERED
        ref = inner.get("ref")
        if ref is None or inner["type"] in ("model", "enum"):
            return self._rule(inner, config, depth)
        if ref in self._under_way:
            return UNCOVERED  # containers within themselves have no bound
        self._under_way.append(ref)
        try:
            return self._rule(inner, config, depth)
        finally:
            self._under_way.pop()

    def _rule(self, schema: Schema, config: Mapping[str, Any], depth: int) -> Rule:
        kind: str = schema["type"]
        if kind in _KNOWN:
            return Rule(alternatives=(Alternative(_SCALARS[kind][0], is_json=kind in ("bool", "int", "str")),))
        if kind == "float":
            return Rule(alternatives=(Alternative(float, "finite"),))
        if kind == "none":
            return Rule(alternatives=(NONE,))
        if kind in ("any", "is-instance", "is-subclass", "callable", "function-plain"):
            return ANY if _IS_ANY_KNOWN else UNCOVERED
        if kind == "model":
            # of a derived class a union asks whether another choice is nearer
            return Rule(alternatives=(Alternative(schema["cls"], "type" if self._n_unions else "model"),))
        if kind == "dataclass" and "__pydantic_serializer__" in schema["cls"].__dict__:
            # not by its plan where only BaseModel has one of pydantic's
            return Rule(alternatives=(Alternative(schema["cls"], is_json=False),))
        if kind == "enum":
            return Rule(alternatives=(Alternative(schema["cls"], is_json=False),))
        if kind == "literal":
            return _with_types(self._literals(schema["expected"]))
        if kind == "nullable":
            return self._any_of([schema["schema"]], config, depth, NONE)  # None is asked for first
        if kind == "union":
            choices = [choice[0] if isinstance(choice, tuple) else choice for choice in schema["choices"]]
            return self._one_of(choices, config, depth)
        if kind == "tagged-union":
            choices = [choice for choice in schema["choices"].values() if isinstance(choice, Mapping)]
            return self._one_of(choices, config, depth) if len(choices) == len(schema["choices"]) else UNCOVERED
        return self._container(schema, config, depth + 1) if depth < MAX_DEPTH else UNCOVERED

    @staticmethod
    def _literals(expected: Sequence[Any]) -> Iterator[Alternative]:
        for cls in (str, int, bool):
            known = frozenset(value for value in expected if type(value) is cls)
            if known:
                yield Alternative(cls, "among", known=known)
        if None in [value for value in expected if not isinstance(value, enum.Enum)]:
            yield NONE

    def _one_of(self, schemas: Sequence[Schema], config: Mapping[str, Any], depth: int) -> Rule:
        """The rule for a union: pydantic takes the first choice that does not refuse a value, whatever its type."""
        gaps_before = self._n_gaps
        self._n_unions += 1
        rule = self._any_of(schemas, config, depth)
        self._n_unions -= 1
        if rule.library or self._n_gaps != gaps_before:
            return UNCOVERED  # a choice may take what no rule tells
        classes = [one.exact_type for one in rule.alternatives]
        # an object with more in it than declared is written as a base of its class would be
        is_clear = not any(a is not b and issubclass(a, b) for a in classes for b in classes if a is not bool)
        if not _KEEPS_NUMBERS:
            is_clear = is_clear and sum(issubclass(one, (int, float)) for one in classes) < 2
        # those of an untyped root have been taken for any other
        is_clear = is_clear and not any((self._unwrap(schema) or {}).get("root_model") for schema in schemas)
        return rule if is_clear else UNCOVERED

    def _any_of(self, schemas: Sequence[Schema], config: Mapping[str, Any], depth: int, *more: Alternative) -> Rule:
        rules = [self.rule(schema, config, depth) for schema in schemas]
        if ANY in rules:
            return ANY
        return _with_types(one for rule in (*rules, Rule(alternatives=more)) for one in rule.alternatives)

    def _container(self, schema: Schema, config: Mapping[str, Any], depth: int) -> Rule:
        kind: str = schema["type"]
        if kind in ("list", "set", "frozenset"):
            cls = {"list": list, "set": set, "frozenset": frozenset}[kind]
            return self._of_items(cls, schema.get("items_schema"), config, depth)
        if kind == "tuple":
            items = schema["items_schema"]
            variadic = schema.get("variadic_item_index")
            if variadic is not None:
                return self._of_items(tuple, items[0], config, depth) if len(items) == 1 else UNCOVERED
            rules = tuple(self.rule(item, config, depth) for item in items)
            return Rule(alternatives=(Alternative(tuple, "places", _are_json(rules), rules=rules),))
        if kind == "dict":
            keys = self._unwrap(schema.get("keys_schema", {"type": "any"}))
            if keys is None or keys["type"] not in ("str", "any"):
                return UNCOVERED
            rules = (self.rule(schema.get("values_schema", {"type": "any"}), config, depth),)
            return Rule(alternatives=(Alternative(dict, "values", _are_json(rules), key_type=str, rules=rules),))
        if kind == "typed-dict":
            return self._typed_dict(schema, schema.get("config", config), depth)
        return UNCOVERED

    def _of_items(self, cls: type, items: Schema | None, config: Mapping[str, Any], depth: int) -> Rule:
        rules = (self.rule(items or {"type": "any"}, config, depth),)
        is_json = _are_json(rules) and cls in (list, tuple)
        return Rule(alternatives=(Alternative(cls, "items", is_json, rules=rules),))

    def _typed_dict(self, schema: Schema, config: Mapping[str, Any], depth: int) -> Rule:
        fields: Mapping[str, Schema] = schema["fields"]
        if schema.get("computed_fields") or any(
            field.get("serialization_alias", name) != name
            or field.get("serialization_exclude")
            or "serialization_exclude_if" in field
            or field["schema"]["type"] == "default"
            for name, field in fields.items()
        ):
            return UNCOVERED
        total = schema.get("total", True)
        required = [name for name, field in fields.items() if field.get("required", total)]
        names = required + [name for name in fields if name not in required]
        rules = tuple(self.rule(fields[name]["schema"], config, depth) for name in names)
        known = {name: place for place, name in enumerate(names)}
        alternative = Alternative(dict, "fields", _are_json(rules), known=known, n_required=len(required), rules=rules)
        return Rule(alternatives=(alternative,))

    # ---- plans -----------------------------------------------------------------------------------

    def _field(
        self, attribute: str, alias: str, schema: Schema, config: Mapping[str, Any], is_excluded: bool = False
    ) -> PlanField | None:
        """One attribute; None where no serializer can be had for its values."""
        rule = self.rule(schema, config)
        convert: Any = None
        has_odd_keys = False
        if not _names_method(schema):
            has_odd_keys = any(map(_has_odd_keys, _parts(schema, enters_models=False)))
            convert = _ValueConvert(
                schema, self._definitions, config, holds_any=_holds_any(rule), has_odd_keys=has_odd_keys
            )
        is_to_python = rule == UNCOVERED and convert is not None and not has_odd_keys
        if is_to_python:  # for every value: without Python code in between
            try:
                serializer: SchemaSerializer = convert.make_serializer()
            except SchemaError:
                return None
            convert = _converter_of(serializer)
            is_to_python = _KNOWS_CONFIGURED_ALIAS
        return PlanField(attribute, attribute, alias, rule, convert, is_to_python, is_excluded, self._default(schema))

    def _default(self, schema: Schema) -> tuple[()] | tuple[Any]:
        while schema["type"] in _UNWRAPPED and "serialization" not in schema:
            if "default" in schema:
                return (schema["default"],)
            if "default_factory" in schema:
                factory = schema["default_factory"]
                return (factory() if factory in (list, dict) else object(),)  # an object: only pydantic compares
            schema = schema[_UNWRAPPED[schema["type"]]]
        return ()

    def plan(self, cls: Any) -> Plan:
        """The plan of the class that the schema is of."""
        traits = schema_traits(self._whole, {})
        if traits.needs_text or (traits.has_formats and traits.has_odd_keys):
            return OPAQUE_TEXT
        schema = self._unwrap(self.schema)
        is_own = schema is not None and schema.get("cls") is cls and not (traits.has_formats or traits.has_missing)
        fields = self._unwrap(schema["schema"]) if schema is not None and is_own else None
        if schema is None or fields is None:
            return _opaque(cls)
        config: Mapping[str, Any] = schema.get("config", {})
        if schema["type"] == "model" and schema.get("root_model"):
            root = PlanField("root", "root", "root", self.rule(schema["schema"], config))
            return _opaque(cls)._replace(kind="root", fields=(root,))
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
        planned = [
            self._field(
                name,
                field.get("serialization_alias", name),
                field["schema"],
                config,
                bool(field.get("serialization_exclude")),
            )
            for name, field in fields.items()
        ]
        behind = [
            self._field(one["property_name"], one.get("alias", one["property_name"]), one["return_schema"], config)
            for one in computed
        ]
        known = [one for one in planned if one is not None]
        known_behind = [one for one in behind if one is not None and one.convert is not None]
        if len(known) + len(known_behind) < len(planned) + len(behind):
            return _opaque(cls)
        by_alias = _KNOWS_CONFIGURED_ALIAS and bool(config.get("serialize_by_alias"))
        return _opaque(cls)._replace(kind=kind, fields=tuple(known), computed=tuple(known_behind), by_alias=by_alias)


def _are_json(rules: Sequence[Rule]) -> bool:
    return all(not rule.library and all(one.is_json for one in rule.alternatives) for rule in rules)


def _holds_any(rule: Rule | None) -> bool:
    """Whether a rule admits values of no declared type, in containers too."""
    if rule is None or rule.library:
        return True
    return any(_holds_any(one) for alternative in rule.alternatives for one in alternative.rules)


def _names_method(schema: Any) -> bool:
    """Whether a serializer in a schema is a method of the model that has the field."""
    return any(part.get("is_field_serializer") for part in _parts(schema, enters_models=False))


def _find_in_class(cls: type, name: str) -> Any:
    """What a class or a base of it defines, as it stands there; None where none does."""
    return next((vars(base)[name] for base in cls.__mro__ if name in vars(base)), None)


def _has_own_attributes(cls: type, names: Iterable[str]) -> bool:
    """Whether code of a class, not `__dict__`, says what is in an object, or in attributes of these names."""
    if _find_in_class(cls, "__getattribute__") is not object.__getattribute__:
        return True
    if not isinstance(_find_in_class(cls, "__dict__"), (types.GetSetDescriptorType, type(None))):
        return True
    found = [type(_find_in_class(cls, name)) for name in names]
    return any(hasattr(one, "__get__") and (hasattr(one, "__set__") or hasattr(one, "__delete__")) for one in found)


MOST_PLANS = 4096
_plans: dict[type, tuple[Any, Plan]] = {}


def plan_of(cls: Any) -> Plan:
    """The plan of a pydantic model or dataclass: made once, and again after `model_rebuild`."""
    schema = vars(cls).get("__pydantic_core_schema__")
    if not isinstance(schema, dict) or "__pydantic_serializer__" not in vars(cls):
        return _opaque(cls)  # not defined in full yet, or a base's serializer is asked
    known = _plans.get(cls)
    if known is None or known[0] is not schema:
        if len(_plans) >= MOST_PLANS:
            _plans.clear()
        known = _plans[cls] = (schema, SchemaReader(schema).plan(cls))
    plan = known[1]
    if plan.kind == "opaque":
        return plan
    got = () if plan.kind == "dict" else [field.attribute for field in plan.fields]
    return _opaque(cls) if _has_own_attributes(cls, got) else plan


def dumped_plan_of(cls: type[BaseModel]) -> Plan:
    """The same for who calls `model_dump` of an object, but not of those within it."""
    plan = plan_of(cls)
    within = (part["cls"] for part in _parts(vars(cls)["__pydantic_core_schema__"]) if part.get("type") == "model")
    return plan if plan.kind == "opaque" or all(map(is_base_model, within)) else _opaque(cls)
