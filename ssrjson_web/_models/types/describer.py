"""Nodes of declared types. What a type's values cannot be told by, or made of, is refused here, by the field's name."""

from __future__ import annotations

import collections
import collections.abc
import datetime
import decimal
import enum
import re
import sys
import types
import typing
import uuid
from collections.abc import Callable, Iterable
from typing import Any, Literal, NamedTuple

from ssrjson_web._models.types import texts
from ssrjson_web._models.types.classes import ClassFields, class_fields
from ssrjson_web._models.types.hints import PYDANTICS, has_own_equality, refused, substituted
from ssrjson_web._models.types.nodes import ANY, Action, Field, Kind, Node, Record

_SAME = Action("same")
_SCALARS: dict[Any, tuple[Kind, Action, str]] = {
    bool: ("bool", _SAME, "bool"),
    int: ("int", _SAME, "int"),
    str: ("str", _SAME, "str"),
    datetime.date: ("str", Action("date", call=texts.date_of), "str (date)"),
    datetime.datetime: ("str", Action("datetime", call=texts.datetime_of), "str (datetime)"),
    datetime.time: ("str", Action("call", call=texts.time_of), "str (time)"),
    uuid.UUID: ("str", Action("uuid", call=texts.uuid_of), "str (UUID)"),
    decimal.Decimal: ("str", Action("call", call=texts.decimal_of), "str (Decimal)"),
    bytes: ("str", Action("call", call=texts.bytes_of), "str (base64)"),
    bytearray: ("str", Action("call", call=texts.bytearray_of), "str (base64)"),
    memoryview: ("str", Action("call", call=texts.memoryview_of), "str (base64)"),
}
_LISTS = (
    list,
    collections.abc.Sequence,
    collections.abc.MutableSequence,
    collections.abc.Collection,
    collections.abc.Iterable,
)
_MADE_OF_LISTS: dict[Any, Callable[..., Any]] = {
    set: set,
    frozenset: frozenset,
    collections.deque: collections.deque,
    collections.abc.Set: set,
    collections.abc.MutableSet: set,
}
_DICTS = (dict, collections.abc.Mapping, collections.abc.MutableMapping)
_KIND_OF_TYPE: dict[type, Kind] = {bool: "bool", int: "int", str: "str", type(None): "null"}
_NUMBER_OF_KEY: dict[Kind, Callable[[str], Any]] = {"int": texts.int_of_key, "float": texts.number_of_key}
_MAX_SHOWN = 10
"""Values of a Literal or an Enum that an error lists."""


class _Choice(NamedTuple):
    """What becomes of values of one type, by their kind."""

    actions: dict[Kind, Action]
    labels: tuple[str, ...]


class _Untold(NamedTuple):
    """Any value."""


_UNTOLD = _Untold()


def _words(values: Iterable[Any]) -> str:
    shown = [repr(value) for value in values]
    listed = ", ".join(shown[:_MAX_SHOWN])
    return shown[0] if len(shown) == 1 else f"one of {listed}{', ...' if len(shown) > _MAX_SHOWN else ''}"


def _mapped(mapping: dict[Any, Any], hint: Any, where: str) -> _Choice:
    """Values that stand for others."""
    by_kind: dict[Kind, dict[Any, Any]] = {}
    for value, result in mapping.items():
        kind = _KIND_OF_TYPE.get(type(value))
        if kind is None:
            raise refused(hint, where, f"{value!r} is no str, int, bool or None")
        by_kind.setdefault(kind, {})[value] = result
    actions = {kind: Action("mapped", mapping=part, expected=_words(part)) for kind, part in by_kind.items()}
    return _Choice(actions, tuple(sorted(actions)))


