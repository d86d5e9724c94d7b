"""A server process of `web --server`: one rival's application under uvicorn, on a socket that listens already.

`python -m bench.web.server RIVAL DESCRIPTOR` ends when its standard input does, and so with whoever started it.
"""

from __future__ import annotations

import os
import socket
import sys
import threading
from importlib.metadata import version

from bench.source_tree import prefer_installed_packages

if __name__ == "__main__":
    prefer_installed_packages()

import uvicorn
from fastapi import FastAPI

from bench.web.measure import all_cases
from bench.web.rivals import RIVALS, WebRival
from bench.web.routes import add_route

LOOP, PROTOCOL = "uvloop", "httptools"
"""What `uvicorn[standard]` runs on."""


def served_application(rival: WebRival) -> FastAPI:
    """The rival's application with a route for every case; data is made anew for each request."""
    app = rival.application()
    for case in all_cases():
        add_route(
            app,
            rival,
            case.kind,
            case.document,
            path=f"/{case.name}",
            supply=case.value_maker(),
            accept=lambda body: None,
        )
    return app


def server_versions() -> dict[str, str]:
    """The versions of what serves."""
    return {name: version(name) for name in ("uvicorn", LOOP, PROTOCOL)}


def main(rival_name: str, descriptor: str) -> None:
    """Serve until standard input ends."""
    app = served_application(next(rival for rival in RIVALS if rival.name == rival_name))
    config = uvicorn.Config(
        app, loop=LOOP, http=PROTOCOL, ws="none", lifespan="off", access_log=False, log_level="error"
    )
    threading.Thread(target=_end_with_input, daemon=True).start()
    uvicorn.Server(config).run(sockets=[socket.socket(fileno=int(descriptor))])


def _end_with_input() -> None:
    sys.stdin.buffer.read()
    os._exit(0)


if __name__ == "__main__":
    main(*sys.argv[1:])
