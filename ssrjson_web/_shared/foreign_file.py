"""Reading a file that another process, or another user, may have written."""

from __future__ import annotations

import os
import stat
from pathlib import Path

__all__ = ["read_foreign"]


def read_foreign(path: Path, *, max_bytes: int) -> bytes:
    """The contents of an ordinary file of at most `max_bytes`.

    Raises OSError for any other: it follows no link, and does not block on a named pipe.
    """
    flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    with os.fdopen(os.open(path, flags), "rb") as source:
        if not stat.S_ISREG(os.fstat(source.fileno()).st_mode):
            raise OSError(f"{path} is no ordinary file")
        contents = source.read(max_bytes + 1)
    if len(contents) > max_bytes:
        raise OSError(f"{path} is larger than {max_bytes} bytes")
    return contents
