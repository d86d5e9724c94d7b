"""What the C core asks about a class: which attribute is written under which key, and which values need conversion.

The core reads these named tuples once per class (core/encode/model/plan.c, core/encode/model/rule.c), and refuses those
whose fields have other names than it knows.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, NamedTuple, TypeAlias

Convert: TypeAlias = Callable[[Any, bool, "bool | None", bool, bool, bool], Any]
"""Converts an object, or the value of a field, to JSON's own types, as the model's library does.

Its other arguments are `is_json` and the encoder's by_alias, exclude_unset, exclude_defaults and exclude_none. With
`is_json` the result is that of dump_json, else that of dump_python(mode="json"). `by_alias` is None where the class
decides. NotImplemented: the library would warn of the value or refuse it, so that the whole object is dumped."""

MAX_DEPTH = 12
"""Maximum number of levels of containers that a rule looks into. RULE_MAX_DEPTH of the core is the same number."""


class Alternative(NamedTuple):
    """Values of exactly one type, which are written as that type is.

    With the check `model`, objects of derived classes are included and written as objects of this class.
    """

    exact_type: type[Any]
    check: Literal["type", "model", "finite", "number", "seconds", "among", "items", "places", "values", "fields"] = (
        "type"
    )
    """`finite`: a float that is finite, or that the encoder writes as the library does. `number`: one that is finite.
    `seconds`: a timedelta, for which its seconds are written."""
    is_json: bool = True
    """Whether the values are of JSON's own types. It is False for a datetime and for a list of datetimes."""
    key_type: type[Any] | None = None
    """With `values`: the type of all keys of a dict."""
    known: frozenset[Any] | dict[str, int] | None = None
    """With `among`: the values. With `fields`: the index in `rules` of each key, required keys first."""
    n_required: int = 0
    rules: tuple[Rule | None, ...] = ()
    """With `items` and `values`: one rule for all. With `places` and `fields`: one for each. None admits any value."""


class Rule(NamedTuple):
    """What a value must be to be written by its own type. Any other value is converted."""

    library: Literal["", "pydantic", "msgspec", "json"] = ""
    """Admits every value that the core writes as this library does. "json": JSON's own types throughout."""
    alternatives: tuple[Alternative, ...] = ()
    """With "msgspec": the types beyond JSON's that the core writes as msgspec does."""


class PlanField(NamedTuple):
    """How one attribute is written."""

    attribute: str
    key: str
    alias: str
    """The key with `by_alias`."""
    rule: Rule | None = None
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
