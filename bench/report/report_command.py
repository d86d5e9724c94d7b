"""The command `report`."""

from __future__ import annotations

import argparse
import signal
import sys
from pathlib import Path
from typing import Any, NoReturn

from bench.command_output import UsageError, check_names, refusing, split_names
from bench.kit.progress import Progress
from bench.report.page import page
from bench.report.steps import PARTS, NoRunError, collect, read_records, steps

_OUT = Path("report-out")
_DESCRIPTION = """\
Run the benchmarks, and put their tables and pictures on one HTML page, which prints well: memory of real servers,
engine by engine; the article's two scripts; encoding and decoding against all libraries; whole requests to web
frameworks; the races. Losses are listed before any detail.
"""
_EPILOG = """\
examples:
  python -m bench report                        ten minutes on two idle cores; others may take twice as long
  python -m bench report --quick                two minutes
  python -m bench report --parts memory,web     measure two parts again; the page keeps the others
  python -m bench report --from report-out      make the page again, without measuring

In DIR: index.html, and data/ with every figure as JSON and the output of each command.
Ctrl-C stops the measuring and makes the page of the figures so far. The page names each part that failed, or
lacks packages, with the reason.

exit status: 0; 1 where a part failed, or a result of ours was wrong; 2 for arguments that cannot be used;
130 after Ctrl-C. Requirements: pip install .[report]
"""


def add_command(commands: Any) -> None:
    """Adds `report` to an `argparse` subparsers object."""
    parser = commands.add_parser(
        "report",
        help="run all benchmarks, and write one page with the results",
        description=_DESCRIPTION,
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.set_defaults(start=refusing(_report))
    parser.add_argument(
        "--parts",
        metavar="NAMES",
        default="",
        help=f"measure only these: {', '.join(PARTS)}; the figures of the others stay",
    )
    parser.add_argument("--quick", action="store_true", help="few rounds, in about two minutes")
    parser.add_argument(
        "--from", dest="source", type=Path, metavar="DIR", help="measure nothing: make the page of an earlier run"
    )
    parser.add_argument("--out", type=Path, metavar="DIR", help=f"output folder; default {_OUT}, or the one of --from")


def _report(options: argparse.Namespace) -> int:
    out: Path = options.out or options.source or _OUT
    data = (options.source or out) / "data"
    is_complete = True
    if options.source is None:
        chosen = steps(_parts(options.parts), quick=options.quick)
        progress = Progress(sys.stderr)
        previous = signal.signal(signal.SIGTERM, _interrupt)
        try:
            is_complete = collect(chosen, data, progress)
        finally:
            progress.clear()
            signal.signal(signal.SIGTERM, previous)
    elif options.parts or options.quick:
        raise UsageError("--from measures nothing: leave --parts and --quick out")
    try:
        found = read_records(data)
    except NoRunError as error:
        raise UsageError(str(error)) from error
    out.mkdir(parents=True, exist_ok=True)
    html = out / "index.html"
    html.write_text(page(found, data), "utf-8")
    print(f"page: {html}")
    print(f"data: {data}")
    if not is_complete:
        print("INCOMPLETE: stopped by Ctrl-C; the page shows what was measured")
        return 130
    return 1 if any(each.status != "measured" or each.reason for each in found) else 0


def _parts(names: str) -> list[str]:
    parts = split_names(names) or list(PARTS)
    check_names("part", parts, PARTS)
    return parts


def _interrupt(*_: object) -> NoReturn:
    raise KeyboardInterrupt
