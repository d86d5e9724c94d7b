"""Servers of this run alone: a port, its start, and Redis, RabbitMQ and PostgreSQL where they are installed."""

from __future__ import annotations

import contextlib
import itertools
import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

START_S = 60
STOP_S = 60


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def wait_for(process: subprocess.Popen[bytes], answers: Callable[[], bool]) -> None:
    """Returns when a server answers; fails where it ends before."""
    deadline = time.monotonic() + START_S
    while not answers():
        assert process.poll() is None, "the server has ended"
        assert time.monotonic() < deadline, "no answer of the server"
        time.sleep(0.05)


def accepts(port: int) -> bool:
    """Whether a server of this machine takes connections at a port."""
    with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=1):
        return True
    return False


@contextlib.contextmanager
def redis_server() -> Iterator[int]:
    """The port of a server without files. It ends with the block."""
    program = shutil.which("redis-server") or shutil.which("valkey-server")
    if program is None:
        pytest.skip("no Redis server is installed: apt install redis-server")
    port = free_port()
    with tempfile.TemporaryDirectory(prefix="ssrjson-redis-") as folder:
        arguments = ["--port", str(port), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no", "--dir", folder]
        process = subprocess.Popen([program, *arguments], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            wait_for(process, lambda: accepts(port))
            yield port
        finally:
            process.terminate()
            process.wait(STOP_S)


def _amqp_answers(port: int) -> bool:
    """Whether the broker answers a wrong greeting, as one does that is ready."""
    with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=1) as client:
        client.sendall(b"AMQP\0\0\0\0")
        return client.recv(8) == b"AMQP\0\0\x09\x01"
    return False


@contextlib.contextmanager
def rabbitmq_server() -> Iterator[int]:
    """The port of a broker with a folder of its own. It ends with the block."""
    programs = [Path("/usr/lib/rabbitmq/bin/rabbitmq-server"), Path(shutil.which("rabbitmq-server") or "/none")]
    program = next((one for one in programs if one.exists()), None)
    if program is None:
        pytest.skip("no RabbitMQ server is installed: apt install rabbitmq-server")
    port, other_port = free_port(), free_port()
    folder = Path(tempfile.mkdtemp(prefix="ssrjson-rabbit-"))
    environment = {
        **os.environ,
        "HOME": str(folder),
        "RABBITMQ_NODENAME": f"tests{port}@localhost",
        "RABBITMQ_NODE_IP_ADDRESS": "127.0.0.1",
        "RABBITMQ_NODE_PORT": str(port),
        "RABBITMQ_DIST_PORT": str(other_port),
        "RABBITMQ_MNESIA_BASE": str(folder / "data"),
        "RABBITMQ_LOG_BASE": str(folder / "log"),
        "RABBITMQ_LOGS": "-",
        "RABBITMQ_PID_FILE": str(folder / "pid"),
        "RABBITMQ_ENABLED_PLUGINS_FILE": str(folder / "plugins"),
        "RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS": "-setcookie tests",
        "ERL_EPMD_ADDRESS": "127.0.0.1",
    }
    # a session of its own: the script starts the machine that runs Erlang, which ends with it
    process = subprocess.Popen(
        [program], env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True
    )
    try:
        wait_for(process, lambda: _amqp_answers(port))
        yield port
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGTERM)
        try:
            process.wait(STOP_S)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait(STOP_S)
        shutil.rmtree(folder, ignore_errors=True)


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
            import pwd  # POSIX only

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
