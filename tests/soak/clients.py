"""The visits of clients to a server: each function makes one visit and returns its outcome."""

from __future__ import annotations

import contextlib
import http.client
import json
import math
import random
import socket
import struct
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from soak.apps.soaked import N_STREAMED, page

TIMEOUT_S = 30
SHORTEST_IDLE_S = 0.9
"""A server may close a connection that has been idle for longer; the least is Hypercorn's second."""
Kind = Literal["ordinary", "slow", "aborting", "malformed"]

PAGE = json.loads(json.dumps(page()))
VALID: Sequence[Any] = [
    PAGE,
    {"emoji": "😀" * 500, "é": ["中文", None, True, -0.5, 2**70]},
    [],
    "текст",
    {"deep": [[[[[[[[{"a": []}]]]]]]]]},
]
MALFORMED: Mapping[str, bytes] = {
    "truncated": json.dumps(PAGE).encode()[:-40],
    "empty": b"",
    "bad UTF-8": b'{"a": "\xff\xfe\xc0\x80"}',
    "encoded surrogate": b'["\xed\xa0\x80"]',
    "lone surrogate": b'["\\ud800", {"\\udfff": "a"}]',
    "deep lists": b"[" * 100_000,
    "deep and closed": b"[" * 50_000 + b"]" * 50_000,
    "deep objects": b'{"a":' * 100_000,
    "huge int": b"[" + b"9" * 5_000 + b"]",
    "huge exponent": b"[1e400, -1e999999999]",
    "NaN": b"[NaN, Infinity, -Infinity]",
    "UTF-16 without an end": "[1".encode("utf-16"),
    "control character": b'["a\x00b"]',
    "trailing data": b"{} {}",
    "not JSON": b"<html>&" * 50,
}


class ServerFault(Exception):
    """A wrong answer; `name` is the kind of visit."""

    def __init__(self, name: str, said: str) -> None:
        super().__init__(f"{name}: {said}")
        self.name = name


@dataclass(frozen=True, kw_only=True)
class Visit:
    """The outcome of one visit."""

    kind: Kind
    name: str
    status: int = 0
    """0 if the client did not wait for an answer, or got none where none is required."""


@dataclass(frozen=True, kw_only=True)
class Target:
    """The address of a server."""

    address: str
    prefix: str = ""
    """The path before `/page` and `/echo`."""
    has_streams: bool = True

    @property
    def host_and_port(self) -> tuple[str, int]:
        """The address for a socket."""
        host, _, port = self.address.rpartition(":")
        return host, int(port)


def visit(target: Target, dice: random.Random) -> Visit:
    """One visit, chosen by the dice. Raises ServerFault, OSError."""
    kinds: Mapping[Kind, Sequence[Callable[[Target, random.Random], Visit]]] = {
        "ordinary": (get_page, post_value, keep_alive),
        "slow": (send_slowly,),
        "aborting": (abort_head, abort_body, abort_answer),
        "malformed": (post_malformed, promise_more, promise_less, break_chunks, break_head),
    }
    if target.has_streams:
        kinds = {
            **kinds,
            "ordinary": (*kinds["ordinary"], read_stream),
            "slow": (*kinds["slow"], read_slowly),
            "aborting": (*kinds["aborting"], abort_stream),
        }
    (kind,) = dice.choices(list(kinds), weights=[6, 1, 2, 3])
    return dice.choice(kinds[kind])(target, dice)


def asked(target: Target, path: str, connection: http.client.HTTPConnection, body: bytes | None = None) -> Any:
    """Status and body of one request."""
    headers = {"Content-Type": "application/json", "Accept": "application/json"}
    connection.request("GET" if body is None else "POST", target.prefix + path, body, headers)
    answer = connection.getresponse()
    return answer.status, answer.read()


def one(target: Target, path: str, body: bytes | None = None) -> Any:
    connection = http.client.HTTPConnection(target.address, timeout=TIMEOUT_S)
    try:
        return asked(target, path, connection, body)
    finally:
        connection.close()


def expect(right: bool, what: str, status: int, body: bytes) -> None:
    if not right:
        raise ServerFault(what, f"status {status}, {body[:60]!r} ... {body[-100:]!r}")


def get_page(target: Target, dice: random.Random) -> Visit:
    status, body = one(target, "/page")
    expect(status == 200 and json.loads(body) == PAGE, "page", status, body)
    return Visit(kind="ordinary", name="page", status=status)


def post_value(target: Target, dice: random.Random) -> Visit:
    value = dice.choice(VALID)
    status, body = one(target, "/echo", json.dumps(value, ensure_ascii=dice.random() < 0.5).encode())
    expect(status == 200 and json.loads(body) == {"got": value}, "echo", status, body)
    return Visit(kind="ordinary", name="echo", status=status)


def keep_alive(target: Target, dice: random.Random) -> Visit:
    connection = http.client.HTTPConnection(target.address, timeout=TIMEOUT_S)
    answered = math.inf
    try:
        for _ in range(dice.randrange(2, 6)):
            try:
                status, body = asked(target, "/echo", connection, b'{"a": ["\xc3\xa9"]}')
            except ConnectionError:
                if time.monotonic() - answered < SHORTEST_IDLE_S:
                    raise
                break  # this process had to wait for a CPU, and the server closed the idle connection meanwhile
            answered = time.monotonic()
            expect(status == 200 and json.loads(body) == {"got": {"a": ["é"]}}, "echo", status, body)
    finally:
        connection.close()
    return Visit(kind="ordinary", name="keep-alive", status=200)


def read_stream(target: Target, dice: random.Random) -> Visit:
    path = dice.choice(("/stream", "/lines"))
    status, body = one(target, path)
    n_rows = len(json.loads(body)) if path == "/stream" else body.count(b"\n")
    expect(status == 200 and n_rows == N_STREAMED, path, status, body)
    return Visit(kind="ordinary", name=path[1:], status=status)


