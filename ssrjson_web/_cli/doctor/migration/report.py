"""The report of a source tree: text, JSON or a patch."""

from __future__ import annotations

import collections
import dataclasses
import os
import re
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from ssrjson_web import dumps
from ssrjson_web._cli.doctor.migration.files import files_of, read_file
from ssrjson_web._cli.doctor.migration.findings import FileReport, Finding
from ssrjson_web._cli.doctor.migration.patch import patch_of
from ssrjson_web._cli.progress import Progress
from ssrjson_web._shared.plain_text import print_bytes, print_error, print_text

__all__ = ["run_migration"]

_FOUND, _WRONG_USAGE = 1, 2
_SHARED = (".JSONDecodeError", ".Fragment", "import JSONDecodeError", "import Fragment")
"""The ends of findings of orjson's classes, as `orjson.Fragment`."""


def run_migration(root: Path, *, as_diff: bool, as_json: bool) -> int:
    """Print the report of a file or a folder and return the exit status: 1 where something was found or not read."""
    if not root.exists():
        print_error(f"ssrjson_web doctor: {root}: no such file or folder\n")
        return _WRONG_USAGE
    reports = _read(root)
    if as_diff:
        print_bytes(b"".join(patch_of(root, reports)))
        print_error(_left_out(reports))
    elif as_json:
        print_text(_as_json(reports) + "\n")
    else:
        print_text(_as_text(reports) + "\n")
    return _FOUND if reports else 0


def _read(root: Path) -> list[FileReport]:
    """The reports of the files that have findings or could not be read, and of folders that could not be read."""
    progress = Progress(sys.stderr)
    reports = []
    is_shown = sys.stderr is not None and sys.stderr.isatty()

    def note(error: OSError) -> None:
        reports.append(FileReport(path=Path(os.fsdecode(error.filename)), problem=error.strerror or str(error)))

    paths = list(files_of(root, note))
    if is_shown:
        progress.start("ssrjson_web doctor", "reading")
    for number, path in enumerate(paths, 1):
        report = read_file(path)
        if report.findings or report.problem is not None:
            reports.append(report)
        progress.advance(number, len(paths))
    if is_shown:
        progress.clear()
    return _without_mixtures(reports)


def _without_mixtures(reports: Sequence[FileReport]) -> list[FileReport]:
    """The reports without patches that would change what files mean for each other.

    Our JSONDecodeError is another class than orjson's, and orjson does not write our Fragment: files that share them
    with files that keep orjson are left. So is each file that uses a library that any file changes, because ours is
    not changed by that.
    """
    changed = {
        library: f"{_shown(report.path)}, {place} for all that use it"
        for report in reversed(reports)
        for library, place in report.changed.items()
    }
    reports = [_left(report, lambda found: changed.get(found.library, "")) for report in reports]
    kept = [
        f"{_shown(report.path)}:{found.line}"
        for report in reports
        for found in report.findings
        if report.before and found.library == "orjson" and not found.is_patched  # requirements have no text
    ]

    def sharing(found: Finding) -> str:
        if not kept or found.library != "orjson" or not found.what.endswith(_SHARED):
            return ""
        name = re.split(r"\W", found.what)[-1]
        return f"orjson.{name} is another class than ours, and {kept[0]} keeps orjson"

    return [_left(report, sharing) for report in reports]


def _left(report: FileReport, reason_of: Callable[[Finding], str]) -> FileReport:
    """The report of a file that is left as it is where `reason_of` has a reason for one of its patched findings."""
    new = {found: reason for found in report.findings if found.is_patched and (reason := reason_of(found))}
    if not new:
        return report
    first = next(iter(new.values()))
    findings = [
        dataclasses.replace(found, is_patched=False, reason=new.get(found, first)) if found.is_patched else found
        for found in report.findings
    ]
    return dataclasses.replace(report, after=report.before, findings=findings)


def _left_out(reports: Sequence[FileReport]) -> str:
    """What is not in the patch: a line for each file that was not read, and one for each reason to leave a use."""
    unread = [report for report in reports if report.problem is not None]
    lines = [f"{_shown(report.path)} was not read: {report.problem}" for report in unread]
    left = [found for report in reports for found in report.findings if not found.is_patched]
    if left:
        counts = collections.Counter(found.library for found in left)
        named = ", ".join(f"{library} {n}" for library, n in counts.most_common())
        lines.append(f"{_count(left, 'use')} not in the patch: {named}; without --diff each is listed")
        lines += _reasons(reports)
    return "".join(f"ssrjson_web doctor: {line}\n" for line in lines)


def _reasons(reports: Sequence[FileReport]) -> list[str]:
    """A line for each reason to leave uses of a library, with the first of them."""
    places: dict[tuple[str, str], list[str]] = {}
    for report in reports:
        for found in report.findings:
            if not found.is_patched:
                place = f"{_shown(report.path)}:{found.line}"
                places.setdefault((found.library, found.reason), []).append(place)
    return [
        f"{library}: {reason} ({found[0]}{f' and {len(found) - 1} more' if len(found) > 1 else ''})"
        for (library, reason), found in places.items()
    ]


def _shown(path: Path) -> str:
    """A path in one line."""
    return str(path).replace("\n", "\\n")


def _count(what: Sequence[object], noun: str) -> str:
    return f"{len(what)} {noun}{'' if len(what) == 1 else 's'}"


def _as_text(reports: Sequence[FileReport]) -> str:
    lines = []
    for report in reports:
        for found in report.findings:
            lines.append(f"{_shown(report.path)}:{found.line}:{found.column}: {found.what} -> {found.replacement}")
    for report in reports:
        if report.problem is not None:
            lines.append(f"{_shown(report.path)}: not read: {report.problem}")
    findings = [found for report in reports for found in report.findings]
    counts = collections.Counter(found.library for found in findings)
    if not counts:
        return "\n".join([*lines, "No use of another JSON library was found."])
    named = ", ".join(f"{library} {n}" for library, n in counts.most_common())
    files = _count([report for report in reports if report.findings], "file")
    n_patched = sum(found.is_patched for found in findings)
    lines.append(f"{_count(findings, 'use')} in {files}: {named}.")
    return "\n".join(
        [*lines, f"--diff prints a patch of {n_patched} of them. Bytes and errors may differ: run your tests after it."]
    )


def _as_json(reports: Sequence[FileReport]) -> str:
    findings = [
        {"path": str(report.path), **{name: getattr(found, name) for name in found.__dataclass_fields__}}
        for report in reports
        for found in report.findings
    ]
    unread = {str(report.path): report.problem for report in reports if report.problem is not None}
    return dumps({"findings": findings, "unread": unread}, indent=2, escape_surrogates=True)
