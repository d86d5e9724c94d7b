"""Plans of schemas that load dicts: the core makes the results, and asks marshmallow where it must."""

from __future__ import annotations

import decimal
import functools
from collections.abc import Callable
from types import NoneType
from typing import Any

from marshmallow import INCLUDE, RAISE, ValidationError, fields, missing, validate

from ssrjson_web._core import _RecordLoader
from ssrjson_web._models.language import Accepted, LoadField, LoadRecord, alternatives_within
from ssrjson_web._plans.known import stands_in_for
from ssrjson_web.marshmallow._load_key import LoadKey
from ssrjson_web.marshmallow._loading_values import check_targets, checked_by_core, load_acceptance
from ssrjson_web.marshmallow._reading_values import DECIMAL_DIGITS
from ssrjson_web.marshmallow._stock import (
    DICT_CLASSES,
    OF_FIELD_LOAD,
    STOCK_DESERIALIZE,
    field_keeps,
    is_instance_changed,
    library_name,
    own_dict_class,
    own_name,
    schema_keeps,
)
from ssrjson_web.marshmallow._watch import Basis, Bound

__all__ = ["LoadPlan", "Run"]

_NONE = Accepted(NoneType)


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


_Maker = Callable[[Any, Any, Run], Callable[..., Any]]


_IGNORING_DATA = tuple(
    f"marshmallow.fields.{name}._deserialize"
    for name in ("Method", "Function", "Constant", "Nested", "Pluck", "List", "Tuple", "Mapping")
)
"""`_deserialize` of fields that do not look at the dict around their value."""


_COLLECTIONS = ("is_collection", "is_sequence_but_not_string", "is_iterable_but_not_string", "is_generator")
stands_in_for(
    *(f"marshmallow.utils.{name}" for name in ("set_value", "is_aware", *_COLLECTIONS)),
    *("marshmallow.validate.And.__init__", "marshmallow.validate.And.__call__"),
    left="what schemas load",
)


