"""Models that are within several others and are read once: the same is known of each as when it is read alone."""

from __future__ import annotations

from typing import Any, Generic, Optional, TypeVar

import pytest
from pydantic import BaseModel, TypeAdapter, create_model, field_validator

from ssrjson_web._models.adapter import AdapterEncoder
from ssrjson_web._models.pydantic.shared_readings import SharedReadings, readings, sharing_readings
from ssrjson_web._models.pydantic.traits import schema_parts

T = TypeVar("T")


class Plain(BaseModel):
    n: int
    text: Optional[str] = None  # noqa: UP045


class Checked(BaseModel):
    n: int

    @field_validator("n", mode="wrap")
    def check(cls, n: Any, handler: Any) -> Any:
        return handler(n)


class Initialized(BaseModel):
    plain: Plain

    def model_post_init(self, context: Any, /) -> None:
        self.plain.n += 1


class Tree(BaseModel):
    plain: Plain
    children: list[Tree] = []
    other: Optional[Branch] = None  # noqa: UP045


class Branch(BaseModel):
    trees: dict[str, Tree] = {}
    initialized: Optional[Initialized] = None  # noqa: UP045


Tree.model_rebuild()  # pydantic 2.10 does so at its first use


class Page(BaseModel, Generic[T]):
    items: list[T]
    first: Optional[T] = None  # noqa: UP045


def nested(n_levels: int) -> Any:
    model: Any = Plain
    for level in range(n_levels):
        model = create_model(f"Level{level}", inner=(model, ...))
    return model


def value_of(n_levels: int) -> Any:
    return {"inner": value_of(n_levels - 1)} if n_levels else {"n": 1}


TREE: Any = {"plain": {"n": 1}, "children": [{"plain": {"n": 2}}], "other": {"trees": {"a": {"plain": {"n": 3}}}}}
SAMPLES: list[tuple[Any, Any]] = [
    (Plain, {"n": 1}),
    (Checked, {"n": 1}),
    (Initialized, {"plain": {"n": 1}}),
    (Tree, TREE),
    (Branch, {"trees": {"a": TREE}, "initialized": {"plain": {"n": 1}}}),
    *((nested(n), value_of(n)) for n in (1, 6, 8, 15)),
]
DECLARED: list[tuple[Any, Any]] = [
    *SAMPLES,
    *((Page[model], {"items": [value], "first": value}) for model, value in SAMPLES),
    *(
        (create_model("Both", a=(model, ...), b=(Page[model], ...)), {"a": v, "b": {"items": [v]}})
        for model, v in SAMPLES
    ),
]


def known_of(declared: Any, value: Any, **options: Any) -> tuple[Any, ...]:
    encoder = AdapterEncoder(TypeAdapter(declared), like_dump_json=True, **options)
    text = encoder.encode_unvalidated(value)
    made, _ = encoder.validated(value) if text is None else (None, None)
    return encoder.obstacle, encoder.takes_instances, text, made is NotImplemented


@pytest.mark.parametrize("step", [1, -1])
def test_what_is_shared_is_as_what_is_read_alone(step: int) -> None:
    cases = [(one, options) for one in DECLARED[::step] for options in ({}, {"exclude_none": True})]
    alone = [known_of(*one, **options) for one, options in cases]
    with sharing_readings():
        assert [known_of(*one, **options) for one, options in cases] == alone
    assert readings.get() is None


def shares_schemas() -> bool:
    parts = schema_parts(TypeAdapter(Page[Plain]).core_schema)
    (inner,) = {id(part["schema"]) for part in parts if part.get("type") == "model" and part["cls"] is Plain}
    return inner == id(Plain.__pydantic_core_schema__["schema"])  # type: ignore[typeddict-item]


@pytest.mark.skipif(not shares_schemas(), reason="this pydantic copies the schemas of models that are within others")
def test_models_are_read_once_where_readings_are_shared(monkeypatch: pytest.MonkeyPatch) -> None:
    added: list[str] = []
    add = SharedReadings.add
    monkeypatch.setattr(
        SharedReadings,
        "add",
        lambda self, options, one: (added.append(one.schema["cls"].__name__), add(self, options, one)),
    )
    with sharing_readings():
        for declared, value in (
            (Page[Plain], {"items": []}),
            (Page[Page[Plain]], {"items": []}),
            (Page[Plain], {"items": []}),
        ):
            known_of(declared, value)
    assert added == ["Plain", "Page[Plain]"]
