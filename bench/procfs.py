"""This process's memory, from Linux's /proc.

Not `ssrjson_web.memory`: a process that measures a peer must not load our core.
"""

from __future__ import annotations

import json
import os
import sys
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal

_STATUS = Path("/proc/self/status")


def is_available() -> bool:
    """Whether this system has the files that this module reads."""
    return sys.platform == "linux" and _STATUS.exists()


def status_bytes(name: Literal["VmRSS", "VmHWM", "VmSize", "VmPeak"]) -> int:
    """A figure of proc(5), status, in bytes."""
    return _kilobytes(_STATUS, name) * 1024


def reset_peak() -> None:
    """Set VmHWM, the peak, back to VmRSS. Source: proc(5), clear_refs. Raises OSError where that is not allowed."""
    Path("/proc/self/clear_refs").write_text("5", "ascii")


def private_dirty_bytes() -> int:
    """Pages that only this process holds and has written, in bytes. Source: proc(5), smaps_rollup."""
    return _kilobytes(Path("/proc/self/smaps_rollup"), "Private_Dirty") * 1024


def _kilobytes(path: Path, name: str) -> int:
    for line in path.read_text("ascii", errors="replace").splitlines():
        key, _, value = line.partition(":")
        if key == name:
            return int(value.split()[0])
    raise OSError(f"{path} has no {name}")


def in_forked_child(measure: Callable[[], Any]) -> Any:
    """The result of `measure` in a forked child, after a round trip through JSON.

    The child's VmPeak and VmHWM begin at its VmSize and VmRSS, independent of earlier peaks of this process.
    Raises RuntimeError where the child fails; its traceback goes to stderr.
    """
    reader, writer = os.pipe()
    pid = os.fork()
    if pid == 0:
        status = 1
        try:
            os.write(writer, json.dumps(measure()).encode())
            status = 0
        except BaseException:
            traceback.print_exc()
        finally:
            os._exit(status)
    os.close(writer)
    with os.fdopen(reader, "rb") as pipe:
        answer = pipe.read()
    _, status = os.waitpid(pid, 0)
    if status:
        raise RuntimeError("the forked child failed")
    return json.loads(answer)
