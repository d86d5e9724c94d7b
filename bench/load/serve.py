"""A server process on a socket that already listens: `bench.load.serve SERVER WORKERS DESCRIPTOR`."""

from __future__ import annotations

import sys
from typing import Any

from bench.load.plan import Interface, Setting

_APPLICATION = "bench.load.served:application"
_THREADS = 4
_STOP_SECONDS = 2


def main(server: str, workers: int, descriptor: int) -> None:
    """Serve until a signal to stop."""
    interface = Setting.from_environment().interface
    {"uvicorn": _uvicorn, "gunicorn": _gunicorn, "hypercorn": _hypercorn}[server](interface, workers, descriptor)


def _uvicorn(interface: Interface, workers: int, descriptor: int) -> None:
    from bench.kit.uvicorn_server import serve

    serve(_APPLICATION, listener=descriptor, workers=workers, timeout_graceful_shutdown=_STOP_SECONDS)


def _gunicorn(interface: Interface, workers: int, descriptor: int) -> None:
    from gunicorn.app.base import BaseApplication

    class Application(BaseApplication):
        def load_config(self) -> None:
            self.cfg.set("bind", f"fd://{descriptor}")
            self.cfg.set("workers", workers)
            self.cfg.set("loglevel", "warning")
            self.cfg.set("graceful_timeout", _STOP_SECONDS)
            if interface == "asgi":
                self.cfg.set("worker_class", "uvicorn_worker.UvicornWorker")
            else:  # a sync worker closes the connection after each answer
                self.cfg.set("worker_class", "gthread")
                self.cfg.set("threads", _THREADS)

        def load(self) -> Any:
            from bench.load.served import application

            return application

    Application().run()


def _hypercorn(interface: Interface, workers: int, descriptor: int) -> None:
    from hypercorn.config import Config
    from hypercorn.run import run

    config = Config()
    config.application_path = f"{interface}:{_APPLICATION}"
    config.bind = [f"fd://{descriptor}"]
    config.workers = workers
    config.loglevel = "WARNING"
    config.graceful_timeout = _STOP_SECONDS
    sys.exit(run(config))


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
