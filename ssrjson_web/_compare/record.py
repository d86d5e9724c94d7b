"""What the comparisons of this process have found, in memory that does not grow with the number of requests."""

from __future__ import annotations

import atexit
import logging
import os
import threading
import time
from collections import deque
from typing import Any

from ssrjson_web._compare.figures import FIGURES, MAX_DIFFERENCES, summary

__all__ = ["RECORD", "ComparisonRecord"]

_LOG = logging.getLogger("ssrjson_web.compare")

MAX_ROUTES = 1000
MAX_REASONS = 3
_OTHERS = "other routes"


class ComparisonRecord:
    """Counts of each route, the last differences, and what is left out. Any number of threads may add to it."""

    def __init__(self) -> None:
        self._clear()

    def _clear(self) -> None:
        self._lock = threading.Lock()
        self._routes: dict[str, dict[str, int]] = {}
        self._left_out: dict[str, list[str]] = {}
        self._differences: deque[dict[str, str]] = deque(maxlen=MAX_DIFFERENCES)
        self._told: set[tuple[str, str]] = set()
        self._n_compared = self._n_told = 0
        self._since: float | None = None

    reset_after_fork = _clear
    """In the child of a fork: the parent keeps its own counts."""

    def begin(self) -> None:
        """Note when comparisons began; called when an adapter is set up."""
        self._since = self._since or time.time()

    def add(self, route: str, stock_ns: int, core_ns: int, share: float, differences: list[dict[str, str]]) -> None:
        """Count a request. Its time is not counted for the first one, which makes what later ones use."""
        with self._lock:
            self._since = self._since or time.time()
            route = route if route in self._routes or len(self._routes) < MAX_ROUTES else _OTHERS
            is_first = route not in self._routes
            figures = self._routes.setdefault(route, dict.fromkeys(FIGURES, 0))
            figures["compared"] += 1
            figures["differ"] += bool(differences)
            if not is_first:
                figures["stock_ns"] += stock_ns
                figures["core_ns"] += core_ns
                figures["saved_ns"] += round((stock_ns - core_ns) / share)
            self._differences.extend(differences)
            untold = [one for one in differences if self._is_untold(route, one["place"])]
            self._n_compared += 1
            tells_sum = self._n_compared == 10 ** max(2, len(str(self._n_compared)) - 1)
            self._n_told = self._n_compared if tells_sum else self._n_told
        for one in untold:
            _LOG.warning(
                "%s: the core's %s differs from stock's at %s: stock %s, core %s",
                *(one[name] for name in ("route", "part", "place", "stock", "core")),
            )
        if tells_sum:
            _LOG.info("%s", summary(self.figures()))

    def _is_untold(self, route: str, place: str) -> bool:
        if (route, place) in self._told or len(self._told) >= MAX_ROUTES:
            return False
        self._told.add((route, place))
        return True

    def leave_out(self, route: str, reason: str) -> None:
        """Name a route that is not compared, or a part of it. The log tells it once."""
        with self._lock:
            reasons = self._left_out.get(route)
            if reasons is None:
                if len(self._left_out) >= MAX_ROUTES:
                    return
                reasons = self._left_out[route] = []
            if reason in reasons or len(reasons) >= MAX_REASONS:
                return
            reasons.append(reason)
        _LOG.info("%s: not compared: %s", route, reason)

    def figures(self) -> dict[str, Any]:
        """`routes`: the numbers by route; `left_out`: a sentence by route; `differences`: the last ones; `seconds`."""
        with self._lock:
            return {
                "routes": {route: dict(numbers) for route, numbers in self._routes.items()},
                "left_out": {route: "; ".join(reasons) for route, reasons in self._left_out.items()},
                "differences": [dict(one) for one in self._differences],
                "seconds": 0.0 if self._since is None else max(0.0, time.time() - self._since),
            }

    def tell_at_exit(self) -> None:
        """Log the sum, if there is news since the last one."""
        if self._n_compared > self._n_told:
            self._n_told = self._n_compared
            _LOG.info("%s", summary(self.figures()))


RECORD = ComparisonRecord()
atexit.register(RECORD.tell_at_exit)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=RECORD.reset_after_fork)
