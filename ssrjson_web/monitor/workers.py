"""The workers of one application, which share their figures as files in a private folder."""

from __future__ import annotations

import contextlib
import hashlib
import itertools
import multiprocessing
import os
import re
import stat
import tempfile
import threading
import time
import weakref
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, BinaryIO

from ssrjson_web._core import __version__, dumps_to_bytes, loads
from ssrjson_web._shared.foreign_file import read_foreign
from ssrjson_web.monitor.shapes import are_counts, is_sum
from ssrjson_web.monitor.totals import merged

with contextlib.suppress(ImportError):  # figures are shared on POSIX only
    import fcntl

__all__ = ["Workers"]

_ordinals = itertools.count()
_ENDED, _LOCK = "ended.json", "merge.lock"
_FOLDER = re.compile(r"([0-9]+)-([0-9]+)-[0-9]+-[0-9a-f]{8}")
"""The name of a folder: the leader's pid and start, the ordinal of the middleware, the digest of what it is."""
_FILE = re.compile(r"([0-9]+)-([0-9]+)\.(json|new)")
"""The name of the file of one worker: its pid and start."""
_COMMON_FILE = re.compile(r"ended\.(json|new)|[a-z]+\.asked|merge\.lock")
"""The name of a file that all workers of a folder share."""
_MAX_BYTES = 1 << 24
"""Larger files are no figures."""
_MAX_PID = 2**31 - 1


def _command_line(pid: int) -> bytes:
    return Path(f"/proc/{pid}/cmdline").read_bytes()


def _started(pid: int) -> str:
    """The start of a process in clock ticks after the boot; with the pid it is a name that is never used again."""
    try:
        # the name in brackets may contain any character
        return Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()[19]
    except (OSError, IndexError):
        return "0"


def _is_alive(pid: int) -> bool:
    if not 0 < pid <= _MAX_PID:  # for the system 0 is a group of processes
        return False
    try:
        os.kill(pid, 0)
    except PermissionError:
        return True
    except OSError:
        return False
    return True


def _leader() -> int:
    """The pid that the workers have in common: that of the parent that started or forked this process as a worker.

    It is the pid of this process if no parent did so: a shell started it, or it will fork the workers itself.
    """
    parent = multiprocessing.parent_process()
    if parent is not None and parent.pid is not None:
        return parent.pid
    try:
        own, above = _command_line(os.getpid()), _command_line(os.getppid())
    except OSError:
        return os.getpid()
    # gunicorn sets process titles if setproctitle is installed: "gunicorn: worker [name]"
    is_forked = own == above or (own.startswith(b"gunicorn: ") and above.startswith(b"gunicorn: "))
    return os.getppid() if is_forked else os.getpid()


def _private_folder(path: Path) -> Path:
    """The folder, created if missing. Raises OSError unless it belongs to this user and is closed to all others."""
    path.mkdir(mode=0o700, parents=True, exist_ok=True)
    status = path.lstat()
    if not stat.S_ISDIR(status.st_mode):
        raise NotADirectoryError(f"{path} is not a folder")
    if hasattr(os, "getuid") and (status.st_uid != os.getuid() or status.st_mode & 0o077):
        raise PermissionError(f"{path} is open to other users, or belongs to one")
    return path


