"""uvicorn, hypercorn and granian without the GIL, with FastAPI and `setup(app)`: it is still off after the requests."""

from __future__ import annotations

import http.client
import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from helpers.builds import IS_FREE_THREADED
from helpers.servers import free_port

pytestmark = pytest.mark.skipif(not IS_FREE_THREADED, reason="this Python has a GIL in any case")

APP = "helpers.gil_free_app:app"
COMMANDS = {
    "uvicorn": ("--host", "127.0.0.1", "--port", "{port}", APP),
    "hypercorn": ("--bind", "127.0.0.1:{port}", APP),
    "granian": ("--interface", "asgi", "--host", "127.0.0.1", "--port", "{port}", APP),
}
HEAD = b'--part\r\nContent-Disposition: form-data; name="file"; filename="a.txt"\r\n\r\n'
UPLOAD = HEAD + b"x" * 5000 + b"\r\n--part--\r\n"


def ask(port: int, method: str, path: str, body: bytes = b"", content_type: str = "") -> tuple[int, bytes]:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
    connection.request(method, path, body or None, {"content-type": content_type} if body else {})
    answer = connection.getresponse()
    read = answer.status, answer.read()
    connection.close()
    return read


@pytest.fixture(params=COMMANDS)
def port(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[int]:
    """The port of a started server."""
    pytest.importorskip("fastapi", reason="FastAPI is not installed")
    pytest.importorskip("python_multipart", reason="python-multipart is not installed")
    server = request.param
    pytest.importorskip(server, reason=f"{server} is not installed")
    number = free_port()
    arguments = [argument.format(port=number) for argument in COMMANDS[server]]
    log = tmp_path / "log"
    environment = {name: value for name, value in os.environ.items() if name != "PYTHON_GIL"}
    environment["PYTHONPATH"] = str(Path(__file__).parent)
    with log.open("wb") as output:
        process = subprocess.Popen([sys.executable, "-m", server, *arguments], env=environment, stderr=output)
    try:
        deadline = time.monotonic() + 300  # with ThreadSanitizer a minute may be short
        while True:
            try:
                ask(number, "GET", "/gil")
                break
            except OSError:
                assert process.poll() is None, log.read_text()
                assert time.monotonic() < deadline, log.read_text()
                time.sleep(0.1)
        yield number
    finally:
        process.terminate()
        process.wait(60)


def test_requests_of_each_kind_are_answered_and_the_gil_stays_off(port: int) -> None:
    kind = "application/json"
    assert ask(port, "GET", "/typed") == (200, '[{"id":1,"name":"中文"}]'.encode())
    assert ask(port, "POST", "/typed", '{"id":1,"name":"é"}'.encode(), kind) == (200, '{"name":"é"}'.encode())
    assert ask(port, "GET", "/stream") == (200, b'{"id":0}\n{"id":1}\n{"id":2}\n')
    status, body = ask(port, "POST", "/typed", b'{"id":"no"}', kind)
    assert status == 422
    assert [error["loc"] for error in json.loads(body)["detail"]] == [["body", "id"], ["body", "name"]]
    assert ask(port, "POST", "/upload", UPLOAD, "multipart/form-data; boundary=part") == (200, b'{"n":5000}')
    assert ask(port, "GET", "/gil") == (200, b'{"is_on":false}')
