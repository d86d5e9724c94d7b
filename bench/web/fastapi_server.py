"""A server process of `web --server`: one rival's application under uvicorn, on a socket that already listens.

`bench.web.fastapi_server RIVAL DESCRIPTOR`. Besides the cases it has `/cpu`, the nanoseconds of CPU time that it has
taken, and `/prepare/N/CASE`, which makes the values of the next N answers to the case.
"""

from __future__ import annotations

import gc
import sys
import time
from collections.abc import Callable
from importlib.metadata import version
from typing import Any

from fastapi import FastAPI
from starlette.requests import Request
from starlette.responses import Response

from bench.kit.uvicorn_server import serve
from bench.web.fastapi_cases import all_cases
from bench.web.fastapi_rivals import KINDS, RIVALS, WebRival
from bench.web.fastapi_routes import add_route

LOOP, PROTOCOL = "uvloop", "httptools"
"""The packages that `uvicorn[standard]` runs on."""


class Supply:
    """The values of a case's answers: those that were prepared, or else one that is made within the request."""

    def __init__(self, make: Callable[[], Any]) -> None:
        self._make = make
        self._ready: list[Any] = []
        self._given: list[Any] = []

    def __call__(self) -> Any:
        if not self._ready:
            return self._make()
        value = self._ready.pop()
        self._given.append(value)  # to be freed outside of the requests, too
        return value

    def free(self) -> None:
        """Free the values that were prepared."""
        self._ready.clear()
        self._given.clear()

    def prepare(self, n_values: int) -> None:
        """Make the values of the next answers."""
        self._ready[:] = [self._make() for _ in range(n_values)]
        gc.collect()
        gc.freeze()  # collections within the requests must not visit them


def served_application(rival: WebRival) -> FastAPI:
    """The rival's application with a route for every case; data is created again for each request."""
    app = rival.application()
    supplies = {case.name: Supply(case.value_maker()) for case in all_cases()}

    async def prepare(request: Request) -> Response:
        for supply in supplies.values():
            supply.free()
        supplies[request.path_params["case"]].prepare(request.path_params["n"])
        return Response()

    async def tell_cpu_ns(_: Request) -> Response:
        return Response(str(time.process_time_ns()))

    app.router.add_route("/prepare/{n:int}/{case:path}", prepare)
    app.router.add_route("/cpu", tell_cpu_ns)
    for case in all_cases():
        add_route(
            app,
            rival,
            KINDS[case.kind],
            case.document,
            path=f"/{case.name}",
            supply=supplies[case.name],
            accept=lambda body: None,
        )
    return app


def server_versions() -> dict[str, str]:
    """The versions of the server's packages."""
    return {name: version(name) for name in ("uvicorn", LOOP, PROTOCOL)}


def main(rival_name: str, descriptor: str) -> None:
    """Serve until a signal to stop."""
    app = served_application(next(rival for rival in RIVALS if rival.name == rival_name))
    serve(app, listener=int(descriptor), loop=LOOP, http=PROTOCOL, log_level="error", timeout_graceful_shutdown=1)


if __name__ == "__main__":
    main(*sys.argv[1:])