class Workers:
    """The figures of all workers, this process included.

    `share` is a folder; or True for a folder in the temporary folder, which the workers find by their common parent; or
    False: then each worker knows only itself. If there is no folder, `problem` says why.

    A worker that has ended leaves its file. The worker that finds it adds the counts to those of all that have ended.
    """

    def __init__(self, *, share: bool | str | os.PathLike[str], prefix: str) -> None:
        self.problem: str | None = None
        self._folder: Path | None = None
        self._own_file: Path | None = None
        self._leader: int | None = None
        self._ended: dict[str, Any] | None = None
        self.reset_after_fork()
        if share is False:
            self.problem = "share=False: each worker shows only its own figures"
            return
        if os.name != "posix":
            self.problem = f"figures are not shared among processes on {os.name}"
            return
        # each worker makes the middlewares of a process in the same order
        kind = hashlib.sha256(f"{prefix} {__version__}".encode()).hexdigest()[:8]
        name = f"{next(_ordinals)}-{kind}"
        try:
            if share is True:
                user = os.getuid() if hasattr(os, "getuid") else "user"
                top = _private_folder(Path(tempfile.gettempdir(), f"ssrjson_web-{user}"))
                self._leader = _leader()
                self._folder = _private_folder(top / f"{self._leader}-{_started(self._leader)}-{name}")
                _drop_left_over(top)
            else:
                self._folder = _private_folder(Path(os.fspath(share)) / name)
        except OSError as error:
            self.problem = f"there is no folder to share figures in: {error}"

    def reset_after_fork(self) -> None:
        """Make a new lock, in the child of a fork: a thread of the parent may have held the old one."""
        self._lock = threading.Lock()
        self._has_left = False

    def write(self, figures: Mapping[str, Any]) -> None:
        """Write this process's figures. The file stays when the process ends, unless the middleware is freed before."""
        if self._folder is None:
            return
        pid = os.getpid()
        file = self._folder / f"{pid}-{_started(pid)}.json"
        try:
            with self._lock:
                if self._has_left:  # the sampler's thread comes too late
                    return
                _private_folder(self._folder)  # another worker that ended may have removed it
                _replace(file, figures)
        except OSError as error:
            self.problem = f"figures cannot be shared: {error}"
            return
        if self._own_file != file:
            self._own_file = file
            weakref.finalize(self, _remove, file, pid).atexit = False
            if self._leader is None and not self.others():  # files of an earlier run, in a folder that the user named
                self._forget_ended()

    def leave(self, figures: Mapping[str, Any]) -> None:
        """When this process exits: leave the last figures, or remove all files if no worker is left."""
        if self._folder is None:
            return
        own = self._folder / f"{os.getpid()}-{_started(os.getpid())}.json"
        if self._own_file == own:
            self.write(figures)
        elif self._leader != os.getpid():  # it never had a request, and did not fork the others
            return
        with self._lock:
            self._has_left = True
        if self._leader in (None, os.getpid()) and not self.others():
            self._forget_ended()
            _remove(own, os.getpid())

    def _forget_ended(self) -> None:
        """Forget the counts of workers that have ended."""
        self._ended = None
        if self._folder is not None:
            with contextlib.suppress(OSError), _opened_folder(self._folder) as folder:
                _unlink(folder, [_ENDED, _LOCK])

    def ask(self, action: str) -> None:
        """Ask all other workers for the action; they see it within about a second."""
        if self._folder is not None:
            with contextlib.suppress(OSError):
                _create(self._folder / f"{action}.asked", b"")

    def asked_ns(self, action: str) -> int:
        """When the action was last asked for, in nanoseconds of Unix time; 0 for never."""
        if self._folder is None:
            return 0
        try:
            return (self._folder / f"{action}.asked").lstat().st_mtime_ns
        except OSError:
            return 0

    def others(self) -> list[dict[str, Any]]:
        """The last figures of all other workers that are alive, ordered by pid."""
        if self._folder is None:
            return []
        found, left = [], []
        for file in self._folder.glob("*-*.json"):
            named = _FILE.fullmatch(file.name)
            if named is None or int(named[1]) == os.getpid():
                continue
            pid = int(named[1])
            if not _is_alive(pid) or named[2] != _started(pid):
                left.append(file)
                continue
            figures = _read(file)
            if figures is not None and figures.get("pid") == pid:
                found.append(figures)
        self._merge_ended(left)
        return sorted(found, key=lambda figures: figures["pid"])

    def ended(self) -> dict[str, Any] | None:
        """Sum of the counts of workers that have ended, and `workers`, their number; None if none. Read by `others`."""
        return self._ended

    def _merge_ended(self, files: list[Path]) -> None:
        """Add the counts in the files of ended workers to the sum, each once, and delete the files."""
        assert self._folder is not None
        try:
            with open(self._folder / _LOCK, "ab", opener=_open_privately) as lock:
                _acquire(lock)
                known = _read(self._folder / _ENDED)
                ended = known if is_sum(known) else None
                for file in files:
                    ended = _with_file(ended, file)
                    if ended is not None:
                        _replace(self._folder / _ENDED, ended)
                    file.unlink(missing_ok=True)
        except OSError:  # another worker does it, and the next call reads the result; or the disk is full
            return
        self._ended = None if ended is None else {**merged([ended]), "workers": ended["workers"]}


