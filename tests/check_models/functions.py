"""A random model with functions of an application: what they are called with, in which order, and what is made."""

from __future__ import annotations

import datetime
import random
import warnings
from collections.abc import Callable, Iterator
from typing import Annotated, Any, NamedTuple, Optional

from helpers.pydantic_outcome import assert_alike
from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    PlainSerializer,
    PlainValidator,
    PrivateAttr,
    TypeAdapter,
    ValidationError,
    WrapSerializer,
    WrapValidator,
    computed_field,
    create_model,
    field_serializer,
    field_validator,
    model_serializer,
    model_validator,
)
from pydantic_core import PydanticOmit, PydanticUseDefault

from ssrjson_web._models.adapter import _values_maker, bodies_maker
from ssrjson_web.models import TypedEncoder

__all__ = ["CALLS", "RandomFunctions", "Row", "assert_made_alike"]

CALLS: list[tuple[str, str]] = []
"""The calls of functions: the name of each, and what it was given."""
_ATTRIBUTES: Any = {"from_attributes": True}
_RAISED = (ValueError, AssertionError, RuntimeError, PydanticOmit, PydanticUseDefault, KeyError)


class Row:
    """An object whose attributes are the fields of a model."""

    def __init__(self, **values: Any) -> None:
        self.__dict__.update(values)

    def __repr__(self) -> str:
        return f"Row({self.__dict__})"


class Called(NamedTuple):
    """What a call gave."""

    value: Any
    """None where it raised."""
    error: Any
    """Title and details of a ValidationError; type and text of another one."""
    calls: list[tuple[str, str]]


def called(call: Callable[[], Any]) -> Called:
    CALLS.clear()
    made = error = None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of values that are not as declared
            made = call()
    except ValidationError as raised:
        error = raised.title, raised.errors(include_url=False, include_context=False)
    except Exception as raised:
        error = type(raised), str(raised)
    return Called(made, error, CALLS.copy())


def _of_validators(one: Called) -> Called:
    return one._replace(calls=[call for call in one.calls if call[0].startswith("f")])


def _assert_same(ours: Called, theirs: Called) -> None:
    assert ours.calls == theirs.calls
    assert ours.error == theirs.error
    assert_alike(ours.value, theirs.value)


def assert_made_alike(adapter: TypeAdapter[Any], value: Callable[[], Any]) -> int:
    """Compare the makers of bodies and of answers with pydantic; the number of values that the core made."""
    n_made = 0
    for maker, options in (
        (bodies_maker(adapter), _ATTRIBUTES),  # as FastAPI validates bodies
        (_values_maker(adapter, from_attributes=True).maker, _ATTRIBUTES),
    ):
        if maker is None:
            continue
        theirs = called(lambda: adapter.validate_python(value(), **options))  # noqa: B023

        def validate() -> Any:
            given = value()
            made, replay = maker.make(given)  # noqa: B023
            nonlocal n_made
            n_made += made is not NotImplemented
            return (replay or adapter).validate_python(given, **options) if made is NotImplemented else made  # noqa: B023

        _assert_same(called(validate), theirs)
    return n_made


class RandomFunctions:
    """The adapter of a seed's model, whose types have validators; many models have serializers and computed fields."""

    def __init__(self, seed: int, depth: int = 3) -> None:
        self._random = r = random.Random(seed)
        self.adapter: TypeAdapter[Any] = TypeAdapter(_random_model(r, depth, []))
        self._encoder = TypedEncoder(self.adapter, from_attributes=True)

    def values(self, n: int) -> Iterator[Any]:
        for _ in range(n):
            yield _random_value(self._random, self.adapter.core_schema, {})

    def check(self, value: Any) -> int:
        """The number of values, at most 2, that the core made. Raises AssertionError if something differs."""
        n_made = assert_made_alike(self.adapter, lambda: value)

        def expected() -> bytes:
            return self.adapter.dump_json(self.adapter.validate_python(value, **_ATTRIBUTES))

        theirs = called(expected)
        ours = called(lambda: self._encoder.encode(value))
        if theirs.error is None or ours.error is None or theirs.error[0] is not ours.error[0]:
            # of two serializers that raise another one may come first
            _assert_same(_of_validators(ours), _of_validators(theirs))
            # a value that pydantic warns of is dumped a second time, by pydantic
            assert set(ours.calls) == set(theirs.calls)
        return n_made


