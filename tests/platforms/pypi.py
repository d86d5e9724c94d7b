"""Packages of PyPI, each installation in a folder of its own."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from platforms.debian import BUILD, UnavailableError, finished, run, say

__all__ = ["fetch_packages"]


def fetch_packages(name: str, *requirements: str, size: str = "", options: Sequence[str] = ()) -> Path:
    """`build/platforms/<name>`: the requirements, installed by pip with its `options`.

    `size` is told to the user, such as `100 MB`. A second call fetches nothing. The caller holds `locked()`. Raises
    UnavailableError.
    """
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check"]
    words = [*options, *requirements]

    def make(folder: Path) -> None:
        say(f"  {name}: from PyPI{size and ', '}{size}")
        run([*pip, "--version"], blame=f"{sys.executable} has no pip", error=UnavailableError)
        run(
            [*pip, "install", "--quiet", f"--target={folder}", *words],
            blame=f"{name} cannot be installed from PyPI",
            error=UnavailableError,
        )

    return finished(BUILD / name, " ".join(words), make)
