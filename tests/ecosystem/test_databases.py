"""SQLAlchemy, psycopg, asyncpg and Django's JSONField store what the core writes, and read it by the core."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest
from ecosystem.page import TEXT, VALUE, fresh_value, has_no_copy, recorded, run_section
from helpers.servers import PostgresServer


def test_sqlalchemy() -> None:
    sqlalchemy = pytest.importorskip("sqlalchemy", reason="SQLAlchemy is not installed")
    engine = run_section("SQLAlchemy", url="sqlite://")["engine"]
    table = sqlalchemy.Table("books", sqlalchemy.MetaData(), sqlalchemy.Column("data", sqlalchemy.JSON))
    value = fresh_value()
    with engine.begin() as connection, recorded() as recorder:
        table.metadata.create_all(connection)
        connection.execute(table.insert(), {"data": value})
        assert connection.execute(sqlalchemy.select(table.c.data)).scalar_one() == VALUE
        text = connection.execute(sqlalchemy.text("SELECT data FROM books")).scalar_one()
        assert (recorder.encodes, recorder.decodes) == (1, 1)
        assert text == json.dumps(VALUE, ensure_ascii=False, separators=(",", ":"))
        where = table.c.data["title"].as_string() == TEXT
        assert connection.execute(sqlalchemy.select(sqlalchemy.func.count()).where(where)).scalar_one() == 1
    assert has_no_copy(value)


@pytest.mark.parametrize("kind", ["json", "jsonb"])
def test_psycopg(postgres: PostgresServer, kind: str) -> None:
    psycopg = pytest.importorskip("psycopg", reason="psycopg is not installed")
    value = fresh_value()
    with psycopg.connect(host=postgres.host, user=postgres.user, dbname="postgres") as connection:
        run_section("psycopg 3", connection=connection)
        wrap = {"json": psycopg.types.json.Json, "jsonb": psycopg.types.json.Jsonb}[kind]
        for binary in (False, True):
            with recorded() as recorder:
                query = f"SELECT %b::{kind}, %t::{kind} ->> 'title'"
                got = connection.cursor(binary=binary).execute(query, (wrap(value), wrap(value))).fetchone()
            assert got == (VALUE, TEXT)
            assert (recorder.encodes, recorder.decodes) == (2, 1)
    assert has_no_copy(value)


@pytest.mark.parametrize("kind", ["json", "jsonb"])
def test_asyncpg(postgres: PostgresServer, kind: str) -> None:
    asyncpg = pytest.importorskip("asyncpg", reason="asyncpg is not installed")
    init = run_section("asyncpg")["init"]
    value = fresh_value()

    async def run() -> None:
        where = {"host": postgres.host, "user": postgres.user, "database": "postgres"}
        async with asyncpg.create_pool(init=init, min_size=1, **where) as pool:
            with recorded() as recorder:
                assert await pool.fetchval(f"SELECT $1::{kind}", value) == VALUE
                assert await pool.fetchval(f"SELECT $1::{kind} ->> 'title'", value) == TEXT
            assert recorder.encodes == 2  # replies are decoded in the context of the connection

    asyncio.run(run())
    assert has_no_copy(value)


def test_django_json_field() -> None:
    pytest.importorskip("django", reason="Django is not installed")
    import helpers.django_project  # noqa: F401  (settings)

    field: Any = run_section("Django's JSONField")["details"]
    with recorded() as recorder:
        text = json.dumps(VALUE, cls=field.encoder)
        assert field.from_db_value(text, None, None) == VALUE
    assert text == json.dumps(VALUE)
    assert (recorder.encodes, recorder.decodes) == (1, 1)
