"""What a plan was made of: the schemas, fields and classes that it relies on, and whether one has changed since."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from operator import attrgetter
from typing import Any, NamedTuple

from ssrjson_web._core import _Snapshot
from ssrjson_web._known.functions import Code
from ssrjson_web.marshmallow._stock import called_functions, is_instance_changed, library_name

__all__ = ["Basis", "Bound", "watched_classes"]

_OF_THE_INSTANCE = frozenset(
    (
        *("parent", "root", "inner", "tuple_fields", "key_field", "value_field", "metadata", "error_messages"),
        *("_schema", "nested", "only", "exclude", "_serialize_method", "_deserialize_method"),
    )
)
"""Attributes of a field that differ from one instance of a schema to the next, or that only errors need. What they hold
has a place of its own if the plan relies on it."""


_MAX_OBJECTS = 200
"""Schemas and fields after which no more schemas within schemas are described."""


class _Place(NamedTuple):
    """Where an object is: an attribute of an earlier one, or an item of that attribute."""

    origin: int
    attribute: str
    key: str | int | None


class Basis:
    """What a plan relies on. It is the same for all instances of a schema with the same options.

    The object 0 is the schema. Fields that the plan describes are compared as a whole; of those that it gives to
    marshmallow, only the attributes that it has read. What is compared must be the same object, not an equal one.
    """

    def __init__(self, schema: Any, fields_name: str, *, nests: bool) -> None:
        self.objects: list[Any] = [schema]
        self.awaited: list[int] = []
        """Nested fields whose schema does not exist yet."""
        self._nests = nests
        """Whether schemas within schemas are described, too."""
        self.partial: Any = None
        """What the field that is being described is given as `partial`, when it loads."""
        self._places: list[_Place] = []
        self._numbers: dict[_Place, int] = {}
        self._fields_of: Callable[[Any], Any] = attrgetter(fields_name)
        self._to_load = fields_name == "load_fields"
        self._described: list[int] = []
        self._types: set[type] = set()
        # what is compared at each call is in tuples, because threads wait for each other where they read one list
        self._schemas: tuple[tuple[int, type, tuple[str, ...], Any], ...] = ()
        self._field_types: tuple[type, ...] = ()
        self._given: tuple[tuple[int, Callable[[Any], Any], Any], ...] = ()
        self._dicts: tuple[dict[Any, Any], ...] = ()
        self._containers: tuple[Any, ...] = ()
        self._copies: tuple[Any, ...] = ()
        self._functions: dict[str, dict[str, Any]] = {}
        self._modules: tuple[tuple[Any, Callable[[Any], Any], Any], ...] = ()
        self._alike: Any = None
        self.watch_schema(0)

    def add(self, origin: int, attribute: str, key: str | int | None = None) -> int:
        """The number of the object at a place."""
        place = _Place(origin, attribute, key)
        if place not in self._numbers:
            found = getattr(self.objects[origin], attribute)
            self._places.append(place)
            self.objects.append(found if key is None else found[key])
            self._numbers[place] = len(self._places)
        return self._numbers[place]

    def origins(self, number: int) -> Iterator[int]:
        """The numbers of the objects that an object was found in, from the inside."""
        while number:
            number = self._places[number - 1].origin
            yield number

    def has_room(self) -> bool:
        """Whether one more schema within schemas may be described."""
        return self._nests and len(self.objects) <= _MAX_OBJECTS

    def watch_schema(self, number: int) -> None:
        """Rely on a schema's fields, their order, and its class."""
        schema = self.objects[number]
        self._schemas += ((number, type(schema), (*self._fields_of(schema),), schema.many),)
        self._types.add(type(schema))

    def watch_field(self, number: int) -> None:
        """Rely on all attributes of a field, and on its class."""
        if number not in self._described:
            self._described.append(number)
            self._field_types += (type(self.objects[number]),)
            self._types.add(type(self.objects[number]))

    def watch_attributes(self, number: int, *names: str) -> None:
        """Rely on some attributes of a field."""
        getter = attrgetter("__class__", *names)
        self._given += ((number, getter, getter(self.objects[number])),)

    def watch_class(self, cls: type) -> None:
        """Rely on the methods of a class."""
        self._types.add(cls)

    def watch_functions(self, module: str, *names: str) -> None:
        """Rely on functions that a module of marshmallow has under these names, as far as this version has them.

        Raises TypeError where one of them is not marshmallow's own.
        """
        for name in names:
            function = vars(sys.modules[module]).get(name)
            if function is not None:
                if library_name(function).rpartition(".")[2] != name:
                    raise TypeError(f"{module}.{name} is not marshmallow's own")
                self._functions.setdefault(module, {})[name] = function

    def watch_modules(self, module: str, *names: str) -> None:
        """Rely on modules of marshmallow that one of them has under their names. Raises TypeError for another one."""
        for name in names:
            found = vars(sys.modules[module]).get(name)
            if found is not None:
                if found is not sys.modules.get(f"marshmallow.{name}"):
                    raise TypeError(f"{module}.{name} is not marshmallow's own")
                self._functions.setdefault(module, {})[name] = found

    def watch_shared(self, *containers: Any) -> None:
        """Rely on what is in dicts, lists and sets that all instances share."""
        for container in containers:
            if type(container) is dict:
                self._dicts += (container,)
            else:
                self._containers += (container,)
                self._copies += (container.copy(),)

    def finish(self) -> None:
        """Take note of the instance, and release it."""
        for cls in self._types:
            getattr(cls, "__init__", None)  # a class has a version from the first time on that something is looked up
        of_modules = [function for functions in self._functions.values() for function in functions.values()]
        self._dicts += (Code((*called_functions(self._types, to_load=self._to_load), *of_modules)).dict,)
        for module, functions in self._functions.items():
            getter = attrgetter("__name__", *functions)  # a tuple also for one function
            self._modules += ((sys.modules[module], getter, (module, *functions.values())),)
        described = [vars(self.objects[number]) for number in self._described]
        self._alike = _Snapshot((*described, *self._dicts), tuple(self._types), _OF_THE_INSTANCE)
        self.objects = []

    def bound_to(self, schema: Any) -> Bound | None:
        """What the plan relies on in another instance; None if it differs."""
        if type(schema) is not self._schemas[0][1] or (*self._fields_of(schema),) != self._schemas[0][2]:
            return None
        objects: list[Any] = [schema]
        for origin, attribute, key in self._places:
            found = getattr(objects[origin], attribute, None)
            if found is None:
                return None
            objects.append(found if key is None else found[key])
        fields = [objects[number] for number in self._described]
        described = [*map(vars, fields)]
        fits = self._alike.fits((*described, *self._dicts)) and self.is_same(objects, fields)
        return Bound(self, objects, fields) if fits else None

    def is_same(self, objects: list[Any], fields: list[Any]) -> bool:
        """Whether all but the attributes of the described fields is as it was."""
        for number, *known in self._schemas:
            schema: Any = objects[number]
            if [type(schema), (*self._fields_of(schema),), schema.many] != known or is_instance_changed(schema):
                return False
        for number, getter, values in self._given:
            if getter(objects[number]) != values:
                return False
        for module, getter, functions in self._modules:
            if getter(module) != functions:
                return False
        for number in self.awaited:
            if objects[number]._schema is not None:
                return False
        return (*map(type, fields),) == self._field_types and self._containers == self._copies

    def snapshot(self, objects: list[Any], fields: list[Any]) -> tuple[Any, tuple[Any, ...]]:
        """What is compared of one instance, and with what."""
        dicts_of_fields = [self._fields_of(objects[number]) for number, *_ in self._schemas]
        dicts = (*map(vars, fields), *self._dicts, *dicts_of_fields)
        return _Snapshot(dicts, tuple(self._types), frozenset()), dicts


class Bound:
    """What a plan relies on in one instance of a schema."""

    def __init__(self, basis: Basis, objects: list[Any], fields: list[Any]) -> None:
        self.objects = objects
        self._basis = basis
        self._fields = fields
        self._n_uses = 0
        # one attribute for what is compared and with what, because threads may share a schema
        self._known: tuple[Any, tuple[Any, ...]] | None = None

    def holds(self) -> bool:
        """Whether nothing has changed since."""
        known = self._known
        if known is None:
            again = self._basis.bound_to(self.objects[0])
            if again is None or [*map(id, again.objects)] != [*map(id, self.objects)]:
                return False
            self._n_uses += 1
            if self._n_uses > 1:  # many schemas are used once or twice
                self._known = self._basis.snapshot(self.objects, self._fields)
            return True
        fits: bool = known[0].fits(known[1])
        return fits and self._basis.is_same(self.objects, self._fields)


def watched_classes(schema: Any) -> Any:
    """A snapshot of a schema's class and of those of its fields, which fits as long as none of them changes."""
    classes = {type(schema), *map(type, schema.fields.values())}
    for cls in classes:
        getattr(cls, "__init__", None)
    return _Snapshot((), tuple(classes), frozenset())
