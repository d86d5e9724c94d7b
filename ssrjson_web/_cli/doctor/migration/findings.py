"""What the migration report is made of."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

__all__ = ["Edit", "FileReport", "Finding"]


class Edit(NamedTuple):
    """Text from `start` to `end`, in characters of the source, is replaced."""

    start: int
    end: int
    text: str


@dataclass(frozen=True, kw_only=True)
class Finding:
    """One use of another library, or of a framework's class that has a replacement."""

    line: int
    """From 1 on."""
    column: int
    """In characters, from 1 on."""
    library: str
    """The library, or the framework of a class or setting."""
    what: str
    """The name as it is used: `orjson.dumps`, `import ujson`."""
    replacement: str
    is_patched: bool = False
    """Whether the patch replaces it."""
    reason: str = ""
    """Why the patch does not replace it."""


@dataclass(frozen=True, kw_only=True)
class FileReport:
    """All findings of one file, and how it could be changed."""

    path: Path
    findings: list[Finding] = field(default_factory=list)
    problem: str | None = None
    """Why the file could not be read; it has no findings then."""
    before: bytes = b""
    after: bytes = b""
    """The contents, and those with all replacements that are without risk."""
    changed: dict[str, str] = field(default_factory=dict)
    """The libraries that the file changes for all that use them, each with the line and what is changed."""
