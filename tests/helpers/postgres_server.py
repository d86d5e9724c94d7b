"""A PostgreSQL server of this run alone, where the machine has one installed."""

from __future__ import annotations

import contextlib
import itertools
import os
import pwd
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

START_S = 60
STOP_S = 60


def _programs() -> tuple[Path, Path]:
    """`initdb` and `postgres` of one version: from PATH, or from where Debian puts them."""
    on_path = shutil.which("initdb")
    folders = [] if on_path is None else [Path(on_path).resolve().parent]
    for folder in [*folders, *Path("/usr/lib/postgresql").glob("*/bin")]:
        programs = folder / "initdb", folder / "postgres"
        if all(program.exists() for program in programs):
            return programs
    pytest.skip("no PostgreSQL server is installed: apt install postgresql")


def _user() -> str | None:
    """Who runs the server: not root, which it refuses; None for whoever runs the tests."""
    if os.getuid() != 0:
        return None
    for name in ("postgres", "nobody"):
        with contextlib.suppress(KeyError):
            return pwd.getpwnam(name).pw_name
    pytest.skip("PostgreSQL does not run as root, and there is no other user")


@dataclass(frozen=True, kw_only=True)
class PostgresServer:
    """A server that is reached by a socket in its folder."""

    host: str
    user: str
    _numbers: Iterator[int] = field(default_factory=itertools.count, repr=False)

    def new_database(self) -> str:
        """The name of a new, empty database. It is removed with the server."""
        name = f"tests_{next(self._numbers)}"
        with self._connected() as connection:
            connection.execute(f"CREATE DATABASE {name}")
        return name

    def wait_for(self, process: subprocess.Popen[bytes]) -> None:
        """Return once the server answers. It must not end before."""
        import psycopg

        deadline = time.monotonic() + START_S
        while True:
            try:
                self._connected().close()
                return
            except psycopg.OperationalError:
                assert process.poll() is None, "the server has ended"
                assert time.monotonic() < deadline, "no answer of the server"
                time.sleep(0.05)

    def _connected(self) -> Any:
        import psycopg

        return psycopg.connect(host=self.host, user=self.user, dbname="postgres", autocommit=True)


@contextlib.contextmanager
def postgres_server() -> Iterator[PostgresServer]:
    """A server with a cluster of its own. It ends with the block, and its folder is removed."""
    pytest.importorskip("psycopg", reason="psycopg is not installed")
    (initdb, program), user = _programs(), _user()
    folder = Path(tempfile.mkdtemp(prefix="ssrjson-pg-"))  # short: a socket's path has 107 characters
    running: subprocess.Popen[bytes] | None = None
    try:
        if user is not None:
            shutil.chown(folder, user)
        data = folder / "data"
        made = subprocess.run(
            [initdb, "-D", data, "-U", "tests", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync"],
            user=user, cwd=folder, capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert made.returncode == 0, made.stderr
        running = subprocess.Popen(
            [program, "-D", data, "-k", folder, "-c", "listen_addresses=", "-c", "fsync=off"],
            user=user, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        server = PostgresServer(host=str(folder), user="tests")
        server.wait_for(running)
        yield server
    finally:
        if running is not None:
            running.send_signal(signal.SIGINT)  # it does not wait for connections, as it does at SIGTERM
            running.wait(STOP_S)
        shutil.rmtree(folder, ignore_errors=True)
