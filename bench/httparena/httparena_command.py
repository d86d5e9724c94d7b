"""Entries of HttpArena, held against applications by its rules: stock, and with orjson.

    python -m bench httparena
    python -m bench httparena --quick --profiles json,json-comp
    python -m bench httparena --clone ../HttpArena

Each server has a worker for each core and listens on 127.0.0.1; wrk sends the requests of a profile in turn, as
HttpArena's load generator does. Before a profile is timed, every answer of every server is compared with what the rules
say and with the first server's. The servers take turns in each round. The best round counts, as in HttpArena; the CPU
time of the server is the least of the rounds. RSS is that of all processes of a server, after the profile.
"""

from __future__ import annotations

import argparse
import contextlib
import http.client
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from bench.command_output import Page, UsageError, add_common_options, check_names, publishing, say, split_names
from bench.httparena import database, wrk
from bench.httparena.checks import Answers, WrongAnswerError, check, differences
from bench.httparena.contenders import CONTENDERS, OURS, Contender, cores, of_clone, serving
from bench.httparena.profiles import PROFILES, Profile, write_dataset
from bench.kit.machine import describe_machine, installed_versions
from bench.kit.process_tree import cpu_seconds, rss_bytes
from bench.kit.processes import ProcessDied
from bench.kit.progress import Progress
from bench.kit.servers import Server
from bench.kit.tables import Table
from bench.source_tree import ROOT

_PACKAGES = (
    *(
        "ssrjson_web",
        "orjson",
        "fastapi",
        "starlette",
        "pydantic",
        "uvicorn",
        "uvloop",
        "httptools",
        "flask",
        "gunicorn",
    ),
    *("starlette-compress", "flask-compress", "brotli", "asyncpg", "psycopg", "psycopg-pool"),
)
_FRAMEWORKS = ("fastapi", "flask")
_NEEDED = {
    "fastapi": ("fastapi", "uvicorn", "uvloop", "httptools", "starlette_compress", "orjson", "asyncpg"),
    "flask": ("flask", "gunicorn", "flask_compress", "orjson", "psycopg", "psycopg_pool"),
}


Served = tuple[Contender, Server]


@dataclass(frozen=True, kw_only=True)
class Measured:
    """One contender in one profile."""

    framework: str
    contender: str
    profile: str
    requests_per_s: float
    cpu_us: float
    """CPU time of the server for a request."""
    p50_us: float
    p99_us: float
    mean_bytes: float
    """Of the bodies as they were sent."""
    rss_bytes: int
    note: str


def add_command(commands: Any) -> None:
    """Adds `httparena` to an `argparse` subparsers object."""
    parser = commands.add_parser("httparena", help="HttpArena's profiles: our entries, stock and orjson, under wrk")
    parser.set_defaults(start=publishing(_page))
    names = ", ".join(profile.name for profile in PROFILES)
    parser.add_argument("--profiles", default="", metavar="NAMES", help=names)
    parser.add_argument("--frameworks", default="", metavar="NAMES", help=", ".join(_FRAMEWORKS))
    parser.add_argument("--rounds", type=int, default=3, metavar="N", help="default 3")
    parser.add_argument("--seconds", type=int, default=3, metavar="S", help="of load in a round; default 3")
    parser.add_argument("--clone", type=Path, metavar="DIR", help="a clone of HttpArena, whose own entries take part")
    add_common_options(parser, "a round of one second", sorted({one.name for one in CONTENDERS}))


def _page(options: argparse.Namespace) -> Page:
    contenders, profiles = _chosen(options)
    rounds, seconds = (1, 1) if options.quick else (options.rounds, options.seconds)
    if rounds < 1 or seconds < 1:
        raise UsageError("--rounds and --seconds are at least 1")
    if sys.platform != "linux":
        raise UsageError("Linux only: memory and CPU time of the servers come from /proc")
    missing = [name for one in {c.framework for c in contenders} for name in _NEEDED[one] if find_spec(name) is None]
    if missing:
        raise UsageError(f"not installed: {', '.join(sorted(missing))}; see the extra 'bench' in pyproject.toml")
    if wrk.program() is None:
        raise UsageError("wrk is not installed: apt install wrk")
    machine = describe_machine(installed_versions(_PACKAGES), sources=ROOT)
    measured: list[Measured] = []
    faults: list[str] = []
    is_complete = True
    with contextlib.ExitStack() as stack:
        try:
            environment, profiles = _environment(stack, profiles)
            servers = [
                (one, stack.enter_context(serving(one, workers=cores(), environment=environment))) for one in contenders
            ]
            for profile in profiles:
                measured += _profile(profile, servers, rounds, seconds, Progress(sys.stderr), faults)
        except KeyboardInterrupt:
            is_complete = False
        except (ProcessDied, database.DatabaseError) as error:
            faults.append(str(error))
            say(f"error: {error}")
    return Page(
        machine={**machine, "load by": f"wrk, {cores()} threads; {cores()} workers a server; on one machine"},
        tables=[
            table_of(profile, measured) for profile in profiles if any(m.profile == profile.name for m in measured)
        ],
        document={"is_complete": is_complete, "rows": [vars(one) for one in measured]},
        is_complete=is_complete,
        has_faults=bool(faults),
    )


