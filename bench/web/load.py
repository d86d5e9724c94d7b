"""Load on a server of this machine: some connections that are kept alive, each with one request under way.

By `wrk` where it is installed, else by a client of our own, whose CPU time on another core limits it to some
thousand requests a second.
"""

from __future__ import annotations

import asyncio
import re
import shutil
import statistics
import subprocess
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

N_CONNECTIONS = 16
_UNITS = {"us": 1e3, "ms": 1e6, "s": 1e9, "m": 60e9}


class LoadError(Exception):
    """A server that did not answer as it must."""


@dataclass(frozen=True, kw_only=True)
class Request:
    """What is asked, again and again."""

    path: str
    body: bytes | None = None
    """JSON to POST; None for a GET."""

    def as_bytes(self, port: int) -> bytes:
        """The request as it goes over the wire."""
        method = "GET" if self.body is None else "POST"
        head = f"{method} {self.path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n"
        if self.body is not None:
            head += f"Content-Type: application/json\r\nContent-Length: {len(self.body)}\r\n"
        return f"{head}\r\n".encode() + (self.body or b"")


@dataclass(frozen=True, kw_only=True)
class Throughput:
    """What came of a load."""

    n_requests: int
    requests_per_s: float
    p50_ns: float
    p99_ns: float


class _Connection(asyncio.Protocol):
    """Sends the request again whenever its answer is there, until `stop`."""

    def __init__(self, request: bytes, latencies_ns: list[int]) -> None:
        self._request, self._latencies_ns = request, latencies_ns
        self._received = bytearray()
        self._missing = 0
        self.last_body = b""
        self.stopped = False
        self.done: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        self._send()

    def data_received(self, data: bytes) -> None:
        self._received += data
        if not self._missing:
            end = self._received.find(b"\r\n\r\n")
            if end < 0:
                return
            head = bytes(self._received[:end]).lower()
            length = re.search(rb"\r\ncontent-length: *(\d+)", head)
            if not head.startswith(b"http/1.1 200 ") or length is None:
                self._end(LoadError(f"answered {head.splitlines()[0].decode('latin-1')}, with a length or without"))
                return
            self._missing = end + 4 + int(length[1])
            self._body_at = end + 4
        if len(self._received) >= self._missing:
            self._latencies_ns.append(time.perf_counter_ns() - self._sent_ns)
            self.last_body = bytes(self._received[self._body_at : self._missing])
            self._received.clear()
            self._missing = 0
            if self.stopped:
                self._end(None)
            else:
                self._send()

    def connection_lost(self, exc: Exception | None) -> None:
        self._end(LoadError(f"closed the connection: {exc}"))

    def _send(self) -> None:
        self._sent_ns = time.perf_counter_ns()
        self._transport.write(self._request)

    def _end(self, error: LoadError | None) -> None:
        if not self.done.done():
            if error is None:
                self.done.set_result(None)
            else:
                self.done.set_exception(error)
            self._transport.close()


def body_of_answer(port: int, request: Request) -> bytes:
    """The body of one answer. Raises LoadError."""
    return asyncio.run(_load(port, request, seconds=0, n_connections=1))[1]


def load(port: int, request: Request, *, seconds: float) -> Throughput:
    """Requests for so long. Raises LoadError."""
    if shutil.which("wrk"):
        return _load_by_wrk(port, request, seconds=seconds)
    started = time.perf_counter()
    latencies_ns, _ = asyncio.run(_load(port, request, seconds=seconds, n_connections=N_CONNECTIONS))
    return throughput(latencies_ns, time.perf_counter() - started)


def throughput(latencies_ns: Sequence[int], seconds: float) -> Throughput:
    """The figures of so many answers in so long. Raises LoadError for less than two, which have no quantiles."""
    if len(latencies_ns) < 2:
        raise LoadError(f"{len(latencies_ns)} answers in {seconds:.1f} s: too few for a figure")
    cuts = statistics.quantiles(latencies_ns, n=100, method="inclusive")
    n_requests = len(latencies_ns)
    return Throughput(n_requests=n_requests, requests_per_s=n_requests / seconds, p50_ns=cuts[49], p99_ns=cuts[98])


async def _load(port: int, request: Request, *, seconds: float, n_connections: int) -> tuple[list[int], bytes]:
    """Latencies of the answers, and the body of the last."""
    loop, latencies_ns, data = asyncio.get_running_loop(), list[int](), request.as_bytes(port)
    try:
        connections = [
            (await loop.create_connection(lambda: _Connection(data, latencies_ns), "127.0.0.1", port))[1]
            for _ in range(n_connections)
        ]
        waiting = asyncio.gather(*(connection.done for connection in connections))
        await asyncio.wait([waiting], timeout=seconds)
        for connection in connections:
            connection.stopped = True
        await asyncio.wait_for(waiting, timeout=30)
    except (OSError, asyncio.TimeoutError) as error:
        raise LoadError(f"{type(error).__name__}: {error}") from error
    return latencies_ns, connections[-1].last_body


def _load_by_wrk(port: int, request: Request, *, seconds: float) -> Throughput:
    with tempfile.TemporaryDirectory() as folder:
        script = Path(folder) / "request.lua"
        script.write_bytes(_lua(request))
        done = _run(
            [
                *("wrk", "--threads", "1", "--connections", str(N_CONNECTIONS), "--latency"),
                *("--duration", f"{max(1, round(seconds))}s", "--script", str(script)),
                f"http://127.0.0.1:{port}{request.path}",
            ],
            seconds=60 + 2 * seconds,
        )
    if done.returncode != 0:
        raise LoadError(f"wrk: {done.stderr.strip() or done.returncode}")
    return read_wrk(done.stdout)


def _run(command: Sequence[str], *, seconds: float) -> subprocess.CompletedProcess[str]:
    try:
        return subprocess.run(command, capture_output=True, text=True, timeout=seconds)
    except subprocess.TimeoutExpired as error:
        raise LoadError(f"wrk does not end after {seconds:.0f} s") from error


def _lua(request: Request) -> bytes:
    if request.body is None:
        return b""
    body = b"".join(b"\\%03d" % byte for byte in request.body)
    return b'wrk.method = "POST"\nwrk.headers["Content-Type"] = "application/json"\nwrk.body = "%s"\n' % body


def read_wrk(output: str) -> Throughput:
    """What `wrk --latency` printed. Raises LoadError where requests failed."""
    failed = re.search(r"Non-2xx or 3xx responses: \d+|Socket errors: .*[1-9].*", output)
    if failed:
        raise LoadError(f"wrk: {failed[0]}")
    rate = re.search(r"Requests/sec: +([\d.]+)", output)
    cuts = {share: float(n) * _UNITS[unit] for share, n, unit in re.findall(r"(\d+)% +([\d.]+)(us|ms|s|m)\b", output)}
    n_requests = re.search(r"(\d+) requests in ", output)
    if rate is None or n_requests is None or not {"50", "99"} <= cuts.keys():
        raise LoadError(f"wrk printed no figures: {output.strip()}")
    return Throughput(
        n_requests=int(n_requests[1]), requests_per_s=float(rate[1]), p50_ns=cuts["50"], p99_ns=cuts["99"]
    )
