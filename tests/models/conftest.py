"""Model libraries' objects: nothing here runs without pydantic."""

from __future__ import annotations

import pytest

pytest.importorskip("pydantic", reason="pydantic is not installed")
