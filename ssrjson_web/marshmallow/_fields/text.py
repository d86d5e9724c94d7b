"""Fields of texts, and of UUIDs and IP addresses, which are written as texts."""

from __future__ import annotations

import ipaddress
import uuid
from functools import partial
from operator import attrgetter
from typing import Any

from ssrjson_web._known.functions import stands_in_for
from ssrjson_web._models.language import Acceptance, Accepted
from ssrjson_web.marshmallow._basis import Basis
from ssrjson_web.marshmallow._fields.describer import NULL, OF, Loaded, stock
from ssrjson_web.marshmallow._fields.validators import NotKnownError
from ssrjson_web.marshmallow._stock import own_name

__all__ = ["TEXT"]

TEXT: Acceptance = (NULL, Accepted(str), Accepted(uuid.UUID, "uuid_text"))
"""What fields of texts and UUIDs dump."""


def _read_text(basis: Basis, number: int) -> Acceptance:
    basis.watch_functions("marshmallow.utils", "ensure_text_type")
    return TEXT


def _load_text(basis: Basis, number: int) -> Loaded:
    return (Accepted(str),)


stock("String", reads=_read_text, loads=_load_text)
stands_in_for("marshmallow.utils.ensure_text_type", left="what such fields dump and load")


def _read_uuid(basis: Basis, number: int) -> Acceptance:
    return TEXT


def _load_uuid(basis: Basis, number: int) -> Loaded:
    if own_name(type(basis.objects[number]), "_validated") != f"{OF}UUID._validated":
        raise NotKnownError
    return (Accepted(str, "uuid", validator=uuid.UUID), Accepted(uuid.UUID))


stock("UUID", reads=_read_uuid, loads=_load_uuid)
stands_in_for(f"{OF}UUID._validated", left="what such fields load")

_ADDRESSES = (ipaddress.IPv4Address, ipaddress.IPv6Address)
_INTERFACES = (ipaddress.IPv4Interface, ipaddress.IPv6Interface)


def _read_address(basis: Basis, number: int) -> Acceptance:
    text = attrgetter("exploded" if basis.objects[number].exploded else "compressed")
    return (NULL, *(Accepted(cls, "call", validator=text) for cls in (*_ADDRESSES, *_INTERFACES)))


def _load_address(classes: tuple[type, ...], make: Any, basis: Basis, number: int) -> Loaded:
    cls = getattr(basis.objects[number], "DESERIALIZATION_CLASS", None)
    return (Accepted(str, "call", validator=cls or make),) if cls in (None, *classes) else ()


stock("IP", reads=_read_address, loads=partial(_load_address, _ADDRESSES, ipaddress.ip_address))
stock("IPInterface", reads=_read_address, loads=partial(_load_address, _INTERFACES, ipaddress.ip_interface))
