"""The command `guard`."""

from __future__ import annotations

import argparse
import os
import platform
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from fnmatch import fnmatchcase
from importlib import import_module
from pathlib import Path
from typing import Any

from bench.command_output import say
from bench.guard.callgrind import CPU, totals
from bench.guard.calls import all_calls
from bench.guard.figures import FILE, TOLERANCE, Figures, Finding, Makings, judge, read, write
from bench.guard.guarded import GuardedCall
from bench.kit.tables import Table
from bench.source_tree import ROOT

LEVEL = "avx2"
"""The highest instruction-set level that valgrind supports."""
MAX_SECONDS = 900
MAX_COUNTS = 4
"""How often a call is counted: again where it seems worse, and each that often for figures to commit."""


class CountError(Exception):
    """Instructions could not be counted; the message gives the reason."""


def add_command(commands: Any) -> None:
    """Adds `guard` to an `argparse` subparsers object."""
    parser = commands.add_parser(
        "guard",
        help="compare the instructions of calls and requests with the committed figures (valgrind)",
        description="Counts the instructions of forty calls and seven requests with callgrind, at the level avx2, and "
        f"compares them with {FILE.relative_to(ROOT)}. The exit status is 1 where a call takes over {TOLERANCE:.0%} "
        "more, 2 where instructions could not be counted, 0 where there are no figures for this Python and this "
        "compiler.",
    )
    parser.set_defaults(start=_start)
    parser.add_argument("--calls", metavar="GLOBS", default="*", help="only calls that match: '*rows/*,loads*'")
    parser.add_argument("--update", action="store_true", help="write the counts to the file of figures")
    parser.add_argument("--list", action="store_true", help="print the names of the calls and stop")
    parser.add_argument("--figures", type=Path, default=FILE, metavar="FILE", help="another file of figures")


def _start(options: argparse.Namespace) -> int:
    calls = _chosen(options.calls.split(","))
    if options.list:
        print("\n".join(call.name for call in calls))
        return 0
    if not calls:
        say(f"error: no call matches {options.calls!r}; --list names them")
        return 2
    if reason := _why_no_count():
        print(f"bench-guard: nothing was compared: {reason}")
        return 0
    try:
        makings = Makings.of_this_process(_features()["compiler"])
        figures = read(options.figures)
        kept = figures.get(makings.key)
        if not options.update and (reason := _why_no_figures(makings, kept)):
            print(f"bench-guard: nothing was compared: {reason}; ARGS=--update makes figures")
            return 0
        counted = count(calls)
        for n_before in range(1, MAX_COUNTS):
            again = calls
            if kept is not None and not options.update:
                found = judge(calls, counted, kept, makings.libraries)
                again = [call for call in calls if _is_worse(call, found)]
            counted |= _lower_counts(again, counted, n_before)
        if options.update:
            figures[makings.key] = _updated(kept, makings, counted, is_whole=len(calls) == len(all_calls()))
            write(options.figures, figures)
            print(f"bench-guard: {len(counted)} figures written to {options.figures}")
            return 0
    except (CountError, OSError, ValueError) as error:
        say(f"error: {error}")
        return 2
    assert kept is not None
    found = judge(calls, counted, kept, makings.libraries)
    if len(calls) < len(all_calls()):
        found = [each for each in found if each.state != "gone"]
    _show(found, makings)
    return int(not all(each.is_good for each in found))


def count(calls: Sequence[GuardedCall], *, n_before: int = 0) -> dict[str, int]:
    """Instructions of one call, by its name. Raises CountError.

    The environment is the same on each machine, as far as it can be; after `n_before` counts it is another one, so that
    objects get other addresses.
    """
    by_callgrind = [call for call in calls if not call.counts_python_calls]
    counts = _instructions(by_callgrind, n_before) if by_callgrind else {}
    return counts | {call.name: python_calls(call) for call in calls if call.counts_python_calls}


