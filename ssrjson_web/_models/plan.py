"""What the C core asks about a class: which attribute is written under which key, and which values need conversion.

The core reads these named tuples once per class (core/encode/model/plan.c), and refuses those
whose fields have other names than it knows.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias

if TYPE_CHECKING:
    from ssrjson_web._models.language import Rule

Convert: TypeAlias = Callable[[Any, bool, "bool | None", bool, bool, bool], Any]
"""Converts an object, or the value of a field, to JSON's own types, as the model's library does.

Its other arguments are `is_json` and the encoder's by_alias, exclude_unset, exclude_defaults and exclude_none. With
`is_json` the result is that of dump_json, else that of dump_python(mode="json"). `by_alias` is None where the class
decides. NotImplemented: the library would warn of the value or refuse it, so that the whole object is dumped."""


class PlanField(NamedTuple):
    """How one attribute is written."""

    attribute: str
    key: str
    alias: str
    """The key with `by_alias`."""
    rule: Rule | None = None
    """None admits any value."""
    convert: Convert | Callable[..., Any] | None = None
    """Converts a value that the rule does not admit. With None the whole object is converted."""
    is_excluded: bool = False
    default: tuple[()] | tuple[Any] = ()
    """The value that `exclude_defaults` leaves out, or `omit_defaults` for attributes, in a tuple."""
    is_of_root: bool = False
    """Whether only the serializer of the outermost value converts as the library does. An encoder whose caller has that
    serializer refuses the value instead."""


class Plan(NamedTuple):
    """How objects of one class are written."""

    kind: Literal["attributes", "dict", "ordered-dict", "root", "opaque"]
    """Where the values are.

    `attributes`: in attributes. `dict`: in `__dict__`, in its order. `ordered-dict`: in `__dict__`, in the order of
    the fields. `root`: one entry of `__dict__` replaces the object. `opaque`: only the library knows."""
    fields: tuple[PlanField, ...] = ()
    computed: tuple[PlanField, ...] = ()
    """Properties, written after the fields."""
    convert: Convert | Callable[..., Any] | None = None
    dump: Convert | None = None
    """What the library makes of an object, with its warnings and errors, where `convert` is not implemented."""
    unset: object = None
    """A value that means that the field is left out."""
    by_alias: bool = False
    """Whether the class uses aliases where the encoder leaves that to the class."""
    is_of_root: bool = False
    """As of a `PlanField`, of the conversion of whole objects."""


_EMPTY_CONTAINERS = (list, dict, set, frozenset, tuple)


def default_of(default: Any, factory: Any, missing: Any) -> tuple[()] | tuple[Any]:
    """The `default` of a field with a default or a factory, of which `missing` says that there is none.

    A factory counts only where it makes an empty container: what any other one makes is not known.
    """
    if default is not missing:
        return (default,)
    return (factory(),) if any(factory is one for one in _EMPTY_CONTAINERS) else ()
