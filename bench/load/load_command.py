"""The command `load`."""

from __future__ import annotations

import argparse
import importlib.util
import sys
from collections.abc import Sequence
from dataclasses import fields
from pathlib import Path
from typing import Any

from bench.command_output import UsageError, check_names, refusing, say, split_names
from bench.kit.command_line import between
from bench.kit.processes import ProcessDied
from bench.load.load_page import engines_page, engines_table, request_table, worker_table
from bench.load.load_run import run
from bench.load.plan import ENGINES, SERVERS, TRAFFIC, Plan
from bench.load.shelf import SCRIPTS

INTERRUPTED = 130
EXTRA_HINT = "pip install '.[load]'"
_EPILOG = """
Writes FOLDER/APP-ENGINE-SERVER-WORKERS/: report.html and report.json, locust's own locust.html, locust.json and CSV,
samples.jsonl, and the output of the server and of locust. Several engines also have a common report,
in FOLDER/APP-ENGINES-...
By make: make load APP=fastapi ENGINE=orjson,ssrjson_web
"""


def add_command(commands: Any) -> None:
    """Adds `load` to an `argparse` subparsers object."""
    parser = commands.add_parser(
        "load",
        help="load a real application with locust: memory of its workers, latencies",
        epilog=_EPILOG,
        formatter_class=argparse.ArgumentDefaultsHelpFormatter,
    )
    parser.set_defaults(start=refusing(_start))
    servers = sorted({server for each in SERVERS.values() for server in each})
    parser.add_argument("app", nargs="?", default="fastapi", choices=list(SERVERS), help="the framework")
    parser.add_argument(
        "engine",
        nargs="?",
        default="ssrjson_web",
        help=f"{', '.join(ENGINES)}; several by commas, for one report with their growth overlaid",
    )
    parser.add_argument("--server", default="", choices=servers, help="by default gunicorn, for fastapi uvicorn")
    parser.add_argument("--script", default="mix", choices=list(SCRIPTS), help="of the records; ascii is the control")
    parser.add_argument(
        "--traffic",
        default="pages",
        choices=list(TRAFFIC),
        help="pages and orders, or with fastapi streams: server-sent events, and uploads that arrive in parts",
    )
    for name, low, high, what in (
        ("workers", 1, 64, "server processes"),
        ("users", 1, 1000, "users at the end, after four steps"),
        ("seconds", 1, 3600, "of load"),
        ("processes", 0, 64, "locust's workers; 0: no master"),
    ):
        default = getattr(Plan, name)
        parser.add_argument(f"--{name}", type=between(low, high, int), default=default, metavar="N", help=what)
    parser.add_argument(
        "--megabytes", type=between(0.1, 10_000), default=30.0, metavar="MB", help="resident records of each worker"
    )
    parser.add_argument("--out", type=Path, default=Path("load-out"), metavar="FOLDER", help="folder for the files")
    parser.add_argument(
        "--web", dest="is_web", action="store_true", help="keep locust's page open on 127.0.0.1, until Ctrl-C"
    )


def _start(options: argparse.Namespace) -> int:
    engines = list(dict.fromkeys(split_names(options.engine)))
    plans = _plans(options, engines)
    of_engines = [engine for engine in engines if engine in ("orjson", "msgspec")]
    needed = ["locust", plans[0].app, *of_engines, plans[0].served_by]
    missing = [name for name in needed if importlib.util.find_spec(name) is None]
    if missing:
        are = "is" if len(missing) == 1 else "are"
        raise UsageError(f"{' and '.join(missing)} {are} not installed; what the load test needs: {EXTRA_HINT}")
    if sys.platform != "linux":
        raise UsageError("the load test needs Linux: it starts and watches the servers by Linux's means")
    try:
        return _load(plans)
    except ProcessDied as error:
        say(f"error: {error}")
        return 1


def _plans(options: argparse.Namespace, engines: Sequence[str]) -> list[Plan]:
    """A plan for each engine. Raises UsageError."""
    check_names("engine", engines, ENGINES)
    if not engines:
        raise UsageError(f"no engine is named: choose from {', '.join(ENGINES)}")
    if options.is_web and len(engines) > 1:
        raise UsageError("--web keeps one server running until Ctrl-C: name one engine")
    given = {field.name: getattr(options, field.name) for field in fields(Plan)}
    return [Plan(**{**given, "engine": engine}) for engine in engines]


def _load(plans: Sequence[Plan]) -> int:
    """Runs the plans one after another and returns the worst exit status; Ctrl-C ends all. Raises ProcessDied."""
    found, statuses = [], []
    for plan in plans:
        results, status = run(plan)
        found.append(results)
        statuses.append(status)
        print("\n".join([worker_table(results).as_text(), request_table(results).as_text()]))
        print(f"report: {plan.folder / 'report.html'}")
        if status == INTERRUPTED:
            break
    if len(plans) > 1:
        folder = plans[0].out / plans[0].name_with(plan.engine for plan in plans)
        folder.mkdir(parents=True, exist_ok=True)
        links = [f"../{results.plan.name}/report.html" for results in found]
        title = engines_table(found).title
        engines_page(found, links).write_html(folder / "report.html", title)
        print(f"\n{engines_table(found).as_text()}\nreport: {folder / 'report.html'}")
    return max(statuses)
