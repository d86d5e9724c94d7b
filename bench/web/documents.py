"""The data of the requests: a page of an API, and a small answer."""

from __future__ import annotations

import functools
import json
import marshal
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from pydantic import (
    BaseModel,
    TypeAdapter,
    ValidatorFunctionWrapHandler,
    field_serializer,
    field_validator,
    model_validator,
)

from bench import generated
from bench.cases import compact_json


class Seller(BaseModel):
    """A part of an Item."""

    name: str
    email: str
    verified: bool


class Item(BaseModel):
    """A record of `generated.rows`."""

    id: int
    sku: str
    title: str
    summary: str
    seller: Seller
    tags: list[str]
    price: float
    discount: float | None
    stock: int
    created_at: datetime
    active: bool


class Reader(BaseModel):
    """The document of `generated.small_web`."""

    id: int
    name: str
    email: str
    roles: list[str]
    active: bool
    score: float
    last_login: datetime
    manager: str | None
    note: str


def _validate(cls: Any, value: Any, handler: ValidatorFunctionWrapHandler) -> Any:
    return handler(value)


def _check(cls: Any, value: Any) -> Any:
    return value


def _serialize(self: Any, value: Any) -> Any:
    return value


@functools.cache
def with_validator(model: type[BaseModel]) -> Any:
    """The model with a validator of the user's around each value, so that pydantic validates it."""
    check: Any = classmethod(_validate)
    return _derived(model, "Validated", check=model_validator(mode="wrap")(check))


@functools.cache
def with_cheap_validator(model: type[BaseModel]) -> Any:
    """The model with a validator of the user's for one field, which the core calls."""
    check: Any = classmethod(_check)
    return _derived(model, "Checked", check=field_validator(next(iter(model.model_fields)))(check))


@functools.cache
def with_serializer(model: type[BaseModel]) -> Any:
    """The model with a serializer of the user's for one field, so that each value is converted by pydantic."""
    return _derived(model, "Serialized", shown=field_serializer("id")(_serialize))


def _derived(model: Any, prefix: str, **members: Any) -> Any:
    metaclass: Any = type(model)
    return metaclass(f"{prefix}{model.__name__}", (model,), {**members, "__module__": __name__})


@dataclass(frozen=True, kw_only=True)
class Document:
    """A value in requests or responses."""

    name: str
    text: str
    """Compact JSON."""
    item: type[BaseModel]
    """The model that the value, or each of its items, satisfies."""
    is_list: bool

    @property
    def model(self) -> Any:
        """The annotation that the value satisfies."""
        return self.model_of(self.item)

    def model_of(self, item: Any) -> Any:
        """The annotation with another model of the item."""
        return list[item] if self.is_list else item

    @property
    def body(self) -> bytes:
        """The JSON as UTF-8."""
        return self.text.encode()

    @property
    def reference(self) -> str:
        """`repr` of what stdlib parses: it tells 1 from 1.0 and from True, and orders keys."""
        return repr(json.loads(self.text))

    def graph_maker(self) -> Callable[[], Any]:
        """Makes a new value of dicts and lists in each call. No library has encoded its strings."""
        image = marshal.dumps(json.loads(self.text))
        return lambda: marshal.loads(image)

    def model_maker(self) -> Callable[[], Any]:
        """Makes the value as instances of the model, from a new graph."""
        make, validate = self.graph_maker(), TypeAdapter(self.model).validate_python
        return lambda: validate(make())

    def object_maker(self) -> Callable[[], Any]:
        """Makes the value as objects that are no models, such as rows of a database."""
        make = self.model_maker()
        return lambda: _as_rows(make())


class Row:
    """An object with the attributes of a model."""

    def __init__(self, values: dict[str, Any]) -> None:
        self.__dict__.update(values)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Row) and other.__dict__ == self.__dict__

    __hash__ = None  # type: ignore[assignment]


def _as_rows(value: Any) -> Any:
    if isinstance(value, list):
        return [_as_rows(item) for item in value]
    return Row({name: _as_rows(item) for name, item in value}) if isinstance(value, BaseModel) else value


def documents() -> Sequence[Document]:
    """Two pages of 100 items, and a small answer."""
    return (
        Document(name="chinese", text=compact_json(generated.rows("chinese")), item=Item, is_list=True),
        Document(name="english", text=compact_json(generated.rows("ascii")), item=Item, is_list=True),
        Document(name="small", text=compact_json(generated.small_web("chinese")), item=Reader, is_list=False),
    )
