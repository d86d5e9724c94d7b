"""Bytes of a pydantic TypeAdapter, written by the core from validated values."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any, NamedTuple

from pydantic import BaseModel, TypeAdapter
from pydantic_core import PydanticSerializationError, SchemaError, SchemaSerializer

from ssrjson_web._core import Encoder, JSONEncodeError, _Acceptance
from ssrjson_web._models.plan import Plan, PlanField
from ssrjson_web._models.pydantic.convert import (
    AS_JSON,
    has_iterator_or_repeated_key,
    is_of_serializer_function,
    n_keys,
    strict_content,
)
from ssrjson_web._models.pydantic.facts import (
    SchemaTraits,
    has_dicts,
    holds_untyped,
    may_repeat_keys,
    schema_facts,
    schema_traits,
)
from ssrjson_web._models.pydantic.features import FLOATS, KNOWS_CONFIGURED_ALIAS
from ssrjson_web._models.pydantic.formats import Formats, formats_of
from ssrjson_web._models.pydantic.models_acceptance import ModelsAcceptanceReader, ValuesAcceptanceReader
from ssrjson_web._models.pydantic.models_maker import ModelsMaker
from ssrjson_web._models.pydantic.plans import plan_of
from ssrjson_web._models.pydantic.plugins import Method, listener_of
from ssrjson_web._models.pydantic.private_attributes import post_init_of
from ssrjson_web._models.pydantic.releases import obstacle_of_core
from ssrjson_web._models.pydantic.replay import Replay, can_replay_schema
from ssrjson_web._models.pydantic.rules import UNCOVERED, RuleReader, is_covered
from ssrjson_web._models.pydantic.seams import ADAPTERS
from ssrjson_web._models.pydantic.text_acceptance import TextAcceptanceReader

__all__ = ["AdapterEncoder", "bodies_maker", "models_acceptance", "models_obstacle"]

_UNKNOWN = "a method of TypeAdapter that is not as in a release that is known"
_ANYTHING = SchemaSerializer({"type": "any"})
_NO_POST_INIT = BaseModel.model_post_init
_HAS_NAN_AS_NULL = _ANYTHING.to_json(math.nan) == b"null"  # otherwise pydantic decides for each value


class _WholeError(Exception):
    """Only pydantic writes a value as it does: it can be iterated once, a key is written twice, or pydantic warns."""


_NOT_OF_USERS = (_WholeError, JSONEncodeError, PydanticSerializationError, RecursionError, SchemaError, UnicodeError)
"""What is raised where the core or pydantic does not write a value, and not by code of the value."""


def _is_of_users(error: Exception) -> bool:
    """Whether code of a value or of its class raised an error. It is not called again, because that would be seen."""
    return not isinstance(error, _NOT_OF_USERS) or is_of_serializer_function(error)


def _classes_of(schema: Any) -> list[tuple[type, Any]]:
    """The classes of a schema, each with its serializer, which a rebuild replaces."""
    return [(cls, _serializer_of(cls)) for cls in schema_facts(schema).classes.values()]


def _serializer_of(cls: type) -> Any:
    """The serializer of a class. Pydantic makes that of one with `defer_build` when anything of it is used."""
    serializer: Any = vars(cls).get("__pydantic_serializer__")
    if not isinstance(serializer, SchemaSerializer):
        with suppress(Exception):  # a name that is not defined yet
            _ = serializer.to_python
    return vars(cls).get("__pydantic_serializer__")


def _is_converted(plan: Plan) -> bool:
    """Whether pydantic converts values of each object of a class."""
    fields = (*plan.fields, *plan.computed)
    return plan.kind == "opaque" or not all(is_covered(field.rule) for field in fields if not field.is_excluded)


def _no_bytes(_: Any) -> bytes:
    return b""


def _raising(error: Exception) -> Iterator[Any]:
    raise error
    yield


def _config_of(adapter: TypeAdapter[Any]) -> dict[str, Any]:
    """The config that an adapter was made with. It is empty with pydantic before 2.2, which does not expose it."""
    config: Any = getattr(adapter, "_config", None)
    serializer: Any = adapter.serializer
    if not hasattr(adapter, "_config") and isinstance(serializer, SchemaSerializer):
        try:
            config = serializer.__reduce__()[1][1]
        except (TypeError, IndexError):
            config = None
    return {**(config or {})}


def _root_formats(adapter: TypeAdapter[Any]) -> Formats:
    """The formats of the adapter's serializer: that of a model may be the model's own."""
    serializer: Any = adapter.serializer
    config: Any = None
    if type(serializer) is SchemaSerializer:
        with suppress(TypeError, IndexError):
            config = serializer.__reduce__()[1][1]
    return formats_of(config if isinstance(config, dict) else _config_of(adapter))


def models_acceptance(adapter: TypeAdapter[Any], *, like_validate_json: bool = False) -> _Acceptance | None:
    """Makes the values that `adapter.validate_python` would, of those that need no validation; None: of no value.

    With `like_validate_json` they are those that `adapter.validate_json` would make of the decoded text.
    """
    method: Method = "validate_json" if like_validate_json else "validate_python"
    return _read(adapter, functools.partial(ModelsAcceptanceReader, like_validate_json=like_validate_json), method)[0]


def bodies_maker(adapter: TypeAdapter[Any]) -> ModelsMaker | None:
    """Makes the values that FastAPI's `adapter.validate_python` would of decoded JSON; None: of no value."""
    acceptance, *_ = _read(adapter, _body_reader)
    return None if acceptance is None else ModelsMaker(acceptance, adapter.validator)


