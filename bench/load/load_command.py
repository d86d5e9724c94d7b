"""The command `load`."""

from __future__ import annotations

import argparse
import importlib.util
import sys
from collections.abc import Sequence
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bench.command_output import UsageError, say, split_names

if TYPE_CHECKING:
    from bench.load.plan import Plan

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
    parser.set_defaults(start=_start)
    parser.add_argument("app", nargs="?", default="fastapi", help="fastapi, django or flask")
    parser.add_argument(
        "engine",
        nargs="?",
        default="ssrjson_web",
        help="stock, orjson, msgspec or ssrjson_web; several by commas, for one report with their growth overlaid",
    )
    parser.add_argument(
        "--server", default="", help="uvicorn, gunicorn or hypercorn; by default gunicorn, for fastapi uvicorn"
    )
    parser.add_argument("--workers", type=int, default=1, metavar="N", help="number of server processes")
    parser.add_argument("--users", type=int, default=10, metavar="N", help="users at the end, after four steps")
    parser.add_argument("--seconds", type=int, default=20, metavar="S", help="duration of the load")
    parser.add_argument(
        "--script", default="mix", help="mix, chinese, japanese, russian, french, emoji; ascii is the control"
    )
    parser.add_argument(
        "--traffic",
        default="pages",
        help="pages and orders, or with fastapi streams: server-sent events, and uploads that arrive in parts",
    )
    parser.add_argument("--megabytes", type=float, default=30.0, metavar="MB", help="resident records of each worker")
    parser.add_argument("--processes", type=int, default=0, metavar="N", help="locust's workers; 0: no master")
    parser.add_argument("--out", type=Path, default=Path("load-out"), metavar="FOLDER", help="folder for the files")
    parser.add_argument(
        "--web", dest="is_web", action="store_true", help="keep locust's page open on 127.0.0.1, until Ctrl-C"
    )


def _start(options: argparse.Namespace) -> int:
    engines = list(dict.fromkeys(split_names(options.engine)))
    missing = [name for name in _needed(options, engines) if importlib.util.find_spec(name) is None]
    if missing:
        are = "is" if len(missing) == 1 else "are"
        return _error(f"{' and '.join(missing)} {are} not installed; what the load test needs: {EXTRA_HINT}")
    if sys.platform != "linux":
        return _error("the load test needs Linux: it starts and watches the servers by Linux's means")
    from bench.kit.processes import ProcessDied

    try:
        return _load(_plans(options, engines))
    except UsageError as error:
        return _error(str(error))
    except ProcessDied as error:
        say(f"error: {error}")
        return 1


def _plans(options: argparse.Namespace, engines: Sequence[str]) -> list[Plan]:
    """A plan for each engine. Raises UsageError."""
    from bench.load.plan import Plan

    if options.is_web and len(engines) > 1:
        raise UsageError("--web keeps one server running until Ctrl-C: name one engine")
    given = {field.name: getattr(options, field.name) for field in fields(Plan)}
    return [Plan(**{**given, "engine": engine}) for engine in engines or [options.engine]]


def _load(plans: Sequence[Plan]) -> int:
    """Runs the plans one after another and returns the worst exit status; Ctrl-C ends all. Raises ProcessDied."""
    from bench.load.load_page import engines_page, engines_table, request_table, worker_table
    from bench.load.load_run import run

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


def _needed(options: argparse.Namespace, engines: Sequence[str]) -> list[str]:
    """The packages that a test imports, here or in its server. Unknown names are skipped: the plan rejects them."""
    of_engines = [engine for engine in engines if engine in ("orjson", "msgspec")]
    of_app = options.app if options.app in ("fastapi", "django", "flask") else ""
    of_server = options.server if options.server in ("uvicorn", "gunicorn", "hypercorn") else ""
    default = "uvicorn" if options.app == "fastapi" else "gunicorn"
    return [name for name in ("locust", of_app, *of_engines, of_server or default) if name]


def _error(message: str) -> int:
    say(f"error: {message}")
    return 2
