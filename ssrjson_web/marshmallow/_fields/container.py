"""Fields of lists, tuples and dicts, and those that take any value."""

from __future__ import annotations

from ssrjson_web._models.language import Acceptance, Accepted
from ssrjson_web.marshmallow._basis import Basis
from ssrjson_web.marshmallow._fields.describer import NULL, Loaded, load_within, read_within, stock
from ssrjson_web.marshmallow._fields.text import TEXT

__all__: list[str] = []


def _read_anything(basis: Basis, number: int) -> Acceptance:
    return None


def _load_anything(basis: Basis, number: int) -> Loaded:
    return tuple(Accepted(cls) for cls in (str, int, float, bool, list, dict))


stock("Field", reads=_read_anything, loads=_load_anything)


def _read_list(basis: Basis, number: int) -> Acceptance:
    inner = read_within(basis, number, "inner")
    return (NULL, *(Accepted(cls, "items", inner=inner) for cls in (list, tuple) if inner != ()))


def _load_list(basis: Basis, number: int) -> Loaded:
    inner = load_within(basis, basis.add(number, "inner"))
    return (Accepted(list, "items", inner=inner),) if inner else ()


stock("List", reads=_read_list, loads=_load_list, ignores_data=True)


def _read_tuple(basis: Basis, number: int) -> Acceptance:
    for place in range(len(basis.objects[number].tuple_fields)):
        read_within(basis, number, "tuple_fields", place)
    return (NULL,)


def _load_tuple(basis: Basis, number: int) -> Loaded:
    for place in range(len(basis.objects[number].tuple_fields)):
        load_within(basis, basis.add(number, "tuple_fields", place))
    return ()


stock("Tuple", reads=_read_tuple, loads=_load_tuple, ignores_data=True)

_PARTS = ("key_field", "value_field")


def _read_mapping(basis: Basis, number: int) -> Acceptance:
    field = basis.objects[number]
    found = {name: read_within(basis, number, name) for name in _PARTS if getattr(field, name)}
    if getattr(field, "mapping_type", None) is not dict:
        return (NULL,)
    if not found:
        return (NULL, Accepted(dict, "call", validator=dict))
    if found.get("key_field", TEXT) is not TEXT or found.get("value_field") == ():
        return (NULL,)
    return (NULL, Accepted(dict, "values", inner=found.get("value_field")))


_KEYS = (Accepted(str),)


def _load_mapping(basis: Basis, number: int) -> Loaded:
    field = basis.objects[number]
    found = {name: load_within(basis, basis.add(number, name)) for name in _PARTS if getattr(field, name)}
    if getattr(field, "mapping_type", None) is not dict:
        return ()
    if not found:
        return (Accepted(dict, "call", validator=dict),)
    if found.get("key_field", _KEYS) != _KEYS or found.get("value_field") == ():
        return ()
    return (Accepted(dict, "values", inner=found.get("value_field")),)


stock("Mapping", reads=_read_mapping, loads=_load_mapping, ignores_data=True)
