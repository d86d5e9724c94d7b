"""msgspec.Struct classes: the fields under their encoded names, as `msgspec.json.encode` takes them."""

from __future__ import annotations

import sys
from typing import Any

import msgspec

from ssrjson_web.models.plan import Plan, PlanField


def _to_builtins(struct: Any, *_options: bool) -> Any:
    return msgspec.to_builtins(struct)


def plan_of(cls: type[msgspec.Struct]) -> Plan:
    """The fields; what tags, `array_like` and `omit_defaults` ask for is left to msgspec."""
    config = cls.__struct_config__
    if config.tag is not None or config.array_like or config.omit_defaults:
        return Plan("opaque", convert=_to_builtins)
    names = zip(cls.__struct_fields__, cls.__struct_encode_fields__, strict=True)
    fields = tuple(PlanField(sys.intern(name), key, key) for name, key in names)
    return Plan("attributes", fields, unset=msgspec.UNSET)
