"""The committed inputs: a file for each target, compressed by gzip, an input a line, in base64: `zcat` shows it."""

from __future__ import annotations

import base64
import gzip
import hashlib
from collections.abc import Iterable
from pathlib import Path

FOLDER = Path(__file__).parent / "corpus"


def path_of(target: str) -> Path:
    return FOLDER / f"{target}.b64.gz"


def load(target: str) -> list[bytes]:
    path = path_of(target)
    return [base64.b64decode(line) for line in gzip.decompress(path.read_bytes()).split()] if path.is_file() else []


def save(target: str, inputs: Iterable[bytes]) -> None:
    """Short ones first. The same inputs make the same file: it has no date."""
    kept = sorted({data for data in inputs if data}, key=lambda data: (len(data), data))
    lines = b"".join(base64.b64encode(data) + b"\n" for data in kept)
    path_of(target).write_bytes(gzip.compress(lines, mtime=0))


def unpack(target: str, folder: Path) -> None:
    """As libFuzzer reads a corpus: a folder of files."""
    folder.mkdir(parents=True, exist_ok=True)
    for data in load(target):
        (folder / hashlib.sha256(data).hexdigest()[:16]).write_bytes(data)
