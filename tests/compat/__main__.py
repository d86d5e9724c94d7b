"""The command of `make compat`: runs each suite without ours, then with ours, and reports the changes."""

from __future__ import annotations

import argparse
import os
import re
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TextIO

from compat.comparison import Report, Verdict, alike_changes, changes, judge
from compat.environment import SetUpError, Workshop
from compat.suites import Suite, chosen

PLUGIN_FOLDER = Path(__file__).parent / "plugin"
PERCENT = re.compile(r"\[ *(\d+)%\]\s*$")
RAN = (0, 1, 2)
"""pytest's exit status where tests ran: all passed, some failed, or files could not be collected."""
MAX_SHOWN = 5
"""Maximum number of tests to name among those that fail with the same last line."""
MAX_RUN_AGAIN = 60
"""More failures than this cannot be random: none of them is run again."""


class RunError(Exception):
    """A run of tests wrote no report, or did not end in time."""


@dataclass(frozen=True, kw_only=True)
class Trial:
    """A suite with its requirements, ready to run."""

    suite: Suite
    python: Path
    sources: Path
    folder: Path
    """The folder of reports and logs."""
    seconds: float
    """The timeout of one run."""

    def run(self, mode: str, words: Sequence[str], *, part: str = "") -> Report:
        """The report of a run: `mode` is `stock` or `ours`, `words` are added for pytest. Raises RunError."""
        report, log = (self.folder / f"{mode}{part}.{suffix}" for suffix in ("json", "log"))
        report.unlink(missing_ok=True)
        environment = {name: value for name, value in os.environ.items() if not name.startswith(("SSRJSON_", "PYTHON"))}
        environment |= {
            "PYTHONPATH": os.pathsep.join(
                [str(PLUGIN_FOLDER), *(str(self.sources / x) for x in self.suite.python_path)]
            ),
            "SSRJSON_COMPAT": ",".join(self.suite.plugs) if mode == "ours" else "stock",
            "SSRJSON_COMPAT_REPORT": str(report),
        }
        command = [str(self.python), *self.suite.program, *words]
        with log.open("w", encoding="utf-8") as output:
            status = self._watch(command, environment, output, f"{self.suite.name} {mode}{part}")
        if status in RAN and report.exists():
            return Report.read(report)
        tail = "\n".join(log.read_text("utf-8", errors="replace").strip().splitlines()[-8:])
        raise RunError(f"{self.suite.name} {mode}: pytest ended with {status}; {log} ends:\n{tail}")

    def _watch(self, command: Sequence[str], environment: dict[str, str], output: TextIO, label: str) -> int:
        started, shown = time.monotonic(), 0
        with (
            subprocess.Popen(
                command,
                cwd=self.sources / self.suite.folder,
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                errors="replace",
                start_new_session=True,  # its workers end too
            ) as child,
            _ended_after(self.seconds, child) as was_late,
        ):
            assert child.stdout is not None
            for line in child.stdout:
                output.write(line)
                found = PERCENT.search(line)
                if found and int(found[1]) >= shown + 20:
                    shown = int(found[1])
                    say(f"  {label}: {shown}%, {time.monotonic() - started:.0f} s")
        if was_late:
            raise RunError(f"{label}: not done after {self.seconds:.0f} s")
        return child.returncode


@contextmanager
def _ended_after(seconds: float, child: subprocess.Popen[str]) -> Iterator[list[bool]]:
    """Ends the child and its processes after `seconds` or on an exception; after a timeout the list has an item."""
    late: list[bool] = []

    def end() -> None:
        late.append(True)
        _kill(child)

    timer = threading.Timer(seconds, end)
    timer.start()
    try:
        yield late
    except BaseException:
        _kill(child)
        raise
    finally:
        timer.cancel()


def _kill(child: subprocess.Popen[str]) -> None:
    if child.poll() is None:
        os.killpg(child.pid, signal.SIGKILL)


def ready(suite: Suite, workshop: Workshop, wheel: Path, seconds: float) -> Trial:
    """The suite with its sources and its environment. Raises SetUpError."""
    say(f"== {suite.name}: sources and environment")
    sources, python = workshop.sources(suite), workshop.python(suite, wheel)
    return Trial(suite=suite, python=python, sources=sources, folder=sources.parent, seconds=seconds)


def stock_report(trial: Trial, words: Sequence[str], *, is_fresh: bool) -> Report:
    """The outcomes without ours: those of the last run, unless something that they depend on has changed since."""
    key = " ".join(
        [
            *words,
            trial.suite.requirements.read_text("utf-8"),
            *(file.read_text("utf-8") for file in sorted(PLUGIN_FOLDER.glob("*.py"))),
        ]
    )
    stamp, kept = trial.folder / "stock.key", trial.folder / "stock.json"
    if not is_fresh and stamp.exists() and stamp.read_text("utf-8") == key:
        say("  without ours: kept from an earlier run (--fresh runs it again)")
        return Report.read(kept)
    stamp.unlink(missing_ok=True)
    report = trial.run("stock", words)
    stamp.write_text(key, "utf-8")
    return report


