"""What all tests of the Flask adapter need."""

from __future__ import annotations

import pytest

pytest.importorskip("flask", reason="Flask is not installed")
