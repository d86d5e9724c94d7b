"""An HTTP/1.1 client for servers on this machine: kept-alive connections, single requests, and many at once."""

from __future__ import annotations

import asyncio
import contextlib
import http.client
import re
from collections.abc import Mapping, Sequence

from bench.kit.processes import HOST

__all__ = ["Connection", "ConnectionLost", "ask", "connect", "send"]

REPLY_SECONDS = 30.0
"""Timeout of an answer: after it the server counts as lost."""
_MAX_HEADER_BYTES = 1 << 16
_LENGTH = re.compile(rb"\r\ncontent-length: *(\d+)\r\n")


class ConnectionLost(Exception):
    """The server closed the connection, did not answer in time, or gave an answer of unknown length."""


class Connection:
    """One kept-alive connection, for one request at a time."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer

    async def get(self, path: str) -> tuple[int, bytes]:
        """Status and body. Raises ConnectionLost."""
        return await self.request(path)

    async def request(self, path: str, body: bytes | None = None) -> tuple[int, bytes]:
        """Status and body of the answer to a GET, or to a POST of `body`, which is JSON. Raises ConnectionLost."""
        what = f"{'GET' if body is None else 'POST'} {path}"
        try:
            return await asyncio.wait_for(self._request(what, body), REPLY_SECONDS)
        except asyncio.TimeoutError:
            raise ConnectionLost(f"{what}: no answer within {REPLY_SECONDS:g} s") from None
        except (OSError, EOFError) as error:
            raise ConnectionLost(f"{what}: {error or type(error).__name__}") from error

    async def close(self) -> None:
        """Close it; errors from a server that has ended are ignored."""
        self._writer.close()
        with contextlib.suppress(OSError):
            await self._writer.wait_closed()

    async def _request(self, what: str, body: bytes | None) -> tuple[int, bytes]:
        head = f"{what} HTTP/1.1\r\nHost: {HOST}\r\n"
        if body is not None:
            head += f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n"
        self._writer.write(f"{head}\r\n".encode("ascii") + (body or b""))
        answer = (await self._reader.readuntil(b"\r\n\r\n")).lower()
        length = _LENGTH.search(answer)
        if length is None:
            raise ConnectionLost(f"{what}: {answer.splitlines()[0].decode('latin-1')}, without a length")
        return int(answer[9:12]), await self._reader.readexactly(int(length[1]))


async def connect(port: int) -> Connection:
    """A connection to the server on `port`. Raises ConnectionLost."""
    try:
        return Connection(*await asyncio.open_connection(HOST, port, limit=_MAX_HEADER_BYTES))
    except OSError as error:
        raise ConnectionLost(f"no connection to port {port}: {error}") from error


def ask(
    port: int, path: str, body: bytes | None = None, *, method: str = "", headers: Mapping[str, str] | None = None
) -> tuple[int, bytes]:
    """Status and body of one answer, on a connection of its own; a POST where there is a body, which is JSON.

    Raises ConnectionLost.
    """
    of_body = {} if body is None else {"Content-Type": "application/json"}
    connection = http.client.HTTPConnection(HOST, port, timeout=REPLY_SECONDS)
    try:
        connection.request(
            method or ("GET" if body is None else "POST"),
            path,
            body,
            {**of_body, **(headers or {}), "Connection": "close"},
        )
        answer = connection.getresponse()
        return answer.status, answer.read()
    except (OSError, http.client.HTTPException) as error:
        raise ConnectionLost(f"{path} on port {port}: {error or type(error).__name__}") from error
    finally:
        connection.close()


def send(port: int, path: str, bodies: Sequence[bytes | None], *, n_connections: int) -> None:
    """A request with each body, or without one, one at a time on each connection.

    Raises ConnectionLost, also for a status other than 200.
    """
    waiting = iter(bodies)

    async def client(connection: Connection) -> None:
        for body in waiting:
            status, _ = await connection.request(path, body)
            if status != 200:
                raise ConnectionLost(f"{path}: status {status}")

    async def clients() -> None:
        connections = [await connect(port) for _ in range(min(n_connections, len(bodies)))]
        try:
            await asyncio.gather(*map(client, connections))
        finally:
            for connection in connections:
                await connection.close()

    asyncio.run(clients())
