"""A server process of `web --server`: one rival's application under uvicorn, on a socket that already listens.

`bench.web.fastapi_server RIVAL DESCRIPTOR`.
"""

from __future__ import annotations

import sys
from importlib.metadata import version

from fastapi import FastAPI

from bench.web.fastapi_cases import all_cases
from bench.web.fastapi_rivals import RIVALS, WebRival
from bench.web.fastapi_routes import add_route
from ssrjson_web._cli.kit.uvicorn_server import serve

LOOP, PROTOCOL = "uvloop", "httptools"
"""The packages that `uvicorn[standard]` runs on."""


def served_application(rival: WebRival) -> FastAPI:
    """The rival's application with a route for every case; data is created again for each request."""
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
    """The versions of the server's packages."""
    return {name: version(name) for name in ("uvicorn", LOOP, PROTOCOL)}


def main(rival_name: str, descriptor: str) -> None:
    """Serve until a signal to stop."""
    app = served_application(next(rival for rival in RIVALS if rival.name == rival_name))
    serve(app, listener=int(descriptor), loop=LOOP, http=PROTOCOL, log_level="error", timeout_graceful_shutdown=1)


if __name__ == "__main__":
    main(*sys.argv[1:])
