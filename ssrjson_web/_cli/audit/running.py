"""An audit inside another process. Python 3.14 and newer run a script in a process that is already running."""

from __future__ import annotations

import contextlib
import json
import os
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import asdict, fields
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any, TypeVar

from ssrjson_web._cli.audit.places import Audit, Copies, audit
from ssrjson_web._cli.target import TargetError, WrongTarget
from ssrjson_web._shared.foreign_file import read_foreign

__all__ = ["audit_here", "audit_process"]

_T = TypeVar("_T")

_TIMEOUT_S = 30.0
_PAUSE_S = 0.02
_MAX_BYTES = 1 << 28
"""Of an answer: a process of another user may write anything."""

# It runs in the other process, between two steps of its main thread, and must not disturb it.
_SCRIPT = """\
def _audit():
    import json, os, traceback
    try:
        from ssrjson_web._cli.audit.running import audit_here
        answer = audit_here({target!r}, depth={depth!r}, keys={keys!r})
    except BaseException as error:
        answer = json.dumps({{"error": traceback.format_exception_only(error)[-1].strip()}})
    with open({path!r} + ".part", "w", encoding="utf-8") as file:
        file.write(answer)
    os.replace({path!r} + ".part", {path!r})

_audit()
"""


def audit_process(pid: int, target: str, *, depth: int, keys: int, timeout_s: float = _TIMEOUT_S) -> Audit:
    """The audit of `target` in the process `pid`; of all of its modules where `target` is empty.

    Raises TargetError where Python is older than 3.14, the process cannot be reached or has no such object, and after
    `timeout_s` without an answer: a main thread that waits for something runs no script.
    """
    run: Callable[[int, str], None] | None = getattr(sys, "remote_exec", None)
    if run is None:
        version = ".".join(map(str, sys.version_info[:2]))
        raise WrongTarget(
            f"--pid needs Python 3.14 or newer, and this is {version}. The memory middleware counts the copies of a "
            "process that runs an older one; in code of yours: from ssrjson_web.audit import audit"
        )
    with tempfile.TemporaryDirectory(prefix="ssrjson-audit-") as folder:
        answer, script = Path(folder, "answer.json"), Path(folder, "script.py")
        script.write_text(_SCRIPT.format(target=target, depth=depth, keys=keys, path=str(answer)), encoding="utf-8")
        _give_to_owner_of(pid, script, folder)  # the folder last: its owner may replace what is in it
        try:
            run(pid, str(script))
        except (OSError, RuntimeError, ValueError) as error:
            raise TargetError(f"process {pid} cannot be reached: {str(error) or type(error).__name__}") from None
        return _audit_of(_answer(answer, pid, timeout_s), pid)


def audit_here(target: str, *, depth: int, keys: int) -> str:
    """The audit of an object of this process as JSON. `target` is MODULE, MODULE:OBJECT, or empty for all modules."""
    name, root = _found(target)
    return json.dumps(asdict(audit(root, name=name, depth=depth, keys=keys)))


def _found(target: str) -> tuple[str, Any]:
    """The name that paths begin with, and the object. Nothing is imported. Raises LookupError."""
    if not target:
        # the audit does not go on into modules, and groups the keys of large dicts, but not attributes
        modules = {
            name: SimpleNamespace(**{key: value for key, value in vars(module).items() if isinstance(key, str)})
            for name, module in list(sys.modules.items())
            if isinstance(module, ModuleType) and not name.startswith("ssrjson_web.")
        }
        return "modules", SimpleNamespace(**modules)
    module, _, path = target.partition(":")
    if module not in sys.modules:
        raise LookupError(f"no module {module!r} is imported there")
    found: Any = sys.modules[module]
    for part in filter(None, path.split(".")):
        try:
            found = getattr(found, part)
        except AttributeError:
            raise LookupError(f"{target!r}: there is no {part!r}") from None
    return target.rpartition(":")[2].rpartition(".")[2], found


def _give_to_owner_of(pid: int, *paths: str | Path) -> None:
    """Let the user of the process read and write the files, where this process may."""
    with contextlib.suppress(OSError, AttributeError):
        owner = Path(f"/proc/{pid}").stat()
        for path in paths:
            os.chown(path, owner.st_uid, owner.st_gid, follow_symlinks=False)


def _answer(path: Path, pid: int, timeout_s: float) -> Any:
    deadline = time.monotonic() + timeout_s
    while not os.path.lexists(path):
        if time.monotonic() > deadline:
            raise TargetError(
                f"process {pid} did not answer within {timeout_s:g} seconds: its main thread waits, or it has another "
                "version of Python or another /tmp"
            )
        time.sleep(_PAUSE_S)
    try:
        return json.loads(read_foreign(path, max_bytes=_MAX_BYTES))
    except (OSError, ValueError, RecursionError) as error:
        raise TargetError(f"process {pid} gave no answer that can be read: {error}") from None


def _audit_of(answer: Any, pid: int) -> Audit:
    if isinstance(answer, dict) and isinstance(answer.get("error"), str):
        raise TargetError(f"process {pid}: {answer['error']}")
    try:
        return Audit(
            name=_of(str, answer["name"]),
            strings=_of(int, answer["strings"]),
            objects=_of(int, answer["objects"]),
            total=_copies(answer["total"]),
            by_path={path: _copies(copies) for path, copies in answer["by_path"].items()},
            by_type={name: _copies(copies) for name, copies in answer["by_type"].items()},
        )
    except (TypeError, AttributeError, KeyError):
        raise TargetError(f"process {pid} answered something else than an audit: is its ssrjson_web older?") from None


def _copies(answer: Any) -> Copies:
    return Copies(**{field.name: _of(int, answer[field.name]) for field in fields(Copies)})


def _of(kind: type[_T], value: Any) -> _T:
    """The value. Raises TypeError where it is of another type."""
    if type(value) is not kind:
        raise TypeError
    return value
