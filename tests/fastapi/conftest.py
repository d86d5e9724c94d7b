"""Lets the tests import the helper beside this file under --import-mode=importlib, and keeps them apart."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

HERE = str(Path(__file__).parent)
if HERE not in sys.path:
    sys.path.append(HERE)


@pytest.fixture(autouse=True)
def fresh_endpoint_contexts() -> None:
    """FastAPI remembers where an endpoint stands by its `id`, which a test's functions get from those of the last."""
    getattr(sys.modules.get("fastapi.routing"), "_endpoint_context_cache", {}).clear()
