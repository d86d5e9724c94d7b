"""Isolates the tests of FastAPI from each other."""

from __future__ import annotations

import sys

import pytest


@pytest.fixture(autouse=True)
def fresh_endpoint_contexts() -> None:
    """FastAPI caches the source of endpoints by `id`, and functions of one test may get the ids of an earlier one."""
    getattr(sys.modules.get("fastapi.routing"), "_endpoint_context_cache", {}).clear()
