"""Where the benchmarked packages come from."""

from __future__ import annotations

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def prefer_installed_packages() -> None:
    """Move the source tree to the end of `sys.path`.

    `python -m` puts it first. Its `ssrjson_web/` holds no compiled core, and would hide the installed package.
    """
    elsewhere = [entry for entry in sys.path if Path(entry).resolve() != ROOT]
    sys.path[:] = [*elsewhere, str(ROOT)]
