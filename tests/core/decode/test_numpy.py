"""Arrays of numpy as documents: those of bytes are read in place, others are refused."""

from __future__ import annotations

from typing import Any

import pytest

from ssrjson_web import _core

numpy = pytest.importorskip("numpy")

pytestmark = pytest.mark.usefixtures("isa")


def feed(source: Any) -> Any:
    decoder = _core.Decoder()
    decoder.feed(source)
    return decoder.close()


def test_decode_numpy_bytes() -> None:
    for kind in ("u1", "i1"):
        whole = numpy.frombuffer(b'[1, "2"]', dtype=kind)
        for call in (_core.loads, feed, _core.Decoder().decode):
            assert call(whole) == [1, "2"]
            assert call(numpy.frombuffer(b"xx[1, 2]", dtype=kind)[2:]) == [1, 2]
            with pytest.raises((BufferError, ValueError), match="contiguous"):
                call(whole[::2])


def test_decode_numpy_arrays_of_other_items_raise_type_error() -> None:
    for kind in ("u2", "i8", "f4", "?", "S1", "U1", "M8[s]"):
        for call in (_core.loads, feed):
            with pytest.raises((TypeError, ValueError, BufferError)) as raised:
                call(numpy.zeros(4, dtype=kind))
            assert not isinstance(raised.value, _core.JSONDecodeError)
