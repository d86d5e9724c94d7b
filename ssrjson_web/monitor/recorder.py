"""What a block of code spends on JSON, measured inside of the core."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from ssrjson_web._core import Recorder, current_recorder

__all__ = ["record"]


@contextmanager
def record() -> Iterator[Recorder]:
    """A `Recorder` that takes the time, count and bytes of every call that the block makes.

    It holds in the block's context: for what it awaits, the tasks that it starts and the threads of
    `asyncio.to_thread` and anyio, which copy the context; not for plain threads. A block within another has a recorder
    of its own, and the outer one counts nothing of it. Other libraries' calls count while they are observed, see
    `ssrjson_web.monitor.observation`.
    """
    recorder = Recorder()
    token = current_recorder.set(recorder)
    try:
        yield recorder
    finally:
        current_recorder.reset(token)
