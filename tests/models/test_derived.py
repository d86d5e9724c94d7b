"""Objects of derived classes are written as objects of the class that a schema names."""

from __future__ import annotations

import gc
import sys
from typing import Any

import pytest
from models import samples as model_samples
from pydantic import BaseModel, TypeAdapter, computed_field

from ssrjson_web import Encoder, utf8_cache_size
from ssrjson_web._models.adapter import AdapterEncoder

pytestmark = pytest.mark.usefixtures("isa")


def test_derived_objects_leak_no_field_of_their_own() -> None:
    text = AdapterEncoder(TypeAdapter(list[model_samples.Leaf]), like_dump_json=True).encode(
        [model_samples.Derived()] * 3
    )
    assert b"nur hier" not in text
    assert text == b"[" + b",".join(['{"n":1,"text":"中文"}'.encode()] * 3) + b"]"


def test_derived_objects_leave_no_utf8_cache_and_no_reference() -> None:
    class Mine(model_samples.Leaf):
        more: str = "更多" * 20

    models = [Mine(text=chr(0x4E00 + i) * 30) for i in range(20)]
    encoder = AdapterEncoder(TypeAdapter(list[model_samples.Leaf]), like_dump_json=True)
    encoder.encode(models)
    before = [sys.getrefcount(model) for model in models]
    encoder.encode(models)
    assert [sys.getrefcount(model) for model in models] == before
    assert sum(utf8_cache_size(model.text) for model in models) == 0


def test_derived_object_whose_property_is_hostile_does_no_harm() -> None:
    class Base(BaseModel):
        n: int = 1

        @computed_field
        @property
        def twice(self) -> int:
            return 2 * self.n

    held: list[Any] = []

    class Hostile(Base):
        more: tuple[int, ...] = (1,)

        @computed_field
        @property
        def twice(self) -> int:
            held.clear()
            self.__dict__.clear()
            gc.collect()
            return 7

    held.extend([Hostile(), Hostile(), Base()])
    assert AdapterEncoder(TypeAdapter(list[Base]), like_dump_json=True).encode(held) == (
        b'[{"n":1,"twice":7},{"n":1,"twice":7},{"n":1,"twice":2}]'
    )


def test_what_stands_in_is_shown_to_no_hook() -> None:
    class Holder(BaseModel):
        leaf: model_samples.Leaf
        anything: Any

    asked: list[Any] = []
    encoder = Encoder(models="pydantic", default=lambda value: asked.append(value) or "asked")
    odd = object()
    holder = Holder(leaf=model_samples.Derived(), anything=None)
    text = encoder.encode([holder, {"a": odd}])
    assert text == '[{"leaf":{"n":1,"text":"中文"},"anything":null},{"a":"asked"}]'.encode()
    assert asked == [odd]


def test_list_that_grows_while_it_is_replaced_is_written_as_it_was() -> None:
    models: list[model_samples.Leaf] = [model_samples.Derived(n=i) for i in range(5)]
    encoder = AdapterEncoder(TypeAdapter(list[model_samples.Leaf]), like_dump_json=True)
    expected = TypeAdapter(list[model_samples.Leaf]).dump_json(models)
    gc.callbacks.append(lambda *_: models.append(model_samples.Leaf()) if len(models) < 50 else None)
    try:
        threshold = gc.get_threshold()
        gc.set_threshold(1)
        texts = {encoder.encode(list(models[:5])) for _ in range(20)}
    finally:
        gc.set_threshold(*threshold)
        gc.callbacks.pop()
    assert texts == {expected}
