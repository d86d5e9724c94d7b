"""Rules read out of core schemas: what a value must be to be written by its own type."""

from __future__ import annotations

import enum
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TypeAlias

from ssrjson_web._models.language import MAX_DEPTH, Accepted, Rule
from ssrjson_web._models.pydantic.facts import has_untyped
from ssrjson_web._models.pydantic.features import IS_ANY_KNOWN, KEEPS_NUMBERS, KNOWN, SCALARS
from ssrjson_web._models.pydantic.formats import (
    HAVE_TYPED_DICTS_FORMATS,
    USUAL,
    Formats,
    format_of,
    formats_of,
    has_own_nan,
)

__all__ = ["UNCOVERED", "RuleReader", "Schema", "holds_any", "is_covered"]

Schema: TypeAlias = Mapping[str, Any]

ANY: Rule = (Accepted(object, "as_pydantic"),)
ANY_JSON: Rule = (Accepted(object, "as_json"),)
UNCOVERED: Rule = ()
NONE = Accepted(type(None))
_UNWRAPPED = {
    "function-after": "schema",
    "function-before": "schema",
    "function-wrap": "schema",
    "default": "schema",
    "custom-error": "schema",
    "lax-or-strict": "strict_schema",
    "json-or-python": "json_schema",
}
"""Schemas that are serialized as the schema inside them, unless they name a serializer."""


_MAKES_NONE = enum.Enum._missing_.__func__  # type: ignore[attr-defined]
_CONVERTED: Mapping[Any, type] = {"int": bool, "float": int}
"""By the type that all members of an Enum are of: a type whose values pydantic writes as if they were of the former."""


def _converts_members(schema: Schema) -> bool:
    """Whether the text of a member of an Enum may be another than that of its value."""
    cls, converted = schema["cls"], _CONVERTED.get(schema.get("sub_type"))
    if converted is None:
        return False
    # what makes further members gives them the values that it likes: Flag(False) has False
    is_closed = getattr(cls._missing_, "__func__", None) is _MAKES_NONE
    return not is_closed or any(isinstance(one.value, converted) for one in cls)


class _MadeEachTime:
    """Stands for the default that a factory makes when it is asked for: only pydantic knows what is equal to it."""

    def __eq__(self, other: object) -> bool:
        return NotImplemented

    __hash__ = None  # type: ignore[assignment]


_MADE_EACH_TIME = _MadeEachTime()


def _with_types(alternatives: Iterator[Accepted]) -> Rule:
    """One rule for all alternatives, with each type once. It covers nothing where two look into the same container."""
    by_type: dict[type, Accepted] = {}
    for new in alternatives:
        old = by_type.setdefault(new.exact_type, new)
        if new == old or old.op == "type":
            continue
        if new.op == "type":
            by_type[new.exact_type] = new
        elif new.op == old.op == "among":
            by_type[new.exact_type] = old._replace(among=frozenset(old.among or ()) | frozenset(new.among or ()))
        else:
            return UNCOVERED
    return tuple(by_type.values())


