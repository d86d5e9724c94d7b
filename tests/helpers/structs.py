"""msgspec, or, where it has no wheel (Python 3.13t), Structs that are dataclasses.

So the tests of all kinds of classes run without it, too. What only a Struct has is tested where `HAS_MSGSPEC`.
"""

from __future__ import annotations

import dataclasses
import types
from typing import Any

__all__ = ["HAS_MSGSPEC", "msgspec"]

try:
    import msgspec

    HAS_MSGSPEC = True
except ImportError:
    HAS_MSGSPEC = False

    class Struct:
        def __init_subclass__(cls, **options: Any) -> None:
            dataclasses.dataclass(cls)

    msgspec = types.SimpleNamespace(Struct=Struct, UNSET=None)  # type: ignore[assignment]