def _acquire(lock: BinaryIO) -> None:
    """Take the lock. Raises OSError if another worker keeps it, as a stopped process does."""
    for _ in range(20):
        with contextlib.suppress(BlockingIOError):
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return
        time.sleep(0.01)
    raise BlockingIOError("another worker holds the lock")


def _with_file(ended: dict[str, Any] | None, file: Path) -> dict[str, Any] | None:
    """The sum with the counts of one more file, unless the sum has them already."""
    if ended is not None and ended["last"] == file.name:  # the worker that added them ended before it deleted the file
        return ended
    figures = _read(file)
    if not are_counts(figures):
        return ended
    together = merged([figures] if ended is None else [ended, figures])
    return {**together, "workers": 1 if ended is None else ended["workers"] + 1, "last": file.name}


def _read(file: Path) -> dict[str, Any] | None:
    """The object in a file; None where there is none."""
    try:
        figures = loads(read_foreign(file, max_bytes=_MAX_BYTES))
    except (OSError, ValueError):  # the file was deleted meanwhile, or the disk is full
        return None
    return figures if isinstance(figures, dict) else None


def _replace(file: Path, figures: Mapping[str, Any]) -> None:
    unfinished = file.with_suffix(".new")
    _create(unfinished, dumps_to_bytes(figures))
    unfinished.replace(file)


def _create(file: Path, contents: bytes) -> None:
    """Write a new file in the place of what has its name: that may be a link, or a named pipe."""
    file.unlink(missing_ok=True)
    with open(file, "xb", opener=_open_privately) as out:
        out.write(contents)


def _open_privately(path: str, flags: int) -> int:
    return os.open(path, flags | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0), 0o600)


@contextlib.contextmanager
def _opened_folder(path: Path) -> Iterator[int]:
    """The descriptor of a folder. What is deleted through it is in that folder, even if a link takes its place.

    Raises OSError for what is no folder, and for a link to one.
    """
    descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def _unlink(folder: int, names: list[str]) -> None:
    for name in names:
        with contextlib.suppress(OSError):  # it is gone, or no file
            os.unlink(name, dir_fd=folder)


def _remove(file: Path, pid: int) -> None:
    """Remove the file of this process, and the folder if it is empty then. A forked child has the finalizer too."""
    if os.getpid() == pid:
        with contextlib.suppress(OSError):  # other workers still use the folder
            with _opened_folder(file.parent) as folder:
                _unlink(folder, [file.name])
                names = os.listdir(folder)  # noqa: PTH208 (a descriptor is no path)
                if any(map(_FILE.fullmatch, names)):  # after `others` only living workers have files
                    return
                _unlink(folder, [name for name in names if _COMMON_FILE.fullmatch(name)])
            file.parent.rmdir()


def _drop_left_over(top: Path) -> None:
    """Remove the folders whose leader has ended: a killed worker cannot remove its file."""
    for path in top.iterdir():
        named = _FOLDER.fullmatch(path.name)
        if named is None or (_is_alive(int(named[1])) and named[2] == _started(int(named[1]))):
            continue
        with contextlib.suppress(OSError):  # a link, or a worker has outlived its parent
            with _opened_folder(path) as folder:
                names = os.listdir(folder)  # noqa: PTH208 (a descriptor is no path)
                _unlink(folder, [name for name in names if _is_left_over(name)])
            path.rmdir()


def _is_left_over(name: str) -> bool:
    """Whether a file in a folder whose leader has ended is of no worker that lives."""
    named = _FILE.fullmatch(name)
    return _COMMON_FILE.fullmatch(name) is not None if named is None else not _is_alive(int(named[1]))
