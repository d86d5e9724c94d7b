"""The language in which the core is told about values: `Acceptance`, with records and rules.

Readers of model libraries and of serializers describe in this language what they know of a type. The core compiles a
description once to nodes (`core/schema/compile.c`). Whatever no description covers goes to the library, so that a
description may leave out anything, and may never say too much. What a description is for decides what the core does:

    it makes values     of those that a validator is given: `_core._Acceptance`, in place of the validator
                        of objects and dicts that a serializer is given: `_core._RecordReader`, `_core._RecordLoader`
    it compares values  a field of a model's `Plan` has a *rule*: a value that fits is written by its own type, and any
                        other is converted by the library

    Acceptance      one of several `Accepted`, told apart by the exact type of the value; None: any value; (): no value
    Accepted        a type, an op, and the operands of the op
    AcceptedModel   a model that is made of a dict, or of an object's attributes: its fields
    AcceptedField   a field: its keys, its default, and the `Acceptance` of its value
    ReadRecord      a dict that is made of an object
    LoadRecord      a dict that is made of a dict

The core names the fields of these tuples, the ops and the ways, too, and refuses a description whose names differ.
`core/schema/op_list.h` has a row for each op; a test compares its names with `Op`, and another one uses every op.

The ops that make values, by the types of values that they are for, and the fields of `Accepted` that they read:

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
                  `tuple`: the tuple of what `inner` makes of the whole, which is a list or tuple
                  `load`: a number of items within bounds, each a dict that becomes a record
    dict          `values`: str keys, a number of values within bounds, each by `inner`
                  `model`: the fields of `model`, or of the model around this one that `enclosing` counts
                  `tagged`: by that of `tags` which the value of the key `tag_key` names
                  `load`: the dict that `record` makes of it

The ops that compare values:

    any type      `type`: nothing else is asked. `derived`: objects of derived classes are included, and are written as
                  objects of this class
    timedelta     `seconds`: its seconds are written
    float         `float`: it is finite. `finite`: it is finite, or the encoder writes it as the library does
    str int bool  `among`: one of the values in `among`
    list tuple    `items`: each by `inner`; sets, too. `places`, of a tuple: each by its own of `places`
    dict          `values`: str keys, each value by `inner`
                  `fields`: known keys, of which `mapping` says their index in `places`; the first `least` are required
    object        `as_pydantic`, `as_msgspec`: every value that the core writes as this library does; with `as_msgspec`
                  the other alternatives are the types beyond JSON's that the core writes as msgspec does. `as_json`:
                  JSON's own types throughout

Bounds are `least` and `greatest`; None: there is none. Where a validator raises an Exception, the whole value is left
to the library.

A *record* is a dict with a known set of fields. A serializer makes one of an object (it *reads* the object), and
another one of the dict that a client sent (it *loads* the dict). What becomes of the value of a field is an
`Acceptance`; a value that it does not cover is given to the library.

A description is made once for a class of serializers and is used by all of its instances. What differs from one
instance to the next, such as bound methods, is therefore not in it: it has *calls*, which are numbers. Whoever runs a
record gives a function `resolve(number)`, which returns the callable. The core asks for each number at most once a run,
and only where it needs the callable.

Reading, for each field in order:

1. The value is found by the `steps`, each the name of an attribute or key of what the step before has found. Without
   steps it is the object itself.
2. Where a step raises an Exception, or finds something callable, or its way is `library`: the result is what
   `resume(object, found, n_steps, error)` returns. `found` is what the first `n_steps` have found; `error` is what the
   next one has raised, or None. If it is None, and `found` is callable, it has not been called yet.
3. The `acceptance` gives the result. Where it does not accept the value, the result is what `convert(value)` returns.

Loading, for each field in order:

1. The value is the dict's at `key`, or, if it is `of_whole_dict`, the dict. Where it is absent: the default; or,
   without one, it is left out if the field `may_be_absent`; otherwise the result is what `load(absent)` returns.
2. The `acceptance` gives the result; `confirm`, if there is one, is called with that, and returns the result. Where the
   value is not accepted, the result is what `load(value)` returns.
3. `after`, if there is one, is called with the result, however it was made, and returns the result.
4. Where one of these calls raises an Exception, the result is what `on_error(error, errors, key, index)` returns.
   `errors` is a dict, new for this record; `index` is the place of the record in a list, or None.

Then, where the dict has keys of no field and the record has `unknown`: `unknown(dict, result, index)`. Then, where
`errors` exists, the record is what `fail(errors, result)` returns; otherwise, if there is `finish`, what
`finish(result)` returns. Everything that is no exact dict with str keys is given to `other(value, index)`.

A list of dicts is loaded one by one. Where one raises an Exception, `on_error(error, errors, index, index)` is called
with the `errors` of the list. At the end the list becomes what `fail_all(errors, n_items, list)` returns, if `errors`
exists, and otherwise what `finish_all(list)` returns, if there is one.

A result that is the `skipped` object leaves the field out. Exceptions of all other calls, and those that are no
Exception, pass through.

A record that is within another one may have -1 for `load`, `other` and `on_error`, and `REFUSE` for `unknown`: where
the core would make that call, the record is refused, and so is all around it, up to a field that has `load`. Nothing of
the user's may have run then, because it would run again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import tzinfo
from typing import Any, Literal, NamedTuple, TypeAlias

MAX_DEPTH = 16
"""The greatest number of levels of containers and models that a description has, with functions at each or without. The
core allows three times as many."""

Op: TypeAlias = Literal[
    "type",
    "derived",
    "int",
    "float",
    "finite",
    "real",
    "text",
    "bare",
    "trimmed",
    "whole",
    "among",
    "plain",
    "call",
    "date",
    "datetime",
    "uuid",
    "mapped",
    "mapped_or_same",
    "decimal",
    "decimal_text",
    "quantized",
    "iso",
    "iso_z",
    "uuid_text",
    "seconds",
    "read",
    "read_single",
    "load",
    "functions",
    "items",
    "tuple",
    "places",
    "values",
    "fields",
    "model",
    "tagged",
    "as_pydantic",
    "as_msgspec",
    "as_json",
]
ReadingWay: TypeAlias = Literal["library", "getattribute", "dict", "own"]
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
    paths: tuple[tuple[str | int, ...], ...] = ()
    """Where the value is looked for in place of the keys, in this order: under a str in a dict, at the place in a list
    or tuple; of an object, and of objects that it has, in the attribute of that name. Empty: under the keys."""
    may_be_absent: bool = False
    """The text leaves out a field that is absent in a dict; it has no default."""


class AcceptedModel(NamedTuple):
    """A model that is made of a dict; for a text also a TypedDict, whose cls is `dict`."""

    cls: type
    fields: tuple[AcceptedField, ...]
    forbids_extra: bool = False
    """Keys of no field are refused; otherwise they are dropped."""
    exclude_unset: bool = False
    exclude_none: bool = False
    """These two say what the text leaves out."""
    way_of: Callable[[type], ReadingWay] | None = None
    """The way for objects of another class, of which a model is made, too. None: they are left to the library."""
    before: tuple[Callable[[Any], Any], ...] = ()
    """Functions of the application that are called with the dict or the object. What they return is read."""
    step_way_of: Callable[[type], ReadingWay] | None = None
    """The way for objects that the paths of fields go through. None: they are left to the library."""


class Accepted(NamedTuple):
    """Values of exactly one type. The module says which check reads which of the other fields."""

    exact_type: type
    op: Op = "type"
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
    is_json: bool = True
    """Of a rule: whether the values are of JSON's own types. It is False for a datetime and for a list of datetimes."""


