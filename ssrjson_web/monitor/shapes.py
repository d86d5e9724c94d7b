"""Whether what a file of a worker holds has the shape of figures: another version, or another program, may write there.

A worker that reads figures of another shape would fail in the middle of an answer, so it passes them over.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeGuard

from ssrjson_web._compare.figures import DIFFERENCE, FIGURES
from ssrjson_web.monitor.outcome import OUTCOMES
from ssrjson_web.monitor.totals import CALL_FIGURES, N_BOUNDS

__all__ = ["are_counts", "is_report", "is_sum"]

_REQUESTS = ("count", "failed", "total_ns", "body_bytes_in", "body_bytes_out")
_ROUTE = ("answers_around", "answers_validated", "bodies_around", "bodies_validated")
_LIMIT = 2**128
"""Larger numbers cannot be counts, and a float might not hold them."""


def are_counts(value: object) -> TypeGuard[dict[str, Any]]:
    """Whether `totals.merged` can add the counts."""
    return (
        isinstance(value, dict)
        and _has(value.get("requests"), _REQUESTS, _is_count)
        and _has(value.get("responses"), OUTCOMES, _is_count)
        and _is_mapping(value.get("libraries"), lambda calls: _has(calls, CALL_FIGURES, _is_count))
        and _is_mapping(value.get("routes", {}), lambda numbers: _has(numbers, _ROUTE, _is_count))
        and _is_mapping(value.get("reasons", {}), _is_text)
        and ("compared" not in value or _are_comparisons(value["compared"]))
        and _is_list(value.get("buckets"), lambda pair: _is_list(pair, _is_count) and len(pair) == 2)
        and _is_list(value.get("below"), _is_count)
        and len(value["below"]) == N_BOUNDS + 1
    )


def _are_comparisons(value: object) -> bool:
    return (
        isinstance(value, dict)
        and _is_mapping(value.get("routes"), lambda numbers: _has(numbers, FIGURES, _is_whole))
        and _is_mapping(value.get("left_out"), _is_text)
        and _is_list(value.get("differences"), lambda one: _has(one, DIFFERENCE, _is_text))
        and ("seconds" not in value or _is_number(value["seconds"]))
    )


def is_sum(value: object) -> TypeGuard[dict[str, Any]]:
    """Whether this is the sum of the workers that have ended."""
    return are_counts(value) and _is_count(value.get("workers")) and isinstance(value.get("last"), str)


def is_report(value: object, like: dict[str, Any]) -> TypeGuard[dict[str, Any]]:
    """Whether these are the figures of a worker, with the names that a report of this process has."""
    return (
        are_counts(value)
        and _is_count(value.get("pid"))
        and all(_is_number(value.get(name)) for name in ("started_at", "updated_at"))
        and _has(value.get("memory"), like["memory"], lambda number: number is None or _is_number(number))
        and _is_mapping(value.get("unavailable"), _is_text)
    )


def _is_count(value: object) -> bool:
    return type(value) is int and 0 <= value < _LIMIT


def _is_whole(value: object) -> bool:
    return type(value) is int and abs(value) < _LIMIT


def _is_number(value: object) -> bool:
    return type(value) in (int, float) and abs(value) < _LIMIT  # type: ignore[arg-type]


def _is_text(value: object) -> bool:
    return type(value) is str


def _has(value: object, names: Any, is_right: Callable[[Any], bool]) -> bool:
    return isinstance(value, dict) and value.keys() == set(names) and all(map(is_right, value.values()))


def _is_mapping(value: object, is_right: Callable[[Any], bool]) -> bool:
    return isinstance(value, dict) and all(map(is_right, value.values()))


def _is_list(value: object, is_right: Callable[[Any], bool]) -> bool:
    return isinstance(value, list) and all(map(is_right, value))
