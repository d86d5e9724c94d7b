"""Rows of SQLAlchemy and SQLModel from real databases: which are read in place, and that all answers are stock's."""

from __future__ import annotations

import datetime
import decimal
import enum
import ipaddress
import uuid
from collections.abc import Callable, Iterator
from typing import Any, Literal, NamedTuple

import pytest

pytest.importorskip("sqlalchemy", minversion="2", reason="SQLAlchemy 2 is not installed")

import sqlalchemy
from fastapi import FastAPI
from helpers.fastapi_twins import assert_twins_answer_alike
from helpers.pydantic_outcome import text_of
from pydantic import VERSION, BaseModel, ConfigDict, TypeAdapter, create_model
from sqlalchemy import ForeignKey, create_engine, orm, types
from sqlalchemy.dialects import postgresql
from sqlalchemy.ext.hybrid import hybrid_property
from sqlalchemy.orm import DeclarativeBase, Mapped, Session, deferred, mapped_column, relationship, selectinload

from ssrjson_web._models.adapter import AdapterEncoder

UTC = datetime.timezone.utc
MOMENT = datetime.datetime(2026, 11, 23, 1, 2, 3, 450000)
KEY = uuid.UUID(int=7)
READS = ConfigDict(from_attributes=True)


class Colour(enum.Enum):
    RED = "rot"


class Base(DeclarativeBase):
    pass


class SellerRow(Base):
    __tablename__ = "sellers"
    name: Mapped[Any] = mapped_column(types.String, primary_key=True)
    rating: Mapped[Any] = mapped_column(types.Integer)


class ItemRow(Base):
    """Types that each database has, some of them as text in SQLite."""

    __tablename__ = "items"
    id: Mapped[Any] = mapped_column(types.Integer, primary_key=True)
    title: Mapped[Any] = mapped_column(types.String)
    price: Mapped[Any] = mapped_column(types.Float)
    cost: Mapped[Any] = mapped_column(types.Numeric(12, 4))
    is_new: Mapped[Any] = mapped_column(types.Boolean)
    made: Mapped[Any] = mapped_column(types.DateTime)
    day: Mapped[Any] = mapped_column(types.Date)
    at: Mapped[Any] = mapped_column(types.Time)
    takes: Mapped[Any] = mapped_column(types.Interval)
    key: Mapped[Any] = mapped_column(types.Uuid)
    colour: Mapped[Any] = mapped_column(types.Enum(Colour))
    data: Mapped[Any] = mapped_column(types.JSON().with_variant(postgresql.JSONB, "postgresql"))
    notes: Mapped[Any] = deferred(mapped_column(types.Text))
    seller_name: Mapped[Any] = mapped_column(ForeignKey("sellers.name"))
    seller: Mapped[Any] = relationship(SellerRow)

    @hybrid_property
    def label(self) -> str:
        return f"{self.id}: {self.title}"


class Seller(BaseModel):
    model_config = READS
    name: str
    rating: int = 3


class Item(BaseModel):
    model_config = READS
    id: int
    title: str
    price: float
    cost: decimal.Decimal
    is_new: bool
    made: datetime.datetime
    day: datetime.date
    at: datetime.time
    takes: datetime.timedelta
    key: uuid.UUID
    colour: Colour
    data: Any
    seller: Seller | None = None


def item(number: int) -> ItemRow:
    return ItemRow(
        id=number, title=f"红楼梦 {number}", price=number + 0.5, cost=decimal.Decimal("12.3400"), is_new=True,
        made=MOMENT, day=MOMENT.date(), at=MOMENT.time(), takes=datetime.timedelta(days=1, microseconds=5), key=KEY,
        colour=Colour.RED, data={"名": [1, 2.5, None, {"é": True}]}, notes="n", seller_name="é",
    )  # fmt: skip


