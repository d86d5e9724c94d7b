"""What `setup` would do for an application that has not called it: for reports, in a process of their own."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator
from time import perf_counter_ns
from typing import Any

from fastapi import FastAPI

from ssrjson_web._models.pydantic.sample_values import sample_value
from ssrjson_web._models.pydantic.users_code import users_code_in
from ssrjson_web._shared.route_report import ApplicationReport, ResponseModelTiming
from ssrjson_web._shared.switch import is_switched_off
from ssrjson_web.fastapi._compare import ComparedAnswers
from ssrjson_web.fastapi._counts import routes_of_ours
from ssrjson_web.fastapi._field import EncodingField, expected_of, has_adapter
from ssrjson_web.fastapi._report import application_report, is_set_up
from ssrjson_web.fastapi._route import encoding_fields, response_field_of
from ssrjson_web.fastapi._setup import setup
from ssrjson_web.starlette._routes import routes_of

__all__ = ["trial_report"]

_ROUND_NS = 2_000_000
_N_ROUNDS = 5
_MAX_TIMED = 50
"""Response models; each takes 20 ms."""


def trial_report(app: FastAPI) -> ApplicationReport | None:
    """The report after `setup(app)`, which is called here. None where the application has called it, or must not."""
    if is_set_up(app) or is_switched_off():
        return None
    setup(app)
    return dataclasses.replace(application_report(app), assumes="setup(app)", timings=tuple(_timings(app)))


def _timings(app: FastAPI) -> Iterator[ResponseModelTiming]:
    """The times of routes whose answers have a response model that the core encodes."""
    n_timed = 0
    for name, _, state, _ in routes_of_ours(routes_of(app.router)):
        field = response_field_of(state)
        if n_timed == _MAX_TIMED or not has_adapter(field) or not encoding_fields(state):
            continue
        n_timed += 1
        yield _timing(name, state, field)


def _timing(name: str, state: Any, field: Any) -> ResponseModelTiming:
    reason = users_code_in(field._type_adapter.core_schema)
    if reason:
        return ResponseModelTiming(route=name, problem=f"not timed: {reason}")
    try:
        value = sample_value(field._type_adapter)
        answers = ComparedAnswers(state, field, EncodingField(field, expected_of(state)))
        stock, core = answers.by_stock(value), answers.by_core(value)
    except Exception as error:
        return ResponseModelTiming(route=name, problem=f"not timed: no value could be made up: {type(error).__name__}")
    if stock != core:
        return ResponseModelTiming(route=name, problem="the core's answer differs from stock's: please report it")
    ways = (answers.by_stock, answers.by_core)
    rounds = [[_ns_of(way, value) for way in ways] for _ in range(_N_ROUNDS)]
    stock_ns, core_ns = map(min, zip(*rounds, strict=True))
    return ResponseModelTiming(route=name, n_bytes=len(core), stock_ns=stock_ns, core_ns=core_ns)


def _ns_of(way: Callable[[Any], Any], value: Any) -> int:
    """Nanoseconds of a call, in a round of many."""
    n, started = 0, perf_counter_ns()
    while True:
        way(value)
        n += 1
        passed = perf_counter_ns() - started
        if passed >= _ROUND_NS:
            return passed // n
