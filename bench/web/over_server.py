"""Requests over a real server: from the options of `web --server` to its page."""

from __future__ import annotations

import argparse
import contextlib
import json
import math
import statistics
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack
from dataclasses import asdict, dataclass, replace
from importlib.metadata import PackageNotFoundError

from bench.command_output import Page, UsageError, say
from bench.kit.http_client import ConnectionLost, Throughput, ask, load
from bench.kit.machine import describe_machine
from bench.kit.processes import ALLOCATOR, ProcessDied, python_module
from bench.kit.servers import Server, started
from bench.kit.tables import Table, significant
from bench.source_tree import ROOT
from bench.web.fastapi_cases import FastAPICase, all_cases
from bench.web.fastapi_rivals import KINDS, RIVALS, STOCK, WebRival, versions
from bench.web.fastapi_server import LOOP, PROTOCOL, server_versions
from bench.web.web_command import chosen_cases, chosen_rivals

N_CONNECTIONS = 16
_ROUNDS, _SECONDS = 5, 1.0
_QUICK_ROUNDS, _QUICK_SECONDS = 2, 0.3


@dataclass(frozen=True, kw_only=True)
class Rounds:
    """How long the rivals are under load."""

    number: int
    seconds: float = math.inf
    """The length of a round."""
    n_requests: int | None = None
    """Requests of a round, whose values are prepared; None: as many as the seconds allow, and each makes its value."""

    def __str__(self) -> str:
        length = f"{self.seconds:g} s" if self.n_requests is None else f"{self.n_requests} requests"
        return f"{length} a round, {self.number} rounds"


@dataclass(frozen=True, kw_only=True)
class Round:
    """What a server did in one round."""

    throughput: Throughput
    cpu_ns: float
    """The server's CPU time per request."""


@dataclass(frozen=True, kw_only=True)
class Served:
    """One rival on one case, over its rounds."""

    case: str
    rival: str
    is_ours: bool
    rounds: Sequence[Round]
    """Empty where the rival did not run."""
    reason: str = ""
    """Why it did not run."""

    @property
    def requests_per_s(self) -> float:
        """The median of the rounds."""
        return statistics.median(each.throughput.requests_per_s for each in self.rounds)

    @property
    def p50_ns(self) -> float:
        """The median of the rounds' medians."""
        return statistics.median(each.throughput.p50_ns for each in self.rounds)

    @property
    def p99_ns(self) -> float:
        """The median of the rounds' 99th percentiles."""
        return statistics.median(each.throughput.p99_ns for each in self.rounds)

    @property
    def cpu_ns(self) -> float:
        """The server's CPU time per request, the median of the rounds."""
        return statistics.median(each.cpu_ns for each in self.rounds)


def page(options: argparse.Namespace) -> Page:
    """The page. Raises UsageError."""
    rounds = _rounds(options)
    cases = chosen_cases(all_cases(), options.cases)
    names = chosen_rivals([rival.name for rival in RIVALS], options.rivals)
    rivals = [rival for rival in RIVALS if rival.name in names]
    try:
        served_by = server_versions()
    except PackageNotFoundError as error:
        raise UsageError(f"{error}; what it needs: pip install .[bench]") from error
    machine = {
        **describe_machine({**versions(), **served_by}, sources=ROOT),
        "server": f"uvicorn, one process a rival, {LOOP} and {PROTOCOL}",
        "client": f"{N_CONNECTIONS} connections kept alive, {rounds}",
    }
    found: list[Served] = []
    is_complete = True
    with ExitStack() as stack:
        try:
            servers = {rival.name: stack.enter_context(server_of(rival)) for rival in rivals}
            for place, case in enumerate(cases, start=1):
                found += serve_case(case, rivals, servers, rounds)
                say(f"[{place}/{len(cases)}] {case.name:<20} {_gist(found, case)}")
        except KeyboardInterrupt:
            say("stopped by Ctrl-C")
            is_complete = False
        except ProcessDied as error:
            raise UsageError(str(error)) from error
    return Page(
        machine=machine,
        tables=[server_table(found, has_prepared_values=rounds.n_requests is not None)],
        document={"is_complete": is_complete, "served": [asdict(each) for each in found]},
        is_complete=is_complete,
        has_faults=any(each.is_ours and each.reason for each in found),
    )


def _rounds(options: argparse.Namespace) -> Rounds:
    number, seconds = (_QUICK_ROUNDS, _QUICK_SECONDS) if options.quick else (_ROUNDS, _SECONDS)
    number = number if options.rounds is None else options.rounds
    for name, value, least in (("rounds", number, 1), ("requests", options.requests, N_CONNECTIONS)):
        if value is not None and value < least:
            raise UsageError(f"--{name} is {value}: at least {least} is needed")
    return Rounds(number=number, seconds=seconds if options.requests is None else math.inf, n_requests=options.requests)


def server_of(rival: WebRival) -> AbstractContextManager[Server]:
    """A server process for the rival, which ends with the context. Raises ProcessDied."""
    return started(
        lambda _, descriptor: python_module("bench.web.fastapi_server", rival.name, str(descriptor)),
        ready="/cpu",
        environment=ALLOCATOR,
        folder=ROOT,
    )


