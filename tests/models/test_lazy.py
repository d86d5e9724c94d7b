"""Fields of type `Iterable`, whose items pydantic validates when they are pulled, which is when they are written."""

from __future__ import annotations

from collections.abc import Generator, Iterable
from typing import Any, Optional

import pytest
from check_models.functions import Row, called
from pydantic import BaseModel, Field, TypeAdapter, field_serializer, field_validator

from ssrjson_web._models.adapter import AdapterEncoder, bodies_maker


class Dag(BaseModel):
    id: int
    tags: Iterable[str] = Field(default=[], min_length=1)


class Dags(BaseModel):
    dags: Iterable[Dag]
    total: int = 0
    others: Optional[Generator[int, None, None]] = None  # noqa: UP045
    hidden: Iterable[int] = Field([], exclude=True)


ROW = Row(dags=[Row(id=1, tags=["é"])], total=1, others=[1], hidden=[])


def both(declared: Any, value: Any, **options: Any) -> tuple[bytes | None, Any]:
    """The text without validation, and pydantic's text or error; they must not differ."""
    adapter = TypeAdapter(declared)
    texts = []
    for like_dump_json in (True, False):
        encoder = AdapterEncoder(adapter, like_dump_json=like_dump_json, **options)
        theirs = called(lambda: encoder.dump(adapter.validate_python(value, from_attributes=True)))  # noqa: B023
        texts.append(encoder.encode_unvalidated(value))
        if texts[-1] is not None:
            assert texts[-1] == theirs.value
    assert (texts[0] is None) == (texts[1] is None)
    return texts[0], theirs


@pytest.mark.parametrize(
    ("value", "is_written"),
    [
        ({"dags": []}, True),
        ({"dags": [{"id": 1, "tags": ["é"]}], "others": [1, 2]}, True),
        ({"dags": [{"id": 1, "tags": ["é", "b"]}], "others": None, "hidden": [1]}, True),
        ({"dags": ({"id": 1, "tags": ["é"]},)}, False),
        (ROW, True),
        ({"dags": [ROW.dags[0], {"id": 2, "tags": []}]}, False),  # pydantic refuses it when it is written
        ({"dags": [{"id": 1}]}, False),  # pydantic warns of a default that is no iterator
        ({"dags": [{"id": "x", "tags": ["a"]}]}, False),
        ({"dags": {"id": 1}}, False),
        ({"dags": "text"}, False),
        ({"dags": {1, 2}}, False),
        ({"dags": None}, False),
        ({"dags": [], "hidden": ["x"]}, False),
    ],
    ids=repr,
)
@pytest.mark.parametrize("options", [{}, {"exclude_none": True}, {"exclude_defaults": True}, {"exclude_unset": True}])
def test_lists_are_written_as_pydantic_writes_what_it_pulls(value: Any, is_written: bool, options: Any) -> None:
    text, theirs = both(Dags, value, **options)
    assert (text is not None) == is_written
    assert both(list[Dags], [value], **options)[0] is not None or not is_written
    if is_written:
        assert theirs.error is None


def test_iterators_are_pulled_once_by_pydantic() -> None:
    pulled: list[int] = []

    def pull() -> Iterable[Any]:
        for n in (1, 2):
            pulled.append(n)
            yield {"id": n, "tags": ["a"]}

    for value in ({"dags": pull()}, Row(dags=pull(), total=2, others=None, hidden=[]), Dags(dags=pull())):
        encoder = AdapterEncoder(TypeAdapter(Dags), like_dump_json=True)
        pulled.clear()
        assert encoder.encode_unvalidated(value) is None
        made, replay = encoder.validated(value)
        assert replay is None
        assert (made is value) == isinstance(value, Dags)
        if made is NotImplemented:
            made = TypeAdapter(Dags).validate_python(value, from_attributes=True)
        assert encoder.encode(made).startswith(b'{"dags":[{"id":1,"tags":["a"]},{"id":2,"tags":["a"]}]')
        assert pulled == [1, 2]


def test_items_with_code_of_users_are_left_to_pydantic() -> None:
    class Shouted(BaseModel):
        text: str

        @field_serializer("text")
        def shout(self, text: str) -> str:
            return text.upper()

    class Checked(BaseModel):
        text: str

        @field_validator("text")
        def check(cls, text: str) -> str:
            return text.strip()

    class HoldsShouted(BaseModel):
        items: Iterable[Shouted]

    class HoldsChecked(BaseModel):
        items: Iterable[Checked]

    for declared in (HoldsShouted, HoldsChecked):
        assert both(declared, {"items": [{"text": " a "}]})[0] is None


def test_lists_of_iterables_are_made_as_by_pydantic() -> None:
    adapter = TypeAdapter(list[Iterable[int]])
    encoder = AdapterEncoder(adapter, like_dump_json=True)
    for value in ([[1, "2"], []], [["x"]], [5]):
        assert encoder.encode_unvalidated(value) is None
        made, _ = encoder.validated(value)
        theirs = called(lambda: adapter.validate_python(value))  # noqa: B023
        assert (made is NotImplemented) == (theirs.error is not None)
        if theirs.error is None:
            ours, dumped = called(lambda: encoder.encode(made)), called(lambda: adapter.dump_json(theirs.value))  # noqa: B023
            assert (ours.value, ours.error) == (dumped.value, dumped.error)


def pulled_of(made: Any) -> Any:
    if isinstance(made, BaseModel):
        fields = {name: pulled_of(value) for name, value in made.__dict__.items()}
        return fields, made.model_fields_set
    return [pulled_of(one) for one in made] if isinstance(made, Iterable) and not isinstance(made, str) else made


@pytest.mark.parametrize(
    "value",
    [
        {"dags": [{"id": 1, "tags": ["é"]}, {"id": "2", "tags": ["b"]}], "others": [1, "2"]},
        {"dags": [{"id": 1, "tags": []}]},
        {"dags": [{"id": "x", "tags": ["a"]}]},
        {"dags": [], "others": ["x"]},
        {"dags": 5},
        {"dags": "text", "others": {"1": 2}},
    ],
    ids=repr,
)
def test_bodies_have_the_iterators_of_pydantic(value: Any) -> None:
    adapter = TypeAdapter(Dags)
    maker = bodies_maker(adapter)
    assert maker is not None
    made, _ = maker.make(value)
    theirs = called(lambda: adapter.validate_python(value, from_attributes=True))
    assert (made is NotImplemented) == (theirs.error is not None)
    if made is not NotImplemented:
        assert type(made.dags) is type(theirs.value.dags)
        ours, pulled = called(lambda: pulled_of(made)), called(lambda: pulled_of(theirs.value))
        assert (ours.value, ours.error) == (pulled.value, pulled.error)