class RuleReader:
    """Reads rules out of a core schema. `root` are the formats of the outermost serializer."""

    def __init__(self, schema: Schema, root: Formats = USUAL) -> None:
        self._root = root
        self._definitions: dict[str, Schema] = {}
        self._under_way: list[str] = []
        self._n_unions = 0
        self._whole = schema
        self._n_gaps = 0  # the number of schemas without a rule up to now
        self.schema = self._without_definitions(schema)

    def _without_definitions(self, schema: Schema) -> Schema:
        while schema["type"] == "definitions":
            self._definitions.update({one["ref"]: one for one in schema["definitions"]})
            schema = schema["schema"]
        return schema

    def _layers(self, schema: Schema) -> Iterator[Schema]:
        """A schema, the schema within it that it is serialized as, and so on.

        The last one names a serializer, wraps no other, or is a reference that leads nowhere.
        """
        n_refs = 0
        while True:
            yield schema
            kind = schema["type"]
            if "serialization" in schema:
                return
            if kind in _UNWRAPPED:
                schema = schema[_UNWRAPPED[kind]]
            elif kind == "chain":
                schema = schema["steps"][-1]
            elif kind == "definitions":
                schema = self._without_definitions(schema)
            elif kind == "definition-ref":
                target = self._definitions.get(schema["schema_ref"])
                n_refs += 1
                if target is None or n_refs > len(self._definitions):
                    return
                schema = target
            else:
                return

    def _unwrap(self, schema: Schema) -> Schema | None:
        """The schema that a value is serialized by; None where it names a serializer of its own or leads nowhere."""
        *_, last = self._layers(schema)
        if "serialization" in last:
            return {"type": "any"} if last["serialization"] == {"type": "any"} else None
        return None if last["type"] == "definition-ref" else last

    def _default(self, schema: Schema) -> tuple[()] | tuple[Any]:
        """The default of a field with that schema, in a tuple; an empty tuple where it has none."""
        for layer in self._layers(schema):
            if layer["type"] not in _UNWRAPPED or "serialization" in layer:
                break
            if "default" in layer:
                return (layer["default"],)
            if "default_factory" in layer:
                factory = layer["default_factory"]
                return (factory() if factory is list or factory is dict else _MADE_EACH_TIME,)
        return ()

    def rule(self, schema: Schema, config: Mapping[str, Any], depth: int = 0) -> Rule:
        """The rule for values of a schema."""
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
            return UNCOVERED  # a container that may contain itself has no bound
        self._under_way.append(ref)
        try:
            return self._rule(inner, config, depth)
        finally:
            self._under_way.pop()

    def _rule(self, schema: Schema, config: Mapping[str, Any], depth: int) -> Rule:
        kind: str = schema["type"]
        if kind in KNOWN:
            return self._scalar_rule(kind, formats_of(config))
        if kind == "float":
            return (Accepted(float, "float" if has_own_nan(formats_of(config)) else "finite"),)
        if kind == "none":
            return (NONE,)
        if kind in ("any", "is-instance", "is-subclass", "callable", "function-plain"):
            return ANY_JSON if self._root else ANY if IS_ANY_KNOWN else UNCOVERED
        if kind == "model":
            if not self._is_written_by_its_plan(schema):
                return UNCOVERED
            # for an object of a derived class a union may prefer another choice
            return (Accepted(schema["cls"], "type" if self._n_unions else "derived"),)
        if kind == "dataclass" and "__pydantic_serializer__" in schema["cls"].__dict__:
            if self._root or formats_of(config) or formats_of(schema.get("config")):
                return UNCOVERED
            # with models="pydantic" only BaseModel is written by pydantic's plan
            return (Accepted(schema["cls"], is_json=False),)
        if kind == "enum":
            if (self._root and has_untyped(schema)) or _converts_members(schema):
                return UNCOVERED
            return (Accepted(schema["cls"], is_json=False),)
        if kind == "literal":
            return _with_types(self._literals(schema["expected"]))
        if kind == "nullable":
            return self._any_of([schema["schema"]], config, depth, NONE)  # pydantic tests for None first
        if kind == "union":
            choices = [choice[0] if isinstance(choice, tuple) else choice for choice in schema["choices"]]
            return self._one_of(choices, config, depth)
        if kind == "tagged-union":
            choices = [choice for choice in schema["choices"].values() if isinstance(choice, Mapping)]
            return self._one_of(choices, config, depth) if len(choices) == len(schema["choices"]) else UNCOVERED
        return self._container(schema, config, depth + 1) if depth < MAX_DEPTH else UNCOVERED

    def _scalar_rule(self, kind: str, formats: Formats) -> Rule:
        cls, form = SCALARS[kind][0], format_of(kind, formats)
        if form == "usual":
            return (Accepted(cls, is_json=kind in ("bool", "int", "str")),)
        return (Accepted(cls, "seconds"),) if form == "seconds" else UNCOVERED

    def _is_written_by_its_plan(self, schema: Schema) -> bool:
        """Whether the plan of a model's class writes untyped values in the formats of the root, or refuses them.

        The plan of a class with formats of its own is for that class as the root. It writes untyped values of JSON's
        own types only, and its conversions are `is_of_root`.
        """
        formats = formats_of(schema.get("config"))
        return formats == self._root or bool(formats) or not self._has_untyped(schema)

    def _has_untyped(self, schema: Schema) -> bool:
        return has_untyped([schema, *self._definitions.values()])

    @staticmethod
    def _literals(expected: Sequence[Any]) -> Iterator[Accepted]:
        for cls in (str, int, bool):
            known = frozenset(value for value in expected if type(value) is cls)
            if known:
                yield Accepted(cls, "among", among=known)
        if None in [value for value in expected if not isinstance(value, enum.Enum)]:
            yield NONE

    def _one_of(self, schemas: Sequence[Schema], config: Mapping[str, Any], depth: int) -> Rule:
        """The rule for a union. pydantic uses the first choice that does not refuse a value, whatever its type is."""
        gaps_before = self._n_gaps
        self._n_unions += 1
        rule = self._any_of(schemas, config, depth)
        self._n_unions -= 1
        if _is_any(rule) or self._n_gaps != gaps_before:
            return UNCOVERED  # a choice without a rule may accept any value
        classes = [one.exact_type for one in rule]
        # pydantic writes an object of a derived class as the base class that is one of the choices
        is_clear = not any(a is not b and issubclass(a, b) for a in classes for b in classes if a is not bool)
        if not KEEPS_NUMBERS:
            is_clear = is_clear and sum(issubclass(one, (int, float)) for one in classes) < 2
        # pydantic may use a choice with an untyped root for any value
        is_clear = is_clear and not any((self._unwrap(schema) or {}).get("root_model") for schema in schemas)
        return rule if is_clear else UNCOVERED

    def _any_of(self, schemas: Sequence[Schema], config: Mapping[str, Any], depth: int, *more: Accepted) -> Rule:
        rules = [self.rule(schema, config, depth) for schema in schemas]
        if ANY in rules or ANY_JSON in rules:
            return ANY if ANY in rules else ANY_JSON
        return _with_types(one for rule in (*rules, more) for one in rule)

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
            return (Accepted(tuple, "places", places=rules, is_json=_are_json(rules)),)
        if kind == "dict":
            keys = self._unwrap(schema.get("keys_schema", {"type": "any"}))
            if keys is None or keys["type"] not in ("str", "any"):
                return UNCOVERED
            rule = self.rule(schema.get("values_schema", {"type": "any"}), config, depth)
            return (Accepted(dict, "values", inner=rule, is_json=_are_json([rule])),)
        if kind == "typed-dict":
            return self._typed_dict(schema, config, depth)
        return UNCOVERED

    def _of_items(self, cls: type, items: Schema | None, config: Mapping[str, Any], depth: int) -> Rule:
        rule = self.rule(items or {"type": "any"}, config, depth)
        return (Accepted(cls, "items", inner=rule, is_json=_are_json([rule]) and cls in (list, tuple)),)

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
        if HAVE_TYPED_DICTS_FORMATS and formats_of(schema.get("config")) != formats_of(config):
            return UNCOVERED
        total = schema.get("total", True)
        required = [name for name, field in fields.items() if field.get("required", total)]
        names = required + [name for name in fields if name not in required]
        rules = tuple(self.rule(fields[name]["schema"], config, depth) for name in names)
        known = {name: place for place, name in enumerate(names)}
        is_json = _are_json(rules)
        return (Accepted(dict, "fields", len(required), mapping=known, places=rules, is_json=is_json),)


def _are_json(rules: Sequence[Rule]) -> bool:
    return all(not _is_any(rule) and all(one.is_json for one in rule) for rule in rules)


def _is_any(rule: Rule) -> bool:
    """Whether a rule admits values of no declared type."""
    return any(one.op.startswith("as_") for one in rule)


def _within(alternative: Accepted) -> tuple[Rule | None, ...]:
    """The rules for what values of an alternative hold."""
    if alternative.op in ("items", "values"):
        return (alternative.inner,)
    return alternative.places or ()


def is_covered(rule: Rule | None) -> bool:
    """Whether each value that has the declared type is written by its own type.

    The rule for None alone is that of an optional type without a rule.
    """
    if rule is None or _is_any(rule):
        return True
    if rule in (UNCOVERED, (NONE,)):
        return False
    return all(is_covered(one) for each in rule for one in _within(each))


def holds_any(rule: Rule | None) -> bool:
    """Whether a rule admits values of no declared type, in containers too."""
    if rule is None or _is_any(rule):
        return True
    return any(holds_any(one) for alternative in rule for one in _within(alternative))