def _cpu_ns(server: Server) -> int:
    """CPU time of the process so far. Raises ConnectionLost."""
    return int(ask(server.port, "/cpu")[1])


def serve_case(
    case: FastAPICase, rivals: Sequence[WebRival], servers: Mapping[str, Server], rounds: Rounds
) -> list[Served]:
    """Every rival of the case in turn; each round begins with another rival."""
    path, posted = _request_of(case)
    found: dict[str, Served] = {}
    stock: bytes | None = None
    for rival in [rival for rival in KINDS[case.kind].rivals if rival in rivals]:
        reason = ""
        try:
            status, body = ask(servers[rival.name].port, path, posted)
            stock = body if rival is STOCK else stock
            reason = fault_of(case, rival, body, stock) if status == 200 else f"status {status}"
        except ConnectionLost as error:
            reason = str(error)
        found[rival.name] = Served(case=case.name, rival=rival.name, is_ours=rival.is_ours, rounds=[], reason=reason)
    running = [name for name, each in found.items() if not each.reason]
    done: dict[str, list[Round]] = {name: [] for name in running}
    for name in running:  # warm
        with contextlib.suppress(ConnectionLost):  # the first round says it
            load(servers[name].port, path, posted, seconds=min(rounds.seconds, 0.2), n_connections=N_CONNECTIONS)
    for turn in range(rounds.number):
        for place in range(len(running)):
            name = running[(turn + place) % len(running)]
            if found[name].reason:
                continue
            try:
                done[name].append(_round(case, servers[name], rounds))
            except (ConnectionLost, OSError) as error:  # rounds before the failure are not figures of a finished run
                reason = f"UNFINISHED, {turn} of {rounds.number} rounds: {error}"
                found[name] = replace(found[name], reason=reason)
    return [each if each.reason else replace(each, rounds=done[each.rival]) for each in found.values()]


def _request_of(case: FastAPICase) -> tuple[str, bytes | None]:
    return f"/{case.name}", case.document.body if case.is_post else None


def _round(case: FastAPICase, server: Server, rounds: Rounds) -> Round:
    """One round of one server. Raises ConnectionLost."""
    path, posted = _request_of(case)
    if rounds.n_requests is not None and not case.is_post:
        ask(server.port, f"/prepare/{rounds.n_requests}/{case.name}")  # values of its next answers
    before = _cpu_ns(server)
    throughput = load(
        server.port,
        path,
        posted,
        seconds=rounds.seconds,
        n_requests=math.inf if rounds.n_requests is None else rounds.n_requests,
        n_connections=N_CONNECTIONS,
    )
    return Round(throughput=throughput, cpu_ns=(_cpu_ns(server) - before) / throughput.n_requests)


def fault_of(case: FastAPICase, rival: WebRival, body: bytes, stock: bytes | None) -> str:
    """The fault of an answer's body; empty if there is none."""
    if rival.is_ours and stock is not None and body != stock:
        return "the body is not byte for byte stock's"
    if not case.is_post and case.kind != "empty" and repr(json.loads(body)) != case.document.reference:
        return "the body parses to another value"
    return ""


def server_table(found: Sequence[Served], *, has_prepared_values: bool = False) -> Table:
    """Requests per second and latencies of each rival in each case."""
    stock = {each.case: each for each in found if each.rival == STOCK.name and each.rounds}
    making = "made within its request, so the figures include it; instances include validation"
    if has_prepared_values:
        making = "made before the round and freed after it"
    return Table(
        title="over a server: requests per second and latency, medians of the rounds",
        headers=[
            "case",
            "rival",
            "requests/s",
            "of stock's",
            "slowest",
            "fastest",
            "p50 ms",
            "p99 ms",
            "CPU µs",
            "least",
            "stock/CPU",
        ],
        rows=[
            [
                each.case,
                each.rival,
                f"{each.requests_per_s:.0f}",
                f"{each.requests_per_s / stock[each.case].requests_per_s:.2f}" if each.case in stock else "-",
                f"{min(x.throughput.requests_per_s for x in each.rounds):.0f}",
                f"{max(x.throughput.requests_per_s for x in each.rounds):.0f}",
                significant(each.p50_ns / 1e6),
                significant(each.p99_ns / 1e6),
                significant(each.cpu_ns / 1000),
                significant(min(x.cpu_ns for x in each.rounds) / 1000),
                f"{stock[each.case].cpu_ns / each.cpu_ns:.2f}" if each.case in stock else "-",
            ]
            for each in found
            if each.rounds
        ],
        notes=[
            f"the data of an answer is {making}",
            "CPU: the server's own time per request, without the time of other processes; least: of a round",
            "client and server share the machine: every latency includes the client's work, which also limits the rate",
            *(f"{each.rival} in {each.case}: {each.reason}" for each in found if each.reason),
        ],
        n_text_columns=2,
    )


def _gist(found: Sequence[Served], case: FastAPICase) -> str:
    return ", ".join(
        f"{each.rival} {each.requests_per_s:.0f}/s" if each.rounds else f"{each.rival}: {each.reason}"
        for each in found
        if each.case == case.name
    )