class LoadPlan:
    """How a schema loads. It is the same for all instances of a class with the same options."""

    def __init__(self, schema: Any, key: LoadKey, *, nests: bool = True) -> None:
        """Raises TypeError and ValueError where the core cannot do it, with the reason."""
        self.basis = Basis(schema, "load_fields")
        self.basis.nests = nests
        self._key = key
        self._calls: list[tuple[int, _Maker]] = []
        self._rounds = False
        self._shows_data = False
        self.given: dict[str, str] = {}
        """Fields that marshmallow deserializes, each with the reason."""
        self.gain = 0
        """About how many microseconds are saved for a dict."""
        if not schema_keeps(type(schema), "_call_and_store"):
            raise TypeError("it has methods of its own for what is private to marshmallow")
        dict_class = own_dict_class(schema)
        if dict_class not in DICT_CLASSES:
            raise TypeError("it has a dict_class of its own")
        self._dict_class = None if dict_class is dict else dict_class
        self._watch_functions()
        record = self._record(schema)
        if len(self.given) == len(record.fields):
            raise TypeError("it deserializes each of the fields" if self.given else "it has no fields")
        self.gain = 2 * sum(field.acceptance not in ((), (_NONE,)) for field in record.fields)
        self._loader = _RecordLoader(record)
        self.basis.finish()

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
            on_error=self._call(0, _storing),
            fail=self._call(0, lambda schema, field, run: _finishing(converts)),
            other=self._call(0, _leaving),
            finish=self._call(0, lambda schema, field, run: converts) if converts else -1,
            unknown=self._call(0, functools.partial(_meeting, known)) if not self._key.drops_unknown else -1,
        )

    def _call(self, number: int, maker: _Maker) -> int:
        self._calls.append((number, maker))
        return len(self._calls) - 1

    def _field(self, name: str) -> LoadField:
        number = self.basis.add(0, "load_fields", name)
        field = self.basis.objects[number]
        key = field.data_key if field.data_key is not None else name
        target = tuple((field.attribute or name).split("."))
        is_left_out = self._key.leaves_out(name)
        options = self._key.passed_on(name, key)
        self.basis.partial = options.get("partial")
        if not getattr(field, "pre_load", None):
            values, is_known = load_acceptance(self.basis, number)
            if is_known:
                return self._known_field(number, key, target, values, is_left_out, options)
        shows_data = not self._ignores_data(number)
        if shows_data:
            self.basis.watch_attributes(number, "data_key", "attribute")
        else:
            self.basis.watch_field(number)
        if shows_data or field._CHECK_ATTRIBUTE:
            self.given[name] = _reason_to_give(field)
        self._shows_data |= shows_data
        load = self._call(number, functools.partial(_deserializing, key, options, is_left_out))
        return LoadField(key, target, (), load, may_be_absent=is_left_out)

    def _ignores_data(self, number: int) -> bool:
        """Whether a field that marshmallow deserializes does not look at the dict around its value."""
        field = self.basis.objects[number]
        if is_instance_changed(field):
            return False
        is_known = own_name(type(field), "_deserialize") in _IGNORING_DATA or load_acceptance(self.basis, number)[1]
        return is_known and field_keeps(type(field), "deserialize", "_validate", "_validate_all")

    def _known_field(
        self,
        number: int,
        key: str,
        target: tuple[str, ...],
        values: tuple[Accepted, ...],
        is_left_out: bool,
        options: dict[str, Any],
    ) -> LoadField:
        """A field that the core deserializes."""
        field = self.basis.objects[number]
        checked = checked_by_core(self.basis, number, values)
        self._rounds |= any(accepted.op == "decimal" for accepted in alternatives_within(values))
        if checked is not None:
            maker: Any = _deserializing
            check = -1
        else:
            maker, checked = _converting, values
            check = self._call(number, _checking)
        load: int = self._call(number, functools.partial(maker, key, options, is_left_out))
        # `_checking` cannot tell a None that was given from one that a schema within has made
        accepted = (*checked, _NONE) if field.allow_none and check < 0 else checked
        default: tuple[()] | tuple[Any] = ()
        is_optional = not field.required and field.load_default is missing
        if not is_left_out and not field.required and not is_optional and not callable(field.load_default):
            value = field.load_default
            default = (value if check < 0 else _Default(value),)
        return LoadField(
            key, target, accepted, load, after=check, default=default, may_be_absent=is_left_out or is_optional
        )

    # What it does

    def can_run(self) -> bool:
        """Whether Decimals have room for the digits that they had when the plan was made."""
        return not self._rounds or decimal.getcontext().prec >= DECIMAL_DIGITS

    def _resolve(self, objects: list[Any], run: Run) -> Callable[[int], Callable[..., Any]]:
        calls = self._calls

        def resolve(number: int) -> Callable[..., Any]:
            place, maker = calls[number]
            return maker(objects[0], objects[place], run)

        return resolve

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


def _deserializing(
    key: str, options: dict[str, Any], is_left_out: bool, schema: Any, field: Any, run: Run
) -> Callable[..., Any]:
    """marshmallow's own way, from the start."""
    deserialize = field.deserialize

    def load(value: Any) -> Any:
        if is_left_out and value is missing:
            return missing
        return deserialize(value, key, run.data, **options)

    return load


def _converting(
    key: str, options: dict[str, Any], is_left_out: bool, schema: Any, field: Any, run: Run
) -> Callable[..., Any]:
    """marshmallow's own way without validators and functions for what is loaded, which `_checking` calls."""

    def load(value: Any) -> Any:
        if is_left_out and value is missing:
            return missing
        field._validate_missing(value)
        if value is missing:
            default = field.load_default
            default = default() if callable(default) else default
            return default if default is missing else _Default(default)
        if value is None and field.allow_none:
            return _Default(None)
        return field._deserialize(value, key, run.data, **options)

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
