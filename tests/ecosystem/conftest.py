"""What the tests of other libraries share: a server of each kind for a run, and the log as it was."""

from __future__ import annotations

import logging
from collections.abc import Iterator

import pytest
from helpers.servers import PostgresServer, postgres_server, rabbitmq_server, redis_server


@pytest.fixture(autouse=True)
def root_logger() -> Iterator[None]:
    """A worker of Celery sets the level of all loggers; tests after it would not see a warning of ours."""
    level, handlers = logging.root.level, list(logging.root.handlers)
    yield
    logging.root.setLevel(level)
    logging.root.handlers[:] = handlers


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
