"""Lets the tests import the helpers beside this file under --import-mode=importlib."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

HERE = str(Path(__file__).parent)
if HERE not in sys.path:
    sys.path.append(HERE)


@pytest.fixture(autouse=True)
def usual_event_loops() -> Iterator[None]:
    """Sanic makes uvloop the whole process's, for other tests too."""
    policy = asyncio.get_event_loop_policy()
    yield
    asyncio.set_event_loop_policy(policy)
