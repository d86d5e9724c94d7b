"""The committed inputs: a file for each target, an input a line, in base64."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterable
from pathlib import Path

FOLDER = Path(__file__).parent / "corpus"


def path_of(target: str) -> Path:
    return FOLDER / f"{target}.b64"


def load(target: str) -> list[bytes]:
    path = path_of(target)
    return [base64.b64decode(line) for line in path.read_text("ascii").split()] if path.is_file() else []


def save(target: str, inputs: Iterable[bytes]) -> None:
    """Short ones first, so that what is added later changes few lines."""
    lines = [
        base64.b64encode(data).decode() for data in sorted(set(inputs), key=lambda data: (len(data), data)) if data
    ]
    path_of(target).write_text("".join(f"{line}\n" for line in lines), "ascii")


def unpack(target: str, folder: Path) -> None:
    """As libFuzzer reads a corpus: a folder of files."""
    folder.mkdir(parents=True, exist_ok=True)
    for data in load(target):
        (folder / hashlib.sha256(data).hexdigest()[:16]).write_bytes(data)
