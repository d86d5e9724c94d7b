"""The workers of one application, which show each other their figures through files in a folder of their own."""

from __future__ import annotations

import contextlib
import hashlib
import itertools
import multiprocessing
import os
import stat
import tempfile
import weakref
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ssrjson_web._core import __version__, dumps_to_bytes, loads

__all__ = ["Workers"]

_ordinals = itertools.count()


def _command_line(pid: int) -> bytes:
    return Path(f"/proc/{pid}/cmdline").read_bytes()


def _started(pid: int) -> str:
    """When a process began, in clock ticks after the boot: with its pid, a name that is not given again."""
    try:
        # the name in brackets may hold anything
        return Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()[19]
    except (OSError, IndexError):
        return "0"


def _is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except PermissionError:
        return True
    except OSError:
        return False
    return True


def _leader() -> int:
    """The process that the workers have in common: the parent that started or forked this one as one of them.

    It is this process itself where no parent did: one that was started by a shell, or one that will fork the workers.
    """
    parent = multiprocessing.parent_process()
    if parent is not None and parent.pid is not None:
        return parent.pid
    try:
        own, above = _command_line(os.getpid()), _command_line(os.getppid())
    except OSError:
        return os.getpid()
    # gunicorn writes titles where setproctitle is installed: "gunicorn: worker [name]"
    is_forked = own == above or (own.startswith(b"gunicorn: ") and above.startswith(b"gunicorn: "))
    return os.getppid() if is_forked else os.getpid()


def _private_folder(path: Path) -> Path:
    """The folder, made where it is missing. Raises OSError unless it is this user's and closed to all others."""
    path.mkdir(mode=0o700, parents=True, exist_ok=True)
    status = path.lstat()
    if not stat.S_ISDIR(status.st_mode):
        raise NotADirectoryError(f"{path} is not a folder")
    if hasattr(os, "getuid") and (status.st_uid != os.getuid() or status.st_mode & 0o077):
        raise PermissionError(f"{path} is open to other users, or another's")
    return path


class Workers:
    """The figures of all workers, this process's among them.

    `share` is a folder, or True for one below the folder for temporary files that the workers find by their common
    parent, or False: each for itself then. Where no folder can be had, `problem` says why.
    """

    def __init__(self, *, share: bool | str | os.PathLike[str], prefix: str) -> None:
        self.problem: str | None = None
        self._folder: Path | None = None
        self._own_file: Path | None = None
        if share is False:
            self.problem = "share=False: each worker shows its own figures only"
            return
        if os.name != "posix":
            self.problem = f"figures are not shared among processes on {os.name}"
            return
        # several middlewares in a process are made in the same order in each worker
        kind = hashlib.sha256(f"{prefix} {__version__}".encode()).hexdigest()[:8]
        name = f"{next(_ordinals)}-{kind}"
        try:
            if share is True:
                user = os.getuid() if hasattr(os, "getuid") else "user"
                top = _private_folder(Path(tempfile.gettempdir(), f"ssrjson_web-{user}"))
                leader = _leader()
                self._folder = _private_folder(top / f"{leader}-{_started(leader)}-{name}")
                _drop_left_over(top)
            else:
                self._folder = _private_folder(Path(os.fspath(share)) / name)
        except OSError as error:
            self.problem = f"no folder to share figures in: {error}"

    def write(self, figures: Mapping[str, Any]) -> None:
        """Show this process's figures to the others; they are dropped when it ends."""
        if self._folder is None:
            return
        pid = os.getpid()
        file = self._folder / f"{pid}-{_started(pid)}.json"
        unfinished = file.with_suffix(".new")
        try:
            self._folder.mkdir(mode=0o700, exist_ok=True)  # another worker may have found it empty at its end
            with open(unfinished, "wb", opener=_open_privately) as out:
                out.write(dumps_to_bytes(figures))
            unfinished.replace(file)
        except OSError as error:
            self.problem = f"figures cannot be shared: {error}"
            return
        if self._own_file != file:
            self._own_file = file
            weakref.finalize(self, _remove, file, pid)

    def ask(self, action: str) -> None:
        """Have every other worker do what its name says, when it looks next."""
        if self._folder is not None:
            with contextlib.suppress(OSError):
                (self._folder / f"{action}.asked").write_bytes(b"")

    def asked_ns(self, action: str) -> int:
        """When that was asked for last, in Unix nanoseconds; 0 for never."""
        if self._folder is None:
            return 0
        try:
            return (self._folder / f"{action}.asked").stat().st_mtime_ns
        except OSError:
            return 0

    def others(self) -> list[dict[str, Any]]:
        """The last figures of every other worker that is alive, by pid."""
        if self._folder is None:
            return []
        found = []
        for file in self._folder.glob("*-*.json"):
            pid_text, _, started = file.stem.partition("-")
            if not pid_text.isdecimal() or int(pid_text) == os.getpid():
                continue
            pid = int(pid_text)
            if not _is_alive(pid) or started != _started(pid):
                file.unlink(missing_ok=True)
                continue
            try:
                figures = loads(file.read_bytes())
            except (OSError, ValueError):  # it has ended meanwhile; a full disk
                continue
            if isinstance(figures, dict) and figures.get("pid") == pid:
                found.append(figures)
        return sorted(found, key=lambda figures: figures["pid"])


def _open_privately(path: str, flags: int) -> int:
    return os.open(path, flags | getattr(os, "O_NOFOLLOW", 0), 0o600)


def _remove(file: Path, pid: int) -> None:
    """At the end of the process that wrote it; a child has the finalizer too."""
    if os.getpid() == pid:
        with contextlib.suppress(OSError):  # others are still there
            file.unlink(missing_ok=True)
            if not any(file.parent.glob("*-*")):
                for asked in file.parent.glob("*.asked"):
                    asked.unlink(missing_ok=True)
                file.parent.rmdir()


def _drop_left_over(top: Path) -> None:
    """Remove the folders whose leader has ended: a worker that was killed leaves its figures behind."""
    for folder in top.iterdir():
        leader, _, rest = folder.name.partition("-")
        if not leader.isdecimal() or (_is_alive(int(leader)) and rest.startswith(f"{_started(int(leader))}-")):
            continue
        for file in folder.glob("*.*"):
            pid = file.name.partition("-")[0]
            if not pid.isdecimal() or not _is_alive(int(pid)):
                file.unlink(missing_ok=True)
        with contextlib.suppress(OSError):  # a worker that outlives its parent
            folder.rmdir()
