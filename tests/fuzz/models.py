"""Makers of objects of model classes with the fields x and y, of the libraries that are installed."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any


@dataclasses.dataclass
class Data:
    x: Any
    y: Any


@dataclasses.dataclass
class Typed:
    x: list[int] | str | dict[str, int] | None
    y: Any


MAKERS: list[Callable[[Any, Any], Any]] = [Data, Typed]

try:
    import attrs
except ImportError:
    pass
else:

    @attrs.define
    class Attrs:
        x: Any
        y: Any

    MAKERS.append(Attrs)

try:
    import msgspec
except ImportError:
    pass
else:

    class Struct(msgspec.Struct):
        x: Any
        y: Any

    MAKERS.append(Struct)

try:
    import pydantic
except ImportError:
    pass
else:

    class Model(pydantic.BaseModel):
        x: Any
        y: Any

    def pydantic_model(x: Any, y: Any) -> Model:
        return Model.model_construct(x=x, y=y)

    MAKERS.append(pydantic_model)
