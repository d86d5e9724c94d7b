"""A load test from beginning to end: a server, locust on it, the report."""

from __future__ import annotations

import contextlib
import secrets
import socket
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping
from pathlib import Path

from bench.command_output import say
from bench.load.load_page import as_page
from bench.load.load_results import LOCUST, OUTCOME, SAMPLES, Results, read_results
from bench.load.plan import Plan
from bench.load.samples import Sample, lines_of
from ssrjson_web._cli.demo.server import ALLOCATOR, HOST
from ssrjson_web._cli.kit.processes import Process

_READY_SECONDS = 60.0
_STOP_SECONDS = 15
"""Users finish the request that is under way, so that locust counts what the server does."""
_AFTER_SECONDS = 120.0
"""What locust may take beyond the load: its start, measuring the workers before and after, its files."""
_PAUSE_SECONDS = 0.25
_LOCUSTFILE = Path(__file__).with_name("locustfile.py")
_UNWRITTEN = ("samples.jsonl", "outcome.json", "report.html", "report.json", "locust.html", "locust.json")


class LoadFailed(Exception):
    """The server or locust did not do its part; the message ends with what it wrote last."""


def run(plan: Plan) -> tuple[Results, int]:
    """The results, whose files are in the plan's folder, and the exit status: 1 where requests failed or figures are
    missing, 130 after Ctrl-C, which ends the load; the report says then that it is incomplete.

    Raises LoadFailed.
    """
    folder = plan.folder
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.iterdir():
        if old.name in _UNWRITTEN or old.name.startswith(f"{LOCUST}_"):
            old.unlink()
    environment = {**ALLOCATOR, **plan.setting.as_environment(token=secrets.token_urlsafe())}
    say(f"{plan.app} with {plan.engine} under {plan.served_by}: starting, {plan.workers} worker(s)")
    is_complete = is_stopped = False
    with server_of(plan, environment) as (server, host):
        with Process(_locust(plan, host, server.pid), log=folder / "locust.log", environment=environment) as locust:
            try:
                _watch(plan, server, locust)
                is_complete = not plan.is_web
            except KeyboardInterrupt:
                say("stopped by Ctrl-C")
                is_stopped = True
                locust.interrupt()
                locust.wait(_AFTER_SECONDS)
        status = locust.exit_status()
    results = read_results(plan, is_complete=is_complete)
    (folder / "report.json").write_text(results.as_json(), "utf-8")
    (folder / "report.html").write_text(as_page(results), "utf-8")
    if is_complete and status not in (0, 1):
        raise LoadFailed(f"locust ended with status {status}\n{locust.last_lines()}")
    if is_complete and not results.requests:
        raise LoadFailed(f"locust made no request\n{locust.last_lines()}")
    if plan.is_web:
        return results, status or 0
    has_all = results.is_complete and results.is_measured
    return results, 130 if is_stopped else (status or 0) if has_all else 1


@contextlib.contextmanager
def server_of(plan: Plan, environment: Mapping[str, str]) -> Iterator[tuple[Process, str]]:
    """The plan's server, which answers, and its address; it ends with the context. Raises LoadFailed."""
    with socket.create_server((HOST, 0), backlog=128) as listener:
        host = f"http://{HOST}:{listener.getsockname()[1]}"
        server = Process(
            [sys.executable, "-m", "bench.load.serve", plan.served_by, str(plan.workers), str(listener.fileno())],
            log=plan.folder / "server.log",
            environment=environment,
            descriptors=[listener.fileno()],
        )
    with server:
        _wait_until_ready(server, host)
        yield server, host


def _wait_until_ready(server: Process, host: str) -> None:
    deadline = time.monotonic() + _READY_SECONDS
    while True:
        try:
            with _opener.open(f"{host}/about", timeout=_READY_SECONDS) as answer:
                answer.read()
                return
        except urllib.error.HTTPError as error:
            error.close()
            raise LoadFailed(f"the server answers {error.code}\n{server.last_lines()}") from None
        except OSError as error:
            if server.exit_status() is not None or time.monotonic() > deadline:
                raise LoadFailed(f"the server does not answer: {error}\n{server.last_lines()}") from None
        time.sleep(_PAUSE_SECONDS)


_opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))


def _locust(plan: Plan, host: str, server_pid: int) -> list[str]:
    folder = plan.folder.resolve()
    if plan.is_web:
        with socket.create_server((HOST, 0)) as probe:
            port = probe.getsockname()[1]
        say(f"locust: http://{HOST}:{port}   workers: http://{HOST}:{port}/ssrjson   Ctrl-C ends it")
        mode = ["--start", "--web-host", HOST, "--web-port", str(port)]
    else:
        mode = ["--headless", "--only-summary"]
    return [
        *(sys.executable, "-m", "locust", "-f", str(_LOCUSTFILE), "-H", host, *mode),
        *("-u", str(plan.users), "-t", str(plan.seconds)),
        *("--stop-timeout", str(_STOP_SECONDS)),
        *(("--json-share",) if plan.has_share else ()),
        *("--server-workers", str(plan.workers), "--server-pid", str(server_pid)),
        *("--samples", str(folder / SAMPLES), "--outcome", str(folder / OUTCOME)),
        *("--csv", str(folder / LOCUST), "--html", str(folder / "locust.html")),
        *("--json-file", str(folder / LOCUST)),
        *(("--processes", str(plan.processes), "--master-bind-host", HOST) if plan.processes else ()),
    ]


def _watch(plan: Plan, server: Process, locust: Process) -> None:
    """Tell of each sample until locust ends. Raises LoadFailed."""
    n_told = 0
    deadline = None if plan.is_web else time.monotonic() + plan.seconds + _AFTER_SECONDS
    is_over = False
    while not is_over:
        is_over = locust.wait(_PAUSE_SECONDS)
        lines = list(lines_of(plan.folder / SAMPLES))
        for line in lines[n_told:]:
            say(Sample.from_line(line).as_text())
        n_told = len(lines)
        if server.exit_status() is not None:
            raise LoadFailed(f"the server ended with status {server.exit_status()}\n{server.last_lines()}")
        if deadline is not None and time.monotonic() > deadline:
            raise LoadFailed(f"locust does not end\n{locust.last_lines()}")
