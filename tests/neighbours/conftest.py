"""Keeps the event loops of these tests apart."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

import pytest


@pytest.fixture(autouse=True)
def usual_event_loops() -> Iterator[None]:
    """Sanic makes uvloop the whole process's, for other tests too."""
    policy = asyncio.get_event_loop_policy()
    yield
    asyncio.set_event_loop_policy(policy)
