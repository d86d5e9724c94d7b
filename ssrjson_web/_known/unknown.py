"""Functions of libraries that ours stand in for and that are not known now: what uses them is left to stock."""

from __future__ import annotations

import logging
from collections.abc import Iterable
from itertools import groupby
from types import CodeType, ModuleType
from typing import TYPE_CHECKING, Any, NamedTuple

from ssrjson_web._core import _are_same
from ssrjson_web._known.functions import (
    declared,
    forget_files,
    found_at,
    functions_of,
    has_source,
    is_of_file,
    is_stood_in_for,
    is_text_known,
    left_without,
    unknown_texts,
)
from ssrjson_web._known.releases import release_of
from ssrjson_web._shared.names import name_of
from ssrjson_web._shared.switch import is_switched_off

if TYPE_CHECKING:
    from ssrjson_web._shared.route_report import PartReport

__all__ = ["UnknownFunction", "sentences", "tell_of_unknown", "unknown_functions", "unknown_parts"]

_MAX_TOLD = 5
"""Functions that the log names; the doctor names all."""
_LOG = logging.getLogger("ssrjson_web")
_told: dict[tuple[str, ...], str] = {}
_looked_at: dict[tuple[str, ...], list[object]] = {}
"""What was found of libraries the last time."""


class UnknownFunction(NamedTuple):
    """A function of a library that ours would stand in for, if it were known."""

    name: str
    """`marshmallow.fields.Integer._validated`."""
    release: str
    """`marshmallow 4.4.0`."""
    reason: str
    """`its text is that of no known release`, `replaced by shop.patches.validated`."""
    left: str
    """What of ours is left to stock: `the loading of fields of its class`."""

    def __str__(self) -> str:
        return f"{self.name} ({self.reason}). Left to stock: {self.left}"


def unknown_functions(*libraries: str) -> tuple[UnknownFunction, ...]:
    """Those of libraries, by the names of their modules; by default of all whose adapters are imported."""
    if is_switched_off():
        return ()
    names = {name for library in libraries or [""] for name in declared(library)}
    return tuple(filter(None, map(_unknown, sorted(names))))  # those of a module together, whose text is read once


def sentences(unknown: Iterable[UnknownFunction]) -> tuple[str, ...]:
    """A sentence for each release and each thing that is left to stock, with the functions and why they are unknown."""
    ordered = sorted(unknown, key=lambda one: (one.release, one.left, one.reason, one.name))
    return tuple(
        f"{release}: not known is {', '.join(_with_reasons(group))}. Left to stock: {left}."
        for (release, left), group in groupby(ordered, key=lambda one: (one.release, one.left))
    )


def unknown_parts() -> tuple[PartReport, ...]:
    """What is left to stock, for the report on an application whose adapters are imported."""
    from ssrjson_web._shared.route_report import PartReport  # its classes are made at import, which takes milliseconds

    told = sentences(unknown_functions())
    return tuple(PartReport(name="unknown functions", is_served=False, reason=text) for text in told)


def tell_of_unknown(*libraries: str) -> None:
    """Log in one line what is not known of libraries, unless that was the last thing told of them."""
    found = [found_at(name) for library in libraries for name in declared(library)]
    if libraries in _looked_at and _are_same(_looked_at[libraries], found):
        return  # an application may have many parts that are set up
    _looked_at[libraries] = found
    unknown = unknown_functions(*libraries)
    forget_files()
    told = ", ".join(_with_reasons(unknown[:_MAX_TOLD]))
    if len(unknown) > _MAX_TOLD:
        told += f" and {len(unknown) - _MAX_TOLD} more"
    if told != _told.get(libraries, "") and told:
        releases = " and ".join(dict.fromkeys(one.release for one in unknown))
        _LOG.warning(
            "%s: not as in a release that ssrjson_web knows, so what uses it is left to stock: %s; "
            "`python -m ssrjson_web doctor` says more",
            releases,
            told,
        )
    _told[libraries] = told


def _with_reasons(unknown: Iterable[UnknownFunction]) -> list[str]:
    """The names of functions, and after those of each reason the reason."""
    groups = [(reason, [one.name for one in group]) for reason, group in groupby(unknown, key=lambda one: one.reason)]
    return [", ".join(names) + f" ({reason})" for reason, names in groups]


def _unknown(name: str) -> UnknownFunction | None:
    found = _stock_of(found_at(name))
    if found is None or isinstance(found, type) or is_stood_in_for(found, name):
        return None
    return UnknownFunction(name=name, release=release_of(name), reason=_reason(found, name), left=left_without(name))


def _stock_of(found: Any) -> Any:
    """What is found, or, of a function that we have put there ourselves, the one that it replaces."""
    while _is_ours(found) and hasattr(found, "__wrapped__"):
        found = found.__wrapped__
    return found


def _is_ours(found: object) -> bool:
    modules = [type(found).__module__, *(one.__globals__.get("__name__") for one in functions_of(found))]
    return any(str(module).startswith("ssrjson_web.") for module in modules)


def _reason(found: Any, name: str) -> str:
    if not has_source(name):
        return "its source cannot be read"
    if isinstance(found, ModuleType):
        return f"its texts of {', '.join(sorted(unknown_texts(name) or ()))} are those of no known release"
    if is_of_file(found, name) or not is_text_known(name):
        return "its text is that of no known release"
    thing: Any = next(iter(functions_of(found)), found)
    code = getattr(thing, "__code__", None)
    if not isinstance(code, CodeType):
        return f"replaced by {name_of(thing)}"
    # not by the names of the function, which functools.wraps copies
    path = f"{thing.__globals__.get('__name__')}.{getattr(code, 'co_qualname', code.co_name)}"
    return f"replaced by {path} of {code.co_filename}:{code.co_firstlineno}"