def engine_of(kind: str, request: pytest.FixtureRequest) -> Any:
    if kind == "sqlite":
        return create_engine("sqlite://", poolclass=sqlalchemy.StaticPool, connect_args={"check_same_thread": False})
    server = request.getfixturevalue("postgres")
    query = {"host": server.host, "options": "-c timezone=Asia/Kolkata"}  # timestamps have the session's zone
    name = server.new_database()
    return create_engine(sqlalchemy.URL.create("postgresql+psycopg", server.user, database=name, query=query))


@pytest.fixture(params=["sqlite", "postgresql"])
def session(request: pytest.FixtureRequest) -> Iterator[Session]:
    """A session of a database with five items of one seller."""
    engine = engine_of(request.param, request)
    Base.metadata.create_all(engine)
    with Session(engine) as opened:
        opened.add(SellerRow(name="é", rating=5))
        opened.flush()
        opened.add_all([item(number) for number in range(5)])
        opened.commit()
        opened.expunge_all()
        yield opened
    engine.dispose()


@pytest.fixture
def statements(session: Session) -> list[str]:
    """What the session's database is asked from now on."""
    seen: list[str] = []
    sqlalchemy.event.listen(session.bind, "before_cursor_execute", lambda *asked: seen.append(asked[2]))
    return seen


def loaded(session: Session, *options: Any) -> list[ItemRow]:
    session.expunge_all()
    return session.query(ItemRow).order_by(ItemRow.id).options(*options).all()


def is_read_in_place(declared: Any, rows: Any) -> bool:
    return AdapterEncoder(TypeAdapter(declared), like_dump_json=True).encode_unvalidated(rows) is not None


def twins(declared: Any, make: Callable[[], Any]) -> list[Any]:
    """The status or the name of the error of each answer of stock, which ours are equal to."""

    def build() -> FastAPI:
        app = FastAPI()

        @app.get("/", response_model=declared)
        async def answer() -> Any:
            return make()

        return app

    return [each.error[0] if each.error else each.status for each in assert_twins_answer_alike(build, ["/"])]


def test_loaded_rows_are_read_in_place_and_written_as_by_pydantic(session: Session, statements: list[str]) -> None:
    rows = loaded(session, selectinload(ItemRow.seller))
    del statements[:]
    text = text_of(list[Item], rows)
    assert text is not None
    assert text.startswith('[{"id":0,"title":"红楼梦 0","price":0.5,"cost":"12.3400","is_new":true,'.encode())
    assert text.endswith('"data":{"名":[1,2.5,null,{"é":true}]},"seller":{"name":"é","rating":5}}]'.encode())
    assert statements == []
    assert twins(list[Item], lambda: loaded(session, selectinload(ItemRow.seller))) == [200]


Short = create_model("Short", id=(int, ...), title=(str, ...), __config__=READS)
Noted = create_model("Noted", notes=(str, ...), __config__=READS)
Labelled = create_model("Labelled", label=(str, ...), __config__=READS)


def expired(session: Session) -> list[ItemRow]:
    rows = loaded(session)
    session.expire_all()
    return rows


def changed(session: Session) -> list[ItemRow]:
    rows = loaded(session)
    rows[0].title = 5
    session.expunge(rows[0])  # so that it is not written
    return rows


SELECT = sqlalchemy.select(ItemRow.id, ItemRow.title).order_by(ItemRow.id)
STATES: dict[str, tuple[Any, Callable[[Session], Any], int | str]] = {
    "relationship that is not loaded": (Item, loaded, 200),
    "expired": (Short, expired, 200),
    "deferred column": (Noted, loaded, 200),
    "hybrid property": (Labelled, loaded, 200),
    "value of another type": (Short, changed, "ResponseValidationError"),
    "tuples of columns": (Short, lambda session: session.execute(SELECT).all(), 200),
    "mappings of columns": (Short, lambda session: session.execute(SELECT).mappings().all(), 200),
}


