"""The language in which the core is told how a serializer makes dicts: `ReadRecord` and `LoadRecord`.

A *record* is a dict with a known set of fields. A serializer makes one of an object (it *reads* the object), and
another one of the dict that a client sent (it *loads* the dict). `_models/acceptance.py` describes what becomes of the
value of a field. Whatever no description covers is given to the library, field by field, so that a description may
leave out anything, and may never say too much.

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

from collections.abc import Callable
from typing import Any, Literal, NamedTuple, TypeAlias

from ssrjson_web._models.acceptance import Acceptance

REFUSE = -2
"""In place of the number of a call: the record is refused."""

Way: TypeAlias = Literal["attribute", "item", "stored", "relation", "prefetched", "library"]
"""How a step finds something in an object, by the object's class.

`attribute`: as `getattr` does. `item`: as `object[name]` does. `stored`: in `object.__dict__`; where it is
absent, as `getattr` does with the step's own name. `relation`: in `object._state.fields_cache`, where
Django keeps the objects of a relation; where it is absent or None, as `getattr` does with the step's own name.
`prefetched`: the list of results of the QuerySet in `object._prefetched_objects_cache`. The QuerySet's own class is
asked for, too, as `way_of(its class, "__iter__")`: the way must be `attribute`, and the name that of the list. If
nothing is there, `library`. `library`: the core does not know a way."""


class StepWay(NamedTuple):
    way: Way
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
