"""What a block of code spends on JSON, measured inside the core."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from ssrjson_web._core import Recorder, current_recorder

__all__ = ["record"]


@contextmanager
def record() -> Iterator[Recorder]:
    """A `Recorder` of the time, number and bytes of all calls in the block.

    It applies to the block's context: to what the block awaits, to the tasks that it starts, and to threads of
    `asyncio.to_thread` and anyio, which copy the context; not to other threads. A block within another one has its own
    recorder, and the outer recorder does not count its calls. Calls of other libraries count while they are observed,
    see `ssrjson_web.monitor.observe`.
    """
    recorder = Recorder()
    token = current_recorder.set(recorder)
    try:
        yield recorder
    finally:
        current_recorder.reset(token)
