"""Fields of texts, and of UUIDs, which are written as texts."""

from __future__ import annotations

import re
import uuid
from collections.abc import Callable
from typing import Any

from django.core.validators import EmailValidator, ProhibitNullCharactersValidator
from rest_framework import fields
from rest_framework.validators import ProhibitSurrogateCharactersValidator

from ssrjson_web._models.language import Acceptance, Accepted
from ssrjson_web.rest_framework._fields.describer import NOTHING, Describer, stock
from ssrjson_web.rest_framework._fields.validators import LENGTHS, all_of, has_pure, pure_validators

__all__: list[str] = []

_OF_CORE = (ProhibitNullCharactersValidator, ProhibitSurrogateCharactersValidator)
"""The core makes these two checks of every text."""


def _read_text(field: Any, describer: Describer) -> Acceptance:
    return (Accepted(str),)


def _load_text(field: Any, describer: Describer) -> Acceptance:
    found = pure_validators(field, LENGTHS)
    others = [_fast_email(validator) for validator in found.others if type(validator) not in _OF_CORE]
    if isinstance(field, fields.IPAddressField):
        others.insert(0, _refuse_colon)  # IPv6 addresses have one, and REST framework writes them in another form
    return (
        Accepted(
            str,
            "trimmed" if field.trim_whitespace else "whole",
            least=max(found.least or 0, 1),
            greatest=found.greatest,
            among=frozenset([""]) if field.allow_blank else None,
            validator=all_of(others),
        ),
    )


def _fast_email(validator: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """The same validator; of addresses, one that asks it for unusual ones only."""
    if type(validator) is not EmailValidator:
        return validator

    def validate(value: str) -> None:
        if _is_usual_email(value) is None:
            validator(value)

    return validate


_is_usual_email = re.compile(
    r"[a-z0-9_+-]{1,64}(?:\.[a-z0-9_+-]{1,64}){0,2}@(?:[a-z0-9]{1,63}\.){1,2}[a-z]{2,63}", re.IGNORECASE | re.ASCII
).fullmatch


def _refuse_colon(value: str) -> None:
    if ":" in value:
        raise ValueError(value)


stock(fields.CharField, reads=_read_text, function=str)
stock(
    *(fields.CharField, fields.EmailField, fields.IPAddressField, fields.RegexField, fields.SlugField, fields.URLField),
    loads=_load_text,
)


def _read_uuid(field: Any, describer: Describer) -> Acceptance:
    return (Accepted(uuid.UUID, "uuid_text"),) if field.uuid_format == "hex_verbose" else NOTHING


def _load_uuid(field: Any, describer: Describer) -> Acceptance:
    return NOTHING if has_pure(field) else (Accepted(str, "uuid", validator=uuid.UUID),)


stock(fields.UUIDField, reads=_read_uuid, loads=_load_uuid)
