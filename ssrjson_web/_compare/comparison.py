"""Which requests are compared, and the trial of one of them."""

from __future__ import annotations

import functools
import itertools
import json
import logging
import os
import random
from collections.abc import Callable
from contextlib import suppress
from time import thread_time_ns
from typing import Any, Literal, NamedTuple

from ssrjson_web._compare.record import RECORD
from ssrjson_web._compare.values import (
    MAX_EXCERPT,
    Difference,
    Excerpt,
    difference_of_bytes,
    difference_of_values,
    masked,
)

__all__ = ["Comparison", "Outcome", "Trial", "tell_of_fault"]

_LOG = logging.getLogger("ssrjson_web.compare")
_MAX_SEARCHED = 1 << 20
"""The longest text that is decoded to name the field that differs."""
_random = random.Random()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_random.seed)


class Outcome(NamedTuple):
    """What one way has made of a value."""

    result: Any
    error: Exception | None
    ns: int
    """CPU time of the thread."""

    def given(self) -> Any:
        """What the way has returned. Raises what it has raised."""
        if self.error is not None:
            raise self.error
        return self.result


def _outcome_of(way: Callable[[], Any]) -> Outcome:
    """Take a way, and note what it returns or raises."""
    started = thread_time_ns()
    try:
        result = way()
    except Exception as error:
        return Outcome(None, error, thread_time_ns() - started)
    return Outcome(result, None, thread_time_ns() - started)


class Trial:
    """The comparison of one request: of its body, of its answer."""

    __slots__ = ("_comparison", "_differences", "_is_core_first", "_ns", "_route")

    def __init__(self, comparison: Comparison, route: str, *, is_core_first: bool) -> None:
        self._comparison, self._route, self._is_core_first = comparison, route, is_core_first
        self._differences: list[dict[str, str]] = []
        self._ns: list[tuple[int, int]] = []

    def compare(self, part: str, *, stock: Callable[[], Any], core: Callable[[], Any]) -> tuple[Outcome, Outcome]:
        """Take both ways, and note their times and where their results differ: stock's outcome, and the core's.

        Never raises. What goes first finds the CPU's caches cold, so they take turns.
        """
        outcomes = {way: _outcome_of(way) for way in ((core, stock) if self._is_core_first else (stock, core))}
        self._note(part, outcomes[stock], outcomes[core])
        return outcomes[stock], outcomes[core]

    def _note(self, part: str, stock: Outcome, core: Outcome) -> None:
        try:
            found = _difference(stock, core)
            self._ns.append((stock.ns, core.ns))
            if found is not None:
                self._differences.append(
                    {
                        "route": self._route,
                        "part": part,
                        "place": found.place,
                        "stock": self._shown(found.stock),
                        "core": self._shown(found.core),
                    }
                )
        except Exception:
            tell_of_fault(self._route)

    def _shown(self, excerpt: Excerpt) -> str:
        text = masked(excerpt.text) if self._comparison.mask else excerpt.text
        shown = " ".join(filter(None, (excerpt.label, text)))[:MAX_EXCERPT]
        return "".join(one if one.isprintable() else "?" for one in shown)  # a log has a line for each difference

    def leave_out(self, reason: str) -> None:
        """Say why a part of the route is not compared."""
        RECORD.leave_out(self._route, reason)

    def end(self) -> None:
        """Count the request, if anything of it was compared. Never raises."""
        try:
            if self._ns:
                stock_ns, core_ns = map(sum, zip(*self._ns, strict=True))
                RECORD.add(self._route, stock_ns, core_ns, self._comparison.share, self._differences)
        except Exception:
            tell_of_fault(self._route)


class Comparison:
    """Which share of requests is compared, and whose answers are sent."""

    def __init__(
        self,
        share: float,
        serve: Literal["stock", "core"] = "stock",
        *,
        mask: bool = True,
        draw: Callable[[], float] = _random.random,
    ) -> None:
        """`mask` hides letters and digits of excerpts. `draw` gives numbers from 0 to 1: below `share` one is taken."""
        self.share, self.serves_core, self.mask = share, serve == "core", mask
        self._draw = draw
        self._order = itertools.count()
        RECORD.begin()

    def begin(self, route: str) -> Trial | None:
        """The trial of a request; None where it is not one that is compared."""
        if self._draw() >= self.share:
            return None
        return Trial(self, route, is_core_first=next(self._order) % 2 == 0)

    def leave_out(self, route: str, reason: str) -> None:
        """Say why a route is not compared."""
        RECORD.leave_out(route, reason)


def _difference(stock: Outcome, core: Outcome) -> Difference | None:
    if stock.error is not None or core.error is not None:
        return _difference_of_errors(stock.error, core.error)
    if not isinstance(stock.result, bytes) or not isinstance(core.result, bytes):
        return difference_of_values(stock.result, core.result)
    found = difference_of_bytes(stock.result, core.result)
    if found is None:
        return None
    at, *excerpts = found
    return Difference(f"byte {at}{_field_of(stock.result, core.result)}", *excerpts)


def _field_of(stock: bytes, core: bytes) -> str:
    """The field of a JSON text that differs; empty where it cannot be told."""
    if max(len(stock), len(core)) <= _MAX_SEARCHED:
        with suppress(ValueError, RecursionError):
            found = difference_of_values(json.loads(stock), json.loads(core))
            return "" if found is None else f", {found.place}"
    return ""


def _difference_of_errors(stock: Exception | None, core: Exception | None) -> Difference | None:
    """Errors are alike if the core's class is stock's, or derives from it, and the texts are."""
    is_alike = (
        stock is not None
        and core is not None
        and isinstance(core, type(stock))
        and (isinstance(stock, RecursionError) or str(core) == str(stock))
    )
    return None if is_alike else Difference("an exception", *map(_shown_error, (stock, core)))


def _shown_error(error: Exception | None) -> Excerpt:
    return Excerpt("a result", "") if error is None else Excerpt(f"{type(error).__name__}:", str(error))


@functools.lru_cache(maxsize=1_000)
def tell_of_fault(route: str) -> None:
    """Log that a comparison itself has failed, once a route. Call it in an except clause."""
    _LOG.warning("%s: it could not be compared; the request was answered as usual", route, exc_info=True)
