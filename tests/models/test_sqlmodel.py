"""SQLModel's classes as response models: what is written without validation is pydantic's text, or pydantic decides."""

from collections.abc import Iterator
from typing import Any, List, Optional  # noqa: UP035 - SQLModel reads these

import pytest
from helpers.pydantic_outcome import models_of, text_of
from pydantic import BaseModel, field_validator

sqlmodel = pytest.importorskip("sqlmodel", reason="SQLModel is not installed")
orm = pytest.importorskip("sqlalchemy.orm", reason="SQLAlchemy is not installed")

REGISTRY: Any = {"registry": orm.registry()}  # else the classes would be in that of the process


class TeamBase(sqlmodel.SQLModel, **REGISTRY):
    name: str = sqlmodel.Field(index=True)


class Team(TeamBase, table=True):
    id: Optional[int] = sqlmodel.Field(default=None, primary_key=True)  # noqa: UP045
    heroes: List["Hero"] = sqlmodel.Relationship(back_populates="team")  # noqa: UP006


class HeroBase(sqlmodel.SQLModel, **REGISTRY):
    name: str
    secret: str = "x"
    age: Optional[int] = sqlmodel.Field(default=None, ge=0)  # noqa: UP045
    team_id: Optional[int] = sqlmodel.Field(default=None, foreign_key="team.id")  # noqa: UP045


class Hero(HeroBase, table=True):
    id: Optional[int] = sqlmodel.Field(default=None, primary_key=True)  # noqa: UP045
    team: Optional[Team] = sqlmodel.Relationship(back_populates="heroes")  # noqa: UP045


class TeamPublic(TeamBase):
    id: int


class HeroPublic(HeroBase):
    id: int


class HeroWithTeam(HeroPublic):
    team: Optional[TeamPublic] = None  # noqa: UP045


class Plain(BaseModel):
    n: int


class WithPlain(sqlmodel.SQLModel):
    plain: Plain


class Object:
    n = 1


@pytest.fixture
def heroes() -> Iterator[list[Any]]:
    engine = sqlmodel.create_engine("sqlite://")
    Team.metadata.create_all(engine)
    with sqlmodel.Session(engine) as session:
        team = Team(name="é")
        session.add_all([Hero(name=f"名{n}", team=team, age=n) for n in range(3)])
        session.commit()
        session.expunge_all()
        yield session.exec(sqlmodel.select(Hero)).all()
    engine.dispose()


OPTIONS: tuple[dict[str, Any], ...] = ({}, {"exclude_unset": True}, {"exclude_none": True}, {"exclude": {"secret"}})


@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_rows_are_read(heroes: list[Any], options: dict[str, Any]) -> None:
    assert text_of(HeroPublic, heroes[0], **options) is not None
    assert text_of(HeroWithTeam, heroes[0], **options) is None  # the relation is not loaded
    assert heroes[0].team.name == "é"
    assert text_of(HeroWithTeam, heroes[0], **options) is not None


@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_dicts_are_written(options: dict[str, Any]) -> None:
    assert text_of(HeroPublic, {"more": 1, "id": 2, "name": "名"}, **options) is not None
    assert text_of(HeroWithTeam, {"name": "a", "id": 1, "team": {"id": 1, "name": "t"}}, **options) is not None
    assert text_of(HeroPublic, {"name": "a", "id": 1, "age": -1}, **options) is None


def test_instances_are_written() -> None:
    assert text_of(list[HeroPublic], [HeroPublic(name="a", id=3)]) is not None


def test_tables_are_not_validated_and_so_left_to_pydantic() -> None:
    assert text_of(Hero, {"name": 5}) is None


def test_objects_below_are_read_only_where_the_class_says_so() -> None:
    for plain in ({"n": 1}, Object()):
        assert text_of(WithPlain, {"plain": plain}) is None


def test_methods_of_users_leave_the_class_to_pydantic(monkeypatch: pytest.MonkeyPatch) -> None:
    class Own(HeroPublic):
        def __init__(self, **values: Any) -> None:
            super().__init__(**{**values, "secret": "own"})

    class Checked(HeroPublic):
        @field_validator("name")
        @classmethod
        def check(cls, name: str) -> str:
            return name.upper()

    for cls in (Own, Checked):
        assert text_of(cls, {"name": "a", "id": 1}) is None
    monkeypatch.setattr(sqlmodel.SQLModel, "__init__", lambda self, **values: None)
    assert text_of(HeroPublic, {"name": "a", "id": 1}) is None


def test_bodies_are_left_to_pydantic() -> None:
    assert models_of(HeroPublic, {"name": "a", "id": 1}) is NotImplemented
