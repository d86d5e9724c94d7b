"""Types that pydantic builds when they are used for the first time: `defer_build`, and names that are defined late."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

from pydantic import TypeAdapter

__all__ = ["complete"]

_REBUILD = compile("_rebuild(_adapter, raise_errors=False)", __file__, "eval")


def complete(adapter: TypeAdapter[Any]) -> None:
    """Build what an adapter would build at its first use; nothing happens where it can't yet.

    Pydantic looks for names that are not defined where it is called, too: here it finds none that it would not find
    in the framework, which then tries again.
    """
    if type(adapter.core_schema) is not dict and hasattr(TypeAdapter, "rebuild"):  # pydantic >= 2.10
        with suppress(Exception):
            eval(_REBUILD, {"_rebuild": TypeAdapter.rebuild, "_adapter": adapter})
