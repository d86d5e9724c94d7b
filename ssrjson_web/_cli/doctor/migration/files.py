"""The files of a source tree that may name a JSON library, and what is found in them."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Callable, Iterator
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
MAX_BYTES = 20_000_000
"""Files that are larger are not read: no one wrote them."""


def files_of(root: Path, on_error: Callable[[OSError], object] | None = None) -> Iterator[Path]:
    """The files to read, in the order of their names; the root itself where it is no folder.

    Links to folders are not followed. Environments, caches and version control are left out. `on_error` is called for
    a folder that cannot be read.
    """
    if not root.is_dir():
        yield root
        return
    for folder, folders, names in os.walk(root, onerror=on_error):
        folders[:] = sorted(
            name
            for name in folders
            if name not in _SKIPPED and not name.endswith(".egg-info") and not _is_environment(Path(folder, name))
        )
        for name in sorted(names):
            # editors have links that name no file, as .#app.py
            if (name.endswith((".py", ".pyi", ".pyw")) and not name.startswith(".#")) or _is_list_of_packages(name):
                yield Path(folder, name)


def _is_environment(folder: Path) -> bool:
    try:
        return (folder / "pyvenv.cfg").exists()
    except OSError:  # a folder that cannot be read, which os.walk reports
        return False


def _is_list_of_packages(name: str) -> bool:
    return name in _PROJECT_FILES or _REQUIREMENTS.match(name) is not None


def read_file(path: Path) -> FileReport:
    """The findings of a file, or why it could not be read."""
    try:
        data = _read(path)
        if _is_list_of_packages(path.name):
            return FileReport(path=path, findings=list(_packages(data.decode("utf-8-sig"))))
    except UnicodeDecodeError as error:
        return FileReport(path=path, problem=f"its encoding: {error}")
    except (OSError, ValueError) as error:
        return FileReport(path=path, problem=getattr(error, "strerror", None) or str(error))
    return read_python(path, data)


def _read(path: Path) -> bytes:
    """Raises OSError, and ValueError for what is no ordinary file or too large. It does not block on a named pipe."""
    flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    with os.fdopen(os.open(path, flags), "rb") as source:
        status = os.fstat(source.fileno())
        if not stat.S_ISREG(status.st_mode):
            raise ValueError("not an ordinary file")
        if status.st_size > MAX_BYTES:
            raise ValueError(f"larger than {MAX_BYTES // 10**6} MB")
        return source.read(MAX_BYTES)


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
                reason="a list of packages is not changed",
            )
