"""Servers that the tests of other libraries share: one of each kind for a run."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from helpers.servers import PostgresServer, postgres_server, rabbitmq_server, redis_server


@pytest.fixture(scope="session")
def redis_port() -> Iterator[int]:
    with redis_server() as port:
        yield port


@pytest.fixture(scope="session")
def rabbitmq_port() -> Iterator[int]:
    with rabbitmq_server() as port:
        yield port


@pytest.fixture(scope="session")
def postgres() -> Iterator[PostgresServer]:
    with postgres_server() as server:
        yield server
