"""A PostgreSQL server for `async-db`, with HttpArena's table, where one is installed."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from bench.kit.processes import HOST, listen

__all__ = ["MAX_CONNECTIONS", "DatabaseError", "missing", "postgres"]

MAX_CONNECTIONS = 256
_START_SECONDS = 60
_TABLE = """
CREATE TABLE items (
    id INTEGER PRIMARY KEY, name TEXT NOT NULL, category TEXT NOT NULL, price INTEGER NOT NULL,
    quantity INTEGER NOT NULL, active BOOLEAN NOT NULL, tags JSONB NOT NULL,
    rating_score INTEGER NOT NULL, rating_count INTEGER NOT NULL
);
INSERT INTO items
SELECT i, 'Alpha Widget ' || i, (ARRAY['books', 'tools', 'home', 'sports'])[1 + i % 4], 5 + i * 7919 % 496,
       1 + i * 31 % 100, i % 10 < 7, jsonb_build_array('fast', 'new', 'tag' || i % 50), 1 + i % 50, 1 + i * 13 % 500
FROM generate_series(1, 100000) AS i;
VACUUM ANALYZE items;
"""


class DatabaseError(Exception):
    """The server did not start."""


def _binary(name: str) -> str | None:
    """A program of the newest PostgreSQL; Debian keeps them out of PATH."""
    folders = sorted(Path("/usr/lib/postgresql").glob("*/bin"), key=lambda one: int(one.parent.name), reverse=True)
    found = [folder / name for folder in folders if (folder / name).exists()]
    return str(found[0]) if found else shutil.which(name)


def missing() -> str | None:
    """What is missing for a server; None where one can be started."""
    absent = [name for name in ("initdb", "postgres") if _binary(name) is None]
    if absent:
        return f"no {' and '.join(absent)}: apt install postgresql"
    try:
        import psycopg  # noqa: F401
    except ImportError:
        return "no psycopg: pip install 'psycopg[binary]'"
    return None


@contextlib.contextmanager
def postgres() -> Iterator[str]:
    """The URL of a server with the table of 100,000 items. It ends with the block. Raises DatabaseError."""
    initdb, program = _binary("initdb"), _binary("postgres")
    assert initdb is not None
    assert program is not None
    user = _other_user()
    folder = Path(tempfile.mkdtemp(prefix="ssrjson-pg-"))
    with listen() as probe:
        port: int = probe.getsockname()[1]
    running = None
    try:
        if user is not None:
            shutil.chown(folder, user)
        made = subprocess.run(
            [initdb, "-D", folder / "data", "-U", "bench", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync"],
            user=user,
            cwd=folder,
            capture_output=True,
            text=True,
        )
        if made.returncode:
            raise DatabaseError(made.stderr.strip())
        # one process a query and no scans that start where another is: each answer has the same rows
        settings = {
            "listen_addresses": HOST,
            "port": port,
            "fsync": "off",
            "max_connections": MAX_CONNECTIONS,
            "max_parallel_workers_per_gather": 0,
            "synchronize_seqscans": "off",
        }
        options = [part for name, value in settings.items() for part in ("-c", f"{name}={value}")]
        running = subprocess.Popen(
            [program, "-D", folder / "data", "-k", folder, *options],
            user=user,
            cwd=folder,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        _wait_for(running, port)
        yield _fill(port)
    finally:
        if running is not None:
            running.send_signal(signal.SIGINT)  # it does not wait for connections, as it does at SIGTERM
            running.wait(_START_SECONDS)
        shutil.rmtree(folder, ignore_errors=True)


def _other_user() -> str | None:
    """The user that runs the server: it refuses root."""
    if os.geteuid() != 0:
        return None
    return next((name for name in ("postgres", "nobody") if _is_user(name)), None)


def _is_user(name: str) -> bool:
    import pwd  # Unix only, as the servers are

    try:
        pwd.getpwnam(name)
    except KeyError:
        return False
    return True


def _wait_for(running: subprocess.Popen[bytes], port: int) -> None:
    deadline = time.monotonic() + _START_SECONDS
    while True:
        with contextlib.suppress(OSError), socket.create_connection((HOST, port), timeout=1):
            return
        if running.poll() is not None or time.monotonic() > deadline:
            raise DatabaseError("PostgreSQL did not start")
        time.sleep(0.05)


def _fill(port: int) -> str:
    import psycopg

    deadline = time.monotonic() + _START_SECONDS
    while True:
        try:
            with psycopg.connect(f"postgresql://bench@{HOST}:{port}/postgres", autocommit=True) as connection:
                connection.execute("CREATE DATABASE benchmark")
            break
        except psycopg.OperationalError:  # it listens before it is ready
            if time.monotonic() > deadline:
                raise
            time.sleep(0.1)
    url = f"postgresql://bench@{HOST}:{port}/benchmark"
    with psycopg.connect(url, autocommit=True) as connection:
        for statement in filter(str.strip, _TABLE.split(";")):
            connection.execute(statement.encode())
    return url
