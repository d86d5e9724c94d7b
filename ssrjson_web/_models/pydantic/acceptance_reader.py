"""Acceptances read out of core schemas: which values pydantic's validator returns as they are.

Every kind of schema, key of a schema and config that is not known may change or refuse a value, so it is left to
pydantic.
"""

from __future__ import annotations

import datetime
import inspect
import types
import uuid
from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Any, ClassVar, NamedTuple

from pydantic import BaseModel

from ssrjson_web._core import _Acceptance
from ssrjson_web._models.language import MAX_DEPTH, Acceptance, Accepted, AcceptedField, AcceptedModel
from ssrjson_web._models.pydantic.accepted_scalars import SCALAR_KINDS, accepted_literals, accepted_scalars
from ssrjson_web._models.pydantic.attributes import AttributesWay, keys_of
from ssrjson_web._models.pydantic.features import KEEPS_NUMBERS
from ssrjson_web._models.pydantic.formats import USUAL, Formats
from ssrjson_web._models.pydantic.known_keys import EVERYWHERE, has_only, unknown_config, unknown_keys
from ssrjson_web._models.pydantic.obstacle_names import OWN_WAYS, validator_in, validator_of
from ssrjson_web._models.pydantic.parts import SchemaPart, is_plain, of_scalars
from ssrjson_web._models.pydantic.private_attributes import has_plain_private_attributes
from ssrjson_web._models.pydantic.rules import RuleReader, Schema
from ssrjson_web._models.pydantic.selection import Selection
from ssrjson_web._models.pydantic.sequences import list_of_sequence
from ssrjson_web._models.pydantic.shared_readings import SharedReading, readings
from ssrjson_web._models.pydantic.sqlmodel_classes import is_validated_as_a_model
from ssrjson_web._models.pydantic.traits import schema_parts

__all__ = ["NO_MODEL", "AcceptanceReader", "Output", "is_iterable", "schema_of_values"]

_CONVERTING = ("real", "call", "date", "datetime", "uuid", "bare")
_CONTAINERS = frozenset(("list", "tuple", "dict", "model", "tagged-union"))
"""Schemas whose values other values are within."""
_MADE_OF_TEXT = frozenset(("date", "datetime", "time", "timedelta", "uuid"))
"""Schemas of scalars that JSON has as text. `validate_json` prefers what they make of it to a str."""
_CHOICES = frozenset(("none", "bool", "int", "float", "str")) | _CONTAINERS | _MADE_OF_TEXT
"""Schemas that accept values of one type as they are, and refuse or convert all others."""

_SETS = ("set", "frozenset", "deque")
_OF_PARTS = ("list", "tuple", "dict", "typed-dict", *_SETS)
"""Schemas whose values hold others, so that no scalar is one."""
_NO_SCALARS = (list, tuple, dict, object)
_NO_ITEMS: Schema = {"type": "any"}

_NOT_OF_DEFAULTS = ("model", "tagged", "date", "datetime", "uuid")

_TYPES = {"generator": "Iterable"}
"""What an application writes for a schema, where the schema has another name."""


def _extra_behavior(schema: Schema, config: Mapping[str, Any]) -> str | None:
    fields = schema["schema"]
    return fields.get("extra_behavior") or schema.get("extra_behavior") or config.get("extra_fields_behavior")


def _kind_of_field(name: str, field: Schema, config: Mapping[str, Any]) -> str:
    """What a field's values go through."""
    kinds = [part["type"] for part in schema_parts(field, enters_models=False) if isinstance(part.get("type"), str)]
    if "serialization" in field["schema"]:
        return "a serializer"
    if any(kind.startswith("function-") for kind in kinds):
        return validator_of(field)
    shown = [kind for kind in kinds if kind not in ("model-field", "default", "nullable")]
    return f"the type {_TYPES.get(shown[0], shown[0])}" if shown else "its type"


class Output(NamedTuple):
    """What becomes of a field in the text."""

    key: str | None
    """None: it is left out."""
    is_by_type: bool = True
    """Each value of the declared type is written by its own type."""
    left_out: tuple[()] | tuple[Any] = ()
    """The value that is not written, in a tuple."""


