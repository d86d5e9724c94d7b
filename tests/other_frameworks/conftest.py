"""Isolates the event loops of these tests."""

from __future__ import annotations

import asyncio
import warnings
from collections.abc import Iterator

import pytest


@pytest.fixture(autouse=True)
def usual_event_loops() -> Iterator[None]:
    """Undo what Sanic does: it installs uvloop for the whole process. Old Falcons' test client wants a current loop."""
    with warnings.catch_warnings():  # Python 3.14 deprecates policies
        warnings.simplefilter("ignore", DeprecationWarning)
        policy = asyncio.get_event_loop_policy()
        loop = asyncio.new_event_loop()
        asyncio.set_event_loop(loop)
        yield
        loop.close()
        asyncio.set_event_loop_policy(policy)
        asyncio.set_event_loop(None)
