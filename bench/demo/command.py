"""The `demo` command: its arguments, and what Ctrl-C and missing packages do."""

from __future__ import annotations

import argparse
import importlib.util
import signal
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

from bench.command_output import UsageError, refusing, say
from bench.demo.engines import ENGINES
from bench.demo.page import page_of, write_reports
from bench.demo.results import Options
from bench.demo.run import EXTRA_HINT, run
from bench.kit.command_line import between
from bench.kit.lexicon import SCRIPTS
from bench.kit.progress import Progress

if TYPE_CHECKING:
    from argparse import _SubParsersAction

__all__ = ["add_command", "run_demo"]

_DEFAULTS = Options()
_NEEDED = ("fastapi", "uvicorn")
_STATM = Path("/proc/self/statm")
_FAILED, _INTERRUPTED, _TERMINATED = 1, 130, 143

_DESCRIPTION = """\
Serve a resident catalogue of records through FastAPI, one JSON engine after another, and watch
the memory of the server: RSS while every record is served, then again, what is still held after
malloc_trim, and how much of it is cached UTF-8 copies, which CPython keeps in the strings. An ASCII
catalogue is the control. A separate case forks workers over one preloaded catalogue.

Servers listen on 127.0.0.1 only and end with the demo, however it ends. The demo needs Linux: it
reads the figures from /proc.
"""

_EPILOG = f"""\
examples:
  python -m bench demo                                   all engines; about a minute on two idle cores
  python -m bench demo --quick                           all parts, small figures, half the time
  python -m bench demo --script chinese --mb 200 --seconds 15
  python -m bench demo --engines orjson,ssrjson_web --processes 4

exit status: 0; 1 if an engine failed or its load was cut off; 2 if the demo cannot run here; 130 after Ctrl-C.
The servers and the picture need packages: {EXTRA_HINT}
"""


def add_command(commands: _SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add `demo` to a command line."""
    parser = commands.add_parser(
        "demo",
        help="show what each JSON engine does to the memory of a real server",
        description=_DESCRIPTION,
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    for flag, kind, metavar, default, what in (
        ("--mb", between(0.1, 10_000), "MB", _DEFAULTS.megabytes, "size of the catalogue in memory"),
        (
            "--seconds",
            between(0.1, 600),
            "S",
            _DEFAULTS.seconds,
            "length of the load on each server; a slow one gets more",
        ),
        ("--engines", _engines, "A,B", ",".join(_DEFAULTS.engines), "the engines to run, in this order"),
        ("--processes", between(1, 64, int), "N", _DEFAULTS.workers, "uvicorn workers that the preload case forks"),
        ("--out", Path, "DIR", _DEFAULTS.out, "report folder"),
    ):
        parser.add_argument(flag, type=kind, metavar=metavar, help=f"{what} (default {default})")
    scripts = f"the script of the records: {', '.join(SCRIPTS)} (default {_DEFAULTS.script})"
    parser.add_argument("--script", choices=SCRIPTS, metavar="NAME", help=scripts)
    parser.add_argument("--no-control", action="store_true", help="leave the ASCII control out")
    parser.add_argument("--no-preload", action="store_true", help="leave the preload case out")
    parser.add_argument("--quick", action="store_true", help="like --mb 6 --seconds 1.5, unless these are given")
    parser.set_defaults(start=refusing(run_demo))


def run_demo(arguments: argparse.Namespace) -> int:
    """Run it and return the exit status. Takes over SIGTERM while it runs. Raises UsageError."""
    if not _STATM.exists():
        raise UsageError("the demo reads the memory of its servers from /proc, which exists only on Linux")
    missing = [name for name in _NEEDED if importlib.util.find_spec(name) is None]
    if missing:
        raise UsageError(f"the demo needs {' and '.join(missing)}: {EXTRA_HINT}")
    given = {
        "megabytes": arguments.mb or (6.0 if arguments.quick else None),
        "seconds": arguments.seconds or (1.5 if arguments.quick else None),
        "workers": arguments.processes,
        **{name: getattr(arguments, name) for name in ("engines", "script", "out")},
    }
    options = Options(
        **{name: value for name, value in given.items() if value is not None},
        has_control=not arguments.no_control,
        has_preload=not arguments.no_preload,
    )
    try:
        options.out.mkdir(parents=True, exist_ok=True)
        tempfile.TemporaryFile(dir=options.out).close()
    except OSError as error:
        raise UsageError(f"the reports cannot be written to {options.out}: {error.strerror}") from error
    progress = Progress(sys.stderr)
    previous = signal.signal(signal.SIGTERM, _terminate)
    lines: list[str] = []
    problem = ""
    try:
        results = run(options, progress=progress, command=["python", "-m", "bench", *sys.argv[1:]])
        page = page_of(results, hint=EXTRA_HINT)
        try:
            for line in write_reports(page, options.out):
                lines.append(line)
        except OSError as error:  # the tables are printed in any case
            problem = f"bench demo: the reports cannot be written to {options.out}: {error.strerror}"
    except (KeyboardInterrupt, _Terminated) as stop:
        progress.say("Stopped: no server is left running.")
        return _TERMINATED if isinstance(stop, _Terminated) else _INTERRUPTED
    finally:
        signal.signal(signal.SIGTERM, previous)
    print("\n".join(["", page.as_text(), *lines]))
    if problem:
        say(problem)
        return _FAILED
    return 0 if results.is_complete else _FAILED


class _Terminated(BaseException):
    """SIGTERM came."""


def _terminate(*_: object) -> NoReturn:
    raise _Terminated


def _engines(text: str) -> tuple[str, ...]:
    names = tuple(dict.fromkeys(name.strip() for name in text.split(",") if name.strip()))
    unknown = [name for name in names if name not in ENGINES]
    if "ssrjson" in unknown:
        raise argparse.ArgumentTypeError("ssrjson is another library, which the demo does not run: ours is ssrjson_web")
    if unknown or not names:
        raise argparse.ArgumentTypeError(f"{', '.join(unknown) or 'none given'}: choose from {', '.join(ENGINES)}")
    return names
