"""The files of a source tree that may name a JSON library, and their text."""

from __future__ import annotations

import io
import os
import re
import tokenize
from collections.abc import Iterator
from pathlib import Path

from ssrjson_web._cli.doctor.migration.findings import FileReport, Finding
from ssrjson_web._cli.doctor.migration.python_source import read_python
from ssrjson_web._cli.doctor.migration.replacements import PACKAGES

__all__ = ["files_of", "read_file"]

_SKIPPED = {".git", ".hg", ".svn", ".tox", ".nox", ".venv", "venv", "node_modules", "__pycache__", "site-packages"}
_REQUIREMENTS = re.compile(r"(requirements|constraints).*\.(txt|in)$")
_PROJECT_FILES = {"pyproject.toml", "setup.cfg", "Pipfile", "environment.yml", "environment.yaml"}
_PACKAGE = re.compile(
    r"""^(?P<before>[\s"'-]*)(?P<name>[A-Za-z0-9][A-Za-z0-9._-]*)(?P<after>\s*(\[[^]]*\])?\s*([<>=!~;,@"'#]|$))"""
)
MOST_BYTES = 20_000_000
"""Files that are larger are not read: no one wrote them."""


def files_of(root: Path) -> Iterator[Path]:
    """The files to read, in the order of their names; the root itself where it is a file.

    Links to folders are not followed. Environments, caches and version control are left out.
    """
    if root.is_file():
        yield root
        return
    for folder, folders, names in os.walk(root):
        folders[:] = sorted(
            name
            for name in folders
            if name not in _SKIPPED and not name.endswith(".egg-info") and not _is_environment(Path(folder, name))
        )
        for name in sorted(names):
            if name.endswith((".py", ".pyi", ".pyw")) or _is_list_of_packages(name):
                yield Path(folder, name)


def _is_environment(folder: Path) -> bool:
    return (folder / "pyvenv.cfg").exists()


def _is_list_of_packages(name: str) -> bool:
    return name in _PROJECT_FILES or _REQUIREMENTS.match(name) is not None


def read_file(path: Path) -> FileReport:
    """The findings of a file, or why it could not be read."""
    try:
        if path.stat().st_size > MOST_BYTES:
            return FileReport(path=path, problem=f"larger than {MOST_BYTES // 10**6} MB")
        data = path.read_bytes()
    except OSError as error:
        return FileReport(path=path, problem=error.strerror or str(error))
    try:
        encoding = tokenize.detect_encoding(io.BytesIO(data).readline)[0] if path.suffix.startswith(".py") else "utf-8"
        text = data.decode(encoding)
    except (SyntaxError, UnicodeDecodeError, LookupError) as error:
        return FileReport(path=path, problem=f"its encoding: {error}")
    if _is_list_of_packages(path.name):
        return FileReport(path=path, findings=list(_packages(text)))
    return read_python(path, text)


def _packages(text: str) -> Iterator[Finding]:
    for number, line in enumerate(text.split("\n"), 1):
        found = _PACKAGE.match(line)
        package = found["name"].lower().replace("_", "-") if found else ""
        if found and package in PACKAGES:
            yield Finding(
                line=number,
                column=len(found["before"]) + 1,
                library=PACKAGES[package],
                what=f"requirement {found['name']}",
                replacement="ssrjson_web, once nothing else imports it",
            )
