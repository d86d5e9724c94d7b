"""The arguments of `load` that make one plan of a schema differ from another."""

from __future__ import annotations

from typing import Any, NamedTuple

from marshmallow import EXCLUDE

from ssrjson_web.marshmallow._stock import IS_VERSION_3

__all__ = ["LoadKey", "load_key"]

_MAX_PARTIAL = 32


class LoadKey(NamedTuple):
    """What makes one plan of a schema differ from another."""

    drops_unknown: bool
    partial: bool | tuple[str, ...] | None

    def leaves_out(self, name: str) -> bool:
        """Whether `partial` lets a field be absent."""
        return self.partial is True or (isinstance(self.partial, tuple) and name in self.partial)

    def passed_on(self, name: str, key: str) -> dict[str, Any]:
        """The keyword arguments that marshmallow passes to a field's `deserialize`."""
        if self.partial is None:
            return {}
        if not isinstance(self.partial, tuple):
            return {"partial": self.partial}
        prefix = f"{key if IS_VERSION_3 else name}."
        return {"partial": [part[len(prefix) :] for part in self.partial if part.startswith(prefix)]}


_WITHOUT_PARTIAL = (LoadKey(False, None), LoadKey(True, None))


def load_key(partial: Any, unknown: Any) -> LoadKey | None:
    """The key for arguments of `load`; None where marshmallow does the work."""
    if partial is None:
        return _WITHOUT_PARTIAL[unknown == EXCLUDE]
    if type(partial) in (list, tuple, set, frozenset):
        if len(partial) > _MAX_PARTIAL or not all(type(name) is str for name in partial):
            return None
        partial = tuple(partial)
    elif not isinstance(partial, bool):
        return None
    return LoadKey(unknown == EXCLUDE, partial)
