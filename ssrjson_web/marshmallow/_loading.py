"""Plans of schemas that load dicts: the core makes the results, and asks marshmallow where it must."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from marshmallow import INCLUDE, RAISE, ValidationError, fields, missing, validate

from ssrjson_web._core import _RecordLoader
from ssrjson_web._known.functions import stands_in_for
from ssrjson_web._models.language import LoadField, LoadRecord
from ssrjson_web.marshmallow._basis import Bound
from ssrjson_web.marshmallow._fields.describer import NULL, Loaded, ignores_data, load_acceptance
from ssrjson_web.marshmallow._fields.nested import check_targets
from ssrjson_web.marshmallow._fields.validators import checked_by_core
from ssrjson_web.marshmallow._load_key import LoadKey
from ssrjson_web.marshmallow._plans import SchemaPlan
from ssrjson_web.marshmallow._stock import (
    DICT_CLASSES,
    OF_FIELD_LOAD,
    STOCK_DESERIALIZE,
    field_keeps,
    library_name,
    schema_keeps,
)

__all__ = ["LoadPlan", "Run"]


class Run:
    """One call of a schema's `_deserialize`."""

    __slots__ = ("data", "index", "indexes", "partial", "store", "unknown")

    def __init__(self, schema: Any, store: Any, partial: Any, unknown: Any, index: Any) -> None:
        self.store = store
        self.partial = partial
        self.unknown = unknown
        self.indexes = schema.opts.index_errors
        self.index = index
        self.data: Any = None
        """The dict that is being loaded, where a field wants to see it."""

    def place(self, index: int | None) -> int | None:
        """The index that errors are stored with."""
        if not self.indexes:
            return None
        return self.index if index is None else index


class _Default:
    """A default, or a None that is allowed: validators do not see it."""

    __slots__ = ("value",)

    def __init__(self, value: Any) -> None:
        self.value = value


_COLLECTIONS = ("is_collection", "is_sequence_but_not_string", "is_iterable_but_not_string", "is_generator")
stands_in_for(
    *(f"marshmallow.utils.{name}" for name in ("set_value", "is_aware", *_COLLECTIONS)),
    *("marshmallow.validate.And.__init__", "marshmallow.validate.And.__call__"),
    left="what schemas load",
)


class LoadPlan(SchemaPlan):
    """How a schema loads."""

    def __init__(self, schema: Any, key: LoadKey, *, nests: bool = True) -> None:
        """Raises TypeError and ValueError where the core cannot do it, with the reason."""
        super().__init__(schema, "load_fields", nests=nests)
        self._key = key
        self._shows_data = False
        if not schema_keeps(type(schema), "_call_and_store"):
            raise TypeError("it has methods of its own for what is private to marshmallow")
        self._watch_functions()
        record = self._record(schema)
        self._finish(record.fields, "deserializes", NULL)
        self.gain *= 2
        self._loader = _RecordLoader(record)

    # What it is made of

    def _watch_functions(self) -> None:
        self.basis.watch_class(validate.And)  # it calls the validators of each field
        names = [library_name(vars(validate.And)[name]) for name in ("__init__", "__call__")]
        if names != ["marshmallow.validate.And.__init__", "marshmallow.validate.And.__call__"]:
            raise TypeError("marshmallow.validate.And is not marshmallow's own")
        self.basis.watch_functions("marshmallow.schema", "set_value", *_COLLECTIONS)
        self.basis.watch_modules("marshmallow.fields", "utils", "validate")
        # marshmallow 3 has some of these in `fields`, too
        for module in ("marshmallow.utils", "marshmallow.fields"):
            self.basis.watch_functions(module, "set_value", "ensure_text_type", "is_aware", *_COLLECTIONS)

    def _record(self, schema: Any) -> LoadRecord:
        if type(schema.load_fields) not in DICT_CLASSES:
            raise TypeError("its fields are in a class of its own")
        made = tuple(self._field(name) for name in schema.load_fields)
        check_targets([field.target for field in made])
        known = {field.key for field in made}
        converts = self._dict_class
        return LoadRecord(
            made,
            missing,
            missing,
            on_error=self._call(0, 0, _storing),
            fail=self._call(0, 0, lambda schema, field, run: _finishing(converts)),
            other=self._call(0, 0, _leaving),
            finish=self._call(0, 0, lambda schema, field, run: converts) if converts else -1,
            unknown=self._call(0, 0, functools.partial(_meeting, known)) if not self._key.drops_unknown else -1,
        )

    def _field(self, name: str) -> LoadField:
        number = self.basis.add(0, "load_fields", name)
        field = self.basis.objects[number]
        key = field.data_key if field.data_key is not None else name
        target = tuple((field.attribute or name).split("."))
        made = LoadField(key, target, (), -1, may_be_absent=self._key.leaves_out(name))
        options = self._key.passed_on(name, key)
        self.basis.partial = options.get("partial")
        if not getattr(field, "pre_load", None):
            values, is_known = load_acceptance(self.basis, number)
            if is_known:
                return self._known_field(number, made, options, values)
        shows_data = not ignores_data(self.basis, number)
        if shows_data:
            self.basis.watch_attributes(number, "data_key", "attribute")
        else:
            self.basis.watch_field(number)
        if shows_data or field._CHECK_ATTRIBUTE:
            self.given[name] = _reason_to_give(field)
        self._shows_data |= shows_data
        return made._replace(load=self._call(0, number, functools.partial(_deserializing, made, options)))

    def _known_field(self, number: int, made: LoadField, options: dict[str, Any], values: Loaded) -> LoadField:
        """A field that the core deserializes."""
        field = self.basis.objects[number]
        checked = checked_by_core(self.basis, values, field)
        self._notice(values)
        is_checked = checked is not None
        check = -1 if is_checked else self._call(0, number, _checking)
        maker = _deserializing if is_checked else _converting
        load = self._call(0, number, functools.partial(maker, made, options))
        # `_checking` cannot tell a None that was given from one that a schema within has made
        accepted = values if checked is None else (*checked, NULL) if field.allow_none else checked
        made = made._replace(acceptance=accepted, load=load, after=check)
        if made.may_be_absent or field.required or callable(field.load_default):
            return made
        value = field.load_default
        if value is missing:
            return made._replace(may_be_absent=True)
        return made._replace(default=(value if is_checked else _Default(value),))

    # What it does

    def load(self, bound: Bound, data: Any, run: Run) -> Any:
        """What a dict is loaded to; NotImplemented where this build of the core makes none."""
        run.data = data
        return self._loader.load(data, self._resolve(bound.objects, run))

    def load_all(self, bound: Bound, items: list[Any], run: Run) -> Any:
        """What the dicts of a list are loaded to."""
        resolve = self._resolve(bound.objects, run)
        if not self._shows_data:
            return self._loader.load_all(items, resolve)
        made = []
        for index, item in enumerate(items):
            run.data, run.index = item, index
            result = self._loader.load(item, resolve)
            if result is NotImplemented:
                return result
            made.append(result)
        return made


