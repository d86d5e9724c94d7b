"""How many answers and bodies of each route bypassed validation."""

from __future__ import annotations

import sys
import weakref
from importlib import import_module
from typing import Any

__all__ = ["RouteCounts"]

_OWNER = "ssrjson_web.fastapi"
"""The package whose routes count. An application with such routes has imported it; no other one has any to show."""


def _reader() -> Any:
    """The module that reads the counts; None where there are none."""
    return import_module(f"{_OWNER}._counts") if _OWNER in sys.modules else None


class RouteCounts:
    """The counts of the application's routes in this process, read when they are asked for: a request costs nothing."""

    def __init__(self) -> None:
        self._has_begun = False
        self._application: weakref.ref[Any] | None = None
        self._before: dict[str, dict[str, int]] = {}
        self._reasons: dict[str, str] = {}

    def begin(self, *candidates: object) -> None:
        """Keep the first of these that is an application with such routes. Call it before a process's first request.

        What the routes have counted by then is not shown: in the child of a fork it is the parent's.
        """
        reader = _reader()
        if reader is None or self._has_begun:
            return
        self._has_begun = True
        for application in filter(reader.is_application, candidates):
            self._application = weakref.ref(application)
            self._before = reader.counts_of_routes(application)
            return

    def figures(self) -> dict[str, Any]:
        """`routes`: the numbers by route; `reasons`: a sentence for each of them."""
        reader, application = _reader(), self._application and self._application()
        if reader is None or application is None:
            return {"routes": {}, "reasons": {}}
        routes = {name: self._since(name, numbers) for name, numbers in reader.counts_of_routes(application).items()}
        routes = {name: numbers for name, numbers in routes.items() if any(numbers.values())}
        reasons = self._reasons  # another thread may replace it
        unknown = routes.keys() - reasons.keys()
        if unknown:
            reasons |= reader.reasons_of_routes(application, unknown)
        return {"routes": routes, "reasons": {name: reasons[name] for name in routes if name in reasons}}

    def forget_reasons(self) -> None:
        """Ask for the reasons again at the next call of `figures`."""
        self._reasons = {}

    def _since(self, name: str, numbers: dict[str, int]) -> dict[str, int]:
        before = self._before.get(name, {})
        # a route whose handler is built again begins at zero
        return {key: max(0, number - before.get(key, 0)) for key, number in numbers.items()}
