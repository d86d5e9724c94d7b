"""What all tests of the Flask adapter need."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

pytest.importorskip("flask", reason="Flask is not installed")

HERE = str(Path(__file__).parent)
if HERE not in sys.path:  # the helpers beside this file, under --import-mode=importlib
    sys.path.append(HERE)
