"""A unified diff of files, in bytes, which both `git apply` and `patch -p1` take."""

from __future__ import annotations

import difflib
import os
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from ssrjson_web._cli.doctor.migration.findings import FileReport

__all__ = ["patch_of"]

_QUOTED = re.compile(rb'[\x00-\x1f"\\\x7f]')


def patch_of(root: Path, reports: Sequence[FileReport]) -> Iterator[bytes]:
    """The lines of the patch, with paths from the root on."""
    folder = root.parent if root.is_file() else root
    for report in reports:
        if report.before != report.after:
            name = os.fsencode(os.path.relpath(report.path, folder).replace(os.sep, "/"))
            yield from _of_file(name, report.before, report.after)


def _of_file(name: bytes, before: bytes, after: bytes) -> Iterator[bytes]:
    """Lines end at line feeds alone, as they do for both programs."""
    # a tab ends a name that has spaces; without one both read the name to the first space, or to the end
    tab = b"\t" if b" " in name else b""
    yield b"--- " + _path(b"a/" + name) + tab + b"\n"
    yield b"+++ " + _path(b"b/" + name) + tab + b"\n"
    lines = difflib.unified_diff(_lines(before), _lines(after))
    for number, line in enumerate(lines):
        if number >= 2:  # after the names
            # difflib takes only str: each character is a byte
            text = line.encode("latin-1")
            yield text if text.endswith(b"\n") else text + b"\n\\ No newline at end of file\n"


def _lines(text: bytes) -> list[str]:
    pieces = text.decode("latin-1").split("\n")
    return [f"{piece}\n" for piece in pieces[:-1]] + [piece for piece in pieces[-1:] if piece]


def _path(name: bytes) -> bytes:
    """A path as git quotes it, where it has characters that end or quote one."""
    if _QUOTED.search(name) is None:
        return name
    return b'"' + _QUOTED.sub(lambda found: b"\\%03o" % found[0][0], name) + b'"'