def _mapped_pairs(pairs: Iterable[tuple[Any, Any]], hint: Any, where: str) -> _Choice:
    """As `_mapped`, of values some of which may be equal though their types differ."""
    by_type: dict[type, dict[Any, Any]] = {}
    for value, result in pairs:
        by_type.setdefault(type(value), {})[value] = result
    actions: dict[Kind, Action] = {}
    for part in by_type.values():
        actions.update(_mapped(part, hint, where).actions)
    return _Choice(actions, tuple(sorted(actions)))


def _bound_check(meta: Any) -> Callable[[Any], Any] | None:
    """A function that raises ValueError for values that a `msgspec.Meta` refuses; None for one without bounds."""
    tests: list[tuple[str, Callable[[Any], bool]]] = []
    if meta.gt is not None:
        tests.append((f"a value > {meta.gt}", lambda value: value > meta.gt))
    if meta.ge is not None:
        tests.append((f"a value >= {meta.ge}", lambda value: value >= meta.ge))
    if meta.lt is not None:
        tests.append((f"a value < {meta.lt}", lambda value: value < meta.lt))
    if meta.le is not None:
        tests.append((f"a value <= {meta.le}", lambda value: value <= meta.le))
    if meta.multiple_of is not None:
        tests.append((f"a multiple of {meta.multiple_of}", lambda value: value % meta.multiple_of == 0))
    if meta.pattern is not None:
        search = re.compile(meta.pattern).search
        tests.append((f"a str matching {meta.pattern!r}", lambda value: search(value) is not None))
    if meta.min_length is not None:
        tests.append((f"a length >= {meta.min_length}", lambda value: len(value) >= meta.min_length))
    if meta.max_length is not None:
        tests.append((f"a length <= {meta.max_length}", lambda value: len(value) <= meta.max_length))
    if meta.tz is not None:
        words = "a datetime or time with an offset" if meta.tz else "a datetime or time without an offset"
        tests.append((words, lambda value: (value.tzinfo is not None) is meta.tz))

    def check(value: Any) -> None:
        for words, passes in tests:
            if not passes(value):
                raise ValueError(f"Expected {words}")

    return check if tests else None


def _checked(action: Action, check: Callable[[Any], Any]) -> Action:
    """An action with one more check."""
    first = action.check
    if first is None:
        return action._replace(check=check)

    def check_both(value: Any) -> None:
        first(value)
        check(value)

    return action._replace(check=check_both)


def _made_by(action: Action, value: Any) -> tuple[()] | tuple[Any]:
    """What an action makes of a str, int, bool or None; empty where it refuses that."""
    try:
        if action.make == "mapped":
            made = (action.mapping or {})[value]
        else:
            made = action.call(value) if action.call is not None else value
        if action.check is not None:
            action.check(made)
    except (KeyError, TypeError, ValueError):
        return ()
    return (made,)


def _is_apart(mapped: Action, other: Action) -> bool:
    """Whether a scalar is never two values: what stands for another one is no other value of the union."""
    if mapped.check is not None or mapped.nodes or other.nodes:
        return False
    pairs = ((result, _made_by(other, value)) for value, result in (mapped.mapping or {}).items())
    return all(not made or (type(made[0]) is type(result) and made[0] == result) for result, made in pairs)


def _of_msgspec(name: str) -> Any:
    """An object of msgspec, if that is imported; otherwise one that nothing else is."""
    return getattr(sys.modules.get("msgspec"), name, _UNTOLD)


def _members(union: Any) -> list[Any]:
    """The types of a union; UNSET is no value of JSON."""
    return [one for one in typing.get_args(union) if one is not _of_msgspec("UnsetType")]


