"""Values that are made up of a type: valid ones, or none."""

from __future__ import annotations

import datetime
import decimal
import enum
import uuid
from typing import Annotated, Any, Literal

import pytest

pytest.importorskip("pydantic", reason="pydantic is not installed")

from pydantic import BaseModel, Field, TypeAdapter, field_validator

from ssrjson_web._models.pydantic.sample_values import N_ITEMS, sample_value
from ssrjson_web._models.pydantic.users_code import users_code_in


class Colour(enum.Enum):
    RED = "red"


class Leaf(BaseModel):
    name: str = Field(min_length=40, max_length=50)
    n: int = Field(gt=3, le=5)
    share: float = Field(ge=0, lt=1)
    colour: Colour
    when: datetime.datetime | None
    kind: Literal["a", "b"]


class Tree(BaseModel):
    leaf: Leaf
    more: dict[str, list[Leaf]]
    children: list[Tree] = []
    other: Tree | None = None


@pytest.mark.parametrize(
    "declared",
    [
        *(
            int,
            float,
            str,
            bool,
            None,
            Any,
            datetime.date,
            datetime.time,
            datetime.timedelta,
            uuid.UUID,
            decimal.Decimal,
        ),
        *(list[int], dict[str, int], tuple[int, str], set[int], Leaf, Tree, list[Tree], Leaf | None),
        *(Annotated[int, Field(multiple_of=7)], Annotated[list[int], Field(min_length=40)], Literal[3]),
    ],
)
def test_value_is_valid(declared: Any) -> None:
    adapter: TypeAdapter[Any] = TypeAdapter(declared)
    value = sample_value(adapter)
    assert adapter.validate_python(value) == value
    adapter.dump_json(value)


def test_list_has_so_many_items_that_a_time_means_something() -> None:
    assert len(sample_value(TypeAdapter(list[Leaf]))) == N_ITEMS
    tree = sample_value(TypeAdapter(Tree))
    assert len(tree.more["key"]) == 3


@pytest.mark.parametrize("declared", [Annotated[str, Field(pattern="^a+$")], Annotated[int, Field(gt=3, lt=4)]])
def test_where_none_is_known_it_raises(declared: Any) -> None:
    with pytest.raises(Exception):  # noqa: B017, PT011 - of any class
        sample_value(TypeAdapter(declared))


class Checked(BaseModel):
    name: str

    @field_validator("name")
    def check(cls, name: str) -> str:
        return name


class Numbered(BaseModel):
    id: uuid.UUID = Field(default_factory=uuid.uuid4)


@pytest.mark.parametrize(
    ("declared", "reason"),
    [
        (Leaf, ""),
        (Tree, ""),
        (list[Checked], f"`{__name__}.Checked.check` would run twice"),
        (dict[str, Numbered], "`uuid.uuid4`, a default factory, would make two values"),
    ],
)
def test_code_of_users_in_a_schema_is_named(declared: Any, reason: str) -> None:
    assert users_code_in(TypeAdapter(declared).core_schema) == reason
