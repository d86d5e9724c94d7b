"""Dataclasses: all fields, in their order, as `dataclasses.asdict` takes them."""

import dataclasses
import sys


def plan_fields(cls: type) -> tuple[tuple[str, str], ...]:
    """Each field's name, twice: as attribute and as key. Raises TypeError where `cls` is not a dataclass."""
    names = [sys.intern(str(field.name)) for field in dataclasses.fields(cls)]
    return tuple((name, name) for name in names)
