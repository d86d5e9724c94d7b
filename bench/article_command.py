"""The command `article`: the two scripts of the ssrJSON article, each rival in its own processes."""

from __future__ import annotations

import argparse
import statistics
from collections.abc import Mapping, Sequence
from typing import Any

from bench.cases import Operation
from bench.command_output import Page, UsageError, add_common_options, present_rivals, publishing, say
from bench.kit.tables import Table
from bench.rivals import OURS
from bench.worker import ask_workers

Answers = Mapping[str, Sequence[Mapping[str, Any]]]
"""Of the processes of each rival."""

_SCRIPTS: Mapping[str, Operation] = {"article-dumps": "encode", "article-loads": "decode"}
_TITLES = {
    "article-dumps": "dumps: fresh objects, encoded to bytes once each",
    "article-loads": "loads: fresh str documents, parsed once each",
}
_REFERENCE = "ssrjson"
_TIME_GOALS = {"article-dumps": 0.5, "article-loads": 0.6}
_GROWTH_GOALS_MB = {"article-dumps": 2.0, "article-loads": 1.0}


def add_command(commands: Any) -> None:
    """Adds `article` to an `argparse` subparsers object."""
    parser = commands.add_parser("article", help="the article's two scripts: time, and memory that stays")
    parser.set_defaults(start=publishing(_page))
    parser.add_argument("--objects", type=int, default=1000, metavar="N", help="default 1000, some 1 GB of memory")
    parser.add_argument("--rounds", type=int, default=3, metavar="N", help="processes a rival, interleaved; default 3")
    add_common_options(parser, "100 objects and one round")


def _page(options: argparse.Namespace) -> Page:
    n_objects, rounds = (100, 1) if options.quick else (options.objects, options.rounds)
    if n_objects < 1 or rounds < 1:
        raise UsageError("--objects and --rounds are at least 1")
    rivals, machine = present_rivals(options.rivals)
    found: dict[str, Answers] = {}
    is_complete = True
    try:
        for script, operation in _SCRIPTS.items():
            names = [rival.name for rival in rivals if rival.makes(operation, "bytes")]
            found[script] = ask_workers(script, names, rounds=rounds, say=say, n_objects=n_objects)
    except KeyboardInterrupt as stop:
        say("stopped by Ctrl-C")
        found[script], is_complete = (stop.args or ({},))[0], False
    return Page(
        machine={**machine, "clock": "cpu time"},
        tables=[script_table(script, answers, n_objects, rounds=rounds) for script, answers in found.items()],
        document={
            "objects": n_objects,
            "rounds": rounds,
            **{
                script: [
                    {"rival": name, "elapsed_ms": _ms(each), "growth_mb": _growth_mb(each)}
                    for name, each in answers.items()
                ]
                for script, answers in found.items()
            },
        },
        is_complete=is_complete,
    )


def _ms(answers: Sequence[Mapping[str, Any]]) -> list[float]:
    return [answer["elapsed_ns"] / 1e6 for answer in answers]


def _growth_mb(answers: Sequence[Mapping[str, Any]]) -> list[float]:
    return [answer["growth_bytes"] / 1e6 for answer in answers]


def script_table(script: str, found: Answers, n_objects: int, *, rounds: int) -> Table:
    """Time and growth of each rival, and whether ours reach their goals; those of fewer processes are marked."""
    median = {name: statistics.median(_ms(answers)) for name, answers in found.items()}
    return Table(
        title=f"{_TITLES[script]} ({n_objects} of them)",
        headers=["rival", "ms", "fastest", "slowest", "its time/ours", "RSS growth MB"],
        rows=[
            [
                name,
                f"{median[name]:.0f}",
                f"{min(_ms(answers)):.0f}",
                f"{max(_ms(answers)):.0f}",
                f"{median[name] / median[OURS]:.2f}" if OURS in found else "-",
                f"{max(_growth_mb(answers)):+.1f}",
            ]
            for name, answers in found.items()
        ],
        notes=[
            *(
                f"UNFINISHED: {name}, {len(answers)} of {rounds} processes"
                for name, answers in found.items()
                if len(answers) < rounds
            ),
            *_goal_notes(script, found, median, rounds=rounds),
        ],
    )


def _goal_notes(script: str, found: Answers, median: Mapping[str, float], *, rounds: int) -> list[str]:
    if OURS not in found:
        return [f"{OURS} was not timed"]
    if len(found[OURS]) < rounds:
        return [f"goals: undecided, because {OURS} was not timed to the end"]
    growth, growth_goal = max(_growth_mb(found[OURS])), _GROWTH_GOALS_MB[script]
    notes = [f"goal: RSS grows by at most {growth_goal} MB: {_met(growth <= growth_goal)} ({growth:+.1f})"]
    if len(found.get(_REFERENCE, ())) == rounds:
        share, goal = median[OURS] / median[_REFERENCE], _TIME_GOALS[script]
        notes.append(f"goal: at most {goal} of {_REFERENCE}'s time: {_met(share <= goal)} ({share:.2f})")
    return notes


def _met(is_met: bool) -> str:
    return "yes" if is_met else "NO"
