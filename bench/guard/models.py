"""One row as a model of each model library."""

from __future__ import annotations

from dataclasses import dataclass

import msgspec
import pydantic


@dataclass(frozen=True, kw_only=True)
class Point:
    """As a dataclass."""

    name: str
    x: float
    y: float
    is_set: bool = True


class PointModel(pydantic.BaseModel):
    """As pydantic's model."""

    name: str
    x: float
    y: float
    is_set: bool = True


class PointStruct(msgspec.Struct):
    """As msgspec's struct."""

    name: str
    x: float
    y: float
    is_set: bool = True
