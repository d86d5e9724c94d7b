"""Skips the tests of the Flask adapter where Flask is not installed."""

from __future__ import annotations

import pytest

pytest.importorskip("flask", reason="Flask is not installed")