def models_obstacle(adapter: TypeAdapter[Any]) -> str:
    """What is in the way of a `bodies_maker`, of dicts; empty where nothing is."""
    acceptance, obstacle, _ = _read(adapter, _body_reader)
    return obstacle or ("" if acceptance is not None else "its type")


def _body_reader(schema: Any) -> ModelsAcceptanceReader:
    return ModelsAcceptanceReader(schema, calls_functions=can_replay_schema(schema), from_attributes=True)


class _ValuesMaker(NamedTuple):
    maker: ModelsMaker | None
    """Makes the values that `adapter.validate_python` would; None: of no value."""
    obstacle: str
    """What is in the way of dicts and other objects."""
    takes_instances: bool


def _values_maker(adapter: TypeAdapter[Any], *, from_attributes: bool) -> _ValuesMaker:

    def values_reader(schema: Any) -> ModelsAcceptanceReader:
        calls_functions = can_replay_schema(schema)
        return ValuesAcceptanceReader(schema, from_attributes=from_attributes, calls_functions=calls_functions)

    acceptance, obstacle, takes_instances = _read(adapter, values_reader)
    maker = None if acceptance is None else ModelsMaker(acceptance, adapter.validator)
    return _ValuesMaker(maker, obstacle, takes_instances)


def _read(
    adapter: TypeAdapter[Any], make_reader: Callable[[Any], ModelsAcceptanceReader], method: Method = "validate_python"
) -> tuple[_Acceptance | None, str, bool]:
    """What stands for a method of the adapter's validator, where nobody listens to that; what is in the way; and
    whether it takes instances of models."""
    schema: Any = adapter.core_schema
    obstacle = listener_of(adapter.validator, method) or ("" if ADAPTERS.are_known() else _UNKNOWN)
    if obstacle or not isinstance(schema, dict):
        return None, obstacle, False
    reader = make_reader(schema)
    acceptance = reader.read(_config_of(adapter))
    return acceptance, reader.obstacle, acceptance is not None and reader.takes_instances


def _obstacle_in_traits(traits: SchemaTraits, *, like_dump_json: bool) -> str:
    """What somewhere within a schema keeps the core from writing it; empty where nothing does."""
    if traits.has_formats:
        return "a config that changes the text of what is within"
    if traits.has_missing:
        return "a value that means that a field is left out"
    if like_dump_json and traits.needs_text:
        return "a key that is written twice, NaN in a union, or a schema that is not known"
    return ""


def _configures_aliases(adapter: TypeAdapter[Any]) -> bool:
    """Whether a config somewhere says which keys are written where `by_alias` does not."""
    of_whole = bool(_config_of(adapter).get("serialize_by_alias"))
    return of_whole or "serialize_by_alias" in schema_facts(adapter.core_schema).names


