"""The command `web`."""

from __future__ import annotations

import argparse
from typing import Any

from bench.command_output import Page, UsageError, add_common_options, publish
from bench.timing import Settings

RIVAL_NAMES = ("stock", "ORJSONResponse", "SSRJSONResponse", "setup(app)")


def add_command(commands: Any) -> None:
    """Adds `web` to an `argparse` subparsers object."""
    parser = commands.add_parser("web", help="requests to a FastAPI application, stock and with ours")
    parser.set_defaults(start=_start)
    parser.add_argument("--cases", metavar="PATTERNS", default="", help="names, globs, kinds or documents: dict,small")
    parser.add_argument("--rounds", type=int, metavar="N", help=f"default {Settings.rounds}")
    parser.add_argument("--clock", choices=["cpu", "wall"], default="cpu", help="cpu time of the process, or wall time")
    parser.add_argument("--server", action="store_true", help="over uvicorn: requests a second and latency")
    parser.add_argument("--django", action="store_true", help="requests to a Django project in place of FastAPI's")
    parser.add_argument("--flask", action="store_true", help="requests to a Flask application in place of FastAPI's")
    parser.add_argument("--list", action="store_true", help="name the cases and stop")
    add_common_options(parser, "few short rounds", RIVAL_NAMES)


def _start(options: argparse.Namespace) -> int:
    return publish(options, lambda: _page(options))


def _page(options: argparse.Namespace) -> Page | None:
    is_over_server = options.server and not options.list
    if sum((options.django, options.flask, options.server)) > 1:
        raise UsageError("--django and --flask are measured by themselves, in one process: without --server")
    try:
        if options.django:
            from bench.web import adapter_report, django_project, django_rivals

            django_project.fill()
            return adapter_report.page(options, django_rivals.adapter())
        if options.flask:
            from bench.web import adapter_report, flask_rivals

            return adapter_report.page(options, flask_rivals.adapter())
        if is_over_server:
            from bench.web import overserver
        else:
            from bench.web import inprocess
    except ImportError as error:
        raise UsageError(f"{error}; what it needs: pip install .[bench]") from error
    return overserver.page(options) if is_over_server else inprocess.page(options)
