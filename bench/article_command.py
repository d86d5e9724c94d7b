"""The command `article`: the two scripts of the ssrJSON article, each rival in its own processes."""

from __future__ import annotations

import argparse
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from bench.cases import Operation
from bench.command_output import Page, UsageError, add_common_options, present_rivals, publish, say
from bench.kit.tables import Table
from bench.rivals import OURS, Rival
from bench.worker import WorkerError, ask_worker

_SCRIPTS = ("article-dumps", "article-loads")
_TITLES = {
    "article-dumps": "dumps: fresh objects, encoded to bytes once each",
    "article-loads": "loads: fresh str documents, parsed once each",
}
_REFERENCE = "ssrjson"
_TIME_GOALS = {"article-dumps": 0.5, "article-loads": 0.6}
_GROWTH_GOALS_MB = {"article-dumps": 2.0, "article-loads": 1.0}


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """One rival's runs of one script."""

    rival: str
    elapsed_ms: Sequence[float]
    growth_mb: Sequence[float]

    @property
    def median_ms(self) -> float:
        """The median time of the runs, in ms."""
        return statistics.median(self.elapsed_ms)


def add_command(commands: Any) -> None:
    """Adds `article` to an `argparse` subparsers object."""
    parser = commands.add_parser("article", help="the article's two scripts: time, and memory that stays")
    parser.set_defaults(start=_start)
    parser.add_argument("--objects", type=int, default=1000, metavar="N", help="default 1000, some 1 GB of memory")
    parser.add_argument("--rounds", type=int, default=3, metavar="N", help="processes a rival, interleaved; default 3")
    add_common_options(parser, "100 objects and one round")


def _start(options: argparse.Namespace) -> int:
    return publish(options, lambda: _page(options))


def _page(options: argparse.Namespace) -> Page:
    n_objects, rounds = (100, 1) if options.quick else (options.objects, options.rounds)
    if n_objects < 1 or rounds < 1:
        raise UsageError("--objects and --rounds are at least 1")
    rivals, machine = present_rivals(options.rivals)
    outcomes: dict[str, list[Outcome]] = {}
    is_complete = True
    for script in _SCRIPTS:
        if is_complete:
            outcomes[script], is_complete = run_script(script, rivals, n_objects=n_objects, rounds=rounds)
    return Page(
        machine={**machine, "clock": "cpu time"},
        tables=[script_table(script, found, n_objects, rounds=rounds) for script, found in outcomes.items()],
        document={
            "is_complete": is_complete,
            "objects": n_objects,
            "rounds": rounds,
            **{
                script: [
                    {"rival": each.rival, "elapsed_ms": each.elapsed_ms, "growth_mb": each.growth_mb} for each in found
                ]
                for script, found in outcomes.items()
            },
        },
        is_complete=is_complete,
    )


def run_script(script: str, rivals: Sequence[Rival], *, n_objects: int, rounds: int) -> tuple[list[Outcome], bool]:
    """One outcome for each rival of the run, and whether the run was not stopped by Ctrl-C."""
    operation: Operation = "encode" if script == "article-dumps" else "decode"
    names = [rival.name for rival in rivals if rival.makes(operation, "bytes")]
    answers: dict[str, list[Mapping[str, Any]]] = {name: [] for name in names}
    is_complete = True
    try:
        for turn in range(rounds):
            for place in range(len(names)):
                name = names[(turn + place) % len(names)]
                try:
                    answer = ask_worker(script, name, n_objects=n_objects)
                except WorkerError as error:
                    say(f"{script} {name}: {error}")
                    continue
                answers[name].append(answer)
                say(
                    f"{script} {turn + 1}/{rounds} {name}: {answer['elapsed_ns'] / 1e6:.0f} ms, "
                    f"{answer['growth_bytes'] / 1e6:+.1f} MB"
                )
    except KeyboardInterrupt:
        say("stopped by Ctrl-C")
        is_complete = False
    return [
        Outcome(
            rival=name,
            elapsed_ms=[answer["elapsed_ns"] / 1e6 for answer in found],
            growth_mb=[answer["growth_bytes"] / 1e6 for answer in found],
        )
        for name, found in answers.items()
        if found
    ], is_complete


def script_table(script: str, outcomes: Sequence[Outcome], n_objects: int, *, rounds: int) -> Table:
    """Time and growth of each rival, and whether ours reach their goals; outcomes of fewer processes are marked."""
    by_name = {outcome.rival: outcome for outcome in outcomes}
    ours = by_name.get(OURS)
    return Table(
        title=f"{_TITLES[script]} ({n_objects} of them)",
        headers=["rival", "ms", "fastest", "slowest", "its time/ours", "RSS growth MB"],
        rows=[
            [
                each.rival,
                f"{each.median_ms:.0f}",
                f"{min(each.elapsed_ms):.0f}",
                f"{max(each.elapsed_ms):.0f}",
                f"{each.median_ms / ours.median_ms:.2f}" if ours else "-",
                f"{max(each.growth_mb):+.1f}",
            ]
            for each in outcomes
        ],
        notes=[
            *(
                f"UNFINISHED: {each.rival}, {len(each.elapsed_ms)} of {rounds} processes"
                for each in outcomes
                if len(each.elapsed_ms) < rounds
            ),
            *_goal_notes(script, ours, by_name.get(_REFERENCE), rounds=rounds),
        ],
    )


def _goal_notes(script: str, ours: Outcome | None, reference: Outcome | None, *, rounds: int) -> list[str]:
    if ours is None:
        return [f"{OURS} was not timed"]
    if len(ours.elapsed_ms) < rounds:
        return [f"goals: undecided, because {OURS} was not timed to the end"]
    growth, growth_goal = max(ours.growth_mb), _GROWTH_GOALS_MB[script]
    notes = [f"goal: RSS grows by at most {growth_goal} MB: {_met(growth <= growth_goal)} ({growth:+.1f})"]
    if reference is not None and len(reference.elapsed_ms) == rounds:
        share, goal = ours.median_ms / reference.median_ms, _TIME_GOALS[script]
        notes.append(f"goal: at most {goal} of {_REFERENCE}'s time: {_met(share <= goal)} ({share:.2f})")
    return notes


def _met(is_met: bool) -> str:
    return "yes" if is_met else "NO"