def _chosen(options: argparse.Namespace) -> tuple[list[Contender], list[Profile]]:
    """The contenders and profiles that the options name. Raises UsageError."""
    everyone = list(CONTENDERS)
    if options.clone is not None:
        try:
            everyone += of_clone(options.clone)
        except OSError as error:
            raise UsageError(f"{options.clone} is no clone of HttpArena: {error}") from error
    names = split_names(options.rivals) or sorted({one.name for one in everyone})
    frameworks = split_names(options.frameworks) or list(_FRAMEWORKS)
    wanted = split_names(options.profiles) or [profile.name for profile in PROFILES]
    check_names("rival", names, {one.name for one in everyone})
    check_names("framework", frameworks, _FRAMEWORKS)
    check_names("profile", wanted, [profile.name for profile in PROFILES])
    # our entries always take part
    contenders = [one for one in everyone if one.framework in frameworks and one.name in (*names, OURS)]
    return contenders, [profile for profile in PROFILES if profile.name in wanted]


def _environment(stack: contextlib.ExitStack, profiles: Sequence[Profile]) -> tuple[dict[str, str], list[Profile]]:
    """The servers' environment, and the profiles that it allows."""
    folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="ssrjson-arena-")))
    environment = {"DATASET_PATH": str(write_dataset(folder))}
    if any(profile.needs_database for profile in profiles):
        absent = database.missing()
        if absent is None:
            environment["DATABASE_URL"] = stack.enter_context(database.postgres())
            environment["DATABASE_MAX_CONN"] = str(database.MAX_CONNECTIONS // 16)  # 16 servers' pools have room
        else:
            say(f"async-db is left out: {absent}")
            profiles = [profile for profile in profiles if not profile.needs_database]
    return environment, list(profiles)


def _profile(
    profile: Profile, servers: Sequence[Served], rounds: int, seconds: int, progress: Progress, faults: list[str]
) -> list[Measured]:
    """Every server that gives right answers, in one profile."""
    right: dict[str, tuple[Contender, Server, Answers, str]] = {}
    for contender, server in servers:
        title = contender.title
        try:
            answers = check(server.port, profile)
            note = differences(answers, next(iter(right.values()))[2]) if right else ""
            right[title] = (contender, server, answers, note)
        except (WrongAnswerError, OSError, http.client.HTTPException) as error:
            say(f"left out of {profile.name}: {title}: {error}")
            if contender.name == OURS:
                faults.append(title)
    loads: dict[str, list[tuple[wrk.Load, float]]] = {title: [] for title in right}
    with tempfile.TemporaryDirectory(prefix="ssrjson-wrk-") as folder:
        script = Path(folder) / "requests.lua"
        script.write_text(wrk.script_of(profile), encoding="ascii")
        for number in range(rounds):
            for title in [*right][number % len(right) :] + [*right][: number % len(right)]:
                progress.start(f"{profile.name}, {title}", f"round {number + 1}")
                try:
                    loads[title].append(_loaded(profile, right[title][1], script, seconds))
                except wrk.LoadError as error:
                    say(f"{profile.name}: {title}: {error}")
                    if right[title][0].name == OURS:
                        faults.append(title)
    measured = [_best(profile, *right[title], loads[title]) for title in right if loads[title]]
    for one in measured:
        progress.start(f"{profile.name}, {one.framework}: {one.contender}", "")
        progress.finish(f"{one.requests_per_s:.0f} requests/s, {one.rss_bytes / 1e6:.0f} MB")
    return measured


def _loaded(profile: Profile, server: Server, script: Path, seconds: int) -> tuple[wrk.Load, float]:
    """A round of load, and the server's CPU microseconds for a request. Raises LoadError."""
    before = cpu_seconds(server.pid)
    load = wrk.run(profile, server.port, script, seconds=seconds, threads=cores())
    return load, (cpu_seconds(server.pid) - before) / load.n_requests * 1e6


def _best(
    profile: Profile,
    contender: Contender,
    server: Server,
    answers: Answers,
    note: str,
    loads: Sequence[tuple[wrk.Load, float]],
) -> Measured:
    best = max((load for load, _ in loads), key=lambda load: load.requests_per_s)
    return Measured(
        framework=contender.framework,
        contender=contender.name,
        profile=profile.name,
        requests_per_s=best.requests_per_s,
        cpu_us=min(cpu_us for _, cpu_us in loads),
        p50_us=best.p50_us,
        p99_us=best.p99_us,
        mean_bytes=answers.mean_bytes,
        rss_bytes=rss_bytes(server.pid),
        note=note,
    )


def table_of(profile: Profile, measured: Sequence[Measured]) -> Table:
    """The contenders of a profile, with the ratios to the stock application of the framework."""
    rows = []
    mine = [one for one in measured if one.profile == profile.name]
    fewest = min(one.mean_bytes for one in mine)
    for one in mine:
        stock = next((other for other in mine if (other.framework, other.contender) == (one.framework, "stock")), None)
        row = [
            f"{one.framework}: {one.contender}",
            f"{one.requests_per_s:.0f}",
            "-" if stock is None else f"{one.requests_per_s / stock.requests_per_s:.2f}",
            f"{one.cpu_us:.0f}",
            "-" if stock is None else f"{stock.cpu_us / one.cpu_us:.2f}",
            f"{one.p50_us / 1000:.1f}",
            f"{one.p99_us / 1000:.1f}",
            f"{one.mean_bytes:.0f}",
            f"{one.rss_bytes / 1e6:.1f}",
            one.note,
        ]
        if profile.is_compressed:
            row.insert(-1, f"{one.requests_per_s * (fewest / one.mean_bytes) ** 2:.0f}")
        rows.append(row)
    headers = ["", "req/s", "x stock", "CPU µs", "x stock", "p50 ms", "p99 ms", "bytes", "RSS MB", "bodies"]
    notes = ["CPU µs: of the server, for a request"]
    if profile.is_compressed:
        headers.insert(-1, "score")
        notes.append("score: requests/s times the square of (fewest bytes / its bytes), HttpArena's formula")
    return Table(title=f"{profile.name}: {profile.n_connections} connections", headers=headers, rows=rows, notes=notes)
