"""Lets the tests import `bench`, which is not installed: its modules start the entries."""

from __future__ import annotations

import sys
from pathlib import Path

ROOT = str(Path(__file__).parents[2])
if ROOT not in sys.path:  # last: the source tree's ssrjson_web/ must not hide the installed one
    sys.path.append(ROOT)
