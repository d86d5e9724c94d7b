"""Keeps the tests of FastAPI apart."""

from __future__ import annotations

import sys

import pytest


@pytest.fixture(autouse=True)
def fresh_endpoint_contexts() -> None:
    """FastAPI remembers where an endpoint stands by its `id`, which a test's functions get from those of the last."""
    getattr(sys.modules.get("fastapi.routing"), "_endpoint_context_cache", {}).clear()
