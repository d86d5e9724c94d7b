"""Fields that choose: among words for true and false, or among the choices that they are given."""

from __future__ import annotations

import copy
from typing import Any

from rest_framework import fields

from ssrjson_web._known.functions import stands_in_for
from ssrjson_web._models.language import Acceptance, Accepted
from ssrjson_web.rest_framework._basis import keeps
from ssrjson_web.rest_framework._cloning import has_plain_choices, is_atom
from ssrjson_web.rest_framework._fields.describer import NOTHING, Describer, stock
from ssrjson_web.rest_framework._fields.validators import has_pure

__all__: list[str] = []


def _knows_booleans(field: Any) -> bool:
    return all((one in field.TRUE_VALUES) is one and (one in field.FALSE_VALUES) is not one for one in (True, False))


def _read_boolean(field: Any, describer: Describer) -> Acceptance:
    is_usual = keeps(type(field), fields.BooleanField, "_lower_if_str") and _knows_booleans(field)
    return (Accepted(bool),) if is_usual else NOTHING


def _load_boolean(field: Any, describer: Describer) -> Acceptance:
    if has_pure(field) or not _knows_booleans(field):
        return NOTHING
    words = {}
    for values, meaning in ((field.FALSE_VALUES, False), (field.TRUE_VALUES, True)):
        words.update({word: meaning for word in values if type(word) is str and word == word.lower()})
    return (Accepted(bool), Accepted(str, "mapped", mapping=words))


stands_in_for("rest_framework.fields.BooleanField._lower_if_str")
stock(fields.BooleanField, reads=_read_boolean, loads=_load_boolean)


def _read_choice(field: Any, describer: Describer) -> Acceptance:
    texts = field.choice_strings_to_values
    if type(texts) is not dict or not has_plain_choices(field) or not all(type(text) is str for text in texts):
        return NOTHING
    return (
        Accepted(str, "mapped_or_same", mapping={text: value for text, value in texts.items() if text != ""}),
        Accepted(int, "mapped_or_same", mapping=_numbers(texts)),
    )


def _load_choice(field: Any, describer: Describer) -> Acceptance:
    texts = dict(field.choice_strings_to_values)
    if has_pure(field) or not has_plain_choices(field):
        return NOTHING
    if not all(type(text) is str and is_atom(value) for text, value in texts.items()):
        return NOTHING
    if None in texts.values() and field.validators:
        return NOTHING  # a null that is sent would be confirmed, too
    if field.allow_blank:
        texts[""] = ""
    numbers = _numbers(texts)
    accepted = (Accepted(str, "mapped", mapping=texts),)
    return (*accepted, Accepted(int, "mapped", mapping=numbers)) if numbers else accepted


def _numbers(texts: dict[str, Any]) -> dict[int, Any]:
    return {int(text): value for text, value in texts.items() if _is_number(text)}


def _is_number(text: str) -> bool:
    return text.removeprefix("-").isdecimal() and len(text) < 19 and text.isascii() and str(int(text)) == text


def _load_choices(field: Any, describer: Describer) -> Acceptance:
    if has_pure(field) or not has_plain_choices(field):
        return NOTHING
    if not all(map(is_atom, field.choice_strings_to_values.values())):
        return NOTHING
    detached = copy.copy(field)
    detached.parent = None  # the serializer, and so the request
    choose = detached.to_internal_value

    def chosen(values: list[Any]) -> Any:
        if any(type(value) is not str for value in values):
            raise TypeError(values)
        return choose(values)

    return (Accepted(list, "call", validator=chosen),)


stock(fields.ChoiceField, reads=_read_choice)
stock(fields.ChoiceField, fields.FilePathField, loads=_load_choice)
stock(fields.MultipleChoiceField, loads=_load_choices)
