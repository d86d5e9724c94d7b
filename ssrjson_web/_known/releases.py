"""The installed releases of libraries."""

from __future__ import annotations

import sys
from importlib import metadata
from typing import Any

__all__ = ["DISTRIBUTIONS", "release_of", "version_of"]

DISTRIBUTIONS = {"rest_framework": "djangorestframework", "ninja": "django-ninja"}
"""The names of packages that are not those of their modules."""


def version_of(library: str) -> str | None:
    """The installed version of the library whose module that is; None where it is not to be had."""
    try:
        version: Any = metadata.version(DISTRIBUTIONS.get(library, library))
    except Exception:  # a damaged installation raises whatever its files make
        version = None
    if not isinstance(version, str):
        version = getattr(sys.modules.get(library), "__version__", None)
    return version if isinstance(version, str) else None


def release_of(name: str) -> str:
    """The library that a dotted name begins with, and its installed release: `djangorestframework 3.18.3`."""
    library = name.partition(".")[0]
    return f"{DISTRIBUTIONS.get(library, library)} {version_of(library) or 'of an unknown release'}"
