"""Handlers of signals run while an array is written that stands for more text than it has memory."""

from __future__ import annotations

import gc
import signal
import struct
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from helpers.exports import INT, Exported, Tensor, array, schema

from ssrjson_web import dumps, dumps_to_bytes

pytestmark = [
    pytest.mark.usefixtures("isa"),
    pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="the signal comes from a timer of POSIX"),
]


class Interrupted(BaseException):
    """What the handler raises."""


@contextmanager
def ticking(drop: Callable[[], None] = lambda: None) -> Iterator[None]:
    """Signals, of which the third raises: those that are not handled within a call are one."""
    n_handled, is_raised = 0, False

    def handle(number: int, frame: object) -> None:
        nonlocal n_handled, is_raised
        n_handled += 1
        drop()
        if n_handled >= 3 and not is_raised:  # the next signal may come within this handler
            is_raised = True
            raise Interrupted

    previous = signal.signal(signal.SIGALRM, handle)
    callbacks = gc.callbacks[:]
    gc.callbacks.clear()  # hypothesis has one of Python: a collection would lose what the handler raises within it
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.001, 0.001)
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, previous)
        gc.callbacks[:] = callbacks


def list_views(n: int, n_levels: int) -> Exported:
    """Lists of n lists each, all of which are the same."""
    of_type, items = schema(b"n"), array(n)
    for _ in range(n_levels):
        offsets, sizes = struct.pack(f"={n}i", *[0] * n), struct.pack(f"={n}i", *[n] * n)
        of_type, items = schema(b"+vl", of_type), array(n, None, offsets, sizes, children=[items])
    return Exported(of_type, items)


def one_text(n_chars: int, n: int) -> Exported:
    text = array(1, None, struct.pack("=2i", 0, n_chars), b"x" * n_chars)
    return Exported(schema(b"c", dictionary=schema(b"u")), array(n, None, bytes(n), dictionary=text))


N = 1 << 25
ARRAYS: dict[str, Any] = {
    "nulls": Exported(schema(b"n"), array(N)),
    "empty objects": Exported(schema(b"+s"), array(N, None)),
    "list views": list_views(32, 5),
    "a long text": one_text(1 << 18, 1 << 10),
    "a tensor of one number": Tensor(b"1", INT, 8, [N], [0]),
    "a tensor of short rows": Tensor(b"1", INT, 8, [2] * 25, [0] * 25),
    "a tensor of long rows": Tensor(b"1", INT, 8, [1 << 9, 65521], [0, 0]),
    "a tensor of empty rows": Tensor(b"1", INT, 8, [N, 0], [0, 0]),
}


@pytest.mark.parametrize("name", ARRAYS)
def test_long_array_is_interrupted(name: str) -> None:
    with pytest.raises(Interrupted), ticking():
        dumps_to_bytes([ARRAYS[name]], arrays=True)


@pytest.mark.parametrize("before", ["é", "中", "😀"])
@pytest.mark.parametrize("name", ["nulls", "a tensor of one number", "a tensor of short rows"])
def test_long_array_in_a_wider_text_is_interrupted(name: str, before: str) -> None:
    with pytest.raises(Interrupted), ticking():
        dumps([before, ARRAYS[name]], arrays=True)


def test_indented_array_is_interrupted() -> None:
    with pytest.raises(Interrupted), ticking():
        dumps_to_bytes([ARRAYS["nulls"]], arrays=True, indent=1)


@pytest.mark.parametrize("name", ["nulls", "list views", "a tensor of one number", "a tensor of short rows"])
def test_handler_may_drop_the_document(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    is_asked = False
    inner: list[Any] = [ARRAYS[name]]
    document: list[Any] = [{"a": inner}, ["é"]]
    way = "__dlpack__" if hasattr(inner[0], "__dlpack__") else "__arrow_c_array__"
    stock = getattr(type(inner[0]), way)

    def asked(self: Any, *arguments: Any, **options: Any) -> Any:
        nonlocal is_asked
        is_asked = True
        return stock(self, *arguments, **options)

    def drop() -> None:
        if is_asked:
            inner.clear()
            document.clear()

    monkeypatch.setattr(type(inner[0]), way, asked)
    with pytest.raises(Interrupted), ticking(drop):
        dumps_to_bytes(document, arrays=True)
    assert document == []
