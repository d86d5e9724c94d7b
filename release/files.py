"""Folders of a release, and programs that are run for it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

TREE = Path(__file__).resolve().parents[1]
BUILD = TREE / "build" / "release"
DIST = TREE / "dist"
TOOLS = Path(sys.prefix, "bin")


class ReleaseError(Exception):
    """Something that the release needs is missing or failed; the message says what to do."""


def say(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


def run(
    command: Sequence[str | Path],
    *,
    folder: Path | None = None,
    environment: Mapping[str, str] | None = None,
    log: Path | None = None,
) -> str:
    """What the program wrote, also to the file `log`. Raises ReleaseError with its last lines if it fails.

    `environment` is added to this process's, with the pinned tools first on PATH.
    """
    words = [str(word) for word in command]
    try:
        done = subprocess.run(
            words,
            cwd=folder,
            env={
                **os.environ,
                "PATH": f"{TOOLS}{os.pathsep}{os.environ.get('PATH', os.defpath)}",
                **(environment or {}),
            },
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            check=False,
        )
    except FileNotFoundError:
        raise ReleaseError(f"{words[0]} is not installed") from None
    if log is not None:
        log.parent.mkdir(parents=True, exist_ok=True)
        log.write_text(done.stdout, encoding="utf-8")
    if done.returncode != 0:
        last = "\n  ".join(done.stdout.strip().splitlines()[-8:])
        raise ReleaseError(f"{' '.join(words[:4])} ... failed:\n  {last}" + (f"\n  more in {log}" if log else ""))
    return done.stdout


def emptied(folder: Path) -> Path:
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    return folder
