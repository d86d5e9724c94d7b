"""Two workers that serve 30 MB of records: two processes with the GIL, or two threads of one without it.

    python -m bench one-copy --with-gil python3.13 --without-gil python3.13t

Both Pythons need FastAPI, granian and ssrjson_web, and this machine wrk and /proc. Each server has a worker for each
core; granian starts processes with the GIL, and threads without it. wrk asks for one page after the other until all
have been served several times; then the memory of all processes of the server is read. First the bodies of stock and
ours are compared.
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

from bench.command_output import say
from bench.httparena import wrk
from bench.httparena.profiles import Ask, Profile
from bench.kit.http_client import ask
from bench.kit.process_tree import tree_of
from bench.kit.processes import HOST
from bench.kit.servers import Server, started
from bench.source_tree import ROOT
from ssrjson_web import memory

ENGINES = ("stock", "ssrjson_web")
_N_CONNECTIONS = 8
_SETTLE_SECONDS = 3
"""After the first answer: the other worker has started, too."""


def serving(python: str, engine: str, n_workers: int) -> AbstractContextManager[Server]:
    """A server of that interpreter. Raises ProcessDied."""
    words = ["--interface", "asgi", "--host", HOST, "--workers", str(n_workers), "--no-ws"]
    return started(
        lambda port, _: [python, "-m", "granian", *words, "--port", str(port), "bench.threads.catalogue_app:app"],
        ready="/about",
        takes_socket=False,
        environment={"BENCH_ENGINE": engine, "PYTHONPATH": str(ROOT)},
    )


def memory_mb(pid: int) -> tuple[float, float]:
    """RSS of all processes together, and PSS, which counts shared pages once."""
    members = tree_of(pid)
    return sum(map(memory.rss_bytes, members)) / 2**20, sum(map(memory.pss_bytes, members)) / 2**20


def load(port: int, n_pages: int, seconds: int) -> float:
    """Requests a second. Raises LoadError where an answer was not 200."""
    profile = Profile(
        name="pages",
        asks=lambda: [Ask(path=f"/page/{n}", media_type="application/json", is_right=bool) for n in range(n_pages)],
        n_connections=_N_CONNECTIONS,
    )
    with tempfile.TemporaryDirectory() as folder:
        script = Path(folder) / "pages.lua"
        script.write_text(wrk.script_of(profile), encoding="ascii")
        return wrk.run(profile, port, script, seconds=seconds, threads=1).requests_per_s


def _start(options: argparse.Namespace) -> int:
    pythons = {"with the GIL": options.with_gil, "without the GIL": options.without_gil}
    bodies: list[bytes] = []
    for name, python in pythons.items():
        for engine in ENGINES:
            with serving(python, engine, options.workers) as server:
                port, pid = server.port, server.pid
                time.sleep(_SETTLE_SECONDS)
                bodies += [ask(port, "/page/7")[1]]
                about = json.loads(ask(port, "/about")[1])
                if about["is_gil_on"] is not (name == "with the GIL"):
                    raise SystemExit(f"{python}: the GIL is not as said")
                before, _ = memory_mb(pid)
                rate = load(port, about["n_pages"], options.seconds)
                rss, pss = memory_mb(pid)
                n = len(tree_of(pid))
                figures = f"{rate:.0f} requests/s, RSS {before:.0f} -> {rss:.0f} MB (PSS {pss:.0f}), {n} processes"
                say(f"{name}, {engine}: {figures}")
    if len(set(bodies)) != 1:
        raise SystemExit("the bodies differ")
    return 0


def add_command(commands: Any) -> None:
    """Adds `one-copy` to an `argparse` subparsers object."""
    made = commands.add_parser("one-copy", help="memory of two threads without the GIL beside two processes with it")
    made.add_argument("--with-gil", required=True, metavar="PYTHON", help="an interpreter with the GIL")
    made.add_argument("--without-gil", required=True, metavar="PYTHON", help="a free-threaded one")
    made.add_argument("--workers", type=int, default=2, metavar="N", help="default 2")
    made.add_argument("--seconds", type=int, default=20, metavar="S", help="of each load; default 20")
    made.set_defaults(start=_start)