@pytest.mark.parametrize("state", STATES)
def test_rows_that_must_be_asked_are_left_to_pydantic_untouched(
    state: str, session: Session, statements: list[str]
) -> None:
    model, make, expected = STATES[state]
    rows = make(session)
    del statements[:]
    assert not is_read_in_place(list[model], rows)
    assert statements == []
    assert twins(list[model], lambda: make(session)) == [expected]


def test_rows_that_were_asked_once_are_read_in_place(session: Session) -> None:
    for make, model in ((expired, Short), (loaded, Noted), (loaded, Item)):
        rows = make(session)
        assert not is_read_in_place(list[model], rows)
        TypeAdapter(list[model]).validate_python(rows)
        assert is_read_in_place(list[model], rows)
        assert text_of(list[model], rows) is not None


def test_rows_that_can_be_asked_no_more_are_stocks_error(session: Session) -> None:
    rows = expired(session)
    session.expunge_all()
    assert not is_read_in_place(list[Short], rows)
    assert twins(list[Short], lambda: rows) == ["ResponseValidationError"]


class Column(NamedTuple):
    """A type of PostgreSQL's, the type of a field, and values of the column."""

    kind: Any
    field: Any
    values: list[Any]
    is_read: bool = True
    """Whether the rows are read in place."""


Zoned = types.DateTime(timezone=True)
Array = postgresql.ARRAY
MODES = ("rot", "grün")
NUMBERS = [decimal.Decimal(text) for text in ("0", "-0.10", "1E+3", "0.0000000000001", "1" * 40)]
MOMENTS = [MOMENT.replace(tzinfo=UTC), datetime.datetime(1850, 1, 1, tzinfo=UTC)]  # before the zone had whole minutes
DOCUMENTS = [{"名": [1, 2.5, {"é": None}]}, [1], "x", 1, None, 10**20, 0.1]
COLUMNS = {
    "uuid": Column(types.Uuid, uuid.UUID, [KEY]),
    "timestamptz": Column(Zoned, datetime.datetime, MOMENTS),
    "timetz": Column(types.Time(timezone=True), datetime.time, [MOMENT.time().replace(tzinfo=UTC)]),
    "interval": Column(postgresql.INTERVAL, datetime.timedelta, [datetime.timedelta(days=-1, microseconds=7)]),
    "numeric": Column(types.Numeric, decimal.Decimal, NUMBERS),
    "numeric, not a number": Column(types.Numeric, decimal.Decimal, [decimal.Decimal("NaN")], False),
    "numeric as float": Column(types.Numeric, float, NUMBERS, False),
    "double precision": Column(types.Double, float, [0.1, 1e300, 5.0]),
    "double precision, not finite": Column(types.Double, float, [float("inf"), float("nan")], False),
    "bigint": Column(types.BigInteger, int, [2**62, -(2**63)]),
    "char": Column(types.CHAR(5), str, ["é"]),
    "jsonb": Column(postgresql.JSONB, Any, DOCUMENTS),
    "jsonb as dict": Column(postgresql.JSONB, dict[str, list[int]], [{"名": [1, 2]}, {}]),
    "jsonb as model": Column(postgresql.JSONB, Seller, [{"name": "é", "rating": 5}, {"rating": 1, "name": "", "x": 1}]),
    "jsonb as models": Column(postgresql.JSONB, list[Seller], [[{"name": "é"}], []]),
    "jsonb of another type": Column(postgresql.JSONB, dict[str, list[int]], [{"名": ["1"]}], False),
    "text[]": Column(Array(types.Text), list[str], [["", "é", "红楼梦" * 20, '"', "a\\b"], []]),
    "text[] with null": Column(Array(types.Text), list[str | None], [["a", None]]),
    "text[] with null, refused": Column(Array(types.Text), list[str], [["a", None]], False),
    "text[] as set": Column(Array(types.Text), set[str], [["a"]]),
    "integer[][]": Column(Array(types.Integer), list[list[int]], [[[1, 2], [3, 4]]]),
    "uuid[]": Column(Array(types.Uuid), list[uuid.UUID], [[KEY, KEY]]),
    "numeric[]": Column(Array(types.Numeric), list[decimal.Decimal], [NUMBERS]),
    "timestamptz[]": Column(Array(Zoned), list[datetime.datetime], [MOMENTS]),
    "enum": Column(types.Enum(Colour), Colour, [Colour.RED]),
    "enum[]": Column(Array(types.Enum(Colour)), list[Colour], [[Colour.RED]]),
    "enum of texts": Column(types.Enum(*MODES, name="mode"), Literal["rot", "grün"], list(MODES)),
    "enum of texts as Enum": Column(types.Enum(*MODES, name="mode"), Colour, ["rot"]),
    "enum of texts, refused": Column(types.Enum(*MODES, name="mode"), Colour, ["grün"], False),
    "inet": Column(postgresql.INET, ipaddress.IPv4Address, [ipaddress.IPv4Address("10.0.0.1")], False),
    "bytea": Column(types.LargeBinary, bytes, [b"abc"]),
    "range": Column(postgresql.INT4RANGE, Any, [postgresql.Range(1, 5)], False),
    "null": Column(types.Uuid, uuid.UUID | None, [None, KEY]),
    "null, refused": Column(types.Uuid, uuid.UUID, [None], False),
}