def _reason_to_give(field: Any) -> str:
    name = type(field).__name__
    if getattr(field, "pre_load", None):
        return f"{name} has pre_load"
    if isinstance(field, fields.Nested):
        return f"{name} loads by the plan of its schema"
    if not field_keeps(type(field), *OF_FIELD_LOAD):
        return f"{name} has a deserialize, or a validation, of its own"
    return f"{name} has a _deserialize of its own, or a field within it has"


# Calls of the core


def _storing(schema: Any, field: Any, run: Run) -> Callable[..., Any]:
    store_error, place = run.store.store_error, run.place

    def store(error: Exception, errors: dict[Any, Any], key: Any, index: int | None) -> Any:
        if not isinstance(error, ValidationError):
            raise error
        store_error(error.messages, key, index=place(index))
        return error.valid_data or missing

    return store


def _finishing(dict_class: type | None) -> Callable[..., Any]:
    if dict_class is None:
        return lambda errors, result: result
    return lambda errors, result: dict_class(result)


def _leaving(schema: Any, field: Any, run: Run) -> Callable[..., Any]:
    """What is no dict is left to marshmallow."""

    def leave(value: Any, index: int | None) -> Any:
        return STOCK_DESERIALIZE(
            schema,
            value,
            error_store=run.store,
            many=False,
            partial=run.partial,
            unknown=run.unknown,
            index=run.index if index is None else index,
        )

    return leave


def _meeting(known: set[str], schema: Any, field: Any, run: Run) -> Callable[..., Any]:
    """Keys of no field, in the order in which marshmallow meets them."""

    def meet(data: dict[str, Any], result: dict[str, Any], index: int | None) -> None:
        for key in set(data) - known:
            value = data[key]
            if run.unknown == INCLUDE:
                result[key] = value
            elif run.unknown == RAISE:
                run.store.store_error([schema.error_messages["unknown"]], key, run.place(index))

    return meet


def _deserializing(made: LoadField, options: dict[str, Any], schema: Any, field: Any, run: Run) -> Callable[..., Any]:
    """marshmallow's own way, from the start."""
    deserialize, key, is_left_out = field.deserialize, made.key, made.may_be_absent

    def load(value: Any) -> Any:
        if is_left_out and value is missing:
            return missing
        return deserialize(value, key, run.data, **options)

    return load


def _converting(made: LoadField, options: dict[str, Any], schema: Any, field: Any, run: Run) -> Callable[..., Any]:
    """marshmallow's own way without validators and functions for what is loaded, which `_checking` calls."""

    def load(value: Any) -> Any:
        if made.may_be_absent and value is missing:
            return missing
        field._validate_missing(value)
        if value is missing:
            default = field.load_default
            default = default() if callable(default) else default
            return default if default is missing else _Default(default)
        if value is None and field.allow_none:
            return _Default(None)
        return field._deserialize(value, made.key, run.data, **options)

    return load


def _checking(schema: Any, field: Any, run: Run) -> Callable[..., Any]:
    validate, functions = field._validate_all, getattr(field, "post_load", ())

    def check(result: Any) -> Any:
        if type(result) is _Default:
            return result.value
        validate(result)
        for function in functions:
            result = function(result)
        return result

    return check
