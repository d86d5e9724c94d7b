"""One server under load: a first part that warms it up, a count at rest, the remaining time, a count at rest."""

from __future__ import annotations

import json
import random
import threading
import time
from collections import Counter
from collections.abc import Callable, Container
from dataclasses import dataclass, field
from http.client import HTTPException
from pathlib import Path

from helpers.processes import Started, started

from soak.census import Census, census, complaints
from soak.clients import ServerFault, Target, one, visit
from soak.servers import APPS, Server

MAX_FAULTS = 5
"""A server with this many faults is broken: its run ends."""
READY_S = 120.0
LEVEL_COUNTS = 3
"""Number of equal counts, a second apart; servers keep idle connections for some seconds."""
SETTLE_S = 20.0
RSS_SLACK_BYTES = 8_000_000
RSS_SLACK = 0.10


@dataclass(kw_only=True)
class Outcome:
    """The outcome of a server."""

    server: str
    visits: Counter[str] = field(default_factory=Counter)
    """Number of visits by kind."""
    answers: Counter[str] = field(default_factory=Counter)
    """Number of answers by class of status; `none` where the client got no answer."""
    known: Counter[str] = field(default_factory=Counter)
    """Answers of status 500 that the server's entry explains, by kind of visit."""
    faults: list[str] = field(default_factory=list)
    counts: list[Census] = field(default_factory=list)
    """Counts at rest: after the first part, in the middle of the remaining time, and at the end."""

    @property
    def is_good(self) -> bool:
        """Whether no fault was found."""
        return not self.faults


def soak(server: Server, *, seconds: float, n_clients: int, seed: int, folder: Path, stop: threading.Event) -> Outcome:
    """The outcome of a load of `seconds` on a new server; its log is in the folder."""
    outcome = Outcome(server=server.name)
    log = folder / f"{server.name}.log"
    try:
        with started(server.command, folder=APPS, log=log, environment={"PYTHONUNBUFFERED": "1"}) as running:
            target = Target(
                address=running.address, prefix=server.prefix, has_streams=server.has_streams, parts=server.parts
            )
            _await_page(target)
            first = min(60.0, seconds / 3)
            for part, length in enumerate((first, (seconds - first) / 2, (seconds - first) / 2)):
                _load(
                    outcome,
                    target,
                    running,
                    seconds=length,
                    n_clients=n_clients,
                    seed=seed + part,
                    stop=stop,
                    known=server.known,
                )
                if outcome.faults or stop.is_set():
                    break
                outcome.counts.append(
                    _at_rest(server, running, outcome.counts[0] if outcome.counts else None, n_clients)
                )
    except Exception as error:
        outcome.faults.append(f"{type(error).__name__}: {error}")
    if log.exists():
        outcome.faults += [
            f"in its log: {each}"
            for each in dict.fromkeys(complaints(log.read_text("utf-8", "replace"), server.known_errors))
        ]
    if len(outcome.counts) == 3:
        outcome.faults += leftovers(outcome.counts, n_clients)
    return outcome


def leftovers(counts: list[Census], n_clients: int) -> list[str]:
    """The growth from the first count to the last, beyond the growth that pools may explain."""
    first, half, last = counts
    found = []
    allowed = max(RSS_SLACK_BYTES, int(first.rss_bytes * RSS_SLACK))
    if last.rss_bytes - first.rss_bytes > allowed and last.rss_bytes - half.rss_bytes > allowed / 4:
        grown = " to ".join(f"{each.rss_bytes / 1e6:.1f}" for each in counts)
        found.append(f"RSS grows: {grown} MB")
    # a pool that the first part did not fill may grow by one for each client
    for name, slack in (("threads", n_clients), ("descriptors", 2), ("processes", 0), ("tasks", 2)):
        before, after = getattr(first, name), getattr(last, name)
        if after > before + slack:
            found.append(f"{name} left over: {before} to {after}")
    return found


def _load(
    outcome: Outcome,
    target: Target,
    running: Started,
    *,
    seconds: float,
    n_clients: int,
    seed: int,
    stop: threading.Event,
    known: Container[str],
) -> None:
    deadline = time.monotonic() + seconds
    lock = threading.Lock()

    def client(number: int) -> None:
        dice = random.Random(f"{seed} {number}")
        while time.monotonic() < deadline and not stop.is_set() and len(outcome.faults) < MAX_FAULTS:
            fault = ""
            try:
                came = visit(target, dice)
            except ServerFault as error:
                if error.name in known:
                    with lock:
                        outcome.known[error.name] += 1
                    continue
                fault = str(error)
            except (OSError, HTTPException) as error:
                fault = f"{type(error).__name__}: {error}"
            except Exception as error:  # a fault of the client: it must not end a thread silently
                fault = f"the client failed: {type(error).__name__}: {error}"
            with lock:
                if fault:
                    if running.process.poll() is not None:
                        fault = f"the server ended with {running.process.returncode} ({fault})"
                    outcome.faults += [fault] if fault not in outcome.faults else []
                else:
                    outcome.visits[came.kind] += 1
                    outcome.answers[f"{came.status // 100}xx" if came.status else "none"] += 1

    threads = [threading.Thread(target=client, args=(number,)) for number in range(n_clients)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


def _await_page(target: Target) -> None:
    """Waits until the server answers with a page: gunicorn listens before its worker can. Raises OSError."""
    deadline = time.monotonic() + READY_S
    while True:
        try:
            one(target, "/page")
            return
        except (OSError, HTTPException):
            if time.monotonic() > deadline:
                raise
            time.sleep(0.2)


def _at_rest(server: Server, running: Started, before: Census | None, n_clients: int) -> Census:
    """The count once it has not changed for a while, or once it is no larger than `before`."""
    latest, n_level = _count(server, running), 0
    deadline = time.monotonic() + SETTLE_S
    while time.monotonic() < deadline and n_level < LEVEL_COUNTS:
        if before is not None and not leftovers([before, before, latest], n_clients):
            break
        time.sleep(1)
        now = _count(server, running)
        n_level = n_level + 1 if _is_level(latest, now) else 0
        latest = now
    return latest


def _is_level(one: Census, other: Census) -> bool:
    names = ("threads", "descriptors", "processes", "tasks")
    return all(getattr(one, name) == getattr(other, name) for name in names)


def _count(server: Server, running: Started) -> Census:
    tasks = 0
    if server.has_loop:
        _, body = one(Target(address=running.address), "/tasks")
        tasks = json.loads(body)["tasks"]
    return census(running.process.pid, tasks=tasks)


def soak_all(
    servers: list[Server],
    *,
    seconds: float,
    n_clients: int,
    seed: int,
    folder: Path,
    at_once: int,
    tell: Callable[[Outcome], None],
    stop: threading.Event,
) -> list[Outcome]:
    """The outcomes of all servers, of which `at_once` run at a time, each for its share of the time."""
    n_turns = -(-len(servers) // at_once)
    outcomes: list[Outcome] = []
    for turn in range(n_turns):
        threads = [
            threading.Thread(
                target=lambda each=each: _tell(
                    soak(each, seconds=seconds / n_turns, n_clients=n_clients, seed=seed, folder=folder, stop=stop),
                    outcomes,
                    tell,
                )
            )
            for each in servers[turn * at_once : (turn + 1) * at_once]
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        if stop.is_set():
            break
    names = [server.name for server in servers]
    return sorted(outcomes, key=lambda outcome: names.index(outcome.server))


def _tell(outcome: Outcome, outcomes: list[Outcome], tell: Callable[[Outcome], None]) -> None:
    outcomes.append(outcome)
    tell(outcome)