def _changed(kind: str, value: Any) -> Any:
    if kind == "other":
        return [value]
    if kind == "changes" and isinstance(value, (str, int)) and not isinstance(value, bool):
        return value + value
    return value


def _function(r: random.Random, names: list[str]) -> Callable[..., Any]:
    """A validator that may raise, change a value, or its type; it notes what it was called with."""
    names.append("")
    name = f"f{len(names)}"
    kind, error = r.choice(("same", "same", "raises", "other", "changes")), r.choice(_RAISED)

    def validate(value: Any) -> Any:
        CALLS.append((name, repr(value)))
        if kind == "raises" and len(repr(value)) % 3 == 0:
            raise error(*([] if error in (PydanticOmit, PydanticUseDefault) else [name]))
        return _changed(kind, value)

    return validate


def _validator(r: random.Random, names: list[str]) -> Any:
    call = _function(r, names)
    which = r.randrange(20)
    if which == 0:
        return WrapValidator(lambda value, handler: call(handler(value)))
    if which == 1:
        return AfterValidator(lambda value, info: call((value, info.field_name)[0]))
    return r.choice((AfterValidator, AfterValidator, BeforeValidator, PlainValidator))(call)


def _serializer(r: random.Random, names: list[str]) -> Any:
    names.append("")
    name = f"s{len(names)}"

    def note(value: Any, handler: Callable[[Any], Any] = repr) -> Any:
        CALLS.append((name, repr(value)))
        return handler(value)

    if r.random() < 0.5:
        return PlainSerializer(lambda value: note(value), return_type=str, when_used=r.choice(("always", "json")))
    return WrapSerializer(lambda value, handler: note(value, handler))


def _random_type(r: random.Random, depth: int, names: list[str]) -> Any:
    choice = r.randrange(9 if depth else 4)
    declared: Any
    if choice < 4:
        declared = (str, int, Optional[int], datetime.date)[choice]  # noqa: UP045
    elif choice == 4:
        declared = list[_random_type(r, depth - 1, names)]  # type: ignore[misc]
    elif choice == 5:
        declared = dict[str, _random_type(r, depth - 1, names)]  # type: ignore[misc]
    elif choice == 6:
        item = _random_type(r, depth - 1, names)
        declared = r.choice((tuple[item, int], tuple[item, ...]))
    else:
        declared = _random_model(r, depth - 1, names)
    while r.random() < 0.35:
        declared = Annotated[declared, _validator(r, names)]
    if r.random() < 0.06:
        declared = Annotated[declared, _serializer(r, names)]
    return Optional[declared] if r.random() < 0.2 else declared  # noqa: UP045


def _random_model(r: random.Random, depth: int, names: list[str]) -> Any:
    fields: dict[str, Any] = {}
    for i in range(r.randrange(1, 4)):
        default = r.choice((..., ..., None, 1))
        fields[f"a{i}"] = (_random_type(r, depth, names), Field(default, validate_default=r.random() < 0.1))
    config = ConfigDict(extra=r.choice(("ignore", "forbid")), validate_assignment=r.random() < 0.1)
    namespace: dict[str, Any] = {"model_config": config, "__module__": __name__, **_serializers(r, fields, names)}
    namespace.update(_made_after_fields(r, fields, names))
    base = type("Base", (BaseModel,), namespace)
    made = create_model(f"M{len(names)}", __base__=base, __validators__=_validators(r, fields, names), **fields)
    return _with_computed_field(r, made, names) if r.random() < 0.1 else made


