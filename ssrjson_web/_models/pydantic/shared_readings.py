"""What was read of models that are within several others: a report on an application reads each once."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, NamedTuple, TypeVar

from ssrjson_web._models.language import Acceptance

__all__ = ["SharedReading", "SharedReadings", "readings", "sharing_readings"]


Found = TypeVar("Found")


class SharedReading(NamedTuple):
    """The acceptance of a model that refers to no model around it."""

    schema: Mapping[str, Any]
    acceptance: Acceptance
    n_levels: int
    """Levels of models and containers within the model."""
    obstacle: str
    takes_instances: bool


class SharedReadings:
    """Readings by the options that they were read with, and by the fields of their models."""

    def __init__(self) -> None:
        self._known: dict[tuple[Hashable, int], SharedReading] = {}
        self._of_schemas: dict[int, tuple[Any, Any]] = {}

    def find(self, options: Hashable, schema: Mapping[str, Any]) -> SharedReading | None:
        known = self._known.get((options, id(schema["schema"])))  # pydantic shares it, and a reading holds it
        return known if known is not None and known.schema == _compared(schema) else None

    def add(self, options: Hashable, reading: SharedReading) -> None:
        self._known[options, id(reading.schema["schema"])] = reading._replace(schema=_compared(reading.schema))

    def of_schema(self, schema: object, find: Callable[[Any], Found]) -> Found:
        """What `find` finds in a schema, which is asked once."""
        known = self._of_schemas.get(id(schema))
        if known is None:
            known = self._of_schemas[id(schema)] = schema, find(schema)  # held, so that no other one gets its id
        found: Found = known[1]
        return found


def _compared(schema: Mapping[str, Any]) -> Mapping[str, Any]:
    """What of the schema of a model says how it is read."""
    return {key: value for key, value in schema.items() if value and key not in ("ref", "metadata")}


readings: ContextVar[SharedReadings | None] = ContextVar("readings", default=None)
"""None: each model is read for itself, as readings hold schemas and so classes."""


@contextmanager
def sharing_readings() -> Iterator[None]:
    """Until the end each model is read once."""
    token = readings.set(SharedReadings())
    try:
        yield
    finally:
        readings.reset(token)
