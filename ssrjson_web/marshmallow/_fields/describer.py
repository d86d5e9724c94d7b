"""How stock fields dump and load: what each kind of field is told by, and of which class a field is."""

from __future__ import annotations

from collections.abc import Callable
from types import NoneType
from typing import Any, TypeAlias

from ssrjson_web._known.functions import stands_in_for
from ssrjson_web._models.language import Acceptance, Accepted
from ssrjson_web.marshmallow._basis import Basis
from ssrjson_web.marshmallow._fields.validators import NotKnownError, checked_by_core
from ssrjson_web.marshmallow._stock import OF_FIELD_LOAD, field_keeps, is_instance_changed, own_name

__all__ = [
    "NULL",
    "OF",
    "Loaded",
    "ignores_data",
    "load_acceptance",
    "load_within",
    "maker_of",
    "read_acceptance",
    "read_within",
    "stock",
]

OF = "marshmallow.fields."
NULL = Accepted(NoneType)

Loaded: TypeAlias = tuple[Accepted, ...]


_DESCRIBING: dict[str, Any] = {}
"""By the dotted name of the `_serialize` or `_deserialize`."""
_MAKING: dict[str, Any] = {}
_IGNORING_DATA: set[str] = set()


def stock(
    *names: str,
    reads: Callable[[Basis, int], Acceptance] | None = None,
    makes: Callable[[str, Any, Any, None], Callable[..., Any]] | None = None,
    loads: Callable[[Basis, int], Loaded] | None = None,
    ignores_data: bool = False,
) -> None:
    """Say how classes of marshmallow dump and load, which it then need not do itself.

    `reads` tells what becomes of values that are dumped, None included; `makes` gives what makes the result of an
    object, where no attribute of it is the value. `loads` tells what becomes of values that are loaded, but None.
    `ignores_data`: whatever the field's parts do, its `_deserialize` does not look at the dict around the value.
    """
    dumping = (_DESCRIBING, "_serialize", reads, "what such fields dump")
    making = (_MAKING, "_serialize", makes, "what such fields dump")
    loading = (_DESCRIBING, "_deserialize", loads, "what such fields load")
    for name in names:
        for table, method, given, left in (dumping, making, loading):
            if given is not None:
                table[f"{OF}{name}.{method}"] = given
                stands_in_for(f"{OF}{name}.{method}", left=left)
        if ignores_data:
            _IGNORING_DATA.add(f"{OF}{name}._deserialize")


def _described(basis: Basis, number: int, method: str, *kept: str) -> tuple[Any, bool]:
    """What a field's `_serialize` or `_deserialize` makes of values, if that is known, and what it keeps of `Field`."""
    field = basis.objects[number]
    describe = _DESCRIBING.get(own_name(type(field), method))
    if describe is None or is_instance_changed(field) or not field_keeps(type(field), *kept):
        return (), False
    basis.watch_field(number)
    try:
        return describe(basis, number), True
    except NotKnownError:
        return (), False


def read_acceptance(basis: Basis, number: int) -> tuple[Acceptance, bool]:
    """What a field's own `_serialize` makes of values, and whether that is known at all.

    Where it is known, the acceptance leaves out whatever it cannot say, and None means any value.
    """
    return _described(basis, number, "_serialize")


def read_within(basis: Basis, number: int, attribute: str, key: int | None = None) -> Acceptance:
    """What the `_serialize` of a field within another one makes of values."""
    acceptance, is_known = read_acceptance(basis, basis.add(number, attribute, key))
    if not is_known:
        raise NotKnownError
    return acceptance


def maker_of(field: Any) -> Any:
    """What gives the function that makes the result of an object, if no attribute of that is the field's value; or
    None."""
    cls = type(field)
    if cls._CHECK_ATTRIBUTE or not field_keeps(cls, "serialize") or is_instance_changed(field):
        return None
    return _MAKING.get(own_name(cls, "_serialize"))


def load_acceptance(basis: Basis, number: int) -> tuple[Loaded, bool]:
    """What a field's `_deserialize` makes of values, without its validators, and whether that is known at all.

    Nothing of the user's is called: where a value is not accepted, marshmallow deserializes it from the start.
    """
    return _described(basis, number, "_deserialize", *OF_FIELD_LOAD)


def load_within(basis: Basis, number: int) -> Loaded:
    """What a field within another one accepts, None included. Raises NotKnownError where something of the user's is
    called."""
    values, is_known = load_acceptance(basis, number)
    field = basis.objects[number]
    checked = None if not is_known or getattr(field, "pre_load", None) else checked_by_core(basis, values, field)
    if checked is None:
        raise NotKnownError
    return (*checked, NULL) if field.allow_none else checked


def ignores_data(basis: Basis, number: int) -> bool:
    """Whether a field that marshmallow deserializes does not look at the dict around its value."""
    field = basis.objects[number]
    if is_instance_changed(field) or not field_keeps(type(field), "deserialize", "_validate", "_validate_all"):
        return False
    return own_name(type(field), "_deserialize") in _IGNORING_DATA or load_acceptance(basis, number)[1]