def _instructions(calls: Sequence[GuardedCall], n_before: int) -> dict[str, int]:
    valgrind = shutil.which("valgrind")
    if valgrind is None:
        raise CountError("valgrind is not installed (apt install valgrind)")
    names = [call.name for call in calls]
    import_module("bench.guard.models")  # compiled now: compiling it during the count would change later allocations
    say(f"counting the instructions of {len(names)} calls: some minutes for all")
    with tempfile.TemporaryDirectory() as folder:
        command = [
            *(valgrind, "--tool=callgrind", "--instr-atstart=no", f"--callgrind-out-file={folder}/counts.%p"),
            *(sys.executable, "-m", "bench.guard.counted", *names),
        ]
        environment = {name: os.environ[name] for name in ("PATH", "LD_LIBRARY_PATH", "TMPDIR") if name in os.environ}
        environment |= {"PYTHONHASHSEED": "0", "SSRJSON_ISA": LEVEL}
        environment |= {f"COUNT_{number}": "x" * 50 for number in range(5 * n_before)}
        try:
            done = subprocess.run(
                command,
                cwd=ROOT,
                env=environment,
                capture_output=True,
                text=True,
                errors="replace",
                timeout=MAX_SECONDS,
            )
        except subprocess.TimeoutExpired as error:
            raise CountError(f"not done after {MAX_SECONDS} s") from error
        found = totals(Path(folder))
    if done.returncode != 0 or found.keys() != set(names):
        said = "\n".join((done.stdout + done.stderr).strip().splitlines()[-8:])
        raise CountError(f"callgrind ended with {done.returncode} and counted {len(found)} calls:\n{said}")
    return {call.name: round(min(found[call.name]) / call.rounds) for call in calls}


def python_calls(guarded: GuardedCall) -> int:
    """The calls of Python functions within one call."""
    call, argument = guarded.make()
    for _ in range(guarded.warm_ups):
        call(argument)
    n_calls = 0

    def note(frame: object, event: str, argument: object) -> None:
        nonlocal n_calls
        n_calls += event == "call"

    sys.setprofile(note)
    try:
        call(argument)
    finally:
        sys.setprofile(None)
    return n_calls


def _lower_counts(calls: Sequence[GuardedCall], counted: dict[str, int], n_before: int) -> dict[str, int]:
    """The calls counted once more; the lower count of each. Raises CountError.

    The addresses of objects decide whether a growing large block is copied, and whether two keys share the place of a
    kept text. The cost of a change shows in every count.
    """
    if not calls:
        return {}
    say(f"counting {len(calls)} once more")
    again = count(calls, n_before=n_before)
    return {call.name: min(counted[call.name], again[call.name]) for call in calls}


def _is_worse(call: GuardedCall, found: Sequence[Finding]) -> bool:
    return any(each.call == call.name and each.state == "worse" for each in found)


def _chosen(patterns: Sequence[str]) -> list[GuardedCall]:
    return [call for call in all_calls() if any(fnmatchcase(call.name, pattern) for pattern in patterns)]


def _features() -> Any:
    from ssrjson_web import get_current_features

    return get_current_features()


def _why_no_count() -> str:
    """Why instructions cannot be counted on this machine; empty where they can."""
    if platform.machine() != CPU:
        return f"the figures are for {CPU}, and this is {platform.machine()}"
    if LEVEL not in _features()["levels"]:
        return f"the figures are for the level {LEVEL}, which this CPU does not have"
    return ""


def _why_no_figures(makings: Makings, kept: Figures | None) -> str:
    if kept is None:
        return f"there are no figures for {makings.key}"
    if reason := makings.misfit(kept.made_with):
        return f"the figures for {makings.key} do not fit: {reason}"
    return ""


def _updated(kept: Figures | None, makings: Makings, counted: dict[str, int], *, is_whole: bool) -> Figures:
    if is_whole:
        return Figures(made_with=makings, instructions=counted)
    if kept is None or makings != kept.made_with:
        raise CountError("there are no figures of the same versions to add these to: leave --calls out")
    return Figures(made_with=makings, instructions={**kept.instructions, **counted})


def _show(found: Sequence[Finding], makings: Makings) -> None:
    table = Table(
        title=f"instructions, or Python calls, of a call, {LEVEL}, {makings.key}",
        headers=["call", "", "committed", "now", "change"],
        rows=[
            [
                each.call,
                each.state if each.state != "as before" else "",
                *map(_cell, (each.before, each.now)),
                each.change,
            ]
            for each in found
        ],
        notes=_notes(found, makings),
        n_text_columns=2,
    )
    print(table.as_text())


def _cell(number: int | None) -> str:
    return "-" if number is None else f"{number:,}"


def _notes(found: Sequence[Finding], makings: Makings) -> list[str]:
    states = [each.state for each in found]
    notes = []
    if n_worse := states.count("worse"):
        notes.append(f"{n_worse} worse by over {TOLERANCE:.0%}: find out why, or accept it with ARGS=--update")
    if states.count("new") + states.count("gone"):
        notes.append("some calls have no committed figure, or some figures no call: ARGS=--update writes new figures")
    if states.count("better"):
        notes.append(f"better by over {TOLERANCE:.0%}: ARGS=--update keeps the gain")
    if "other library" in states:
        here = ", ".join(f"{name} {release}" for name, release in makings.libraries.items())
        notes.append(f"not judged, because the figures were made with other releases than {here}")
    return notes or [f"no call takes over {TOLERANCE:.0%} more than committed"]
