"""Names of tests for what they are given."""

from __future__ import annotations

import re

__all__ = ["lasting_repr"]


def lasting_repr(value: object) -> str:
    """`repr` without addresses: the workers of pytest-xdist have to agree on the names."""
    return re.sub(r" at 0x[0-9a-f]+", "", repr(value))
