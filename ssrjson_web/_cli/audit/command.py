"""The `audit` command."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING

from ssrjson_web._cli.audit.places import DEPTH, KEYS, MAX_DEPTH, MAX_KEYS, audit
from ssrjson_web._cli.audit.report import as_json, as_text
from ssrjson_web._cli.audit.running import audit_process
from ssrjson_web._cli.progress import Progress
from ssrjson_web._cli.target import TargetError, WrongTarget, load
from ssrjson_web._shared.plain_text import print_error, print_text

if TYPE_CHECKING:
    from argparse import _SubParsersAction

    from ssrjson_web._cli.audit.places import Audit

__all__ = ["add_command", "run_audit"]

_TOP = 20
_FAILED, _WRONG_USAGE, _INTERRUPTED = 1, 2, 130

_DESCRIPTION = """\
Import a module and count the cached UTF-8 copies in the strings under one of its objects, and the
copies that would be added if a JSON library that makes copies encoded each string once: in total, by
path, and by the type that holds the strings. A string counts once. With --pid, do so in a running
process.
"""

_EPILOG = f"""\
examples:
  python -m ssrjson_web audit shop.data:catalogue              an object of a module
  python -m ssrjson_web audit shop.data:Store.default.books    an attribute of an object
  python -m ssrjson_web audit shop.data                        all globals of a module
  python -m ssrjson_web audit --call shop.data:load_catalogue  what a function returns, awaited if necessary
  python -m ssrjson_web audit --pid 4711                       all modules of a running process (Python 3.14)
  python -m ssrjson_web audit --pid 4711 shop.data:catalogue   an object of it; nothing is imported

paths: [*] items of lists and sets, and values of dicts with more than {KEYS} keys (--keys);
.keys() the keys of a dict; .* what an object holds under no name; ... what is deeper (--depth).

exit status: 0; 1 if the object or the process cannot be reached; 2 for wrong usage; 130 after Ctrl-C.
--pid: both run the same version of Python, from 3.14 on, and ssrjson_web is installed in both. The
process stops while it counts: tenths of a second per million strings.
In code of yours: from ssrjson_web.audit import audit; audit(catalogue)
"""


def add_command(commands: _SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add `audit` to a command line."""
    parser = commands.add_parser(
        "audit",
        help="count the cached UTF-8 copies in the strings under an object, and those that could be added",
        description=_DESCRIPTION,
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "target", nargs="?", default="", metavar="MODULE[:OBJECT]", help="searched in the working folder first"
    )
    parser.add_argument("--pid", type=_count, metavar="PID", help="audit in this process, all modules or the object")
    parser.add_argument("--call", action="store_true", help="audit what the object returns when it is called")
    parser.add_argument("--top", type=_count, metavar="N", help=f"show N paths and types (default {_TOP}; JSON: all)")
    parser.add_argument(
        "--depth", type=_depth, default=DEPTH, metavar="N", help=f"maximum steps of a path (default {DEPTH})"
    )
    parser.add_argument(
        "--keys",
        type=_count,
        default=KEYS,
        metavar="N",
        help=f"group the values of a dict with more than N keys as [*] (default {KEYS})",
    )
    parser.add_argument("--json", action="store_true", help="all figures as JSON on standard output")
    parser.set_defaults(run=run_audit)


def run_audit(arguments: argparse.Namespace) -> int:
    """Run the command and return the exit status."""
    progress = Progress(sys.stderr)
    root: object = None
    try:
        _check(arguments)
        if arguments.pid is None:
            if sys.stderr is not None and sys.stderr.isatty():
                progress.say(f"importing {arguments.target} ...")  # a line of its own: the module may print too
            root = load(arguments.target, is_called=arguments.call)
        progress.start("ssrjson_web audit", "counting the strings")
        found = _found(arguments, root)
        progress.clear()
    except TargetError as error:
        progress.clear()
        said, _, reason = str(error).rpartition("\n")
        print_error("\n".join([*filter(None, [said]), f"ssrjson_web audit: {reason}\n"]))
        return _WRONG_USAGE if isinstance(error, WrongTarget) else _FAILED
    except KeyboardInterrupt:
        progress.say("Stopped.")
        return _INTERRUPTED
    if arguments.json:
        print_text(as_json(found, top=arguments.top))
        return 0
    print_text(as_text(found, top=_TOP if arguments.top is None else arguments.top))
    if callable(root) and not found.total.most_bytes and not arguments.call:
        print_text(f"\n{arguments.target} can be called: --call audits what it returns.\n")
    return 0


def _check(arguments: argparse.Namespace) -> None:
    """Raises WrongTarget for arguments that do not go together."""
    if arguments.pid is None and not arguments.target:
        raise WrongTarget("required: MODULE[:OBJECT], as app.main:catalogue, or --pid PID of a running process")
    if arguments.pid is not None and arguments.call:
        raise WrongTarget("--call would run code of the other process: it cannot be combined with --pid")


def _found(arguments: argparse.Namespace, root: object) -> Audit:
    """The audit of the object, or of the process. Raises TargetError."""
    if arguments.pid is not None:
        return audit_process(arguments.pid, arguments.target, depth=arguments.depth, keys=arguments.keys)
    name = _name(arguments.target, is_called=arguments.call)
    return audit(root, name=name, depth=arguments.depth, keys=arguments.keys)


def _name(target: str, *, is_called: bool) -> str:
    """The start of each path: the last name of the target."""
    name = target.rpartition(":")[2].rpartition(".")[2]
    return f"{name}()" if is_called else name


def _count(text: str) -> int:
    return _whole(text, maximum=MAX_KEYS)


def _depth(text: str) -> int:
    return _whole(text, maximum=MAX_DEPTH)


def _whole(text: str, *, maximum: int) -> int:
    try:
        count = int(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text}: not a whole number") from None
    if not 0 <= count <= maximum:
        raise argparse.ArgumentTypeError(f"{text}: not between 0 and {maximum}")
    return count
