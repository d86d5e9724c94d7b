"""Which fields of a model are written: `include` and `exclude`, where they are sets of names."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from ssrjson_web._models.pydantic.rules import Schema

__all__ = ["Selection"]


class Selection(NamedTuple):
    """The written fields of the outermost model: a value's own, or that of a list's items."""

    include: frozenset[str] | None
    """None: all."""
    exclude: frozenset[str]

    def has(self, name: str) -> bool:
        return name not in self.exclude and (self.include is None or name in self.include)

    @classmethod
    def read(
        cls, include: Any, exclude: Any, schema: Schema, target: Callable[[Schema], Schema | None]
    ) -> Selection | None:
        """What the two options choose of a schema's values; None where they say more than names of fields.

        `target` gives the schema that a reference leads to; None: nowhere, or it is no reference.
        """
        inner: Schema | None = schema
        while inner is not None and inner["type"] != "model":
            if inner["type"] == "list":
                include, exclude = _of_each_item(include), _of_each_item(exclude)
                inner = inner.get("items_schema")
            else:
                inner = inner["schema"] if inner["type"] == "nullable" else target(inner)
        included, excluded = _names(include), _names(exclude)
        if inner is None or included is None or excluded is None:
            return None
        return cls(None if include is None else included, excluded)


def _names(chosen: Any) -> frozenset[str] | None:
    """The names in a set; none for None. None where it is something else."""
    if chosen is None:
        return frozenset()
    is_set = type(chosen) in (set, frozenset) and all(type(one) is str for one in chosen)
    return frozenset(chosen) if is_set else None


def _of_each_item(chosen: Any) -> Any:
    """What an option for a list chooses of each item. Where it chooses something else, it is no set of names."""
    if chosen is None:
        return None
    return chosen["__all__"] if type(chosen) is dict and list(chosen) == ["__all__"] else ()