def _name_of(schema: Schema) -> str:
    """`Item` of a model's schema, otherwise `the type str`."""
    return str(schema["cls"].__name__) if schema["type"] == "model" else f"the type {schema['type']}"


_MAX_SHARED_DEPTH = MAX_DEPTH // 2
"""Levels of models that are read once for several: so few that no limit is reached, of functions neither."""
NO_MODEL: Schema = {"cls": None, "schema": None}
"""Stands for a model that no other can be."""


class AcceptanceReader(RuleReader):
    """Reads the acceptance of an adapter's schema."""

    is_for_json: ClassVar[bool] = False
    """Whether the values are decoded JSON, which holds no models."""
    is_like_validate_json: bool = False
    """Whether values are made as `validate_json` makes them, otherwise as `validate_python` does."""
    makes_models: ClassVar[bool] = False
    """Whether the validated values are made, otherwise only what has their text."""
    keeps_instances: bool = True
    """Whether validation returns models, that are somewhere in a value, as they are."""

    def __init__(self, schema: Schema, root: Formats = USUAL) -> None:
        super().__init__(schema, root)
        self._open: list[Schema] = []  # schemas of models that are being read
        self._outermost = 0  # the place among them of the outermost that was referred to
        self._deepest = 0  # the greatest depth that was reached
        self._selection: Selection | None = None  # until the outermost model is read
        self._place = ""  # of the field that is being read, for obstacles
        self.obstacle = ""
        """The first model or field whose dicts are left to pydantic, and why."""
        self.takes_instances = False
        """Whether instances of a model are accepted as they are."""

    def read(self, config: Mapping[str, Any]) -> _Acceptance | None:
        """The compiled acceptance; None where no value would be accepted, or any."""
        unknown = unknown_config(config)
        if unknown:
            self._note(f"the config {unknown[0]}")
        acceptance = () if unknown else self._acceptance(self.schema, config, 0)
        if acceptance == ():
            self._note(self._obstacle_in_type())
        return _Acceptance(acceptance) if acceptance else None

    def _note(self, obstacle: str) -> None:
        self.obstacle = self.obstacle or obstacle

    def _obstacle_in_type(self) -> str:
        return validator_in(self.schema, self._definitions) or "its type"

    def _any(self) -> Acceptance:
        raise NotImplementedError

    def _is_serialized_otherwise(self, schema: Schema) -> bool:
        """Whether the text of a value is not what its type says, where that matters."""
        raise NotImplementedError

    def _outputs(self, cls: Any, fields: Schema, config: Mapping[str, Any]) -> Mapping[str, Output] | None:
        """What becomes of each field; None where other code decides."""
        raise NotImplementedError

    def _options(self) -> Mapping[str, bool]:
        return {}

    def _way_of(self, schema: Schema, fields: Sequence[AcceptedField]) -> AttributesWay | None:
        """How attributes of objects are read, of which a model is made; None where it is made of none."""
        return None

    def _made_by(self, part: SchemaPart) -> tuple[Sequence[type], Callable[[Any], Any] | None]:
        """What makes the accepted values of a part that pydantic validates by itself, and of values of which types."""
        raise NotImplementedError

    def _acceptance(self, schema: Schema, config: Mapping[str, Any], depth: int) -> Acceptance:
        if schema["type"] not in ("union", "tagged-union"):
            return self._with_part(schema, config, depth)
        took_instances = self.takes_instances
        acceptance = self._with_part(schema, config, depth)
        if acceptance and self._leaves_choices(schema, acceptance):
            self._note(f"{self._place}the type union")
        if not any(issubclass(one.exact_type, BaseModel) for one in acceptance or ()):
            self.takes_instances = took_instances
        return acceptance

    def _leaves_choices(self, schema: Schema, acceptance: Acceptance) -> bool:
        """Whether only scalars are accepted of a union that has other choices, too."""
        if schema["type"] != "union" or any(one.exact_type in _NO_SCALARS for one in acceptance or ()):
            return False
        kinds = {choice["type"] for one in schema["choices"] for choice in self._flat_choices(one)}
        return not kinds <= {"none", "literal", *SCALAR_KINDS}

    def _with_part(self, schema: Schema, config: Mapping[str, Any], depth: int) -> Acceptance:
        """What the core accepts, and what only pydantic does."""
        noted = self.obstacle
        acceptance = self._read_acceptance(schema, config, depth)
        is_partial = acceptance == () or (acceptance is not None and schema["type"] == "union")
        if not is_partial or depth == 0:  # validating the whole by itself would gain nothing
            return acceptance
        known = {one.exact_type for one in acceptance or ()}
        others = self._part_accepted(schema, config) or ()
        if any(one.exact_type is dict for one in others):
            self.obstacle = noted  # what is in the way of a dict of the core is none for pydantic's validator of it
        return (*(acceptance or ()), *(one for one in others if one.exact_type not in known))

    def _part_accepted(self, schema: Schema, config: Mapping[str, Any]) -> Acceptance:
        """Values that only pydantic knows to validate."""
        kind = schema["type"]
        classes, make = self._made_by(SchemaPart(schema, config, self._definitions))
        if make is None:
            return ()
        if not self.is_for_json and kind in _OF_PARTS:  # a scalar is none of these
            item = schema.get("items_schema", _NO_ITEMS)["type"] if kind in _SETS else "any"
            holds_scalars = item in SCALAR_KINDS and item != "float"  # only the text of a float shows a NaN
            classes, make = (list, tuple, set, frozenset) if holds_scalars else (), of_scalars(make)
        return tuple(Accepted(cls, "call", validator=make) for cls in classes)

    def _none_accepted(self, schema: Schema) -> Acceptance:
        """None, where a schema is optional."""
        is_optional = schema["type"] == "nullable" and has_only(schema, "nullable")
        return (Accepted(type(None)),) if is_optional and not self._is_serialized_otherwise(schema) else ()

    def _read_acceptance(self, schema: Schema, config: Mapping[str, Any], depth: int) -> Acceptance:
        kind: str = schema["type"]
        self._deepest = max(self._deepest, depth)
        if kind == "definition-ref":
            target = self._target(schema)
            return () if target is None else self._acceptance(target, config, depth)
        if depth > MAX_DEPTH:
            if kind in _CONTAINERS:  # pydantic's validator of anything else suffices
                self._note(f"{_name_of(schema)}: it is within more than {MAX_DEPTH} models and containers")
            return ()
        if kind == "json-or-python":
            return self._sequence_accepted(schema, config, depth + 1)
        if self._is_serialized_otherwise(schema):
            return ()
        if kind in SCALAR_KINDS:
            return self._scalar(kind, schema, config)
        if kind == "model":
            return self._shared_model(schema, depth + 1)
        if kind == "typed-dict":
            return self._typed_dict_accepted(schema, config, depth + 1)
        if not has_only(schema, kind):
            return ()
        if kind == "default":  # of what is absent, which no value is
            return self._acceptance(schema["schema"], config, depth)
        if kind == "none":
            return (Accepted(type(None)),)
        if kind == "any":
            return self._any()
        if kind == "literal":
            return accepted_literals(schema["expected"])
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
        if kind == "tuple":
            return self._tuple_accepted(schema, config, depth + 1)
        return self._iterable_accepted(schema, config, depth) if kind == "generator" else ()

    def _typed_dict_accepted(self, schema: Schema, config: Mapping[str, Any], depth: int) -> Acceptance:
        """Dicts of a TypedDict."""
        return ()

    def _iterable_accepted(self, schema: Schema, config: Mapping[str, Any], depth: int) -> Acceptance:
        """Lists of what is pulled by an iterator that pydantic makes, where only its items matter."""
        return ()

    def _target(self, schema: Schema) -> Schema | None:
        """The schema that a reference leads to; None: nowhere, or it is no reference."""
        return self._definitions.get(schema["schema_ref"]) if schema["type"] == "definition-ref" else None

    def _scalar(self, kind: str, schema: Schema, config: Mapping[str, Any]) -> Acceptance:
        return accepted_scalars(kind, schema, config)

    def _union(self, schema: Schema, config: Mapping[str, Any], depth: int) -> Acceptance:
        """Choices that are told apart by the type alone, with at most one container among them.

        Of each choice everything that it accepts as it is must be known, because it may come before the others.
        """
        choices = [one for choice in schema["choices"] for one in self._flat_choices(choice)]
        kinds = [choice["type"] for choice in choices]
        if not _CHOICES.issuperset(kinds) or sum(kind in _CONTAINERS for kind in kinds) > 1:
            return ()
        if self.is_like_validate_json and "str" in kinds and not _MADE_OF_TEXT.isdisjoint(kinds):
            return ()
        accepted = [
            # what one choice converts another may take as it is
            tuple(one for one in self._acceptance(choice, config, depth) or () if one.op not in _CONVERTING)
            for choice in choices
        ]
        flat = [one for alternatives in accepted for one in alternatives]
        is_clear = len({one.exact_type for one in flat}) == len(flat)
        if not (KEEPS_NUMBERS or self.makes_models):  # an int would be written as a float
            is_clear = is_clear and sum(issubclass(one.exact_type, (int, float)) for one in flat) < 2
        return tuple(flat) if all(accepted) and is_clear else ()

    def _flat_choices(self, choice: Any, n_refs: int = 0) -> list[Schema]:
        """A choice of a union, or those within it where it is a reference or a nullable schema."""
        if isinstance(choice, tuple):
            return [{"type": "labelled"}]
        target = self._target(choice)
        if target is not None and n_refs <= len(self._definitions):
            return self._flat_choices(target, n_refs + 1)
        is_nullable = choice["type"] == "nullable" and has_only(choice, "nullable")
        if is_nullable and not self._is_serialized_otherwise(choice):
            return [*self._flat_choices(choice["schema"], n_refs), {"type": "none"}]
        return [choice]

    def _tagged(self, schema: Schema, config: Mapping[str, Any], depth: int) -> Acceptance:
        """Dicts whose tags say which choice they are for. Objects are left to pydantic, which reads their tags."""
        key, choices = schema["discriminator"], schema["choices"]
        if type(key) is not str or not all(type(tag) is str for tag in choices):
            return ()
        accepted: dict[str, Acceptance] = {
            tag: tuple(one for one in self._acceptance(choice, config, depth) or () if one.exact_type in (dict, object))
            for tag, choice in choices.items()
            if isinstance(choice, Mapping)
        }
        if len(accepted) < len(choices) or not all(accepted.values()):
            return ()
        return (Accepted(dict, "tagged", tags=accepted, tag_key=key),)

    def _container_accepted(self, schema: Schema, config: Mapping[str, Any], depth: int) -> Acceptance:
        least, greatest = schema.get("min_length"), schema.get("max_length")
        if schema["type"] == "list":
            inner = self._acceptance(schema.get("items_schema") or {"type": "any"}, config, depth)
            return () if inner == () else (Accepted(list, "items", least, greatest, inner=inner),)
        keys = schema.get("keys_schema") or {"type": "any"}
        if keys["type"] == "str" and accepted_scalars("str", keys, config) != (Accepted(str),):
            return ()
        if keys["type"] not in ("str", "any") or any(value for key, value in keys.items() if key not in EVERYWHERE):
            return ()
        inner = self._acceptance(schema.get("values_schema") or {"type": "any"}, config, depth)
        return () if inner == () else (Accepted(dict, "values", least, greatest, inner=inner),)

    def _tuple_accepted(self, schema: Schema, config: Mapping[str, Any], depth: int) -> Acceptance:
        """Tuples, and lists in their place: their text is the same, and models get tuples."""
        classes: list[type] = [] if self.is_for_json else [tuple]
        if not schema.get("strict"):
            classes.append(list)
        items = [self._acceptance(item, config, depth) for item in schema["items_schema"]]
        if any(item == () for item in items):
            return ()
        if schema.get("variadic_item_index") is None:
            accepted = tuple(Accepted(cls, "places", places=tuple(items)) for cls in classes)
        elif len(items) == 1:
            least, greatest = schema.get("min_length"), schema.get("max_length")
            accepted = tuple(Accepted(cls, "items", least, greatest, inner=items[0]) for cls in classes)
        else:
            return ()
        if not self.makes_models:
            return accepted
        return tuple(map(_as_tuple, accepted))

    def _sequence_accepted(self, schema: Schema, config: Mapping[str, Any], depth: int) -> Acceptance:
        """Lists and tuples, which stay what they are."""
        of_list = list_of_sequence(schema)
        if of_list is None or not has_only(of_list, "list") or of_list.get("strict"):
            return ()
        accepted = self._container_accepted(of_list, config, depth) or ()
        if self.is_for_json:
            return accepted
        tuples = tuple(one._replace(exact_type=tuple) for one in accepted)
        return (*accepted, *map(_as_tuple, tuples)) if self.makes_models else (*accepted, *tuples)

    def _options_of_readings(self) -> Hashable:
        """What tells readers from each other that read models otherwise; None: nothing is known of them."""
        return None

    def _shared_model(self, schema: Schema, depth: int) -> Acceptance:
        """A model, which is read once for several within which it is, where readings are shared."""
        known, options = readings.get(), self._options_of_readings()
        if known is None or options is None or not self._open:
            return self._model(schema, depth)
        reading = known.find(options, schema)
        if reading is None or depth + reading.n_levels > _MAX_SHARED_DEPTH:
            reading, is_closed = self._reading_of(schema, depth)
            if is_closed:
                known.add(options, reading)
        self.takes_instances = self.takes_instances or reading.takes_instances
        self._note(reading.obstacle)
        self._deepest = max(self._deepest, depth + reading.n_levels)
        return reading.acceptance

    def _reading_of(self, schema: Schema, depth: int) -> tuple[SharedReading, bool]:
        """What is read of a model, and whether it refers to no model around it and is of no great depth."""
        around = self.obstacle, self.takes_instances, self._deepest, self._outermost
        self.obstacle, self.takes_instances, self._deepest, self._outermost = "", False, depth, len(self._open)
        acceptance = self._model(schema, depth)
        reading = SharedReading(schema, acceptance, self._deepest - depth, self.obstacle, self.takes_instances)
        is_closed = self._outermost >= len(self._open) and self._deepest <= _MAX_SHARED_DEPTH
        outermost = self._outermost
        self.obstacle, self.takes_instances, self._deepest, self._outermost = around
        self._outermost = min(self._outermost, outermost)
        return reading, is_closed

    def _model(self, schema: Schema, depth: int) -> Acceptance:
        cls = schema["cls"]
        config: Mapping[str, Any] = schema.get("config") or {}
        revalidates = schema.get("revalidate_instances") or config.get("revalidate_instances") or "never"
        selection, self._selection = self._selection, None
        is_kept = revalidates == "never" and selection is None and self.keeps_instances
        instances = (Accepted(cls),) if is_kept else ()
        self.takes_instances = self.takes_instances or is_kept
        model: AcceptedModel | None = None
        enclosing = 0
        own = self._own_way(schema, config)
        opened = [one["schema"] is schema["schema"] and one["cls"] is cls for one in reversed(self._open)]
        if own:
            self._note(f"{cls.__name__}: {own}")
        elif any(opened):
            enclosing = opened.index(True) + 1
            self._outermost = min(self._outermost, len(self._open) - enclosing)
        else:
            # within itself a model is written with all fields
            self._open.append(schema if selection is None else NO_MODEL)
            try:
                model = self._model_of_dict(schema, config, depth, selection)
            finally:
                self._open.pop()
        if model is None and not enclosing:
            return () if self.is_for_json else instances
        return (*instances, Accepted(dict, "model", model=model, enclosing=enclosing))

    def _own_way(self, schema: Schema, config: Mapping[str, Any]) -> str:
        """What of a model, beside its fields, may change or refuse a dict; empty where nothing does."""
        cls, fields = schema["cls"], schema["schema"]
        is_sqlmodel = not self.makes_models and is_validated_as_a_model(schema)
        is_ignored = {
            "custom_init": is_sqlmodel,
            "post_init": not self.makes_models and has_plain_private_attributes(cls),
        }
        unknown = [key for key in unknown_keys(schema, "model") if not is_ignored.get(key)]
        if unknown:
            return OWN_WAYS.get(unknown[0], unknown[0])
        unknown = unknown_config(config)
        if unknown:
            return f"the config {unknown[0]}"
        if fields["type"] != "model-fields":
            return validator_of(fields)
        if not has_only(fields, "model-fields") or schema.get("strict") or fields.get("strict"):
            return "strict"
        extra = _extra_behavior(schema, config)
        if extra not in (None, "ignore", "forbid"):
            return f"extra={extra!r}"
        if inspect.isabstract(cls):
            return "abstract methods"  # so that it has no objects
        return "" if is_sqlmodel or cls.__new__ is object.__new__ else "a __new__ of its own"

    def _model_of_dict(
        self, schema: Schema, config: Mapping[str, Any], depth: int, selection: Selection | None
    ) -> AcceptedModel | None:
        cls, fields = schema["cls"], schema["schema"]
        outputs = self._outputs(cls, fields, config)
        if outputs is None:
            self._note(f"{cls.__name__}: a serializer or a computed field")
            return None
        accepted: list[AcceptedField] = []
        for name, output in outputs.items():
            shown = output if selection is None or selection.has(name) else output._replace(key=None)
            around, self._place = self._place, f"{cls.__name__}.{name}: "
            field = self._field(name, shown, fields["fields"][name], config, depth)
            self._place = around
            if field is None or self._leaves_values(field.acceptance, fields["fields"][name]["schema"]):
                self._note(f"{cls.__name__}.{name}: {_kind_of_field(name, fields['fields'][name], config)}")
            if field is None or (field.acceptance == () and not field.default and field.factory is None):
                return None
            accepted.append(field)
        forbids_extra = _extra_behavior(schema, config) == "forbid"
        keys = [key for field in accepted for key in keys_of(field)]
        if forbids_extra and len(set(keys)) < len(keys):  # the core counts the keys of fields
            self._note(f"{cls.__name__}: two fields of one key, and extra='forbid'")
            return None
        options = self._options()
        return AcceptedModel(
            cls,
            tuple(accepted),
            forbids_extra=forbids_extra,
            exclude_unset=options.get("exclude_unset", False),
            exclude_none=options.get("exclude_none", False),
            way_of=self._way_of(schema, accepted),
            step_way_of=AttributesWay.of_steps(accepted),
        )

    def _leaves_values(self, acceptance: Acceptance, schema: Schema) -> bool:
        """Whether values of a field, which may be absent or None, are left to pydantic."""
        schema = schema_of_values(schema)
        if acceptance is None or schema["type"] in ("none", "literal"):
            return False
        is_none = all(one.exact_type is type(None) for one in acceptance)
        return is_none or self._leaves_choices(schema, acceptance)

    def _field(
        self, name: str, output: Output, field: Schema, config: Mapping[str, Any], depth: int
    ) -> AcceptedField | None:
        places = _places(name, field, config)
        if not has_only(field, "model-field"):
            return None
        schema = field["schema"]
        default: tuple[()] | tuple[Any] = ()
        factory = None
        if schema["type"] == "default":
            if not has_only(schema, "default") or self._is_serialized_otherwise(schema):
                return None
            if not schema.get("validate_default"):
                default, factory = _default(schema), _factory(schema)
            schema = schema["schema"]
        if output.is_by_type:
            acceptance = self._acceptance(schema, config, depth)
        else:
            acceptance = self._part_accepted(schema, config) or self._none_accepted(schema)
        sample = default or (() if factory is None else (factory(),))
        if sample and acceptance is not None and not self.makes_models and not _is_kept(acceptance, sample[0]):
            default, factory = (), None  # pydantic does not validate a default, and warns when it is written
        if is_iterable(schema) and output.key is not None:  # pydantic compares an iterator, and warns of a default
            default, factory = _if_none(default), None
            output = output._replace(left_out=_if_none(output.left_out))
        if output.left_out and acceptance is not None:
            acceptance = tuple(filter(_is_compared_as_it_is, acceptance))
        key, other_key = str(places[0][0]), str(places[1][0]) if len(places) > 1 else None
        paths = () if len(places) <= 2 and all(len(place) == 1 for place in places) else places
        written = None if output.key is None else str.__str__(output.key)
        return AcceptedField(name, key, other_key, written, acceptance, default, factory, output.left_out, paths)


