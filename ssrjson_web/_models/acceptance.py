"""The language in which the core is told what a validator accepts: `Acceptance`.

A reader of a model library (`_models/pydantic/text_acceptance.py`, `models_acceptance.py`, `ninja/_schemas.py`) reads a
type's schema and describes in this language which values validation would return unchanged, or change in a way that the
core knows. Readers of serializers describe the values of fields in it, for `_models/records.py`. The core compiles a
description once (`core/schema/acceptance.c`) and applies it to each value. Whatever no description covers goes to the
validator, so that a description may leave out anything, and may never say too much.

    Acceptance      one of several `Accepted`, told apart by the exact type of the value; None: any value; (): no value
    Accepted        a type, a check, and what the check needs
    AcceptedModel   a model that is made of a dict, or of an object's attributes: its fields
    AcceptedField   a field: its keys, its default, and the `Acceptance` of its value

The core names the fields of these tuples, the checks and the ways, too, and refuses a description whose names differ.
A change here is a change there; a test in tests/models/test_acceptance.py uses every name.

The checks, by the types of values that they are for, and the fields of `Accepted` that they read:

    any type      `type`: nothing else is asked; where `exact_type` is object, of a value of any type but those of the
                  other alternatives. `call`: the value is what `validator` makes of it
    any type      `read`: the dict that `record` makes of the value. `exact_type` is object: a value of any type but
                  those of the other alternatives. `read_single`: what the only field of `record` gives
    any type      `functions`: what `before` make of the value, each of what the one before has made, is accepted by
                  `inner`; then `after` are called in the same way. They are functions of the application: each is
                  called once, and whoever gives the value gets their outcomes. `exact_type` is object, as for `read`
    str           `text`: a length within bounds, no lone surrogates
                  `bare`: a length within bounds, no whitespace around it, no lone surrogates; any other str is given to
                  `validator`
                  `trimmed`: without the whitespace around it, a length within bounds, no lone surrogates, no NUL; then
                  `validator`, if there is one, is called with it, and must not raise. The values in `among` need not
                  pass
                  `whole`: the same, but whitespace stays
                  `date`, `datetime`, `uuid`: exactly the text that such a value is written as, which stays as it is;
                  any other text, and where models are made, is given to `validator`
    int           `int`: within bounds. `real`: in place of a float, within bounds
    float         `float`: finite and within bounds
    str int bool  `among`: one of the values in `among`
                  `mapped`: the value of the key in `mapping`. `mapped_or_same`: or itself, if it is no key
    str int float `decimal`: the Decimal with at most `least` digits before the point that it says in plain digits, with
                  `greatest` digits after the point; then `validator`, as for `trimmed`
    Decimal       `decimal_text`: its digits, at most `least`, with `greatest` of them after the point. Without
                  `greatest`: all that it has
                  `quantized`: itself, if it has `greatest` digits after the point, and at most `least` digits
    date time     `iso`: as `isoformat` writes it
    datetime      `iso`: as `isoformat` writes it. `iso_z`: the same in the time zone `zone`, with Z for an offset of
                  zero, if the offset is of whole minutes; a datetime without a zone where `zone` is None, and no other
    UUID          `uuid_text`: as `str` writes it
    list dict     `plain`: JSON's own types throughout, without NaN
    list tuple    `items`: a number of items within bounds, each by `inner`. `places`: each by its own of `places`
                  `load`: a number of items within bounds, each a dict that becomes a record
    dict          `values`: str keys, a number of values within bounds, each by `inner`
                  `model`: the fields of `model`, or of the model around this one that `enclosing` counts
                  `tagged`: by that of `tags` which the value of the key `tag_key` names
                  `load`: the dict that `record` makes of it

Bounds are `least` and `greatest`; None: there is none. Where a validator raises an Exception, the whole value is left
to the library.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import tzinfo
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias

if TYPE_CHECKING:
    from ssrjson_web._models.records import LoadRecord, ReadRecord

MAX_DEPTH = 16
"""The greatest number of levels of containers and models that a description has, with functions at each or without. The
core allows three times as many."""

Check: TypeAlias = Literal[
    "type",
    "int",
    "float",
    "text",
    "among",
    "plain",
    "real",
    "call",
    "date",
    "datetime",
    "uuid",
    "bare",
    "trimmed",
    "whole",
    "mapped",
    "mapped_or_same",
    "decimal",
    "decimal_text",
    "quantized",
    "iso",
    "iso_z",
    "uuid_text",
    "read",
    "read_single",
    "load",
    "functions",
    "items",
    "places",
    "values",
    "model",
    "tagged",
]
Way: TypeAlias = Literal["library", "getattribute", "dict", "own"]
"""How the attributes of an object are read, of which a model is made, without code of its class.

`library`: they cannot be. `getattribute`: by `object.__getattribute__`. `dict`: in `__dict__`, where the descriptors of
the class have them. `own`: the class has nothing of their names, so in `__dict__` if there is one, otherwise by
`object.__getattribute__`."""


class AcceptedField(NamedTuple):
    """One field of a model."""

    name: str
    key: str
    """The key in a dict that is validated."""
    other_key: str | None
    """The key where that one is absent."""
    output: str | None
    """The key in the text. None: the field is not written."""
    acceptance: Acceptance
    default: tuple[()] | tuple[Any] = ()
    """The value of an absent field, in a tuple."""
    factory: Callable[[], Any] | None = None
    """Makes the value of an absent field. Without it and `default` the field is required."""
    left_out: tuple[()] | tuple[Any] = ()
    """The value that the text leaves out, in a tuple."""


class AcceptedModel(NamedTuple):
    """A model that is made of a dict."""

    cls: type
    fields: tuple[AcceptedField, ...]
    forbids_extra: bool = False
    """Keys of no field are refused; otherwise they are dropped."""
    exclude_unset: bool = False
    exclude_none: bool = False
    """These two say what the text leaves out."""
    way_of: Callable[[type], Way] | None = None
    """The `Way` for objects of another class, of which a model is made, too. None: they are left to the library."""
    before: tuple[Callable[[Any], Any], ...] = ()
    """Functions of the application that are called with the dict or the object. What they return is read."""


class Accepted(NamedTuple):
    """Values of exactly one type. The module says which check reads which of the other fields."""

    exact_type: type
    check: Check = "type"
    least: float | None = None
    greatest: float | None = None
    among: frozenset[Any] | None = None
    validator: Callable[[Any], Any] | None = None
    inner: Acceptance = ()
    places: tuple[Acceptance, ...] | None = None
    tags: dict[str, Acceptance] | None = None
    tag_key: str | None = None
    model: AcceptedModel | None = None
    enclosing: int = 0
    """The number of a model around this one: 1 is the innermost."""
    mapping: dict[Any, Any] | None = None
    zone: tzinfo | None = None
    record: ReadRecord | LoadRecord | None = None
    before: tuple[Callable[[Any], Any], ...] = ()
    after: tuple[Callable[[Any], Any], ...] = ()


Acceptance: TypeAlias = "tuple[Accepted, ...] | None"
"""One of these is accepted. None: any value. An empty tuple: none, so that the validator always decides."""


def alternatives_within(acceptance: Acceptance) -> Iterator[Accepted]:
    """The alternatives of an acceptance, and those of the items, values and records within them."""
    for accepted in acceptance or ():
        yield accepted
        for inner in (accepted.inner, *(accepted.places or ()), *(accepted.tags or {}).values()):
            yield from alternatives_within(inner)
        for field in (
            *(accepted.model.fields if accepted.model else ()),
            *(accepted.record.fields if accepted.record else ()),
        ):
            yield from alternatives_within(field.acceptance)
