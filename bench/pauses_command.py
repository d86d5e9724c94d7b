"""A large answer and the event loop: how long a server's loop runs nothing else while it serves one.

    python -m bench pauses
    python -m bench pauses --megabytes 200 --slice-ms 1

uvicorn serves rows on a socket, to a client in a process of its own, which compares the bytes with those of `json`.
Each answer has rows of its own, which nobody else holds, so what it takes to release them counts, too. A task notes
the longest time between two turns of the loop, from the request to a moment after the answer. The collector is off
and does not see the rows: its pauses depend on what else the process holds. The lines have the medians of the rounds,
by the clock, and of the thread's CPU time, which leaves out what other processes took from it.
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import hashlib
import json
import socket
import statistics
import sys
import time
from collections.abc import Callable
from typing import Any

from bench.command_output import say
from bench.kit.processes import HOST

_ROW_BYTES = 175
_CLIENT = """
import hashlib, http.client, sys
connection = http.client.HTTPConnection(sys.argv[1], int(sys.argv[2]), timeout=120)
connection.request("GET", sys.argv[3])
answer = connection.getresponse()
digest, n = hashlib.sha256(), 0
while part := answer.read(1 << 20):
    digest.update(part)
    n += len(part)
print(answer.status, answer.headers["content-length"] == str(n), digest.hexdigest())
"""


def rows_of(n: int) -> list[dict[str, Any]]:
    """New rows of about 175 bytes."""
    return [
        {
            "id": i,
            "name": f"user {i}",
            "email": f"user{i}@example.com",
            "tags": ["a", "b", "c"],
            "price": i * 1.1,
            "is_open": True,
            "address": {"street": f"{i} Long Street", "zip": str(i)},
        }
        for i in range(n)
    ]


def response_classes(slice_ms: float) -> dict[str, Any]:
    """The classes that are compared, by name."""
    from starlette.responses import JSONResponse

    from ssrjson_web.starlette import SSRJSONResponse

    return {
        "JSONResponse": JSONResponse,
        "SSRJSONResponse": SSRJSONResponse,
        "SSRJSONResponse.sliced": SSRJSONResponse.sliced(slice_ms=slice_ms),
    }


def application(classes: dict[str, Any], take_rows: Callable[[], Any]) -> Any:
    """An application with a route for each class, `/0`, `/1`, ..."""
    from starlette.applications import Starlette
    from starlette.routing import Route

    def endpoint_of(response_class: Any) -> Any:
        async def endpoint(request: Any) -> Any:
            return response_class(take_rows())

        return endpoint

    return Starlette(routes=[Route(f"/{i}", endpoint_of(cls)) for i, cls in enumerate(classes.values())])


class Watch:
    """The longest time between two turns of the event loop, in milliseconds: by the clock, and of the thread's CPU."""

    async def __aenter__(self) -> Watch:
        self.longest_ms = self.longest_cpu_ms = 0.0
        self._task = asyncio.create_task(self._look())
        await asyncio.sleep(0.05)
        self.longest_ms = self.longest_cpu_ms = 0.0
        return self

    async def _look(self) -> None:
        last, last_cpu = time.perf_counter(), time.thread_time()
        while True:
            await asyncio.sleep(0)
            now, now_cpu = time.perf_counter(), time.thread_time()
            self.longest_ms = max(self.longest_ms, (now - last) * 1000)
            self.longest_cpu_ms = max(self.longest_cpu_ms, (now_cpu - last_cpu) * 1000)
            last, last_cpu = now, now_cpu

    async def __aexit__(self, *_: object) -> None:
        await asyncio.sleep(0.05)
        self._task.cancel()


async def asked(port: int, path: str) -> str:
    """What the client says of an answer."""
    client = await asyncio.create_subprocess_exec(
        sys.executable, "-c", _CLIENT, HOST, str(port), path, stdout=asyncio.subprocess.PIPE
    )
    output, _ = await client.communicate()
    return output.decode().strip()


async def measure(classes: dict[str, Any], n_rows: int, n_rounds: int) -> dict[str, list[tuple[float, float]]]:
    """For each class and round the longest pause in milliseconds, by the clock and of CPU time.

    Raises AssertionError where a body is not the one of `json`.
    """
    import uvicorn

    held: list[Any] = []
    app = application(classes, held.pop)
    text = json.dumps(rows_of(n_rows), ensure_ascii=False, separators=(",", ":")).encode()
    expected = f"200 True {hashlib.sha256(text).hexdigest()}"
    say(f"an answer of {len(text) / 1e6:.1f} MB")
    del text
    figures: dict[str, list[tuple[float, float]]] = {name: [] for name in classes}
    with socket.create_server((HOST, 0)) as listener:
        port = listener.getsockname()[1]
        config = uvicorn.Config(app, lifespan="off", log_level="warning", ws="none", access_log=False)
        server = uvicorn.Server(config)
        serving = asyncio.create_task(server.serve(sockets=[listener]))
        try:
            for _ in range(n_rounds):
                for i, name in enumerate(classes):
                    held.append(rows_of(n_rows))
                    gc.freeze()
                    async with Watch() as watch:
                        answer = await asked(port, f"/{i}")
                    assert answer == expected, (name, answer, expected)
                    figures[name].append((watch.longest_ms, watch.longest_cpu_ms))
        finally:
            server.should_exit = True
            await serving
    return figures


def line_of(name: str, figures: list[tuple[float, float]]) -> str:
    pauses, of_cpu = zip(*figures, strict=True)
    return (
        f"{name}: longest pause {statistics.median(pauses):.1f} ms ({min(pauses):.1f} to {max(pauses):.1f}), "
        f"of CPU time {statistics.median(of_cpu):.1f} ms ({min(of_cpu):.1f} to {max(of_cpu):.1f})"
    )


def _start(options: argparse.Namespace) -> int:
    gc.disable()
    try:
        n_rows = max(1, int(options.megabytes * 1e6 / _ROW_BYTES))
        figures = asyncio.run(measure(response_classes(options.slice_ms), n_rows, options.rounds))
    finally:
        gc.enable()
    for name, rounds in figures.items():
        say(line_of(name, rounds))
    return 0


def add_command(commands: Any) -> None:
    """Adds `pauses` to an `argparse` subparsers object."""
    made = commands.add_parser("pauses", help="how long an event loop stops for a large answer")
    made.add_argument("--rounds", type=int, default=5, metavar="N", help="default 5")
    made.add_argument("--megabytes", type=float, default=50.0, metavar="N", help="of an answer; default 50")
    made.add_argument("--slice-ms", type=float, default=2.0, metavar="MS", help="default 2")
    made.set_defaults(start=_start)
