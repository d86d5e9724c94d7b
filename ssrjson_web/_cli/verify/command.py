"""The `verify` command."""

from __future__ import annotations

import argparse
import difflib
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ssrjson_web._cli.child import ask
from ssrjson_web._cli.progress import Progress
from ssrjson_web._cli.served import ADAPTERS, is_installed
from ssrjson_web._known.releases import release_of, version_of
from ssrjson_web._known.tables import COMPILED, Tables, texts_of_installed
from ssrjson_web._known.unknown import UnknownFunction, sentences
from ssrjson_web._shared.plain_text import print_error, print_text

if TYPE_CHECKING:
    from argparse import _SubParsersAction

__all__ = ["add_command", "run_verify"]

_FAILED, _WRONG_USAGE, _INTERRUPTED = 1, 2, 130
_SECONDS = 900.0
_SHOWN_CHARS = 300

_DESCRIPTION = """\
Compare the installed releases of the libraries that ssrjson_web works within: values, fields, types and
requests go through stock and through ours, and both must return the same bytes and objects, or raise the
same errors. A release that this package does not know counts as known for that: a function that it has
changed shows as a difference, or as none.
"""

_EPILOG = """\
examples:
  python -m ssrjson_web verify                        all that are installed; a line for each
  python -m ssrjson_web verify marshmallow fastapi    these
  python -m ssrjson_web verify --patch > new.patch    and what the tables lack of releases without a difference
  python -m ssrjson_web verify --write                the same, into the tables of this installation

libraries: fastapi, starlette, pydantic, rest_framework, marshmallow, ninja, django, flask. Each runs in a process of
its own. Progress and differences are on standard error where --patch has standard output.

exit status: 0; 1 if something differs, could not be compared, or is not known although its text is that of the
installed release, or if a named library is not installed; 2 for wrong usage; 130 after Ctrl-C.
"""


def add_command(commands: _SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add `verify` to a command line."""
    parser = commands.add_parser(
        "verify",
        help="compare the installed frameworks by stock and by the core",
        description=_DESCRIPTION,
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("libraries", nargs="*", metavar="LIBRARY", choices=list(ADAPTERS), help="which; otherwise all")
    form = parser.add_mutually_exclusive_group()
    form.add_argument("--patch", action="store_true", help="print the fingerprints of unknown texts as a patch")
    form.add_argument("--write", action="store_true", help="write them into the tables of this installation")
    parser.set_defaults(run=run_verify)


def run_verify(arguments: argparse.Namespace) -> int:
    """Run the command and return the exit status."""
    named = list(dict.fromkeys(arguments.libraries))
    missing = [library for library in named if not is_installed(library)]
    if missing:
        print_error(f"ssrjson_web verify: {' and '.join(missing)} cannot be found: install it, or do not name it\n")
        return _FAILED
    say = print_error if arguments.patch else print_text
    chosen = [library for library in named or ADAPTERS if is_installed(library)]
    if not chosen:
        say("None of the libraries is installed.\n")
    progress = Progress(sys.stderr)
    alike = []
    try:
        for n, library in enumerate(chosen, 1):
            progress.start(f"verify {library}", f"{n} of {len(chosen)}: its cases by stock and by ours")
            lines, is_alike = _compared(library)
            progress.clear()
            say("".join(f"{line}\n" for line in lines))
            if is_alike:
                alike.append(library)
    except KeyboardInterrupt:
        progress.say("Stopped.")
        return _INTERRUPTED
    if arguments.patch or arguments.write:
        _add_texts(alike, is_written=arguments.write)
    return 0 if alike == chosen else _FAILED


def _compared(library: str) -> tuple[list[str], bool]:
    """The lines on a library, and whether nothing differs."""
    answer, failure = ask("ssrjson_web._cli.verify.comparison", "compare", library, seconds=_SECONDS)
    release = release_of(library)
    if failure:
        return [f"{release}: could not be compared: {failure}"], False
    n_cases, n_others = answer["n_cases"], answer["n_cases"] - answer["n_alike"]
    verdict = "all alike" if not n_others else f"{n_others:,} differ"
    n_new = _added(Tables(), library)
    new = f", {n_new} files of no known release" if n_new else ""
    lines = [f"{release}: {n_cases:,} cases, {verdict}, {answer['seconds']:.1f} s{new}"]
    for difference in answer["differences"]:
        label, stock, ours = (text[:_SHOWN_CHARS] for text in difference)
        lines += [f"  {label}", f"    stock: {stock}", f"    ours:  {ours}"]
    unknown = sentences(UnknownFunction(**one) for one in answer["unknown"])
    lines += [f"  {text}" for text in unknown]
    return lines, not n_others and not unknown


def _added(tables: Tables, library: str) -> int:
    """Add what is new of the installed release, and return how many texts and versions that are."""
    n_new = tables.add(texts_of_installed(library))
    version = version_of(COMPILED.get(library, ""))
    return n_new if version is None else n_new + tables.add_versions(COMPILED[library], [version])


def _add_texts(libraries: Sequence[str], *, is_written: bool) -> None:
    """Print what the tables lack of the installed releases, as a patch, or write it. Raises OSError."""
    before, tables = Tables().contents(), Tables()
    n_new = sum(_added(tables, library) for library in libraries)
    after: dict[Path, Any] = tables.contents()
    if is_written:
        for table, text in after.items() if n_new else ():
            table.write_text(text, encoding="ascii")
        print_text(f"{n_new} new texts{f' in {next(iter(after)).parent}' if n_new else ''}.\n")
        return
    for table, text in after.items():
        name = f"ssrjson_web/_known/{table.name}"
        old, new = before[table].splitlines(keepends=True), text.splitlines(keepends=True)
        print_text("".join(difflib.unified_diff(old, new, f"a/{name}", f"b/{name}")))
