"""The documents of `pauses`: one large answer, whose pauses are taken by the clock, and in CPU time."""

from __future__ import annotations

import asyncio
import hashlib
import json
import sys
from collections.abc import Iterator, Sequence
from typing import Any

import uvicorn
from starlette.applications import Starlette
from starlette.responses import JSONResponse
from starlette.routing import Route

from bench.kit.processes import HOST, listen
from bench.races.race import Contender, Document, WrongContenderError
from bench.timing import CPU_CLOCK, WALL_CLOCK, Clock
from ssrjson_web.starlette import SSRJSONResponse

_ROW_BYTES = 175
_SLICE_MS = 2
_SETTLE_SECONDS = 0.05
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
_CLASSES = {
    "sliced": SSRJSONResponse.sliced(slice_ms=_SLICE_MS),
    "SSRJSONResponse": SSRJSONResponse,
    "JSONResponse": JSONResponse,
}


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


def documents(size: int) -> Iterator[Document]:
    """An answer of `size` megabytes."""
    n = max(1, size * 1_000_000 // _ROW_BYTES)
    text = json.dumps(rows_of(n), ensure_ascii=False, separators=(",", ":")).encode()
    expected, n_bytes = f"200 True {hashlib.sha256(text).hexdigest()}", len(text)
    del text
    server = _Server(expected)
    try:
        for name, clock in (("by the clock", WALL_CLOCK), ("in CPU time", CPU_CLOCK)):
            yield Document(
                name=f"the longest pause, {name}",
                contenders=[server.contender(name) for name in _CLASSES],
                make=lambda: [rows_of(n)],
                is_right=lambda answer: bool(answer == expected),
                n_bytes=n_bytes,
                max_batch=1,
                clock=clock,
            )
    finally:
        server.stop()


class _Server:
    """uvicorn in this process; its event loop runs while a request is answered."""

    def __init__(self, expected: str) -> None:
        self._expected = expected
        self._held: list[Any] = []
        self._loop = asyncio.new_event_loop()
        self._listener = listen()
        routes = [Route(f"/{name}", self._endpoint(kind)) for name, kind in _CLASSES.items()]
        config = uvicorn.Config(
            Starlette(routes=routes), lifespan="off", log_level="warning", ws="none", access_log=False
        )
        self._server = uvicorn.Server(config)
        self._serving = self._loop.create_task(self._server.serve(sockets=[self._listener]))

    def _endpoint(self, kind: Any) -> Any:
        async def endpoint(request: Any) -> Any:
            return kind(self._held.pop())

        return endpoint

    def contender(self, name: str) -> Contender:
        """A response class; its time is the longest between two turns of the event loop."""

        def loop(batch: Sequence[Any], clock: Clock) -> int:
            longest = 0
            for holder in batch:
                pause, answer = self._loop.run_until_complete(self._watched(name, holder, clock))
                if answer != self._expected:
                    raise WrongContenderError(name)
                longest = max(longest, pause)
            return longest

        return Contender(
            name=name,
            call=lambda holder: self._loop.run_until_complete(self._watched(name, holder, CPU_CLOCK))[1],
            loop=loop,
        )

    async def _watched(self, name: str, holder: list[Any], clock: Clock) -> tuple[int, str]:
        """The longest pause from the request to a moment after the answer, and what the client says of it."""
        self._held.append(holder.pop())  # the endpoint alone refers to the rows
        longest = 0

        async def look() -> None:
            nonlocal longest
            last = clock()
            while True:
                await asyncio.sleep(0)
                now = clock()
                longest, last = max(longest, now - last), now

        await asyncio.sleep(_SETTLE_SECONDS)
        looking = asyncio.create_task(look())
        answer = await self._asked(f"/{name}")
        await asyncio.sleep(_SETTLE_SECONDS)
        looking.cancel()
        return longest, answer

    async def _asked(self, path: str) -> str:
        port = str(self._listener.getsockname()[1])
        client = await asyncio.create_subprocess_exec(
            sys.executable, "-c", _CLIENT, HOST, port, path, stdout=asyncio.subprocess.PIPE
        )
        output, _ = await client.communicate()
        return output.decode().strip()

    def stop(self) -> None:
        self._server.should_exit = True
        self._loop.run_until_complete(self._serving)
        self._loop.close()
        self._listener.close()
