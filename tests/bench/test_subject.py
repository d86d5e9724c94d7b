"""The check before the timing: a rival with a wrong result is not timed."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from typing import Any

import pytest

from bench import cpu_cache
from bench.bench_decode import DecodeSubject
from bench.bench_encode import EncodeSubject
from bench.cases import Case
from bench.rivals import OURS, Call, Rival
from bench.subject import Mode, UnableError, WrongResultError

CASE = Case(name="a/b", make=lambda: '{"中文":1,"b":[true,null]}')
TO_BYTES = Mode(operation="encode", kind="bytes", temperature="cold")
EVICTED = Mode(operation="encode", kind="bytes", temperature="evicted")
WARM = Mode(operation="encode", kind="bytes", temperature="warm")
FROM_STR = Mode(operation="decode", kind="str", temperature="cold")
RIGHT = "json.dumps(value).encode()"
# Makes the cached UTF-8 copy as peers do, then gives the right answer.
CACHING_SETUP = """
import ctypes, json
touch = ctypes.pythonapi.PyUnicode_AsUTF8
touch.restype, touch.argtypes = ctypes.c_char_p, [ctypes.py_object]
"""


def rival(expression: str, *, name: str = "x", setup: str = "import json") -> Rival:
    call = Call(setup=setup, expression=expression)
    return Rival(name=name, distribution=None, encode_bytes=call, decode=call)


@pytest.mark.parametrize(
    ("expression", "message"),
    [
        ("""b'{"\\xe4\\xb8\\xad\\xe6\\x96\\x87":1.0,"b":[true,null]}'""", "the output parses to another value"),
        ("""b'{"\\xe4\\xb8\\xad\\xe6\\x96\\x87":1,"b":[1,null]}'""", "the output parses to another value"),
        ("""b'{"b":[true,null],"\\xe4\\xb8\\xad\\xe6\\x96\\x87":1}'""", "the output parses to another value"),
        ("b'{'", "stdlib cannot parse the output: "),
        ("json.dumps(value)", "gives str, not bytes"),
    ],
)
def test_encoder_whose_output_is_wrong_is_not_timed(expression: str, message: str) -> None:
    with pytest.raises(WrongResultError, match="^" + re.escape(message)):
        EncodeSubject.of(CASE).entry(rival(expression), TO_BYTES)


@pytest.mark.parametrize(
    "expression",
    ['{"中文": 1.0, "b": [True, None]}', '{"中文": 1, "b": [1, None]}', '{"b": [True, None], "中文": 1}', "None"],
)
def test_decoder_whose_result_is_wrong_is_not_timed(expression: str) -> None:
    with pytest.raises(WrongResultError, match=r"^the result differs from stdlib's$"):
        DecodeSubject.of(CASE).entry(rival(expression), FROM_STR)


def test_rival_that_raises_is_unable_and_not_wrong() -> None:
    with pytest.raises(UnableError, match=r"^ZeroDivisionError: division by zero$") as caught:
        EncodeSubject.of(CASE).entry(rival("1 / 0"), TO_BYTES)
    assert not isinstance(caught.value, WrongResultError)


def test_ours_leaving_a_copy_on_a_string_is_wrong_and_a_peer_doing_so_is_counted() -> None:
    expression = f"[touch(key) for key in value] and {RIGHT}"
    subject = EncodeSubject.of(CASE)
    n_bytes = len("中文".encode()) + 1
    assert subject.entry(rival(expression, setup=CACHING_SETUP), TO_BYTES).cache_bytes == n_bytes
    with pytest.raises(WrongResultError, match=f"^left {n_bytes} bytes of cached UTF-8 copies$"):
        subject.entry(rival(expression, name=OURS, setup=CACHING_SETUP), TO_BYTES)


def test_ours_leaving_a_copy_on_its_source_is_wrong() -> None:
    with pytest.raises(WrongResultError, match=r"^left .* bytes of cached UTF-8 copies in its source$"):
        DecodeSubject.of(CASE).entry(
            rival("touch(value) and json.loads(value)", name=OURS, setup=CACHING_SETUP), FROM_STR
        )


def test_cold_arguments_are_all_new_and_warm_ones_all_the_same() -> None:
    subject = EncodeSubject.of(CASE)
    cold: Any = subject.entry(rival(RIGHT), TO_BYTES).lane.batch(3)
    warm: Any = subject.entry(rival(RIGHT), WARM).lane.batch(3)
    strings = [key for graph in cold for key in graph if not key.isascii()]
    assert len({id(graph) for graph in cold}) == 3
    assert len({id(text) for text in strings}) == 3
    assert len({id(graph) for graph in warm}) == 1
    assert all(graph == json.loads(CASE.make()) for graph in [*cold, *warm])


def test_evicted_arguments_are_new_and_the_caches_are_emptied_after_they_are_made(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    made_before: list[int] = []
    subject = EncodeSubject.of(CASE)
    n_made = 0

    def make_fresh() -> object:
        nonlocal n_made
        n_made += 1
        return json.loads(CASE.make())

    monkeypatch.setattr(cpu_cache, "evict", lambda: made_before.append(n_made))
    lane = replace(subject, make_fresh=make_fresh).entry(rival(RIGHT), EVICTED).lane
    n_before = n_made
    graphs = lane.batch(3)
    assert made_before == [n_before + 3]
    assert len({id(graph) for graph in graphs}) == 3
    assert lane.max_batch > EncodeSubject.of(CASE).entry(rival(RIGHT), TO_BYTES).lane.max_batch


def test_cold_documents_are_all_new() -> None:
    documents = DecodeSubject.of(CASE).entry(rival("json.loads(value)"), FROM_STR).lane.batch(3)
    assert list(documents) == [CASE.make()] * 3
    assert len({id(document) for document in documents}) == 3
