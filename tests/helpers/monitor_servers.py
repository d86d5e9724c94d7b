"""Commands that serve `monitor_apps` or `monitor_shop`, and what their endpoints ask for."""

from __future__ import annotations

import sys

TOKEN = "a-token-of-the-tests"
BEARER = {"authorization": f"Bearer {TOKEN}"}
UVICORN = [sys.executable, "-m", "uvicorn", "helpers.monitor_apps:asgi", "--port", "{port}", "--log-level", "warning"]
HYPERCORN = [sys.executable, "-m", "hypercorn", "helpers.monitor_apps:asgi", "-b", "127.0.0.1:{port}"]
GUNICORN_UVICORN = [
    sys.executable,
    "-m",
    "gunicorn",
    "-b",
    "127.0.0.1:{port}",
    "helpers.monitor_apps:asgi",
    "--no-control-socket",
]
GUNICORN_UVICORN += ["-k", "uvicorn_worker.UvicornWorker"]
GUNICORN = [
    sys.executable,
    "-m",
    "gunicorn",
    "-b",
    "127.0.0.1:{port}",
    "helpers.monitor_apps:wsgi",
    "--no-control-socket",
]


def serving_shop(command: list[str], name: str) -> list[str]:
    """The command, with an application of `monitor_shop`."""
    return [word.replace("monitor_apps:asgi", f"monitor_shop:{name}") for word in command]
