"""The entries are started by modules of the benchmarks, which are no installed package."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

if sys.platform != "linux":
    pytest.skip("the entries run on Linux", allow_module_level=True)

ROOT = str(Path(__file__).parents[2])
if ROOT not in sys.path:
    sys.path.append(ROOT)
