"""Commands that serve `monitor_apps`, and what its endpoints ask for."""

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