Acceptance: TypeAlias = "tuple[Accepted, ...] | None"
"""One of these is accepted. None: any value. An empty tuple: none, so that the validator always decides."""

Rule: TypeAlias = "tuple[Accepted, ...]"
"""What a value must be to be written by its own type. Any other value is converted."""


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


REFUSE = -2
"""In place of the number of a call: the record is refused."""

FindingWay: TypeAlias = Literal["attribute", "item", "stored", "relation", "prefetched", "library"]
"""How a step finds something in an object, by the object's class.

`attribute`: as `getattr` does. `item`: as `object[name]` does. `stored`: in `object.__dict__`; where it is
absent, as `getattr` does with the step's own name. `relation`: in `object._state.fields_cache`, where
Django keeps the objects of a relation; where it is absent or None, as `getattr` does with the step's own name.
`prefetched`: the list of results of the QuerySet in `object._prefetched_objects_cache`. The QuerySet's own class is
asked for, too, as `way_of(its class, "__iter__")`: the way must be `attribute`, and the name that of the list. If
nothing is there, `library`. `library`: the core does not know a way."""


class StepWay(NamedTuple):
    way: FindingWay
    name: str = ""
    """Of the attribute, of the item, or in the cache. Empty: the step's own."""
    guard: str = ""
    """An attribute of the object that must not be None: otherwise the way is `library`."""


class ReadField(NamedTuple):
    """A field of a `ReadRecord`."""

    key: str
    """In the dict."""
    steps: tuple[str, ...]
    acceptance: Acceptance
    convert: int = -1
    """The number of a call. -1: there is none, as every value is accepted."""
    resume: int = -1
    """The number of a call. -1: there is none, as there are no steps."""


class ReadRecord(NamedTuple):
    """A dict that is made of an object."""

    fields: tuple[ReadField, ...]
    way_of: Callable[[type, str], StepWay]
    """The way of a step, by the class and the step's name. Asked once for a class, and again when the class changes."""
    skipped: object


class LoadField(NamedTuple):
    """A field of a `LoadRecord`."""

    key: str
    """In the dict that is loaded."""
    target: tuple[str, ...]
    """The key in the result; of several, each but the last is that of a dict within. None of them: the result is a dict
    whose items are added."""
    acceptance: Acceptance
    load: int
    """The number of a call."""
    confirm: int = -1
    """The number of a call; -1: there is none."""
    after: int = -1
    """The number of a call; -1: there is none."""
    default: tuple[()] | tuple[Any] = ()
    """The result for an absent field, in a tuple. `after` is called with it, too."""
    may_be_absent: bool = False
    of_whole_dict: bool = False
    """The value is the dict; `key` is only what `on_error` is told."""


class LoadRecord(NamedTuple):
    """A dict that is made of a dict. All but the fields and the two objects are numbers of calls; -1: there is none."""

    fields: tuple[LoadField, ...]
    absent: object
    skipped: object
    on_error: int
    fail: int
    other: int
    finish: int = -1
    unknown: int = -1
    fail_all: int = -1
    finish_all: int = -1
