"""What a plan was made of: the schemas, fields and classes that it relies on, and whether one has changed since."""

from __future__ import annotations

from collections.abc import Callable
from operator import attrgetter
from typing import Any, NamedTuple

from ssrjson_web.marshmallow._stock import OPT_OUT, is_instance_changed

__all__ = ["Basis", "Bound", "Place"]

_OF_THE_INSTANCE = (
    "parent",
    "root",
    "inner",
    "tuple_fields",
    "key_field",
    "value_field",
    "_schema",
    "_serialize_method",
    "_deserialize_method",
    "metadata",
    "error_messages",
)
"""Attributes of a field that differ from one instance of a schema to the next, or that only errors need. What they hold
has a place of its own if the plan relies on it."""

_CHANGED_IN_PLACE = ("validators", "pre_load", "post_load", "truthy", "falsy")
"""Attributes with lists and sets that may be changed without a new value of the attribute."""


class Place(NamedTuple):
    """Where an object is: an attribute of an earlier one, or an item of that attribute."""

    origin: int
    attribute: str
    key: str | int | None = None


def _copy_of(attributes: dict[str, Any]) -> dict[str, Any]:
    """A field's attributes, with copies of what is changed in place."""
    copy = attributes.copy()
    for name in _CHANGED_IN_PLACE:
        if name in copy:
            copy[name] = copy[name].copy()
    return copy


class _FieldState:
    """A field's attributes that are the same in all instances of a schema."""

    def __init__(self, field: Any) -> None:
        attributes = _copy_of(vars(field))
        self._n_attributes = len(attributes)
        for name in _OF_THE_INSTANCE:
            attributes.pop(name, None)
        self._cls = type(field)
        self._getter = attrgetter("__class__", *attributes)
        self._values = (self._cls, *attributes.values())

    def fits(self, field: Any) -> bool:
        return self._getter(field) == self._values and len(vars(field)) == self._n_attributes


class Basis:
    """What a plan relies on. It is the same for all instances of a schema with the same options.

    The object 0 is the schema. Fields that the plan describes are compared as a whole; of those that it gives to
    marshmallow, only the attributes that it has read.
    """

    def __init__(self, schema: Any, fields_name: str, schema_attributes: tuple[str, ...]) -> None:
        self.objects: list[Any] = [schema]
        self.places: list[Place] = []
        self.awaited: list[int] = []
        """Nested fields whose schema does not exist yet."""
        self._numbers: dict[Place, int] = {}
        self._fields_of = attrgetter(fields_name)
        self._schema_attributes = attrgetter(*schema_attributes)
        self._schemas: list[int] = []
        self._schema_states: list[Any] = []
        self._fields: dict[int, _FieldState] = {}
        self._classes: dict[tuple[type, tuple[str, ...]], Callable[[Any], Any]] = {}
        self._class_values: list[Any] = []
        self._given: list[tuple[int, Callable[[Any], Any]]] = []
        self._given_values: list[Any] = []
        self._shared: list[Any] = []
        self._shared_copies: list[Any] = []
        self._constants: list[tuple[int, str, Any]] = []
        self.watch_schema(0)

    def add(self, origin: int, attribute: str, key: str | int | None = None) -> int:
        """The number of the object at a place."""
        place = Place(origin, attribute, key)
        if place not in self._numbers:
            found = getattr(self.objects[origin], attribute)
            self.places.append(place)
            self.objects.append(found if key is None else found[key])
            self._numbers[place] = len(self.places)
        return self._numbers[place]

    def watch_schema(self, number: int) -> None:
        """Rely on a schema's fields, their order, and the methods of its class."""
        self._schemas.append(number)
        self._schema_states.append(self._schema_state(self.objects[number]))

    def watch_field(self, number: int, methods: tuple[str, ...]) -> None:
        """Rely on all attributes of a field, and on methods of its class."""
        if number in self._fields:
            return
        field = self.objects[number]
        self._fields[number] = _FieldState(field)
        if (type(field), methods) not in self._classes:
            getter = self._classes[type(field), methods] = attrgetter(*methods)
            self._class_values.append(getter(type(field)))

    def watch_attributes(self, number: int, *names: str) -> None:
        """Rely on some attributes of a field."""
        getter = attrgetter("__class__", *names)
        self._given.append((number, getter))
        self._given_values.append(getter(self.objects[number]))

    def watch_constant(self, number: int, name: str) -> None:
        """Rely on an attribute's being the same object: one that is equal does not do."""
        self._constants.append((number, name, getattr(self.objects[number], name)))

    def watch_shared(self, *containers: Any) -> None:
        """Rely on what is in dicts and sets that classes share."""
        for container in containers:
            if not any(container is known for known in self._shared):
                self._shared.append(container)
                self._shared_copies.append(container.copy())

    def _schema_state(self, schema: Any) -> Any:
        return (
            type(schema),
            [*self._fields_of(schema)],
            self._schema_attributes(schema),
            getattr(schema, OPT_OUT, True),
            is_instance_changed(schema),
        )

    def bound_to(self, schema: Any) -> Bound | None:
        """What the plan relies on in another instance; None if it differs."""
        try:
            if self._schema_state(schema) != self._schema_states[0]:
                return None
            objects = [schema]
            for origin, attribute, key in self.places:
                found = getattr(objects[origin], attribute)
                objects.append(found if key is None else found[key])
            return Bound(self, objects) if self.fields_fit(objects) and self.is_same(objects) else None
        except Exception:  # what differs may raise anything when it is compared
            return None

    def is_same(self, objects: list[Any]) -> bool:
        """Whether all but the described fields is as it was."""
        return (
            self._shared == self._shared_copies
            and [getter(cls) for (cls, _), getter in self._classes.items()] == self._class_values
            and [getter(objects[number]) for number, getter in self._given] == self._given_values
            and [self._schema_state(objects[number]) for number in self._schemas] == self._schema_states
            and all(getattr(objects[number], name) is value for number, name, value in self._constants)
            and all(objects[number]._schema is None for number in self.awaited)
        )

    def fields_fit(self, objects: list[Any]) -> bool:
        """Whether the described fields are as they were."""
        return all(state.fits(objects[number]) for number, state in self._fields.items())

    def described(self, objects: list[Any]) -> list[Any]:
        """The described fields among the objects."""
        return [objects[number] for number in self._fields]

    def forget_instance(self) -> None:
        """Release the instance that the plan was made of."""
        self.objects = []


class Bound:
    """What a plan relies on in one instance of a schema."""

    def __init__(self, basis: Basis, objects: list[Any]) -> None:
        self.objects = objects
        self._basis = basis
        self._live: list[dict[str, Any]] = []
        self._seen: list[dict[str, Any]] = []

    def holds(self) -> bool:
        """Whether nothing has changed since."""
        basis = self._basis
        try:
            if not self._live:  # many schemas are used once
                if not basis.fields_fit(self.objects):
                    return False
                self._live = [field.__dict__ for field in basis.described(self.objects)]
                self._seen = [*map(_copy_of, self._live)]
            return self._live == self._seen and basis.is_same(self.objects)
        except Exception:  # what has changed may raise anything when it is compared
            return False