class AdapterEncoder:
    """Encodes values that an adapter has validated, as the adapter would, and leaves no UTF-8 cache in their strings.

    With `like_dump_json` the bytes and errors are those of `adapter.dump_json`. Without it they are those of
    Starlette's JSONResponse for `adapter.dump_python(mode="json")`, where floats and NaN differ. `from_attributes` says
    whether `encode_unvalidated` takes objects that validation would make models of. Without `escape_surrogates` texts
    with lone surrogates are left to pydantic, which refuses them.
    """

    def __init__(
        self,
        adapter: TypeAdapter[Any],
        *,
        include: Any = None,
        exclude: Any = None,
        by_alias: bool | None = True,
        exclude_unset: bool = False,
        exclude_defaults: bool = False,
        exclude_none: bool = False,
        like_dump_json: bool,
        from_attributes: bool = True,
        escape_surrogates: bool = True,
    ) -> None:
        self._adapter = adapter
        if by_alias is None and not KNOWS_CONFIGURED_ALIAS:
            by_alias = False
        are_aliases = False if by_alias is None and not _configures_aliases(adapter) else by_alias
        self._like_dump_json = like_dump_json
        self._flags: dict[str, Any] = {
            "by_alias": by_alias,
            "exclude_unset": exclude_unset,
            "exclude_defaults": exclude_defaults,
            "exclude_none": exclude_none,
        }
        self._options: dict[str, Any] = {"include": include, "exclude": exclude, **self._flags}
        self._encoder = self._make_encoder(escape_surrogates)
        schema = adapter.core_schema
        self._classes = _classes_of(schema)  # first: plans are read of classes that are complete
        self._serializers = [(vars(cls), serializer) for cls, serializer in self._classes]
        found = [(cls, post_init_of(cls)) for cls, _ in self._classes]
        self._post_inits = [(cls, one) for cls, one in found if one not in (None, _NO_POST_INIT)]
        config = _config_of(adapter)
        traits = schema_traits(schema, config)
        self._has_non_str_keys = traits.has_non_str_keys  # two keys with the same text would be one key in a dict
        rule = UNCOVERED
        root = _root_formats(adapter)
        is_readable = isinstance(schema, dict) and not traits.has_formats and not traits.has_missing
        if is_readable and include is None and exclude is None:
            reader = RuleReader(schema, root)
            rule = reader.rule(reader.schema, config)
        has_untyped = not isinstance(schema, dict) or holds_untyped(schema)
        self._may_repeat_keys = has_untyped or may_repeat_keys(schema)
        # one call of pydantic for the whole is faster than one for each value, but leaves UTF-8 caches in keys of dicts
        is_converted = not (has_untyped or has_dicts(schema)) and any(
            _is_converted(plan_of(cls)) for cls, own in self._classes if own is not None
        )
        if is_converted:
            rule = UNCOVERED
        # not where each answer would be, for an iterator in a field of another type
        self._is_looked_into = self._may_repeat_keys or not is_converted
        # this leaves UTF-8 caches in strings
        self._is_pydantics = (
            traits.runs_once
            or (like_dump_json and traits.needs_text)
            or not ADAPTERS.are_known()
            or bool(obstacle_of_core())
        )
        self._has_own_nan = traits.has_own_nan
        plan = Plan("root", (PlanField("root", "root", "root", rule),), convert=self._convert)
        self._root = type("Root", (), {"__ssrjson_plan__": plan})
        self.obstacle = (
            listener_of(adapter.validator)
            or ("" if ADAPTERS.are_known() else _UNKNOWN)
            or _obstacle_in_traits(traits, like_dump_json=like_dump_json)
            or ("serialize_by_alias" if are_aliases is None else "")
        )
        """Why dicts and other objects that are no models are validated by pydantic; empty if they need not be."""
        writes_instances = not is_converted and not traits.runs_once
        self._acceptance: _Acceptance | None = None
        if are_aliases is not None and not self.obstacle and is_readable:
            options = {**self._options, "by_alias": are_aliases}
            of_text = TextAcceptanceReader(schema, root, from_attributes=from_attributes, **options)
            of_text.keeps_instances = writes_instances
            self._acceptance = of_text.read(config)
            self.obstacle = of_text.obstacle
        self._maker: ModelsMaker | None = None
        self.takes_instances = True
        """Whether instances of models need no validation, even where there is an obstacle."""
        if self.obstacle or not writes_instances:  # the text can't be had without the validated value
            made = _values_maker(adapter, from_attributes=from_attributes)
            self._maker, self.takes_instances = made.maker, made.takes_instances
            self.obstacle = self.obstacle and made.obstacle

    def _make_encoder(self, escape_surrogates: bool) -> Encoder:
        return Encoder(
            models=True if self._like_dump_json else "python",
            exact_types=True,
            floats=FLOATS if self._like_dump_json else "repr",
            nan_as_null=self._like_dump_json and _HAS_NAN_AS_NULL,
            allow_nan=False,
            escape_surrogates=escape_surrogates,
            default=self._convert_anything,
            # pydantic leaves out fields of models only, not items of dicts
            **{**self._flags, "exclude_none": "pydantic" if self._flags["exclude_none"] else False},
        )

    def _convert(self, root: Any, *_options: bool | None) -> Any:
        if self._like_dump_json and self._has_own_nan:
            return NotImplemented  # only the text shows what is NaN
        if self._is_looked_into and has_iterator_or_repeated_key(root.root, is_json=self._like_dump_json):
            return NotImplemented
        content = strict_content(self._adapter.dump_python, root.root, **self._options)
        may_repeat_keys = self._like_dump_json and self._may_repeat_keys and self._has_non_str_keys
        if may_repeat_keys and content is not NotImplemented and n_keys(content) < n_keys(root.root):
            return NotImplemented
        return content

    def _convert_anything(self, value: Any) -> Any:
        if has_iterator_or_repeated_key(value, is_json=self._like_dump_json):
            raise _WholeError
        content = strict_content(_ANYTHING.to_python, value, **self._flags)
        if content is NotImplemented:
            raise _WholeError
        if self._like_dump_json and isinstance(content, dict) and len(content) < len(value):
            raise _WholeError  # True and "true" have the same text
        return content

    def encode(self, value: Any) -> bytes:
        if self._is_pydantics or not self._are_classes_current():
            return self.dump(value)
        root = self._root()
        root.__dict__["root"] = value
        return self._encoded(root, self.dump, value)

    def encode_unvalidated(self, value: Any) -> bytes | None:
        """The bytes of a value that need not be validated, because that changes and refuses nothing.

        None where pydantic must decide: it may have another value in mind, or an error. Empty where it must only dump
        the value that it validates, because the core has refused it.
        """
        if self._acceptance is None or not self._are_classes_current():
            return None
        try:
            content = self._acceptance.for_text(value)
        except Exception:  # what is raised in validation may differ
            return None
        return None if content is NotImplemented else self._encoded(content, _no_bytes, value)

    def validated(self, value: Any) -> tuple[Any, Replay | None]:
        """The validated value, to be encoded, of one that `encode_unvalidated` gives None for.

        NotImplemented where pydantic must decide: by the `Replay`, if there is one, in place of the adapter.
        """
        if self._maker is None or not self._are_classes_current():
            return NotImplemented, None
        return self._maker.make(value)

    def _encoded(self, content: Any, instead: Callable[[Any], bytes], value: Any) -> bytes:
        """The bytes of content, or `instead` of the value where the core refuses it. Raises what stock does."""
        failure: Exception
        try:
            return self._encoder.encode(content)
        except Exception as error:
            failure = error
        # outside of the except block, so that an error raised below has no other one as its context
        if not _is_of_users(failure):
            return instead(value)
        if self._like_dump_json and not str(failure).startswith(AS_JSON):
            _ANYTHING.to_json(_raising(failure))
        raise failure

    def _are_classes_current(self) -> bool:
        """Whether no class was rebuilt, or got code of its own. An adapter goes on with the classes as they were."""
        for namespace, serializer in self._serializers:  # a loop: each answer asks
            if namespace.get("__pydantic_serializer__") is not serializer:
                return False
        return not self._post_inits or all(post_init_of(cls) is post_init for cls, post_init in self._post_inits)

    def dump(self, value: Any) -> bytes:
        """The bytes by pydantic, with its own warnings and errors."""
        if self._like_dump_json:
            return self._adapter.dump_json(value, **self._options)
        return self._encoder.encode(self._adapter.dump_python(value, mode="json", **self._options))