def _connected(target: Target, *, n_receive: int = 0) -> socket.socket:
    made = socket.socket()
    made.settimeout(TIMEOUT_S)
    if n_receive:
        made.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, n_receive)
    try:
        made.connect(target.host_and_port)
    except BaseException:
        made.close()
        raise
    return made


def _head(target: Target, path: str, *more: str, method: str = "POST") -> bytes:
    lines = [f"{method} {target.prefix}{path} HTTP/1.1", f"Host: {target.address}", "Connection: close", *more]
    return "\r\n".join([*lines, "", ""]).encode()


_JSON = "Content-Type: application/json"


def _answer(connection: socket.socket) -> tuple[int, bytes]:
    """Status and the complete answer; status 0 if the server closed without one."""
    pieces = []
    try:
        while piece := connection.recv(65536):
            pieces.append(piece)
    except ConnectionError:  # unread data of the client turns the close into a reset
        pass
    answer = b"".join(pieces)
    return (int(answer[9:12]) if answer.startswith(b"HTTP/1.") else 0), answer


def _close_hard(connection: socket.socket, dice: random.Random) -> None:
    """Close in the usual way, or with a reset."""
    if dice.random() < 0.5:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))


def send_slowly(target: Target, dice: random.Random) -> Visit:
    body = json.dumps({"title": "红楼梦" * 30}).encode()
    with _connected(target) as connection:
        connection.sendall(_head(target, "/echo", _JSON, f"Content-Length: {len(body)}"))
        for start in range(0, len(body), 1 + len(body) // 5):
            time.sleep(dice.uniform(0.01, 0.1))
            connection.sendall(body[start : start + 1 + len(body) // 5])
        status, answer = _answer(connection)
    expect(status == 200, "slow body", status, answer)
    return Visit(kind="slow", name="slow body", status=status)


def read_slowly(target: Target, dice: random.Random) -> Visit:
    with _connected(target, n_receive=8192) as connection:
        connection.sendall(_head(target, "/stream", method="GET"))
        with http.client.HTTPResponse(connection) as answer:
            answer.begin()
            body = b""
            for _ in range(10):
                time.sleep(dice.uniform(0.01, 0.1))
                body += answer.read(4096)
            body += answer.read()
    expect(answer.status == 200 and len(json.loads(body)) == N_STREAMED, "slow reader", answer.status, body)
    return Visit(kind="slow", name="slow reader", status=answer.status)


def abort_head(target: Target, dice: random.Random) -> Visit:
    head = _head(target, "/echo", _JSON, "Content-Length: 10")
    with _connected(target) as connection:
        connection.sendall(head[: dice.randrange(1, len(head) - 2)])
        _close_hard(connection, dice)
    return Visit(kind="aborting", name="half a head")


def abort_body(target: Target, dice: random.Random) -> Visit:
    with _connected(target) as connection:
        connection.sendall(_head(target, "/echo", _JSON, "Content-Length: 10000") + b'{"a": "' + b"b" * 3000)
        time.sleep(dice.uniform(0, 0.05))
        _close_hard(connection, dice)
    return Visit(kind="aborting", name="half a body")


def abort_answer(target: Target, dice: random.Random) -> Visit:
    with _connected(target) as connection:
        connection.sendall(_head(target, "/page", method="GET"))
        _close_hard(connection, dice)
    return Visit(kind="aborting", name="no answer awaited")


def abort_stream(target: Target, dice: random.Random) -> Visit:
    with _connected(target, n_receive=8192) as connection:
        connection.sendall(_head(target, dice.choice(("/stream", "/lines")), method="GET"))
        connection.recv(dice.randrange(1, 8192))
        _close_hard(connection, dice)
    return Visit(kind="aborting", name="half a stream")


def post_malformed(target: Target, dice: random.Random) -> Visit:
    name = dice.choice(list(MALFORMED))
    body = MALFORMED[name]
    with _connected(target) as connection:
        with contextlib.suppress(ConnectionError):  # it may reject before it has read all
            connection.sendall(_head(target, "/echo", _JSON, f"Content-Length: {len(body)}") + body)
        status, answer = _answer(connection)
    expect(200 <= status < 500, name, status, answer)
    return Visit(kind="malformed", name=name, status=status)


def _raw(target: Target, name: str, sent: bytes, *, shut: bool = True) -> Visit:
    """A request for which a server may close without an answer."""
    with _connected(target) as connection:
        try:
            connection.sendall(sent)
            if shut:
                connection.shutdown(socket.SHUT_WR)
        except OSError:
            pass  # it closed first
        status, answer = _answer(connection)
    expect(status < 500, name, status, answer)
    return Visit(kind="malformed", name=name, status=status)


def promise_more(target: Target, dice: random.Random) -> Visit:
    return _raw(target, "length too long", _head(target, "/echo", _JSON, "Content-Length: 100") + b'{"a": 1}')


def promise_less(target: Target, dice: random.Random) -> Visit:
    return _raw(target, "length too short", _head(target, "/echo", _JSON, "Content-Length: 4") + b'{"a": 1}')


def break_chunks(target: Target, dice: random.Random) -> Visit:
    return _raw(
        target, "broken chunks", _head(target, "/echo", _JSON, "Transfer-Encoding: chunked") + b'8\r\n{"a"\r\nzz'
    )


def break_head(target: Target, dice: random.Random) -> Visit:
    wrong = dice.choice(("Content-Length: -5", "Content-Length: many", "Content Length: 5", "X\x00: a"))
    return _raw(target, "broken head", _head(target, "/echo", _JSON, wrong) + b"[]")
