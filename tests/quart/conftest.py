"""What all tests of the Quart adapter need."""

from __future__ import annotations

import pytest

pytest.importorskip("quart", reason="Quart is not installed")
