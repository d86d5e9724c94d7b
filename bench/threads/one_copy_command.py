"""Two workers that serve 30 MB of records: two processes with the GIL, or two threads of one without it.

    python -m bench one-copy --with-gil python3.13 --without-gil python3.13t

Both Pythons need FastAPI, granian and ssrjson_web, and this machine wrk and /proc. Each server has a worker for each
core; granian starts processes with the GIL, and threads without it. wrk asks for one page after the other until all
have been served several times; then the memory of all processes of the server is read. First the bodies of stock and
ours are compared.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import re
import signal
import socket
import subprocess
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from bench.command_output import say
from bench.source_tree import ROOT

ENGINES = ("stock", "ssrjson_web")
SCRIPT = """
local n = 0
request = function()
  n = (n + 1) % N_PAGES
  return wrk.format("GET", "/page/" .. n)
end
"""


def _ask(port: int, path: str) -> bytes:
    with urllib.request.urlopen(f"http://127.0.0.1:{port}{path}", timeout=60) as answer:
        body: bytes = answer.read()
        return body


@contextlib.contextmanager
def started(python: str, engine: str, n_workers: int) -> Iterator[tuple[int, int]]:
    """The port of a server, and its process."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
    command = [python, "-m", "granian", "--interface", "asgi", "--host", "127.0.0.1", "--port", str(port)]
    command += ["--workers", str(n_workers), "--no-ws", "bench.threads.catalogue_app:app"]
    environment = os.environ | {"BENCH_ENGINE": engine, "PYTHONPATH": str(ROOT)}
    process = subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        deadline = time.monotonic() + 120
        while True:
            try:
                _ask(port, "/about")
                break
            except OSError:
                if process.poll() is not None or time.monotonic() > deadline:
                    raise SystemExit(f"{' '.join(command)} has not started") from None
                time.sleep(0.2)
        time.sleep(3)  # the other worker has started, too
        yield port, process.pid
    finally:
        members = tree_of(process.pid)
        process.terminate()
        try:
            process.wait(20)
        except subprocess.TimeoutExpired:  # granian waits for workers that have connections
            for member in members:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(member, signal.SIGKILL)
            process.wait()


def tree_of(pid: int) -> list[int]:
    """A process and those that it has started."""
    found = [pid]
    for parent in found:
        for task in Path(f"/proc/{parent}/task").iterdir():
            found += map(int, (task / "children").read_text().split())
    return found


def memory_mb(pid: int) -> tuple[float, float]:
    """RSS of all processes together, and PSS, which counts shared pages once. Source: proc(5), smaps_rollup."""
    rss = pss = 0
    for process in tree_of(pid):
        text = Path(f"/proc/{process}/smaps_rollup").read_text()
        rss += int(re.search(r"^Rss: +(\d+) kB", text, re.M)[1])  # type: ignore[index]
        pss += int(re.search(r"^Pss: +(\d+) kB", text, re.M)[1])  # type: ignore[index]
    return rss / 1024, pss / 1024


def load(port: int, n_pages: int, seconds: int) -> float:
    """Requests a second. Raises SystemExit where an answer was not 200."""
    with tempfile.TemporaryDirectory() as folder:
        script = Path(folder) / "pages.lua"
        script.write_text(SCRIPT.replace("N_PAGES", str(n_pages)))
        command = ["wrk", "-t1", "-c8", f"-d{seconds}s", "-s", str(script), f"http://127.0.0.1:{port}"]
        told = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    if "Non-2xx" in told or "Socket errors" in told:
        raise SystemExit(told)
    return float(re.search(r"Requests/sec: +([\d.]+)", told)[1])  # type: ignore[index]


def _start(options: argparse.Namespace) -> int:
    pythons = {"with the GIL": options.with_gil, "without the GIL": options.without_gil}
    bodies: list[bytes] = []
    for name, python in pythons.items():
        for engine in ENGINES:
            with started(python, engine, options.workers) as (port, pid):
                bodies += [_ask(port, "/page/7")]
                about = json.loads(_ask(port, "/about"))
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
