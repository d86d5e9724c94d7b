"""What the C core asks about a type: which values its validator accepts as they are.

The core compiles these tuples once (core/validate/acceptance.c). A value that none of them describes is left to the
validator.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, NamedTuple, TypeAlias

MAX_DEPTH = 12
"""The most levels of containers and models that an acceptance looks into. The core refuses more than twice as many."""


_Unchanging: TypeAlias = Literal["type", "int", "float", "text", "among", "plain"]
_Changing: TypeAlias = Literal[
    "real", "call", "date", "datetime", "uuid", "items", "places", "values", "model", "tagged"
]


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
    way_of: Callable[[type], int] | None = None
    """How the attributes of objects of another class are read, from which a model is made too: 0: only by the library;
    1: by `object.__getattribute__`, which runs no code of the class; 2: in `__dict__`; 3: in `__dict__` where there is
    one, otherwise as 1. None: such objects are left to the library."""


class Accepted(NamedTuple):
    """Values of exactly one type."""

    exact_type: type
    check: _Unchanging | _Changing = "type"
    """`plain`: a list or dict of JSON's own types throughout, without NaN. `real`: an int in place of a float. `call`:
    what a validator makes of the value. `date`, `datetime`, `uuid`: a str, which is written unchanged if it is exactly
    the text of such a value, and otherwise goes to a validator."""
    least: float | None = None
    greatest: float | None = None
    """Bounds of a number, of the length of a str, or of the number of items. A bounded float is finite."""
    known: frozenset[Any] | Callable[[Any], Any] | dict[str, Acceptance] | tuple[Acceptance, ...] | None = None
    """With `among`: the values. With `call`, `date`, `datetime` and `uuid`: the validator. Where it raises an
    Exception, the whole value is not accepted. With `tagged`: what a dict is accepted by, by its tag.
    With `places`: what each item of a list or tuple is accepted by."""
    inner: Acceptance = ()
    """With `items` and `values`: of each item of a list or tuple, and of each value of a dict whose keys are strs."""
    model: AcceptedModel | int | None = None
    """A number stands for a model that this one is within: 1 is the innermost."""
    tag_key: str | None = None
    """With `tagged`: the key of the tag."""


Acceptance: TypeAlias = "tuple[Accepted, ...] | None"
"""One of these is accepted. None: any value. An empty tuple: none, so that the validator always decides."""
