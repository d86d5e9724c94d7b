"""Libraries that import orjson: the same calls with orjson and with ssrjson_web.orjson in its place."""

from __future__ import annotations

import types
from collections.abc import Callable
from typing import Any

from ssrjson_web import orjson as ours

__all__ = ["CountedModule", "assert_same_with_both"]


class CountedModule(types.ModuleType):
    """A module in orjson's place, which counts the calls of its functions."""

    def __init__(self, module: Any) -> None:
        super().__init__("orjson")
        self._module = module
        self.n_calls = 0

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._module, name)
        if name not in ("dumps", "loads"):
            return found

        def counted(*arguments: Any, **options: Any) -> Any:
            self.n_calls += 1
            return found(*arguments, **options)

        return counted


def outcome_of(call: Callable[[], Any]) -> Any:
    """What a call gives, or its error, whose class may be that of another module."""
    try:
        return call()
    except Exception as error:
        causes = [error, *getattr(error, "errors", ())]
        return [(type(one).__name__, str(one).replace("ssrjson_web.", "")) for one in causes]


def assert_same_with_both(theirs: Any, put: Callable[[Any], None], call: Callable[[], Any]) -> None:
    """`call` gives the same with both modules, which `put` puts in orjson's place; and both were called."""
    outcomes = []
    for module in (CountedModule(theirs), CountedModule(ours)):
        put(module)
        outcomes.append(outcome_of(call))
        assert module.n_calls > 0
    assert outcomes[1] == outcomes[0]
