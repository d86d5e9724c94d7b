"""A plugin of pydantic that notes what it hears."""

from __future__ import annotations

import types
from typing import Any

import pytest
from pydantic.plugin import _loader

__all__ = ["Plugin", "installed_plugins"]


class Plugin:
    """Listens to the events that it is told to, of validators of Python values and of JSON."""

    def __init__(self, *events: str) -> None:
        self.heard: list[tuple[str, Any]] = []
        self._handler = types.SimpleNamespace()
        for event in events:
            setattr(self._handler, event, self._hear(event))
        self._is_silent = not events

    def _hear(self, event: str) -> Any:
        def hear(value: Any, *_: Any, **__: Any) -> None:
            self.heard.append((event, value if isinstance(value, (dict, str)) else type(value).__name__))

        return hear

    def new_schema_validator(self, *_: Any, **__: Any) -> tuple[Any, Any, Any]:
        return (None, None, None) if self._is_silent else (self._handler, self._handler, None)


def installed_plugins(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """The plugins that pydantic knows, by their names; none at first."""
    installed: dict[str, Any] = {}
    monkeypatch.setattr(_loader, "_plugins", installed)
    return installed
