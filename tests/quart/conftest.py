"""Skips the tests of the Quart adapter where Quart is not installed."""

from __future__ import annotations

import pytest

pytest.importorskip("quart", reason="Quart is not installed")
