"""Model libraries' objects: nothing here runs without pydantic."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

pytest.importorskip("pydantic", reason="pydantic is not installed")

FOLDER = str(Path(__file__).parent)
if FOLDER not in sys.path:  # zoo.py, under --import-mode=importlib
    sys.path.insert(0, FOLDER)
