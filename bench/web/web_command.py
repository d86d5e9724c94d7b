"""The command `web`."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import asdict, replace
from fnmatch import fnmatchcase
from importlib import import_module
from typing import TYPE_CHECKING, Any

from bench.command_output import (
    Page,
    UsageError,
    add_common_options,
    check_names,
    chosen_settings,
    publishing,
    split_names,
    until_stopped,
)
from bench.kit.machine import describe_machine
from bench.source_tree import ROOT
from bench.timing import WALL_CLOCK, Settings

if TYPE_CHECKING:
    from bench.web.web_case import Framework, WebCase

RIVAL_NAMES = ("stock", "ORJSONResponse", "SSRJSONResponse", "setup(app)")


def add_command(commands: Any) -> None:
    """Adds `web` to an `argparse` subparsers object."""
    parser = commands.add_parser("web", help="time requests to a FastAPI application: stock, with rivals and with ours")
    parser.set_defaults(start=publishing(_page))
    parser.add_argument("--cases", metavar="PATTERNS", default="", help="names, globs, kinds or documents: dict,small")
    parser.add_argument("--rounds", type=int, metavar="N", help=f"default {Settings.rounds}")
    parser.add_argument("--clock", choices=["cpu", "wall"], default="cpu", help="cpu time of the process, or wall time")
    parser.add_argument("--server", action="store_true", help="over uvicorn: the CPU time of the servers")
    parser.add_argument("--django", action="store_true", help="requests to a Django project instead")
    parser.add_argument("--flask", action="store_true", help="requests to a Flask application instead")
    parser.add_argument("--list", action="store_true", help="print the names of the cases and stop")
    add_common_options(parser, "few short rounds", RIVAL_NAMES)


def _page(options: argparse.Namespace) -> Page | None:
    if sum((options.django, options.flask, options.server)) > 1:
        raise UsageError("--django, --flask and --server cannot be combined: give one of them")
    names = ["fastapi_cases"]
    if options.django:
        names = ["django_cases", "serializer_cases"]
    elif options.flask:
        names = ["flask_cases"]
    elif options.server:
        names = ["server_cases"]
    frameworks: list[Framework] = []
    try:
        if options.django:
            import_module("bench.web.django_project")  # settings first: REST framework reads them when it is imported
        for name in names:
            frameworks.append(import_module(f"bench.web.{name}").framework())
        return _measured(options, frameworks)
    except ImportError as error:
        raise UsageError(f"{error}; what it needs: pip install .[bench]") from error
    finally:
        for framework in frameworks:
            framework.close()


def _measured(options: argparse.Namespace, frameworks: Sequence[Framework]) -> Page | None:
    from bench.web.web_measure import PROCESS_CLOCK, WebPlan, WebRow, run
    from bench.web.web_tables import web_tables

    cases = chosen_cases([case for framework in frameworks for case in framework.cases], options.cases)
    if options.list:
        print("\n".join(case.name for case in cases))
        return None
    known = list(dict.fromkeys(name for framework in frameworks for name in framework.rivals))
    ours = [name for framework in frameworks for name in framework.ours]
    rivals = chosen_rivals(known, options.rivals, always=ours)
    versions = {name: version for framework in frameworks for name, version in framework.versions.items()}
    machine = {**describe_machine(versions, sources=ROOT), "clock": f"{options.clock} time"}
    rows: list[WebRow] = []
    tables, is_complete = [], True
    for framework in frameworks:
        plan = WebPlan(
            cases=[case for case in cases if case in framework.cases],
            rivals=rivals,
            settings=_settings(options, framework),
            clock=PROCESS_CLOCK if options.clock == "cpu" else WALL_CLOCK,
        )
        if plan.cases and is_complete:
            found, is_complete = until_stopped(run(plan))
            rows += found
            tables += web_tables(found, framework)
    return Page(
        machine=machine,
        tables=tables,
        document={"is_complete": is_complete, "rows": [asdict(row) for row in rows]},
        is_complete=is_complete,
        has_faults=any(each.is_ours and each.request is None for row in rows for each in row.measured),
    )


def _settings(options: argparse.Namespace, framework: Framework) -> Settings:
    settings = chosen_settings(options)
    return replace(settings, loop_ns=max(settings.loop_ns, framework.loop_ns))


def chosen_cases(cases: Sequence[WebCase], patterns: str) -> list[WebCase]:
    """The cases of the option --cases, and those that are always run. Raises UsageError where no case matches.

    A pattern is a name, a glob of it, or a part of it between slashes.
    """
    wanted = split_names(patterns)
    found = [
        case.name
        for case in cases
        if any(pattern in case.name.split("/") or fnmatchcase(case.name, pattern) for pattern in wanted)
    ]
    if patterns and not found:
        raise UsageError(f"no case matches {patterns!r}: --list names them")
    return [case for case in cases if not patterns or case.is_always_run or case.name in found]


def chosen_rivals(known: Sequence[str], names: str, *, always: Sequence[str] = ()) -> list[str]:
    """The rivals of the option --rivals, by default all; stock and `always` are always included. Raises UsageError."""
    wanted = split_names(names)
    check_names("rival", wanted, known)
    return [name for name in known if not wanted or name in (known[0], *always, *wanted)]
