"""The command `load`."""

from __future__ import annotations

import argparse
import importlib.util
import sys
from pathlib import Path
from typing import Any

from bench.command_output import UsageError, say

EXTRA_HINT = "pip install '.[load]'"
_EPILOG = """
Writes FOLDER/APP-ENGINE-SERVER-WORKERS/: report.html and report.json, locust's own locust.html, locust.json and CSV,
samples.jsonl, and what the server and locust printed. By make: make load APP=fastapi ENGINE=orjson
"""


def add_command(commands: Any) -> None:
    """Adds `load` to an `argparse` subparsers object."""
    parser = commands.add_parser(
        "load",
        help="locust on a real application: memory of its workers, latencies",
        epilog=_EPILOG,
        formatter_class=argparse.ArgumentDefaultsHelpFormatter,
    )
    parser.set_defaults(start=_start)
    parser.add_argument("app", nargs="?", default="fastapi", help="fastapi, django or flask")
    parser.add_argument("engine", nargs="?", default="ssrjson_web", help="stock, orjson, msgspec or ssrjson_web")
    parser.add_argument(
        "--server", default="", help="uvicorn, gunicorn or hypercorn; without it gunicorn, for fastapi uvicorn"
    )
    parser.add_argument("--workers", type=int, default=1, metavar="N", help="processes of the server")
    parser.add_argument("--users", type=int, default=10, metavar="N", help="at the end; they come in four steps")
    parser.add_argument("--seconds", type=int, default=20, metavar="S", help="how long the load lasts")
    parser.add_argument(
        "--script", default="mix", help="mix, chinese, japanese, russian, french, emoji; ascii is the control"
    )
    parser.add_argument("--megabytes", type=float, default=30.0, metavar="MB", help="resident records of each worker")
    parser.add_argument("--processes", type=int, default=0, metavar="N", help="of locust, under a master; 0: a single")
    parser.add_argument("--out", type=Path, default=Path("load-out"), metavar="FOLDER", help="where the files go")
    parser.add_argument("--web", action="store_true", help="keep locust's page open on 127.0.0.1, until Ctrl-C")


def _start(options: argparse.Namespace) -> int:
    missing = [name for name in _needed(options) if importlib.util.find_spec(name) is None]
    if missing:
        are = "is" if len(missing) == 1 else "are"
        return _error(f"{' and '.join(missing)} {are} not installed; what the load test needs: {EXTRA_HINT}")
    if sys.platform != "linux":
        return _error("the servers are started and watched as Linux allows it: there is no load test elsewhere")
    from bench.load.load_page import request_table, worker_table
    from bench.load.load_run import run
    from bench.load.plan import Plan
    from ssrjson_web._cli.kit.processes import ProcessDied

    try:
        plan = Plan(
            app=options.app,
            engine=options.engine,
            server=options.server,
            workers=options.workers,
            users=options.users,
            seconds=options.seconds,
            script=options.script,
            megabytes=options.megabytes,
            processes=options.processes,
            out=options.out,
            is_web=options.web,
        )
        results, status = run(plan)
    except UsageError as error:
        return _error(str(error))
    except ProcessDied as error:
        say(f"error: {error}")
        return 1
    print("\n".join([worker_table(results).as_text(), request_table(results).as_text()]))
    print(f"report: {plan.folder / 'report.html'}")
    return status


def _needed(options: argparse.Namespace) -> list[str]:
    """The packages that a test imports, here or in its server; a name that is none of ours is the plan's to refuse."""
    of_engine = options.engine if options.engine in ("orjson", "msgspec") else ""
    of_app = options.app if options.app in ("fastapi", "django", "flask") else ""
    of_server = options.server if options.server in ("uvicorn", "gunicorn", "hypercorn") else ""
    default = "uvicorn" if options.app == "fastapi" else "gunicorn"
    return [name for name in ("locust", of_app, of_engine, of_server or default) if name]


def _error(message: str) -> int:
    say(f"error: {message}")
    return 2
