"""Requests to FastAPI over uvicorn: a server process for each rival, and the CPU time that it takes."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Sequence
from contextlib import ExitStack
from typing import Any

from bench.kit.http_client import ConnectionLost, ask, send
from bench.kit.processes import ALLOCATOR, ProcessDied, python_module
from bench.kit.servers import Server, started
from bench.source_tree import ROOT
from bench.subject import UnableError, WrongResultError
from bench.timing import WALL_CLOCK, Clock
from bench.web.fastapi_cases import FastAPICase, all_cases
from bench.web.fastapi_rivals import KINDS, RIVALS, STOCK, WebRival, versions
from bench.web.fastapi_server import LOOP, PROTOCOL, server_versions
from bench.web.web_case import Checked, Contender, Framework, WebCase

N_CONNECTIONS = 16
_LOOP_NS = 25_000_000
"""Of a server's CPU time: 250 small answers, beside which the question for the CPU time itself counts little."""
_MAX_REQUESTS = 1000
"""Requests whose values a server holds at once."""


class Servers:
    """The processes, each started when it is first asked."""

    def __init__(self) -> None:
        self._stack = ExitStack()
        self._started: dict[str, Server] = {}

    def ask(self, rival: WebRival, path: str, body: bytes | None = None) -> bytes:
        """The body of an answer. Raises UnableError where there is none, or the status is not 200."""
        try:
            status, answer = ask(self._port(rival), path, body)
        except (ConnectionLost, ProcessDied) as error:
            raise UnableError(str(error)) from error
        if status != 200:
            raise UnableError(f"status {status}")
        return answer

    def send(self, rival: WebRival, path: str, bodies: Sequence[bytes | None]) -> None:
        """A request with each body, or without one, over 16 connections. Raises UnableError."""
        try:
            send(self._port(rival), path, bodies, n_connections=N_CONNECTIONS)
        except ConnectionLost as error:
            raise UnableError(str(error)) from error

    def close(self) -> None:
        """Ends them."""
        self._stack.close()

    def _port(self, rival: WebRival) -> int:
        """Raises ProcessDied."""
        if rival.name not in self._started:
            server = started(
                lambda _, descriptor: python_module("bench.web.fastapi_server", rival.name, str(descriptor)),
                ready="/cpu",
                environment=ALLOCATOR,
                folder=ROOT,
            )
            self._started[rival.name] = self._stack.enter_context(server)
        return self._started[rival.name].port


def framework() -> Framework:
    """FastAPI over uvicorn; `close` ends the servers."""
    servers = Servers()
    return Framework(
        title="FastAPI over uvicorn, the server's CPU time",
        cases=[_web_case(case, servers) for case in all_cases()],
        rivals=[rival.name for rival in RIVALS],
        ours=(),
        goals=(),
        versions={**versions(), **server_versions()},
        notes=[
            f"uvicorn with {LOOP} and {PROTOCOL}, a process for each rival; {N_CONNECTIONS} connections, kept alive",
            "the server tells its CPU time before and after each round, whose data it makes before and frees after it",
            "with --clock wall it is the time by the clock for a request, which the client's work takes part in",
        ],
        loop_ns=_LOOP_NS,
        close=servers.close,
    )


def _web_case(case: FastAPICase, servers: Servers) -> WebCase:
    body = case.document.body if case.is_post else None
    return WebCase(
        name=case.name,
        kind=case.kind,
        title=KINDS[case.kind].title,
        n_bytes=case.n_bytes,
        make_request=lambda: body,
        make_value=lambda: body,
        contenders=lambda names: _contenders(case, names, body, servers),
        is_always_run=case.is_always_run,
        max_batch=_MAX_REQUESTS,
    )


def _contenders(case: FastAPICase, names: Collection[str], body: bytes | None, servers: Servers) -> Iterator[Contender]:
    path = f"/{case.name}"
    stock: list[bytes] = []

    def contender(rival: WebRival) -> Contender:
        def check() -> Checked:
            answer = servers.ask(rival, path, body)
            if rival is STOCK:
                stock[:] = [answer]
            if fault := fault_of(case, rival, answer, stock):
                raise WrongResultError(fault)
            return Checked(n_bytes=case.n_bytes, cache_bytes=None)

        def loop(bodies: Sequence[Any], clock: Clock) -> int:
            if not case.is_post:
                servers.ask(rival, f"/prepare/{len(bodies)}{path}")
            now = clock if clock is WALL_CLOCK else lambda: int(servers.ask(rival, "/cpu"))
            before = now()
            servers.send(rival, path, bodies)
            return now() - before

        return Contender(rival=rival.name, is_ours=rival.is_ours, loop=loop, check=check, steps=())

    return (contender(rival) for rival in KINDS[case.kind].rivals if rival.name in names)


def fault_of(case: FastAPICase, rival: WebRival, body: bytes, stock: Sequence[bytes]) -> str:
    """The fault of an answer's body; empty if there is none. `stock` is stock's body, if that has answered."""
    if rival.is_ours and stock and body != stock[0]:
        return "the body is not byte for byte stock's"
    if not case.is_post and case.kind != "empty" and repr(json.loads(body)) != case.document.reference:
        return "the body parses to another value"
    return ""
