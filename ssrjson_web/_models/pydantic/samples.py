"""Values of many types, which pydantic and the core validate and write: whether they do alike."""

from __future__ import annotations

import datetime as dt
import decimal
import enum
import uuid
from collections.abc import Callable, Iterator
from typing import Any

import pydantic_core
from pydantic import BaseModel, ConfigDict, Field, TypeAdapter

from ssrjson_web._models.adapter import AdapterEncoder, bodies_maker, models_acceptance

__all__ = ["does_alike"]


def _outcome(call: Callable[[], Any]) -> str:
    """The value with its types, or the error; the fields that are set, which `repr` does not tell, are of models."""
    try:
        return _told(call())
    except Exception as error:
        return f"{type(error).__name__}: {error}"


def _told(value: Any) -> str:
    if isinstance(value, BaseModel):
        fields = {name: _told(one) for name, one in value.__dict__.items()}
        return f"{type(value).__name__}{fields}{sorted(value.model_fields_set)}{value.__pydantic_extra__}"
    if isinstance(value, dict):
        return str({key: _told(one) for key, one in value.items()})
    if isinstance(value, (list, tuple)):
        return f"{type(value).__name__}{[*map(_told, value)]}"
    return f"{type(value).__name__} {value!r}"


def does_alike() -> bool:
    """Whether samples are validated and written alike by pydantic and in its place."""
    for adapter, bodies, values, options in _samples():
        maker = bodies_maker(adapter) if bodies else None
        of_json = models_acceptance(adapter, like_validate_json=True) if bodies else None
        for body in bodies:
            made = NotImplemented if maker is None else maker.make(body)[0]
            if made is not NotImplemented and _told(made) != _outcome(lambda: adapter.validate_python(body)):  # noqa: B023
                return False
            text = pydantic_core.to_json(body)
            made = NotImplemented if of_json is None else of_json.for_models(body)
            if made is not NotImplemented and _told(made) != _outcome(lambda: adapter.validate_json(text)):  # noqa: B023
                return False
        encoder = AdapterEncoder(adapter, **options, like_dump_json=True)
        if not all(_is_written_alike(adapter, encoder, value, options) for value in values):
            return False
    return True


def _is_written_alike(adapter: TypeAdapter[Any], encoder: Any, value: Any, options: dict[str, Any]) -> bool:
    validated = adapter.validate_python(value, from_attributes=True)
    expected = adapter.dump_json(validated, **{"by_alias": True, **options})
    return encoder.encode(validated) == expected and encoder.encode_unvalidated(value) in (None, b"", expected)


_BODIES_OF_FIELDS: dict[str, tuple[Any, ...]] = {
    "flag": (True, 1, 0, "true", "no", 2, 1.0),
    "ratio": (1, 1.5, True, "1.5", "NaN", None, 10**30),
    "price": (1, "1.5", 1.5, "NaN", True, "x"),
    "at": ("2026-11-28T01:02:03.5Z", "2026-11-28", 1, 1.5, "x", None, "2026-11-28 01:02+05:30"),
    "day": ("2026-11-28", "2026-11-28T00:00:00", 86400, "x"),
    "key": ("12345678-1234-5678-1234-567812345678", "12345678123456781234567812345678", "x", 1),
    "color": ("red", "RED", 1),
    "inner": ({"theText": "é", "n": 2}, {"text": "b"}, {"theText": "abcdef"}, {"n": -1}, {"n": "2"}, {"more": 1}),
    "items": ([{}], [{"n": 1}, {"n": True}], {}, ["a"], None),
    "counts": ({"a": 1}, {"a": "1"}, {"a": 1.0}, []),
    "pair": ([1, "a"], [1], [True, "a"], ["1", "a"]),
    "either": (1, "1", True, 1.5, None),
    "tags": (["a", "a"], [1], "a"),
}
"""Values of the fields of `Sample` below, as a client may send them."""


def _samples() -> Iterator[tuple[TypeAdapter[Any], list[Any], list[Any], dict[str, Any]]]:
    """Types, decoded bodies that are valid or not, and valid values with options of writing.

    To describe a type is most of the work: the largest one is described once.
    """

    class Color(enum.Enum):
        RED = "red"

    class Inner(BaseModel):
        model_config = ConfigDict(populate_by_name=True, from_attributes=True)
        text: str = Field(default="a", alias="theText", max_length=5)
        n: int = Field(default=1, ge=0, le=9)

    class Sample(BaseModel):
        name: str
        flag: bool = False
        ratio: float = 0.5
        price: decimal.Decimal | None = None
        at: dt.datetime | None = None
        day: dt.date | None = None
        key: uuid.UUID | None = None
        color: Color = Color.RED
        inner: Inner | None = None
        items: list[Inner] = []
        counts: dict[str, int] = {}
        pair: tuple[int, str] | None = None
        either: int | str = 1
        tags: set[str] | None = None

    bodies: list[Any] = [{"name": "é"}, {}, {"name": 3}, {"name": None}, [], 1]
    for key, values in _BODIES_OF_FIELDS.items():
        bodies += [{"name": "a", key: value} for value in values]
    moment = dt.datetime(2026, 11, 28, 1, 2, 3, 400, dt.timezone.utc)
    valid = [
        {"name": "é\ud7ff\u2028"},
        {"name": "a", "at": moment, "day": moment.date(), "key": uuid.UUID(int=1), "price": decimal.Decimal("1E+5")},
        {"name": "a", "inner": Inner(n=2), "items": [Inner(), {"n": 3}], "counts": {"é": 2}, "pair": (1, "b")},
        Sample(name="a", ratio=1e22, either="b", tags={"c"}),
        {"name": "a", "ratio": 1, "flag": 1, "price": "2.5"},
    ]
    yield TypeAdapter(Sample), bodies, valid, {}
    of_items = TypeAdapter(list[Inner | None])
    yield of_items, [[], [{"n": 1}, None, {}], [{"n": 10}]], [[None, Inner(), {"theText": "é"}], []], {}
    yield of_items, [], [[Inner(), {"theText": "é"}]], {"exclude_unset": True, "by_alias": False}
    yield TypeAdapter(dict[str, float]), [{"a": 1}, {"a": "x"}], [{"a": 1.5, "b": float("inf")}], {}
