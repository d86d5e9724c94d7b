"""Where the benchmarked packages come from."""

from __future__ import annotations

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def prefer_installed_packages() -> None:
    """Move the source tree to the end of `sys.path`.

    `python -m` puts it first, where its `ssrjson_web/`, which holds no compiled core, hides the installed package.
    """
    elsewhere = [entry for entry in sys.path if Path(entry).resolve() != ROOT]
    sys.path[:] = [*elsewhere, str(ROOT)]
