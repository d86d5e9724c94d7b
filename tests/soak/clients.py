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
DIVISIBLE: Mapping[str, bytes] = {
    **MALFORMED,
    "array": json.dumps([PAGE, {"a": [{"a": "é"}] * 3}, "😀"], ensure_ascii=False).encode(),
    "object": '{"a": [{"a": "é\\n"}, {"b": 1}], "tags": ["\\ud83d\\ude00"], "inner": {"a": 1.5e3}}'.encode(),
    "lines": b'{"a": 1}\r\n\n[2, "\xe2\x80\xa8"]\n"3"',
    "byte order mark": b'\xef\xbb\xbf{"a": 1}',
    "byte order mark within": b'[1, \xef\xbb\xbf{"a": 1}]',
    "UTF-16": '[{"a": "é"}, 1]'.encode("utf-16"),
    "repeated keys": b'{"a": 1, "\\u0061": 2, "a": [{"a": 3}], "more": {}, "more": {"\\n\\"\\\\": 1}}',
    "long key": b'{"a": 1, "' + b"k" * 50_000 + b'": 2}',
    "long number": b"[0." + b"1" * 50_000 + b", 1e" + b"9" * 5_000 + b"]",
    "deep within": b'{"a": ' + b"[" * 20_000 + b"]" * 20_000 + b"}",
    "deep and typed": b'{"a": 1, "inner": ' * 5_000 + b"null" + b"}" * 5_000,
    "comments": b'// \xc3\xa9\n{"a": [1, /* 2 */ 3,],} // end',
    "comment without an end": b"[1] /*" + b"*" * 5_000,
    "comments only": b"/**/" * 5_000,
}
"""Bodies for the paths that take them in parts."""


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
    parts: Sequence[str] = ()

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
    if target.parts:
        kinds = {
            **kinds,
            "ordinary": (*kinds["ordinary"], post_new_keys),
            "malformed": (*kinds["malformed"], *[post_divided] * len(target.parts)),
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
    head = _head(target, dice.choice(("/echo", *target.parts)), _JSON, "Content-Length: 10000")
    with _connected(target) as connection:
        connection.sendall(head + dice.choice((b'{"a": "', b'[1, {"a": "')) + b"b" * 3000)
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


def post_new_keys(target: Target, dice: random.Random) -> Visit:
    """A body whose keys no request had before: no cache of keys may grow without a bound."""
    keys = [f"{dice.getrandbits(60):x}{end}" for end in ("", "é", "\n", "名" * 9)]
    value = {"a": [dict.fromkeys(keys, 1)], "more": {key + "a": key for key in keys}}
    path = dice.choice(target.parts)
    body: Any = [value] if path == "/items" else value
    status, answer = one(target, path, json.dumps(body, ensure_ascii=dice.random() < 0.5).encode())
    expect(status == 200, f"new keys for {path}", status, answer)
    return Visit(kind="ordinary", name="new keys", status=status)


def post_divided(target: Target, dice: random.Random) -> Visit:
    """A body that comes whole and in pieces: the answers must be the same."""
    name, path = dice.choice(list(DIVISIBLE)), dice.choice(target.parts)
    whole, divided = (
        _answer_to_pieces(target, path, [DIVISIBLE[name]]),
        _answer_to_pieces(target, path, _pieces(DIVISIBLE[name], dice)),
    )
    for status, answer in (whole, divided):
        expect(status < 500, f"{name} for {path}", status, answer)
    # a server that answers before it has read all may reset the connection before the client has the answer
    expect(0 in (whole[0], divided[0]) or whole == divided, f"{name} in pieces for {path}", *divided)
    return Visit(kind="malformed", name=name, status=divided[0])


def _pieces(body: bytes, dice: random.Random) -> list[bytes]:
    """All of a body in at most some hundred pieces, which may be single bytes."""
    longest = dice.choice((1, 3, 50)) if len(body) < 500 else len(body) // 50
    pieces = []
    while body:
        n = dice.randint(1, longest)
        pieces.append(body[:n])
        body = body[n:]
    return pieces


def _answer_to_pieces(target: Target, path: str, pieces: Sequence[bytes]) -> tuple[int, bytes]:
    """Status and body of the answer to a body that is sent so. Each piece is a chunk, so that servers pass it on."""
    with _connected(target) as connection:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        with contextlib.suppress(ConnectionError):
            connection.sendall(_head(target, path, _JSON, "Transfer-Encoding: chunked"))
            for piece in filter(None, pieces):
                connection.sendall(b"%x\r\n%b\r\n" % (len(piece), piece))
            connection.sendall(b"0\r\n\r\n")
        status, answer = _answer(connection)
    return status, answer.partition(b"\r\n\r\n")[2]


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