def _as_tuple(accepted: Accepted) -> Accepted:
    """What makes a tuple of the list that is made of a value."""
    return Accepted(accepted.exact_type, "tuple", inner=(accepted,))


def is_iterable(schema: Schema) -> bool:
    """Whether values of a schema become iterators, or may be None, too."""
    return bool(schema_of_values(schema, are_written=True)["type"] == "generator")


def schema_of_values(schema: Schema, *, are_written: bool = False) -> Schema:
    """The schema of values that may be absent or None; where they are written, up to one that has a serializer."""
    while schema["type"] in ("default", "nullable") and not (are_written and "serialization" in schema):
        schema = schema["schema"]
    return schema


def _if_none(default: tuple[()] | tuple[Any]) -> tuple[()] | tuple[Any]:
    """A default, in a tuple, that is None."""
    return default if default and default[0] is None else ()


def _places(name: str, field: Schema, config: Mapping[str, Any]) -> tuple[tuple[str | int, ...], ...]:
    """Where pydantic looks for a field, in its order: keys, or paths that begin with a key."""
    alias = field.get("validation_alias")
    if alias is None or config.get("validate_by_alias") is False:
        return ((name,),)
    choices = alias if isinstance(alias, list) and isinstance(alias[0], list) else [alias]
    places = [tuple(map(_exact_step, one)) if isinstance(one, list) else (_exact_step(one),) for one in choices]
    if (config.get("validate_by_name") or config.get("populate_by_name")) and (name,) not in places:
        places.append((name,))
    return tuple(places)


