"""Serves an application by uvicorn on a socket that already listens."""

from __future__ import annotations

import socket
from typing import Any

import uvicorn
from uvicorn.supervisors import Multiprocess

__all__ = ["serve"]


def serve(app: Any, *, listener: socket.socket | int, workers: int = 1, **settings: Any) -> None:
    """Answer on `listener`, a socket or its descriptor, until a signal to stop.

    `app` is an application or its address; more than one worker needs the address. `settings` are uvicorn's.
    """
    # not uvicorn's own `fd`: it takes such a socket for a Unix one, on which TCP_NODELAY stays off
    listening = socket.socket(fileno=listener) if isinstance(listener, int) else listener
    quiet = {"ws": "none", "lifespan": "off", "access_log": False, "log_level": "warning"}
    config = uvicorn.Config(app, workers=workers, **{**quiet, **settings})
    if workers == 1:
        uvicorn.Server(config).run(sockets=[listening])
    else:
        Multiprocess(config, sockets=[listening]).run()
