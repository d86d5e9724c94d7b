"""Lets the tests import `bench`, which is not installed, and their helpers."""

from __future__ import annotations

import sys
from pathlib import Path

ROOT = str(Path(__file__).parents[2])
HERE = str(Path(__file__).parent)
for folder in (HERE, ROOT):  # last: the source tree's ssrjson_web/ must not hide the installed one
    if folder not in sys.path:
        sys.path.append(folder)