def verdict_of(trial: Trial, words: Sequence[str], *, is_fresh: bool) -> tuple[Report, Report, Verdict]:
    """Both runs of a suite, and the verdict. Raises RunError."""
    suite = trial.suite
    arguments = suite.selection(words, trial.sources)
    stock = stock_report(trial, arguments, is_fresh=is_fresh)
    say(f"  without ours: {stock.summary()}")
    ours = trial.run("ours", arguments)
    say(f"  with ours: {ours.summary()}")
    unexpected = [each.test for each in changes(stock, ours) if each.test not in suite.expected]
    again = None
    if 0 < len(unexpected) <= MAX_RUN_AGAIN:
        files = [*suite.arguments, *suite.again(unexpected)]
        again = (trial.run("stock", files, part="-again"), trial.run("ours", files, part="-again"))
    verdict = judge(
        stock,
        ours,
        expected=suite.expected,
        least_calls={} if words else suite.least_calls,
        again=again,
    )
    return stock, ours, verdict


def describe(suite: Suite, stock: Report, ours: Report, verdict: Verdict) -> list[str]:
    """The lines of the report at the end."""
    lines = [
        f"{suite.name} ({suite.age}): {_headline(verdict)}",
        f"  without ours  {stock.summary()}",
        f"  with ours     {ours.summary()}",
        f"  calls of ours {', '.join(f'{n} {name}' for name, n in sorted(ours.counts.items())) or 'none'}",
    ]
    for name, (n, least) in verdict.uncalled.items():
        lines.append(f"  NOT IN PLACE  {n} {name}, at least {least} were expected")
    for alike in alike_changes(verdict.new):
        lines += [f"  NEW           {each.test}: {each.stock} -> {each.ours}" for each in alike[:MAX_SHOWN]]
        if len(alike) > MAX_SHOWN:
            lines.append(f"                and {len(alike) - MAX_SHOWN} more that end the same way")
        lines += [f"                | {line}" for line in alike[0].gist.splitlines()[-8:]]
    for each in verdict.expected:
        lines.append(f"  expected      {each.test}: {suite.expected[each.test]}")
    lines += [f"  STALE         {test} is listed as different, but passes" for test in verdict.stale]
    lines += [f"  unstable      {each.test}: failed once, but not when its file ran again" for each in verdict.unstable]
    lines += [f"  mended        {test} fails without ours only" for test in verdict.mended]
    return lines


def _headline(verdict: Verdict) -> str:
    if not verdict.is_good:
        return "DIFFERENT"
    return "as without ours, except for the expected differences" if verdict.expected else "as without ours"


def parser() -> argparse.ArgumentParser:
    made = argparse.ArgumentParser(
        prog="make compat ARGS='...'",
        description="The frameworks' own tests, without our classes and with them. "
        "The exit status is 1 where a test got worse with ours, 2 where a suite could not be run.",
        epilog="What follows -- goes to pytest: ARGS='newest -- tests/test_requests.py -k json'.",
    )
    made.add_argument(
        "suites",
        nargs="*",
        metavar="SUITE",
        help="starlette, fastapi, djangorestframework, django, flask, falcon, oldest, newest, or a glob of names",
    )
    made.add_argument("--list", action="store_true", help="print the names of the suites and stop")
    made.add_argument("--fresh", action="store_true", help="run the suite without ours again, too")
    made.add_argument("--clean", action="store_true", help="set up sources and environments again")
    made.add_argument(
        "--seconds", type=_seconds, default=1800, metavar="N", help="timeout of one run of a suite; default 1800"
    )
    return made


def _seconds(text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text}: not a number") from None
    if not 0 < seconds < float("inf"):
        raise argparse.ArgumentTypeError(f"{text}: not a time above 0")
    return seconds


def say(line: str) -> None:
    """A line of progress."""
    print(line, file=sys.stderr, flush=True)


def main(words: Sequence[str]) -> int:
    """The exit status."""
    own, _, for_pytest = _split(words)
    options = parser().parse_args(own)
    try:
        suites = chosen(options.suites)
    except ValueError as error:
        say(f"error: {error}")
        return 2
    if options.list:
        print("\n".join(f"{suite.name:<20} {suite.age}" for suite in suites))
        return 0
    workshop = Workshop.of_this_python()
    status, lines = 0, []
    try:
        wheel = workshop.wheel()
        for suite in suites:
            if sys.version_info[:2] < suite.first_python:
                lines.append(
                    f"{suite.name} ({suite.age}): left out: it needs Python {'.'.join(map(str, suite.first_python))}"
                )
                continue
            if options.clean:
                shutil.rmtree(workshop.folder / suite.name, ignore_errors=True)
            try:
                trial = ready(suite, workshop, wheel, options.seconds)
                stock, ours, verdict = verdict_of(trial, for_pytest, is_fresh=options.fresh)
            except (SetUpError, RunError) as error:
                lines.append(f"{suite.name} ({suite.age}): NOT RUN: {error}")
                status = 2
                continue
            lines += describe(suite, stock, ours, verdict)
            status = status or int(not verdict.is_good)
    except SetUpError as error:
        lines.append(f"error: {error}")
        status = 2
    except KeyboardInterrupt:
        lines.append("INCOMPLETE: stopped by Ctrl-C")
        status = 130
    print("\n".join(lines))
    return status


def _split(words: Sequence[str]) -> tuple[list[str], str, list[str]]:
    words = list(words)
    at = words.index("--") if "--" in words else len(words)
    return words[:at], "--", words[at + 1 :]


if __name__ == "__main__":
    from ssrjson_web._cli.command_line import run_command

    sys.exit(run_command(lambda: main(sys.argv[1:]), program="make compat"))
