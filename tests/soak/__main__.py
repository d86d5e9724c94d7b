"""The command of `make soak`."""

from __future__ import annotations

import argparse
import signal
import sys
import threading
import time
from collections.abc import Sequence
from fnmatch import fnmatchcase
from pathlib import Path

from soak.run import Outcome, soak_all
from soak.servers import SERVERS

OUT = Path(__file__).resolve().parents[2] / "build" / "soak"
TELL_EVERY_S = 15


def parser() -> argparse.ArgumentParser:
    made = argparse.ArgumentParser(
        prog="make soak ARGS='...'",
        description="Each adapter's server under ordinary, slow, aborting and malformed clients, on 127.0.0.1. "
        "The exit status is 1 where a server failed, grew or kept threads, descriptors or tasks, 2 for wrong usage.",
    )
    made.add_argument("servers", nargs="*", metavar="SERVER", help="names or globs of --list; all by default")
    made.add_argument("--list", action="store_true", help="print the names of the servers and stop")
    made.add_argument("--minutes", type=float, default=10, metavar="N", help="time for all servers; default 10")
    made.add_argument("--clients", type=int, default=4, metavar="N", help="clients of each server; default 4")
    made.add_argument("--at-once", type=int, default=len(SERVERS), metavar="N", help="servers at once; all by default")
    made.add_argument("--seed", type=int, default=1, metavar="N", help="seed of the clients' choices; default 1")
    return made


def table(outcomes: Sequence[Outcome]) -> str:
    """A line for each server, then the faults."""
    heads = ("server", "visits", "2xx", "4xx", "no answer", "known 500", "RSS MB", "threads", "files", "tasks", "")
    rows = [heads, *(_row(each) for each in outcomes)]
    widths = [max(len(row[column]) for row in rows) for column in range(len(heads))]
    lines = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows]
    return "\n".join(
        [*lines, *(f"{each.server}: {fault}" for each in outcomes for fault in each.faults)],
    )


def _row(outcome: Outcome) -> tuple[str, ...]:
    answers = outcome.answers

    def span(name: str, scale: float = 1) -> str:
        values = [getattr(each, name) / scale for each in outcome.counts]
        return f"{values[0]:.0f} to {values[-1]:.0f}" if values else "-"

    return (
        outcome.server,
        str(outcome.visits.total()),
        *(str(answers[name]) for name in ("2xx", "4xx", "none")),
        str(outcome.known.total()),
        *(span("rss_bytes", 1e6), span("threads"), span("descriptors"), span("tasks")),
        "good" if outcome.is_good else f"{len(outcome.faults)} FOUND",
    )


def say(line: str) -> None:
    """A line of progress."""
    print(line, file=sys.stderr, flush=True)


def main(words: Sequence[str]) -> int:
    """The exit status."""
    options = parser().parse_args(words)
    if options.list:
        print("\n".join(server.name for server in SERVERS))
        return 0
    for word in options.servers:
        if not any(fnmatchcase(server.name, word) for server in SERVERS):
            say(f"error: no server is called {word!r}: {', '.join(server.name for server in SERVERS)}")
            return 2
    if not (options.minutes > 0 and options.clients > 0 and options.at_once > 0):
        say("error: --minutes, --clients and --at-once must be more than 0")
        return 2
    servers = [
        server
        for server in SERVERS
        if not options.servers or any(fnmatchcase(server.name, word) for word in options.servers)
    ]
    OUT.mkdir(parents=True, exist_ok=True)
    stop, began = threading.Event(), time.monotonic()
    signal.signal(signal.SIGINT, lambda *_: stop.set())
    n_done = 0

    def tell(outcome: Outcome) -> None:
        nonlocal n_done
        n_done += 1
        found = "good" if outcome.is_good else "; ".join(outcome.faults)[:300]
        say(f"  {outcome.server}: {outcome.visits.total()} visits, {found}")

    def tell_time() -> None:
        while not is_over.wait(TELL_EVERY_S):
            say(f"  {time.monotonic() - began:.0f} s: {n_done} of {len(servers)} done")

    is_over = threading.Event()
    clock = threading.Thread(target=tell_time)
    clock.start()
    say(f"{len(servers)} servers, {options.minutes:g} minutes and the time to start and settle; logs in {OUT}")
    try:
        outcomes = soak_all(
            servers,
            seconds=options.minutes * 60,
            n_clients=options.clients,
            seed=options.seed,
            folder=OUT,
            at_once=min(options.at_once, len(servers)),
            tell=tell,
            stop=stop,
        )
    finally:
        is_over.set()
        clock.join()
    print(table(outcomes))
    if stop.is_set():
        print("INCOMPLETE: stopped by Ctrl-C")
        return 130
    return int(not all(outcome.is_good for outcome in outcomes))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
