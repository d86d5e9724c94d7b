"""The report of a source tree: text, JSON or a patch."""

from __future__ import annotations

import ast
import collections
import difflib
import os
import sys
import warnings
from collections.abc import Iterator, Sequence
from pathlib import Path

from ssrjson_web import dumps
from ssrjson_web._cli.doctor.migration.edits import apply
from ssrjson_web._cli.doctor.migration.files import files_of, read_file
from ssrjson_web._cli.doctor.migration.findings import FileReport
from ssrjson_web._cli.kit.progress import Progress
from ssrjson_web._shared.plain_text import print_text

__all__ = ["run_migration"]

_FOUND, _WRONG_USAGE = 1, 2


def run_migration(root: Path, *, as_diff: bool, as_json: bool) -> int:
    """Print the report of a file or a folder and return the exit status: 1 where something was found."""
    if not root.exists():
        print(f"ssrjson_web doctor: {root}: no such file or folder", file=sys.stderr)
        return _WRONG_USAGE
    reports = _read(root)
    if as_diff:
        print_text("".join(_patch(root, reports)))
        for report in reports:
            if report.problem is not None:
                print(f"ssrjson_web doctor: {report.path} was not read: {report.problem}", file=sys.stderr)
    elif as_json:
        print_text(_as_json(reports) + "\n")
    else:
        print_text(_as_text(reports) + "\n")
    return _FOUND if any(report.findings for report in reports) else 0


def _read(root: Path) -> list[FileReport]:
    """The reports of the files that have findings or could not be read."""
    progress = Progress(sys.stderr)
    reports = []
    is_shown = sys.stderr.isatty()
    paths = list(files_of(root))
    if is_shown:
        progress.start("ssrjson_web doctor", "reading")
    for number, path in enumerate(paths, 1):
        report = read_file(path)
        if report.findings or report.problem is not None:
            reports.append(report)
        progress.advance(number, len(paths))
    if is_shown:
        progress.clear()
    return reports


def _as_text(reports: Sequence[FileReport]) -> str:
    lines = []
    for report in reports:
        for found in report.findings:
            lines.append(f"{report.path}:{found.line}:{found.column}: {found.what} -> {found.replacement}")
    for report in reports:
        if report.problem is not None:
            lines.append(f"{report.path}: not read: {report.problem}")
    counts = collections.Counter(found.library for report in reports for found in report.findings)
    n_files = sum(1 for report in reports if report.findings)
    if not counts:
        return "\n".join([*lines, "No use of another JSON library was found."])
    named = ", ".join(f"{library} {n}" for library, n in counts.most_common())
    files = "1 file" if n_files == 1 else f"{n_files} files"
    lines += [f"{sum(counts.values())} uses in {files}: {named}."]
    return "\n".join([*lines, "docs/migrating.md has the differences; --diff prints a patch."])


def _as_json(reports: Sequence[FileReport]) -> str:
    findings = [
        {"path": str(report.path), **{name: getattr(found, name) for name in found.__dataclass_fields__}}
        for report in reports
        for found in report.findings
    ]
    unread = {str(report.path): report.problem for report in reports if report.problem is not None}
    return dumps({"findings": findings, "unread": unread}, indent=2)


def _patch(root: Path, reports: Sequence[FileReport]) -> Iterator[str]:
    """A unified diff with paths from the root on, for `patch -p1` and `git apply`."""
    folder = root.parent if root.is_file() else root
    for report in reports:
        changed = apply(report.text, report.edits)
        if changed == report.text or not _parses(changed):
            continue
        name = os.path.relpath(report.path, folder).replace(os.sep, "/")
        before, after = (text.splitlines(keepends=True) for text in (report.text, changed))
        for line in difflib.unified_diff(before, after, f"a/{name}", f"b/{name}"):
            yield line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n"


def _parses(text: str) -> bool:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            ast.parse(text)
    except (SyntaxError, ValueError):
        return False
    return True