def _exact_step(step: str | int) -> str | int:
    """A key or a place as pydantic takes it, of no subclass: aliases are often members of enums."""
    return str.__str__(step) if isinstance(step, str) else int.__int__(step)


_FACTORIES = (uuid.uuid4, uuid.uuid1, datetime.datetime.now, datetime.datetime.utcnow, datetime.date.today, set)


def _factory(schema: Schema) -> Callable[[], Any] | None:
    """What makes a default of its own for each object, where that has no effect beside."""
    factory = schema.get("default_factory")
    # an object of users' may equal any
    is_pythons = type(factory) in (type, types.FunctionType, types.BuiltinFunctionType)
    return factory if is_pythons and factory in _FACTORIES else None


def _default(schema: Schema) -> tuple[()] | tuple[Any]:
    """The default that every object gets, in a tuple: a scalar, or an empty list or dict."""
    if "default" in schema:
        value = schema["default"]
        return (value,) if is_plain(value) else ()
    factory = schema.get("default_factory")
    return (factory(),) if factory is list or factory is dict else ()


def _is_compared_as_it_is(accepted: Accepted) -> bool:
    """Whether an accepted value equals a default where the validated one does."""
    if accepted.model is not None:
        cls: Any = accepted.model.cls
        return cls.__eq__ is BaseModel.__eq__  # so that it equals no dict and no scalar
    return accepted.op not in (*_CONVERTING, "model", "tagged")


def _is_kept(acceptance: tuple[Accepted, ...], default: Any) -> bool:
    """Whether a scalar, or an empty list or dict, is of the declared type."""
    # without what is within, which may refer to models around it, and without what has only the same text
    has_tuples = any(one.exact_type is tuple for one in acceptance)
    shallow = tuple(
        one._replace(inner=None)
        for one in acceptance
        if one.op not in _NOT_OF_DEFAULTS and not (has_tuples and one.exact_type is list)
    )
    kept = _Acceptance(shallow).for_text(default)
    return kept is default or (type(default) in (list, dict) and kept == default)  # without the GIL it is a snapshot