def _validators(r: random.Random, fields: dict[str, Any], names: list[str]) -> dict[str, Any]:
    """Validators of a model and of one of its fields, by pydantic's decorators."""
    made: dict[str, Any] = {}
    before, after, one = (_function(r, names) for _ in range(3))
    if r.random() < 0.3:
        made["before"] = model_validator(mode="before")(classmethod(lambda cls, value: before(value)))
    if r.random() < 0.3:
        made["after"] = model_validator(mode="after")(lambda self: after(self))
    if r.random() < 0.04:
        made["wrap"] = model_validator(mode="wrap")(classmethod(lambda cls, value, handler: before(handler(value))))
    if r.random() < 0.2:
        decorate = field_validator(r.choice(list(fields)), mode=r.choice(("before", "after", "plain")))
        made["one"] = decorate(classmethod(lambda cls, value: one(value)))
    return made


def _made_after_fields(r: random.Random, fields: dict[str, Any], names: list[str]) -> dict[str, Any]:
    """A private attribute and a `model_post_init`, which may raise, or change the object."""
    made: dict[str, Any] = {}
    private, initialized = _function(r, names), _function(r, names)
    if r.random() < 0.15:
        made["_private"] = PrivateAttr(default_factory=lambda: private("private"))
    if r.random() < 0.2:
        name, kind = r.choice(list(fields)), r.choice(("looks", "looks", "sets", "deletes", "adds", "replaces"))

        def model_post_init(self: Any, context: Any, /) -> None:
            initialized((context, self.__dict__, self.model_fields_set)[1])
            if kind == "sets":
                setattr(self, name, "set")
            elif kind == "deletes":
                delattr(self, name)
            elif kind == "adds":
                self.__dict__["more"] = 1
            elif kind == "replaces":
                self.__dict__ = {name: 5}

        made["model_post_init"] = model_post_init
    return made


def _serializers(r: random.Random, fields: dict[str, Any], names: list[str]) -> dict[str, Any]:
    made: dict[str, Any] = {}
    name = f"s{len(names)}"

    def note(value: Any) -> Any:
        CALLS.append((name, repr(value)))
        return repr(value)

    if r.random() < 0.06:
        made["serialize_one"] = field_serializer(r.choice(list(fields)), check_fields=False)(
            lambda self, value: note(value)
        )
    if r.random() < 0.04:
        made["serialize_all"] = model_serializer(lambda self: note(self))
    return made


def _with_computed_field(r: random.Random, model: Any, names: list[str]) -> Any:
    name = f"c{len(names)}"

    def computed(self: Any) -> int:
        CALLS.append((name, repr(self.__dict__)))
        return len(self.__dict__)

    namespace = {"__module__": __name__, "computed": computed_field(property(computed))}
    return type(f"{model.__name__}Computed", (model,), namespace)


def _random_value(r: random.Random, schema: Any, definitions: dict[str, Any]) -> Any:
    """A value for a core schema, right more often than not."""
    if r.random() < 0.03:
        return r.choice((None, "x", 5, [], {}, "2026-01-02", 1.5))
    kind = schema["type"]
    if kind in ("default", "nullable") or kind.startswith("function-"):
        if kind == "nullable" and r.random() < 0.2:
            return None
        return _random_value(r, schema.get("schema", {"type": "str"}), definitions)
    if kind == "definition-ref":
        return _random_value(r, definitions[schema["schema_ref"]], definitions)
    if kind == "definitions":
        within = {one["ref"]: one for one in schema["definitions"]}
        return _random_value(r, schema["schema"], within)
    if kind == "list":
        return [_random_value(r, schema["items_schema"], definitions) for _ in range(r.randrange(4))]
    if kind == "tuple":
        items = schema["items_schema"]
        if schema.get("variadic_item_index") is not None:
            items = items * r.randrange(4)
        return r.choice((tuple, list))(_random_value(r, item, definitions) for item in items)
    if kind == "dict":
        return {f"k{i}": _random_value(r, schema["values_schema"], definitions) for i in range(r.randrange(4))}
    if kind == "model":
        return _random_value(r, schema["schema"], definitions)
    if kind == "model-fields":
        chosen = {name: field for name, field in schema["fields"].items() if r.random() < 0.95}
        values = {name: _random_value(r, field["schema"], definitions) for name, field in chosen.items()}
        return Row(**values) if r.random() < 0.3 else values
    if kind == "date":
        return r.choice((datetime.date(2026, 1, 2), "2026-01-02"))
    return {"int": 5, "str": "text"}.get(kind, 1)
