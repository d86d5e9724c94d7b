"""The server process of the demo: one catalogue in memory, answered from 127.0.0.1 by uvicorn.

Started by `bench.demo.server` with a socket that already listens.
"""

from __future__ import annotations

import argparse
import gc
import os
import signal
import socket
import sys
import traceback
from typing import NoReturn

from starlette.types import ASGIApp

from bench.demo.app import create_app
from bench.demo.engines import ENGINES
from bench.kit import uvicorn_server
from bench.kit.processes import end_with_parent
from bench.kit.records import generate
from ssrjson_web import memory

_KEEP_ALIVE_SECONDS = 3600
"""No connection is closed while the load paces itself: with few pages and much time two requests are minutes apart."""


def main() -> None:
    """Serve until a signal to stop, or until the demo has ended."""
    parser = argparse.ArgumentParser(description="one server of the demo; started by the demo itself")
    parser.add_argument("--engine", required=True)
    parser.add_argument("--megabytes", type=float, required=True)
    parser.add_argument("--script", required=True)
    parser.add_argument("--seed", type=int, required=True)
    parser.add_argument("--workers", type=int, required=True, help="0: serve in this process; N: fork N workers")
    parser.add_argument("--listener", type=int, required=True, help="descriptor of the listening socket")
    options = parser.parse_args()

    listener = socket.socket(fileno=options.listener)
    gc.disable()
    catalogue = generate(megabytes=options.megabytes, script=options.script, seed=options.seed)
    app = create_app(engine=ENGINES[options.engine], catalogue=catalogue)
    gc.collect()
    gc.freeze()
    memory.trim()

    if options.workers:
        wait_for([fork_worker(app, listener=listener) for _ in range(options.workers)])
    else:
        serve(app, listener=listener)


def serve(app: ASGIApp, *, listener: socket.socket) -> None:
    """Answer on `listener` until a signal to stop; the same uvicorn set-up for every engine."""
    gc.enable()
    uvicorn_server.serve(
        app,
        listener=listener,
        loop="asyncio",
        http="h11",
        timeout_graceful_shutdown=1,
        timeout_keep_alive=_KEEP_ALIVE_SECONDS,
    )


def fork_worker(app: ASGIApp, *, listener: socket.socket) -> int:
    """The pid of a child that serves what this process has loaded."""
    parent = os.getpid()
    pid = os.fork()
    if pid:
        return pid
    status = 1
    try:
        end_with_parent(parent)
        serve(app, listener=listener)
        status = 0
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stderr.flush()
        os._exit(status)


def wait_for(pids: list[int]) -> NoReturn:
    """End with the first worker that ends; the others go with this process."""
    signal.signal(signal.SIGTERM, lambda *_: os._exit(0))
    pid, status = os.wait()
    print(f"worker {pid} of {pids} ended with status {os.waitstatus_to_exitcode(status)}", file=sys.stderr, flush=True)
    os._exit(1)


if __name__ == "__main__":
    main()