@pytest.mark.parametrize("name", COLUMNS)
def test_types_of_postgresql_are_written_as_by_pydantic(name: str, request: pytest.FixtureRequest) -> None:
    column = COLUMNS[name]
    base = orm.declarative_base()
    attributes = {"id": mapped_column(types.Integer, primary_key=True), "value": mapped_column(column.kind)}
    row_class: Any = type("Row", (base,), {"__tablename__": "things", **attributes})
    model = create_model("One", id=(int, ...), value=(column.field, ...), __config__=READS)
    engine = engine_of("postgresql", request)
    base.metadata.create_all(engine)
    with Session(engine) as session:
        session.add_all([row_class(id=number, value=value) for number, value in enumerate(column.values)])
        session.commit()
        rows = session.query(row_class).order_by(row_class.id).all()
        assert is_read_in_place(list[model], rows) is column.is_read
        assert not column.is_read or text_of(list[model], rows) is not None
        twins(list[model], lambda: rows)
    engine.dispose()


@pytest.mark.skipif(tuple(map(int, VERSION.split(".")[:2])) < (2, 11), reason="SQLModel needs pydantic 2.11")
@pytest.mark.parametrize("kind", ["sqlite", "postgresql"])
def test_rows_of_sqlmodel_are_answered_as_by_stock(kind: str, request: pytest.FixtureRequest) -> None:
    sqlmodel = pytest.importorskip("sqlmodel", reason="SQLModel is not installed")
    bases: dict[str, Any] = {"registry": orm.registry()}  # else the class would be in that of the process

    class HeroBase(sqlmodel.SQLModel, **bases):  # type: ignore[misc]
        name: str
        key: uuid.UUID
        made: datetime.datetime

    class Hero(HeroBase, table=True):  # type: ignore[misc]
        id: int | None = sqlmodel.Field(default=None, primary_key=True)

    class HeroPublic(HeroBase):
        id: int

    plain = create_model("Plain", id=(int, ...), key=(uuid.UUID, ...), made=(datetime.datetime, ...), __config__=READS)
    engine = engine_of(kind, request)
    Hero.metadata.create_all(engine)
    with sqlmodel.Session(engine) as session:
        session.add_all([Hero(name=f"名{n}", key=uuid.UUID(int=n), made=MOMENTS[0]) for n in range(3)])
        session.commit()

        def heroes() -> Any:
            session.expunge_all()
            return session.exec(sqlmodel.select(Hero)).all()

        found = heroes()
        assert is_read_in_place(list[plain], found)
        assert text_of(list[plain], found) is not None
        for declared in (list[Hero], list[HeroPublic], list[plain]):  # type: ignore[valid-type]
            assert twins(declared, heroes) == [200]
    engine.dispose()
