"""What the C core asks for about a class: which attribute is written under which key, and what its values must be.

The core reads these tuples once for a class (core/encode/model/plan.c, core/encode/model/rule.c).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, NamedTuple, TypeAlias

Convert: TypeAlias = Callable[[Any, bool, "bool | None", bool, bool, bool], Any]
"""Called with an object, or the value of a field, `is_json`, and by_alias, exclude_unset, exclude_defaults,
exclude_none as the encoder has them: what the model's library makes of it, in JSON's own types. `is_json`: as its
dump_json, not as its dump_python(mode="json") would have it. `by_alias` is None where the class is to decide."""

MAX_DEPTH = 12
"""Containers that a rule may look into, one within another; RULE_MAX_DEPTH of core/encode/model/rule.h."""


class Alternative(NamedTuple):
    """Values of exactly one type, which are then written as that type is.

    `model`: objects of derived classes are written too, as objects of this one.
    """

    exact_type: type[Any]
    check: Literal["type", "model", "finite", "among", "items", "places", "values", "fields"] = "type"
    is_json: bool = True
    """Not where formats come in: a datetime, or a list of them."""
    key_type: type[Any] | None = None
    """`values`: of all keys of a dict."""
    known: frozenset[Any] | dict[str, int] | None = None
    """`among`: the values. `fields`: the place in `rules` of each key, required ones first."""
    n_required: int = 0
    rules: tuple[Rule | None, ...] = ()
    """Of `items` and `values`: one for all. Of `places` and `fields`: one for each. None: anything fits."""


class Rule(NamedTuple):
    """What a value must be to be written by its own type; one that is not is converted."""

    library: Literal["", "pydantic", "msgspec"] = ""
    """Whatever the core writes as this library does."""
    alternatives: tuple[Alternative, ...] = ()
    """With "msgspec": the types beyond JSON's that the core writes alike."""


class PlanField(NamedTuple):
    """One attribute."""

    attribute: str
    key: str
    alias: str
    """The key where `by_alias` is asked for."""
    rule: Rule | None = None
    convert: Convert | Callable[..., Any] | None = None
    """For a value that does not fit. None: the whole object is converted then."""
    is_to_python: bool = False
    """`convert` is the `to_python` of a pydantic serializer: called with `mode="json"` and the options by name."""
    is_excluded: bool = False
    default: tuple[()] | tuple[Any] = ()
    """What `exclude_defaults` leaves out."""


class Plan(NamedTuple):
    """How objects of one class are written."""

    kind: Literal["attributes", "dict", "ordered-dict", "root", "opaque"]
    """Where values are: attributes; `__dict__`, in its order or in that of the fields; the one entry of `__dict__`
    that stands for the object; or the library knows."""
    fields: tuple[PlanField, ...] = ()
    computed: tuple[PlanField, ...] = ()
    """Properties, written behind the fields."""
    convert: Convert | Callable[..., Any] | None = None
    is_to_python: bool = False
    unset: object = None
    """A value that stands for no field."""
    by_alias: bool = False
    """Whether the class asks for aliases, where the encoder leaves that to it."""