class Describer:
    """Collects the nodes of a type and of all types within it."""

    def __init__(self) -> None:
        self._nodes: list[Node | None] = []
        self._known: dict[Any, int] = {}  # of classes and aliases, by themselves and their arguments
        self._own_equality: list[Any] = []  # classes that are known by their identity
        self._kinds: dict[int, Kind] = {}  # of the nodes of classes

    @property
    def may_be_shared(self) -> bool:
        """Whether what was described is the same for every type that is equal."""
        return not self._own_equality

    def describe(self, hint: Any) -> tuple[Node, ...]:
        """The nodes of a type, that of the type first. Raises TypeError."""
        self._nodes.append(None)
        choice = self._choice(hint, "")
        if isinstance(choice, _Untold):
            every: tuple[Kind, ...] = ("null", "bool", "int", "float", "str", "array", "object")
            choice = _Choice(dict.fromkeys(every, _SAME), ("anything",))
        self._nodes[0] = self._node_of(choice)
        return tuple(node for node in self._nodes if node is not None)

    def _node_of(self, choice: _Choice) -> Node:
        return Node(" | ".join(dict.fromkeys(choice.labels)), choice.actions)

    def _node(self, hint: Any, where: str) -> int:
        """The index of the node of a type."""
        choice = self._choice(hint, where)
        if isinstance(choice, _Untold):
            return ANY
        of_class = self._known.get(self._key_of(typing.get_origin(hint) or hint, typing.get_args(hint)))
        if of_class is not None:
            return of_class
        self._nodes.append(self._node_of(choice))
        return len(self._nodes) - 1

    def _choice(self, hint: Any, where: str) -> _Choice | _Untold:
        origin = typing.get_origin(hint)
        if has_own_equality(origin or hint):
            return self._of_class(origin or hint, typing.get_args(hint), where)
        if hint is Any or hint is object:
            return _UNTOLD
        if hint is None or hint is type(None):
            return _Choice({"null": _SAME}, ("null",))
        if hint is float:
            return _Choice({"float": _SAME, "int": Action("float")}, ("float",))
        try:
            scalar = _SCALARS.get(hint)
        except TypeError:  # it cannot be hashed
            scalar = None
        if scalar is not None:
            kind, action, label = scalar
            return _Choice({kind: action}, (label,))
        unwrapped = self._unwrapped(hint, origin, where)
        if unwrapped is not None:
            return unwrapped
        if origin in (typing.Union, types.UnionType):
            return self._union(hint, where)
        if origin is Literal:
            return _mapped_pairs(((value, value) for value in typing.get_args(hint)), hint, where)
        container = self._container(hint, origin or hint, where)
        if container is not None:
            return container
        cls = origin or hint
        if isinstance(cls, type):
            return self._of_class(cls, typing.get_args(hint), where)
        raise refused(hint, where, "it is no type whose values JSON can hold")

    # what stands around a type

    def _unwrapped(self, hint: Any, origin: Any, where: str) -> _Choice | _Untold | None:
        """The choice of what a hint is another name for; None where it is none."""
        if origin is typing.Annotated or hasattr(hint, "__metadata__"):
            return self._annotated(hint, where)
        if getattr(origin, "_name", None) in ("Final", "Required", "NotRequired", "ReadOnly"):
            return self._choice(typing.get_args(hint)[0], where)
        if hasattr(hint, "__supertype__"):
            return self._choice(hint.__supertype__, where)
        if isinstance(hint, typing.TypeVar):
            return _UNTOLD if hint.__bound__ is None else self._choice(hint.__bound__, where)
        alias = hint if type(hint).__name__ == "TypeAliasType" else origin
        if type(alias).__name__ == "TypeAliasType":
            return self._alias(hint, alias, where)
        if isinstance(hint, (str, typing.ForwardRef)):
            raise refused(hint, where, "the name cannot be resolved: give the type itself")
        return None

    def _annotated(self, hint: Any, where: str) -> _Choice | _Untold:
        choice = self._choice(hint.__origin__, where)
        meta_class = _of_msgspec("Meta")
        for meta in hint.__metadata__:
            is_meta = isinstance(meta_class, type) and isinstance(meta, meta_class)
            check = _bound_check(meta) if is_meta else None
            if check is None:
                continue
            if isinstance(choice, _Untold):
                raise refused(hint, where, "a Meta needs a type")
            checked = {
                kind: action if kind == "null" else _checked(action, check) for kind, action in choice.actions.items()
            }
            choice = choice._replace(actions=checked)
        return choice

    def _alias(self, hint: Any, alias: Any, where: str) -> _Choice | _Untold:
        if hint in self._known:
            raise refused(hint, where, "an alias that is within itself")
        self._known[hint] = ANY
        arguments = dict(zip(alias.__type_params__, typing.get_args(hint), strict=False))
        choice = self._choice(substituted(alias.__value__, arguments), where)
        del self._known[hint]
        return choice

    # values of several types

    def _union(self, hint: Any, where: str) -> _Choice | _Untold:
        choices = [self._choice(one, where) for one in _members(hint)]
        told = [one for one in choices if isinstance(one, _Choice)]
        if len(told) < len(choices):
            return _UNTOLD
        merged: dict[Kind, Action] = {}
        for kind in dict.fromkeys(kind for choice in told for kind in choice.actions):
            actions = [choice.actions[kind] for choice in told if kind in choice.actions]
            actions.sort(key=lambda action: action.make != "mapped")
            if kind == "object" and len(actions) > 1:
                merged[kind] = self._tagged(hint, actions, where)
                continue
            for action in actions:
                merged[kind] = self._either(merged.get(kind), action, kind, hint, where)
        labels = tuple(label for choice in told for label in choice.labels)
        return _Choice(merged, labels)

    def _either(self, one: Action | None, other: Action, kind: Kind, hint: Any, where: str) -> Action:
        """What becomes of a kind that two types of a union take."""
        if one is None or one.make == "float":
            return other
        if other.make == "float":
            return one
        is_scalar = kind not in ("array", "object")
        for first, second in ((one, other), (other, one)):
            if is_scalar and first.check is None and first == second._replace(check=None):
                return first
        if one.make == "mapped" and _is_apart(one, other):
            return self._mapped_or(one, other, kind)
        raise refused(hint, where, f"more than one of its types is the JSON type {kind}")

    def _mapped_or(self, mapped: Action, other: Action, kind: Kind) -> Action:
        """What `mapped` has, otherwise what the other action makes."""
        if other.make == "mapped" and other.check is None:
            mapping = {**(mapped.mapping or {}), **(other.mapping or {})}
            return Action("mapped", mapping=mapping, expected=_words(mapping))
        if other.make == "same" and other.check is None:
            return other
        label = _words(mapped.mapping or {})
        self._nodes.append(Node(label, {kind: other}))
        return mapped._replace(nodes=(len(self._nodes) - 1,))

    def _objects_of(self, hint: Any, where: str) -> list[Any]:
        """The types of a union whose values are objects; of each what it is another name for."""
        if typing.get_origin(hint) is typing.Annotated:
            return self._objects_of(hint.__origin__, where)
        if hasattr(hint, "__supertype__") or type(hint).__name__ == "TypeAliasType":
            return self._objects_of(getattr(hint, "__supertype__", None) or hint.__value__, where)
        if typing.get_origin(hint) in (typing.Union, types.UnionType):
            return [one for member in _members(hint) for one in self._objects_of(member, where)]
        choice = self._choice(hint, where)
        return [hint] if isinstance(choice, _Choice) and "object" in choice.actions else []

    def _tagged(self, hint: Any, actions: list[Action], where: str) -> Action:
        """The choice between objects by the value of a key that each of them has."""
        if any(action.check is not None for action in actions):
            raise refused(hint, where, "bounds of one of its objects")
        members = self._objects_of(hint, where)
        tags = [self._tags_of(member, where) for member in members]
        for key in tags[0]:
            lists = [one.get(key, []) for one in tags]
            values = [value for one in lists for value in one]
            if all(lists) and len(set(values)) == len(values):
                mapping = {value: place for place, one in enumerate(lists) for value in one}
                nodes = tuple(self._node(member, where) for member in members)
                return Action("tagged", mapping=mapping, expected=_words(values), tag_key=key, nodes=nodes)
        raise refused(
            hint,
            where,
            "its objects have no tag in common: a Struct's tag, or a Literal field of one name and different values",
        )

    def _tags_of(self, hint: Any, where: str) -> dict[str, list[Any]]:
        """The values by which an object can be told, by their keys."""
        cls = typing.get_origin(hint) or hint
        found = class_fields(cls, typing.get_args(hint), where) if isinstance(cls, type) else None
        if found is None or found.is_array:
            return {}
        tags: dict[str, list[Any]] = {} if found.tag is None else {found.tag[0]: [found.tag[1]]}
        for field in found.fields:
            values = list(typing.get_args(field.hint)) if typing.get_origin(field.hint) is Literal else []
            if values and all(type(value) in (str, int) for value in values):
                tags[field.key] = values
        return tags

    # containers

    def _container(self, hint: Any, cls: Any, where: str) -> _Choice | None:
        arguments = typing.get_args(hint)
        if cls is tuple:
            return self._tuple(hint, arguments, where)
        try:
            made_of_list = _MADE_OF_LISTS.get(cls)
        except TypeError:
            return None
        if cls in _LISTS or made_of_list is not None:
            node = self._node(arguments[0], where) if arguments else ANY
            if made_of_list is not None:
                if made_of_list in (set, frozenset) and arguments:
                    self._check_hash(arguments[0], hint, where)
                return _Choice({"array": Action("of_items", call=made_of_list, nodes=(node,))}, ("array",))
            return _Choice({"array": Action("list", nodes=(node,))}, ("array",))
        if cls in _DICTS:
            key = self._key(arguments[0], where) if arguments else ANY
            value = self._node(arguments[1], where) if arguments else ANY
            return _Choice({"object": Action("dict", nodes=(key, value))}, ("object",))
        return None

    def _check_hash(self, item: Any, hint: Any, where: str) -> None:
        cls = typing.get_origin(item) or item
        if isinstance(cls, type) and cls.__hash__ is None:
            raise refused(hint, where, "its items cannot be hashed")

    def _tuple(self, hint: Any, arguments: tuple[Any, ...], where: str) -> _Choice:
        if (len(arguments) == 2 and arguments[1] is Ellipsis) or (hint is tuple or hint is tuple):
            node = self._node(arguments[0], where) if arguments else ANY
            return _Choice({"array": Action("of_items", call=tuple, nodes=(node,))}, ("array",))
        if arguments == ((),):  # Python 3.10 has it for tuple[()]
            arguments = ()
        nodes = tuple(self._node(argument, where) for argument in arguments)
        return _Choice({"array": Action("places", least=len(nodes), nodes=nodes)}, ("array",))

    def _key(self, hint: Any, where: str) -> int:
        """The node of the keys of a dict, which are strs in JSON."""
        choice = self._choice(hint, where)
        if isinstance(choice, _Untold):
            return ANY
        of_text = choice.actions.get("str")
        if of_text == _SAME:
            return ANY
        numbers: list[Kind] = [kind for kind in _NUMBER_OF_KEY if kind in choice.actions]
        if numbers and (of_text is None or of_text.make != "same"):
            scalars: tuple[Kind, ...] = ("int", "float", "str")
            kept: dict[Kind, Action] = {kind: choice.actions[kind] for kind in scalars if kind in choice.actions}
            self._nodes.append(self._node_of(choice._replace(actions=kept)))
            of_text = Action("key", call=_NUMBER_OF_KEY[numbers[-1]], nodes=(len(self._nodes) - 1,))
        if of_text is None:
            raise refused(hint, where, "keys of objects are strs, or made of strs or numbers")
        self._nodes.append(self._node_of(choice._replace(actions={"str": of_text})))
        return len(self._nodes) - 1

    # classes

    def _enum(self, cls: type[enum.Enum], where: str) -> _Choice:
        values = [member.value for member in cls.__members__.values()]
        has_own_missing = cls._missing_.__func__ is not enum.Enum._missing_.__func__  # type: ignore[attr-defined]
        if issubclass(cls, enum.Flag) or has_own_missing:
            return self._called_enum(cls, values, where)
        by_value = ((member.value, member) for member in cls.__members__.values())
        if not values:
            raise refused(cls, where, "it has no members")
        return _mapped_pairs(by_value, cls, where)

    def _called_enum(self, cls: type[enum.Enum], values: list[Any], where: str) -> _Choice:
        """Members of an Enum that makes some of values that no member has."""
        kinds = {_KIND_OF_TYPE.get(type(value)) for value in values}
        if not kinds or not kinds <= {"str", "int"}:
            raise refused(cls, where, "its values are neither strs nor ints")
        names: list[Kind] = ["str" if kind == "str" else "int" for kind in sorted(str(kind) for kind in kinds)]
        return _Choice({name: Action("call", call=cls) for name in names}, tuple(names))

    def _of_class(self, cls: Any, arguments: tuple[Any, ...], where: str) -> _Choice:
        return self._enum(cls, where) if issubclass(cls, enum.Enum) else self._class(cls, arguments, where)

    def _key_of(self, cls: Any, arguments: tuple[Any, ...]) -> tuple[Any, ...]:
        """What a class is known by."""
        if not has_own_equality(cls):
            return (cls, arguments)
        self._own_equality.append(cls)  # no other object has its address
        return (id(cls), arguments)

    def _class(self, cls: Any, arguments: tuple[Any, ...], where: str) -> _Choice:
        known = self._key_of(cls, arguments)
        try:
            index = self._known.get(known)
        except TypeError as error:
            raise refused(cls, where, "its arguments cannot be hashed") from error
        if index is None:
            index = self._known[known] = self._new_class(cls, arguments, where)
        node = self._nodes[index]
        if node is not None:
            return _Choice(node.actions, (node.expected,))
        kind = self._kinds[index]  # the class is within itself
        return _Choice({kind: Action("node", nodes=(index,))}, (kind,))

    def _new_class(self, cls: Any, arguments: tuple[Any, ...], where: str) -> int:
        found = class_fields(cls, arguments, where)
        if found is None:
            if hasattr(cls, "__pydantic_validator__") or str(cls.__module__).startswith("pydantic."):
                raise refused(cls, where, PYDANTICS)
            raise refused(cls, where, "it is no dataclass, TypedDict, NamedTuple, attrs class or Struct of msgspec")
        index = len(self._nodes)
        self._nodes.append(None)
        kind: Kind = "array" if found.is_array else "object"
        self._kinds[index] = kind
        self._known[self._key_of(cls, arguments)] = index
        nodes = [self._node(field.hint, f"{cls.__name__}.{field.name}") for field in found.fields]
        if found.is_array:
            least = sum(field.required for field in found.fields)
            record = self._record(cls, found, nodes) if found.style == "tuple" else None
            action = Action("places", call=cls, record=record, least=least, nodes=tuple(nodes))
        else:
            action = Action("record", record=self._record(cls, found, nodes))
        self._nodes[index] = Node(kind, {kind: action})
        return index

    def _record(self, cls: Any, found: ClassFields, nodes: list[int]) -> Record:
        fields = [
            Field(field.key, field.name, node, field.required, field.default, field.factory)
            for field, node in zip(found.fields, nodes, strict=True)
        ]
        if found.tag is not None:
            key, value = found.tag
            tag = _mapped_pairs([(value, value)], cls, "")
            self._nodes.append(self._node_of(tag))
            fields.append(Field(key, None, len(self._nodes) - 1, False))
        return Record(
            found.style,
            cls if found.style != "dict" else dict,
            tuple(fields),
            found.forbids_unknown,
            found.n_positional,
            found.has_post_init,
        )
