"""The source distribution of a commit, which wheels are built from."""

from __future__ import annotations

import tarfile
from dataclasses import dataclass
from pathlib import Path

from release.files import TOOLS, TREE, ReleaseError, emptied, run


@dataclass(frozen=True)
class Source:
    """A source distribution, unpacked."""

    sdist: Path
    folder: Path
    epoch: str  # SOURCE_DATE_EPOCH: the time of the commit, in seconds


def git(*words: str) -> str:
    return run(["git", "-C", TREE, *words]).strip()


def is_clean() -> bool:
    return not git("status", "--porcelain")


def made_from_commit(commit: str, work: Path) -> Source:
    """Exports the commit below `work`, and makes and unpacks its source distribution. Raises ReleaseError."""
    exported = emptied(work / "export")
    archive = work / "export.tar"
    git("archive", "--output", str(archive), commit)
    unpack(archive, exported)
    archive.unlink()
    epoch = git("log", "-1", "--format=%ct", commit)
    sdists = emptied(work / "sdist")
    run(
        [
            TOOLS / "python",
            "-m",
            "build",
            "--sdist",
            "--no-isolation",
            "--skip-dependency-check",
            "-o",
            sdists,
            exported,
        ],
        environment={"SOURCE_DATE_EPOCH": epoch},
        log=work / "logs" / "sdist.log",
    )
    (sdist,) = sdists.glob("*.tar.gz")
    unpacked = emptied(work / "source")
    unpack(sdist, unpacked)
    folders = list(unpacked.iterdir())
    if len(folders) != 1:
        raise ReleaseError(f"{sdist.name} holds {len(folders)} folders, not one")
    return Source(sdist, folders[0], epoch)


def unpack(archive: Path, folder: Path) -> None:
    with tarfile.open(archive) as tar:
        if hasattr(tarfile, "data_filter"):
            tar.extractall(folder, filter="data")
        else:  # Python 3.10 and 3.11 as they were first
            tar.extractall(folder)
