"""Interpreters with a GIL of their own, made and ended in threads; each encodes and decodes."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import pytest
from helpers.threads import in_threads

N_INTERPRETERS = 8

WORK = """
import dataclasses, datetime, json, threading
import ssrjson_web

@dataclasses.dataclass
class Point:
    x: int
    y: list

@dataclasses.dataclass(slots=True)
class Slotted:
    x: int
    when: datetime.date

rows = [{"id": n, "name": "Zoë 艾达", "tags": [1.5, None, True]} for n in range(50)]
for _ in range(20):
    text = ssrjson_web.dumps_to_bytes(rows)
    assert ssrjson_web.loads(text) == rows == json.loads(text)
    values = [Point(1, [2]), Slotted(3, datetime.date(2026, 11, 22))]
    assert ssrjson_web.dumps(values, natives=True) == '[{"x":1,"y":[2]},{"x":3,"when":"2026-11-22"}]'
    assert b"".join(ssrjson_web.Encoder().iterencode(rows, 100)) == text
    try:
        ssrjson_web.loads("[1,]")
    except ssrjson_web.JSONDecodeError as error:
        assert error.pos in (2, 3)
    else:
        raise AssertionError("no error")
decoder = ssrjson_web.Decoder(object_hook=dict)
decoder.feed(text[:100])
decoder.feed(text[100:])
assert decoder.close() == rows
ssrjson_web.scan_utf8_cache(rows)
"""


def run_by_interpreters() -> Callable[[str], None]:
    """A function that runs code in an interpreter of its own: concurrent.interpreters, from Python 3.14 on."""
    from concurrent import interpreters  # type: ignore[attr-defined]

    def run(code: str) -> None:
        interpreter = interpreters.create()
        try:
            interpreter.exec(code)
        finally:
            interpreter.close()

    return run


def run_by_private_module() -> Callable[[str], None]:
    """The same by the module below it: `_interpreters` in Python 3.13, `_xxsubinterpreters` in 3.12."""
    if sys.version_info >= (3, 13):
        import _interpreters as private  # type: ignore[import-not-found]
    else:
        import _xxsubinterpreters as private

    def run(code: str) -> None:
        number = private.create()
        try:
            failed = private.run_string(number, code)
            if failed is not None:
                raise AssertionError(failed)
        finally:
            private.destroy(number)

    return run


WAYS: list[Any] = [
    pytest.param(
        run_by_private_module,
        marks=pytest.mark.skipif(
            sys.version_info < (3, 12), reason="interpreters with a GIL of their own: Python 3.12"
        ),
    ),
    pytest.param(
        run_by_interpreters,
        marks=pytest.mark.skipif(sys.version_info < (3, 14), reason="concurrent.interpreters: Python 3.14"),
    ),
]


@pytest.mark.parametrize("way", WAYS)
def test_eight_interpreters_made_and_ended_in_threads_encode_and_decode(
    way: Callable[[], Callable[[str], None]],
) -> None:
    run = way()
    for _ in range(2):  # the second round's interpreters get memory that the first round's have freed
        in_threads(lambda: run(WORK), N_INTERPRETERS)
