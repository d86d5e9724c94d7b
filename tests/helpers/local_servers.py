"""Redis and RabbitMQ servers of this run alone, where the machine has them installed."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

START_S = 60
STOP_S = 30


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def _wait_for(process: subprocess.Popen[bytes], answers: Callable[[], bool]) -> None:
    deadline = time.monotonic() + START_S
    while not answers():
        assert process.poll() is None, "the server has ended"
        assert time.monotonic() < deadline, "no answer of the server"
        time.sleep(0.05)


def _accepts(port: int) -> bool:
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
            _wait_for(process, lambda: _accepts(port))
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
        _wait_for(process, lambda: _amqp_answers(port))
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
