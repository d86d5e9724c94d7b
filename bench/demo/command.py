"""The `demo` command: its arguments, and what Ctrl-C and missing packages do."""

from __future__ import annotations

import argparse
import importlib.util
import signal
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

from bench.command_output import Page, say
from bench.demo.engines import ENGINES
from bench.demo.page import page_of, write_reports
from bench.demo.results import Options
from bench.demo.run import EXTRA_HINT, run
from bench.kit.lexicon import SCRIPTS
from bench.kit.progress import Progress

if TYPE_CHECKING:
    from argparse import _SubParsersAction

__all__ = ["add_command", "run_demo"]

_DEFAULTS = Options()
_NEEDED = ("fastapi", "uvicorn")
_STATM = Path("/proc/self/statm")
_FAILED, _UNUSABLE, _INTERRUPTED, _TERMINATED = 1, 2, 130, 143

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
  python -m bench demo --live --seconds 60               with a page to watch while it runs

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
    parser.add_argument(
        "--mb", type=_megabytes, metavar="MB", help=f"size of the catalogue in memory (default {_DEFAULTS.megabytes:g})"
    )
    parser.add_argument(
        "--seconds",
        type=_seconds,
        metavar="S",
        help=f"length of the load on each server (default {_DEFAULTS.seconds:g}); a slower server, as on a busy "
        "machine, gets more time as long as it answers",
    )
    parser.add_argument(
        "--engines",
        type=_engines,
        default=_DEFAULTS.engines,
        metavar="A,B",
        help=f"the engines to run, in this order (default {','.join(_DEFAULTS.engines)})",
    )
    parser.add_argument(
        "--script",
        choices=SCRIPTS,
        default=_DEFAULTS.script,
        help=f"the script of the records: {', '.join(SCRIPTS)} (default {_DEFAULTS.script})",
        metavar="NAME",
    )
    parser.add_argument(
        "--processes",
        "--workers",
        dest="workers",
        type=_count,
        default=_DEFAULTS.workers,
        metavar="N",
        help=f"uvicorn workers that the preload case forks (default {_DEFAULTS.workers})",
    )
    parser.add_argument(
        "--out", type=Path, default=_DEFAULTS.out, metavar="DIR", help=f"report folder (default {_DEFAULTS.out})"
    )
    parser.add_argument(
        "--port", type=_port, default=_DEFAULTS.port, metavar="P", help="port on 127.0.0.1 (default: any free one)"
    )
    parser.add_argument(
        "--live",
        action="store_true",
        help="print a link to a page that shows each server while it runs: memory, time spent on JSON, latency; "
        "measuring them takes time and memory, so encode times are longer",
    )
    parser.add_argument("--seed", type=int, default=_DEFAULTS.seed, metavar="N", help="seed of records (default 1)")
    parser.add_argument("--no-control", action="store_true", help="leave the ASCII control out")
    parser.add_argument("--no-preload", action="store_true", help="leave the preload case out")
    parser.add_argument("--quick", action="store_true", help="like --mb 6 --seconds 1.5, unless these are given")
    parser.set_defaults(start=run_demo)


def run_demo(arguments: argparse.Namespace) -> int:
    """Run it and return the exit status. Takes over SIGTERM while it runs."""
    if not _STATM.exists():
        return _refuse("the demo reads the memory of its servers from /proc, which exists only on Linux")
    missing = [name for name in _NEEDED if importlib.util.find_spec(name) is None]
    if missing:
        return _refuse(f"the demo needs {' and '.join(missing)}: {EXTRA_HINT}")
    options = Options(
        megabytes=arguments.mb or (6.0 if arguments.quick else _DEFAULTS.megabytes),
        seconds=arguments.seconds or (1.5 if arguments.quick else _DEFAULTS.seconds),
        engines=arguments.engines,
        workers=arguments.workers,
        script=arguments.script,
        seed=arguments.seed,
        port=arguments.port,
        is_live=arguments.live,
        out=arguments.out,
        has_control=not arguments.no_control,
        has_preload=not arguments.no_preload,
    )
    try:
        options.out.mkdir(parents=True, exist_ok=True)
        tempfile.TemporaryFile(dir=options.out).close()
    except OSError as error:
        return _refuse(f"the reports cannot be written to {options.out}: {error.strerror}")
    progress = Progress(sys.stderr)
    previous = signal.signal(signal.SIGTERM, _terminate)
    try:
        results = run(options, progress=progress, command=["python", "-m", "bench", *sys.argv[1:]])
        page = page_of(results, hint=EXTRA_HINT)
        written, problem = _written(page, options.out)
    except (KeyboardInterrupt, _Terminated) as stop:
        status = _TERMINATED if isinstance(stop, _Terminated) else _INTERRUPTED
        progress.say("Stopped: no server is left running.")
        return status
    finally:
        signal.signal(signal.SIGTERM, previous)
    print("\n".join(["", page.as_text(), *written]))
    if problem:
        say(problem)
        return _FAILED
    return 0 if results.is_complete else _FAILED


def _written(page: Page, out: Path) -> tuple[list[str], str]:
    """A line for each report, and for each error that kept one from being written. The table is printed in any case."""
    lines: list[str] = []
    try:
        for line in write_reports(page, out):
            lines.append(line)
    except OSError as error:
        return lines, f"bench demo: the reports cannot be written to {out}: {error.strerror}"
    return lines, ""


class _Terminated(BaseException):
    """SIGTERM came."""


def _terminate(*_: object) -> NoReturn:
    raise _Terminated


def _refuse(reason: str) -> int:
    say(f"bench demo: {reason}")
    return _UNUSABLE


def _engines(text: str) -> tuple[str, ...]:
    names = tuple(dict.fromkeys(name.strip() for name in text.split(",") if name.strip()))
    unknown = [name for name in names if name not in ENGINES]
    if "ssrjson" in unknown:
        raise argparse.ArgumentTypeError("ssrjson is another library, which the demo does not run: ours is ssrjson_web")
    if unknown or not names:
        raise argparse.ArgumentTypeError(f"{', '.join(unknown) or 'none given'}: choose from {', '.join(ENGINES)}")
    return names


def _megabytes(text: str) -> float:
    return _within(text, 0.1, 10_000)


def _seconds(text: str) -> float:
    return _within(text, 0.1, 600)


def _count(text: str) -> int:
    return round(_within(text, 1, 64))


def _port(text: str) -> int:
    return round(_within(text, 0, 65535))


def _within(text: str, low: float, high: float) -> float:
    try:
        value = float(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text}: not a number") from None
    if not low <= value <= high:
        raise argparse.ArgumentTypeError(f"{text}: not between {low:g} and {high:g}")
    return value
