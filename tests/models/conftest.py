"""Model libraries' objects: all tests here need pydantic."""

from __future__ import annotations

import pytest

pytest.importorskip("pydantic", reason="pydantic is not installed")
