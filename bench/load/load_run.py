"""A load test from beginning to end: a server, locust on it, the report."""

from __future__ import annotations

import secrets
import sys
import time
from collections.abc import Mapping
from contextlib import AbstractContextManager
from pathlib import Path

from bench.command_output import say
from bench.kit.processes import ALLOCATOR, HOST, Process, listen, python_module
from bench.kit.servers import Server, started
from bench.load.load_page import page_of
from bench.load.load_results import LOCUST, OUTCOME, SAMPLES, Results, read_results
from bench.load.plan import Plan
from bench.load.samples import Sample, lines_of
from bench.source_tree import ROOT

_STOP_SECONDS = 15
"""Users finish their current request, so that locust counts every request that the server serves."""
_AFTER_SECONDS = 120.0
"""Time for locust besides the load: its start, measuring the workers before and after, its files."""
_PAUSE_SECONDS = 0.25
_LOCUSTFILE = Path(__file__).with_name("locustfile.py")
_UNWRITTEN = ("samples.jsonl", "outcome.json", "report.html", "report.json", "locust.html", "locust.json")


def run(plan: Plan) -> tuple[Results, int]:
    """The results and the exit status; the files are in the plan's folder.

    The status is 1 where requests failed or figures are missing, and 130 after Ctrl-C, which ends the load; the report
    then says that it is incomplete. Raises ProcessDied.
    """
    folder = plan.folder
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.iterdir():
        if old.name in _UNWRITTEN or old.name.startswith(f"{LOCUST}_"):
            old.unlink()
    token = secrets.token_urlsafe()
    environment = {**ALLOCATOR, **plan.setting.as_environment(token=token)}
    say(f"{plan.app} with {plan.engine} under {plan.served_by}: starting, {plan.workers} worker(s)")
    is_complete = is_stopped = False
    with server_of(plan, environment) as server:
        command = _locust(plan, server.port, token=token)
        with Process(command, log=folder / "locust.log", environment=environment, folder=ROOT) as locust:
            try:
                _watch(plan, server.process, locust)
                is_complete = not plan.is_web
            except KeyboardInterrupt:
                say("stopped by Ctrl-C")
                is_stopped = True
                locust.interrupt()
                locust.wait(_AFTER_SECONDS)
        status = locust.exit_status()
    results = read_results(plan, is_complete=is_complete)
    (folder / "report.json").write_text(results.as_json(), "utf-8")
    page_of(results).write_html(folder / "report.html", f"Load test: {plan.name}")
    if is_complete and status not in (0, 1):
        raise locust.died(f"locust ended with status {status}")
    if is_complete and not results.requests:
        raise locust.died("locust made no request")
    if plan.is_web:
        return results, status or 0
    has_all = results.is_complete and results.is_measured
    return results, 130 if is_stopped else (status or 0) if has_all else 1


def server_of(plan: Plan, environment: Mapping[str, str]) -> AbstractContextManager[Server]:
    """The plan's server, ready to answer. Raises ProcessDied."""
    return started(
        lambda _, descriptor: python_module("bench.load.serve", plan.served_by, str(plan.workers), str(descriptor)),
        ready="/about",
        environment=environment,
        folder=ROOT,
        log=plan.folder / "server.log",
    )


def _locust(plan: Plan, server_port: int, *, token: str) -> list[str]:
    folder = plan.folder.resolve()
    if plan.is_web:
        with listen() as probe:
            port = probe.getsockname()[1]
        workers = f"http://{HOST}:{server_port}/ssrjson/#token={token}"
        say(f"locust: http://{HOST}:{port}   workers: {workers}   Ctrl-C ends it")
        mode = ["--start", "--web-host", HOST, "--web-port", str(port)]
    else:
        mode = ["--headless", "--only-summary"]
    return [
        *(sys.executable, "-m", "locust", "-f", str(_LOCUSTFILE), "-H", f"http://{HOST}:{server_port}", *mode),
        *("-u", str(plan.users), "-t", str(plan.seconds)),
        *("--stop-timeout", str(_STOP_SECONDS)),
        *("--server-workers", str(plan.workers)),
        *("--samples", str(folder / SAMPLES), "--outcome", str(folder / OUTCOME)),
        *("--csv", str(folder / LOCUST), "--html", str(folder / "locust.html")),
        *("--json-file", str(folder / LOCUST)),
        *(("--processes", str(plan.processes), "--master-bind-host", HOST) if plan.processes else ()),
        *("--traffic", plan.traffic),
    ]


def _watch(plan: Plan, server: Process, locust: Process) -> None:
    """Print each sample until locust ends. Raises ProcessDied."""
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
            raise server.died(f"the server ended with status {server.exit_status()}")
        if deadline is not None and time.monotonic() > deadline:
            raise locust.died("locust does not end")
