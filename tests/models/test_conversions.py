"""Models of whose values pydantic converts some: one call of it for the whole, with its text, warnings and errors."""

from __future__ import annotations

from typing import Annotated, Any
from unittest import mock

import pytest
from pydantic import (
    BaseModel,
    ConfigDict,
    PlainSerializer,
    TypeAdapter,
    computed_field,
    field_serializer,
    model_serializer,
)

from ssrjson_web import utf8_cache_size
from ssrjson_web._models import adapter as adapter_module
from ssrjson_web._models.adapter import AdapterEncoder

pytestmark = pytest.mark.usefixtures("isa")


class Base(BaseModel):
    id: int
    title: str
    note: str | None = None


class OfField(Base):
    @field_serializer("title")
    def shown(self, title: str) -> str:
        return title + "!"


class OfModel(Base):
    @model_serializer(mode="wrap")
    def whole(self, handler: Any) -> Any:
        return {**handler(self), "own": 1}


class Annotation(Base):
    title: Annotated[str, PlainSerializer(lambda text: [text])]


class Optional(Base):
    note: Annotated[str, PlainSerializer(lambda text: [text])] | None = None


class Computed(Base):
    @computed_field  # type: ignore[prop-decorator]
    @property
    def length(self) -> int:
        return len(self.title)


class Bytes(Base):
    model_config = ConfigDict(ser_json_bytes="base64")
    data: bytes = b"\xff"


CLASSES = [OfField, OfModel, Annotation, Optional, Bytes]


@pytest.mark.parametrize("cls", CLASSES)
@pytest.mark.parametrize("options", [{}, {"exclude_unset": True}, {"exclude_none": True}, {"by_alias": False}], ids=str)
def test_objects_of_converted_models_are_dumped_in_one_call(cls: Any, options: dict[str, bool]) -> None:
    adapter: TypeAdapter[Any] = TypeAdapter(list[cls])
    value = [cls(id=i, title="标" * (i + 2), note=None if i % 2 else "é") for i in range(9)]
    texts = []
    for like_dump_json in (True, False):
        encoder = AdapterEncoder(adapter, like_dump_json=like_dump_json, **options)
        with mock.patch.object(adapter_module, "strict_content", wraps=adapter_module.strict_content) as called:
            text = encoder.encode(value)
        assert called.call_count == 1
        texts.append(text)
    assert not any(utf8_cache_size(one.title) for one in value)
    assert texts == [adapter.dump_json(value, **{"by_alias": True, **options})] * 2


def test_other_models_are_written_by_the_core() -> None:
    adapter = TypeAdapter(list[Computed])
    value = [Computed(id=1, title="é")]
    with mock.patch.object(adapter_module, "strict_content", side_effect=AssertionError):
        assert AdapterEncoder(adapter, like_dump_json=True).encode(value) == adapter.dump_json(value)


def test_value_that_is_not_as_declared_is_dumped_by_pydantic_with_its_warning() -> None:
    value = OfField.model_construct(id="no number", title="é")
    encoder = AdapterEncoder(TypeAdapter(OfField), like_dump_json=True)
    with pytest.warns(UserWarning, match="Expected `int`"):
        assert encoder.encode(value) == '{"id":"no number","title":"é!","note":null}'.encode()
