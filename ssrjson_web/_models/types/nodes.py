"""The language in which the core is told what values of declared types are made of: a tuple of `Node`s.

A node stands for a declared type, and nodes name each other by their index, so that types may be within themselves;
`ANY`, -1, is any value. The first node is that of the whole document. A node says for each kind of JSON value what
becomes of it; a kind that it does not name is refused. The core compiles the nodes once
(`core/schema/typed_plan.c`) and applies them (`typed_value.c`). It names the fields of these tuples, the makes and
the styles, too, and refuses nodes whose names differ.

The makes, the kinds that they are for, and the fields of `Action` that they read:

    any kind   `same`: the value as it is
    any kind   `mapped`: what `mapping` has under the value, otherwise what the node makes of it, if there is one;
               `expected` tells what it may be
    any kind   `call`: what `call` makes of it
    any kind   `node`: what the node, which is that of a class, makes of it
    str        `key`: of a key of a dict: what the node makes of what `call` makes of it
    int        `float`: the float that is nearest to it
    str        `date`, `datetime`, `uuid`: what `call` makes of it; the core makes what is in the usual form
    array      `list`: a list of what the node makes of each item
               `of_items`: what `call` makes of such a list
               `places`: at least `least` items, each made by the node of its place; then what `call` makes of all, or
               a tuple, or the NamedTuple of `record`
    object     `dict`: a dict of what the first node makes of each key and the second of each value
               `record`: what `record` makes of it
               `tagged`: what the node makes whose place `mapping` has under the value of `tag_key`

`check` is called with what was made. A ValueError or TypeError of `call`, `check` or a class refuses the value, and
the error tells its message.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, NamedTuple, TypeAlias

ANY = -1
"""In place of the index of a node: any value, as it is."""

Kind: TypeAlias = Literal["null", "bool", "int", "float", "str", "array", "object"]
Make: TypeAlias = Literal[
    "same",
    "mapped",
    "call",
    "key",
    "node",
    "float",
    "date",
    "datetime",
    "uuid",
    "list",
    "of_items",
    "places",
    "dict",
    "record",
    "tagged",
]
Style: TypeAlias = Literal["by_place", "by_name", "stored", "dict", "tuple"]
"""How an object is made of its fields.

`by_place`: the class is called with all of them, the first `n_positional` by place. `by_name`: it is called with those
that there are. `stored`: they are stored as the `__init__` that `dataclasses` writes would do, as long as the class is
not changed, and otherwise by name. `dict`: the dict, without keys of no field. `tuple`, of `places`: a NamedTuple
whose `__new__` is that of `collections.namedtuple`, as long as the class is not changed."""


class Field(NamedTuple):
    key: str
    """In the object."""
    name: str | None
    """Of the parameter. None: the value is checked and goes nowhere; such fields come last."""
    node: int
    required: bool
    default: tuple[()] | tuple[Any] = ()
    factory: Callable[[], Any] | None = None


class Record(NamedTuple):
    style: Style
    cls: type
    fields: tuple[Field, ...]
    forbids_unknown: bool = False
    """Keys of no field are refused, otherwise dropped."""
    n_positional: int = 0
    has_post_init: bool = False


class Action(NamedTuple):
    make: Make
    call: Callable[..., Any] | None = None
    mapping: dict[Any, Any] | None = None
    expected: str | None = None
    tag_key: str | None = None
    record: Record | None = None
    least: int = 0
    nodes: tuple[int, ...] = ()
    check: Callable[[Any], Any] | None = None
    """Raises ValueError where what was made is refused."""


class Node(NamedTuple):
    expected: str
    """The kinds that it takes, for messages."""
    actions: dict[Kind, Action]


_BUILTIN = (None, list, dict, set, tuple)
"""Callables that run no other code, except where they hash items."""


def runs_code(node: Node) -> bool:
    """Whether code of the application makes values of a node."""
    return any(_action_runs_code(action) for action in node.actions.values())


def _action_runs_code(action: Action) -> bool:
    if action.check is not None:
        return True
    if action.make in ("date", "datetime", "uuid"):
        return False
    record = action.record
    if record is None:
        return not any(action.call is one for one in _BUILTIN)
    if record.style == "tuple":
        return False
    if record.style == "by_name" or record.has_post_init:
        return True
    return not all(any(field.factory is one for one in _BUILTIN) for field in record.fields)
