"""Whole requests to FastAPI with `setup(app)`: what a change of their path costs is seen here first."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from functools import partial
from importlib import import_module
from typing import Any

from bench.guard.guarded import GuardedCall

CASES = (
    "empty",
    "dict/small",
    "dicts/small",
    "instances/small",
    "dicts/chinese",
    "post-models/small",
    "post-models/chinese",
)
"""Kinds of `bench web` with their documents: an answer of 200 bytes, a page of 45 KB."""
WARM_UPS = 30
"""Requests before the count: routes learn in the first ones, and CPython adapts its bytecode."""


def guarded_requests() -> Sequence[GuardedCall]:
    """Each request twice: its instructions, and its calls of Python functions."""
    return tuple(
        GuardedCall(
            name=f"{prefix}request {case}",
            make=partial(_exchange, case),
            rounds=10,
            library="fastapi",
            warm_ups=WARM_UPS,
            counts_python_calls=bool(prefix),
        )
        for prefix in ("", "Python calls of a ")
        for case in CASES
    )


def _exchange(name: str) -> tuple[Callable[[Any], object], object]:
    # imported here: pydantic hashes with a random seed, which changes later allocations
    cases, exchanges, rivals = (import_module(f"bench.web.fastapi_{part}") for part in ("cases", "exchange", "rivals"))
    (case,) = (each for each in cases.all_cases() if each.name == name)
    desk = exchanges.Desk()
    app = exchanges.application(rivals.SET_UP, rivals.KINDS[case.kind], case.document, desk)
    exchange = exchanges.Exchange(app, desk, asyncio.new_event_loop(), is_post=case.is_post)
    return exchange.ask, case.value_maker()()
