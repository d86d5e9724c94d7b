"""Encoding long strings: the output's memory is estimated, measured, grown and trimmed."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest
from helpers import json_documents
from helpers.builds import IS_FREE_THREADED
from helpers.call_outcome import assert_same, outcome
from helpers.processes import run_python

from ssrjson_web import _core

pytestmark = pytest.mark.usefixtures("isa")

quoted = json.encoder.encode_basestring
quoted_ascii = json.encoder.encode_basestring_ascii

# around what is sampled, what goes to its final place at once, and what outgrows the room for texts of unknown size
LENGTHS = (16_000, 21_845, 22_000, 65_535, 65_536, 70_001, 400_000, 1_500_000)


def assert_encoded(value: object, note: object) -> None:
    """The three outputs of a value are stdlib's."""
    compact: Callable[..., str] = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode
    expected = compact(value)
    got = _core.dumps(value)
    assert_same(got, expected, note)
    assert got.__sizeof__() == expected.__sizeof__(), note
    assert_same(_core.dumps_to_bytes(value), expected.encode(), note)
    ascii_only = json.dumps(value, separators=(",", ":"))
    assert_same(_core.dumps(value, ensure_ascii=True), ascii_only, note)


def with_specials(fill: str, length: int, special: str, step: int) -> str:
    """A run in which each `step`th character is another one: between the samples, or in some of them."""
    run = fill * (step - 1) + special
    return (run * (length // step + 1))[:length]


@pytest.mark.parametrize("fill", json_documents.CLASSES)
@pytest.mark.parametrize("length", LENGTHS)
def test_encode_long_string_alone_and_in_a_list_equals_stdlib(fill: str, length: int) -> None:
    text = json_documents.CLASSES[fill] * length
    assert_encoded(text, (fill, length))
    assert_encoded(["a", text, text, "b"], (fill, length))
    assert_encoded({text: text}, (fill, length))


@pytest.mark.parametrize("fill", json_documents.CLASSES)
@pytest.mark.parametrize("length", [70_000, pytest.param(1_200_000, marks=pytest.mark.full)])
def test_encode_long_string_that_its_samples_do_not_tell_about(fill: str, length: int) -> None:
    for special in ("a", "é", "中", "😀", '"', "\n", "\x01"):
        # 997 and 4999 share no factor with where samples stand, so some see it; the last is beyond them all
        for step in (2, 997, 4999):
            text = with_specials(json_documents.CLASSES[fill], length, special, step)
            assert_encoded(text, (length, special, step))
        text = json_documents.CLASSES[fill] * (length - 1000) + special * 1000
        assert_encoded(text, (length, special, "at the end"))
        assert_encoded([text, special], (length, special, "at the end"))


def test_encode_long_string_of_escapes_between_its_samples_grows_to_hold_them() -> None:
    for fill in ("a", "é", "中", "😀"):
        for escape in ('"', "\x01"):
            quarter = fill * 1000 + escape * 7000
            text = (fill * 64 + quarter * 9)[:70_000]
            assert_encoded(text, (fill, escape))
            assert_encoded(text * 20, (fill, escape))


def test_encode_surrogate_late_in_a_long_string_raises_at_its_index() -> None:
    for fill in json_documents.CLASSES.values():
        for index in (65_537, 99_999):
            text = fill * index + "\ud800" + fill * (100_000 - index)
            expected = outcome(lambda text: quoted(text).encode(), text)
            assert expected[0] == "UnicodeEncodeError"
            assert_same(outcome(_core.dumps_to_bytes, text), expected, (fill, index))
            assert_same(_core.dumps(text), quoted(text), (fill, index))


WIDENING = ("aé", "a中", "a😀", "é中", "é😀", "中😀", "aé中😀")


def test_encode_str_widens_after_text_of_any_length() -> None:
    for length in (0, 1, 15, 16, 17, 33, 700, 2000, 3700, 7000, 7600, 9000, 70_000):
        for letters in WIDENING:
            assert_encoded([letter * length + letter for letter in letters], (length, letters))
            assert_encoded(["a" * length, *letters], (length, letters))
    assert_encoded([letter * 2_200_000 + letter for letter in WIDENING[-1]], "2,200,000")


@pytest.mark.full
def test_encode_str_widens_after_text_of_megabytes() -> None:
    for length in (2_200_000, 4_300_000):
        for letters in WIDENING:
            assert_encoded([letter * length + letter for letter in letters], (length, letters))
            assert_encoded(["a" * length, *letters], (length, letters))


def test_encode_long_result_can_be_hashed_grown_and_cut() -> None:
    for fill in json_documents.CLASSES.values():
        text = fill * 100_000
        for got, expected in ((_core.dumps(text), quoted(text)), (_core.dumps_to_bytes(text), quoted(text).encode())):
            assert hash(got) == hash(expected)
            assert got.__sizeof__() == expected.__sizeof__()
            assert got[:-1] + got[-1:] == expected
            assert got * 2 == expected * 2
        result = _core.dumps(text)
        result += "中"
        assert result == quoted(text) + "中"


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="needs Linux's /proc")
@pytest.mark.skipif("asan" in os.environ.get("LD_PRELOAD", ""), reason="AddressSanitizer reserves address space itself")
@pytest.mark.skipif(IS_FREE_THREADED, reason="mimalloc has reserved address space before")
def test_encode_long_string_reserves_little_more_than_its_result(tmp_path: Path, isa: str) -> None:
    snippet = f"""
        import os
        from ssrjson_web import _core

        _core._use_level({isa!r})

        def kilobytes(field):
            with open("/proc/self/status") as status:
                return next(int(line.split()[1]) for line in status if line.startswith(field))

        def reserved(encode, text):
            reader, writer = os.pipe()
            if os.fork() == 0:
                before = kilobytes("VmSize:")
                result = encode(text)
                after = kilobytes("VmPeak:")
                n_bytes = len(result) if isinstance(result, bytes) else result.__sizeof__()
                os.write(writer, repr((after - before) * 1024 / n_bytes).encode())
                os._exit(0)
            os.close(writer)
            os.wait()
            return float(os.read(reader, 100))

        for unit in ("order ", "très ", "заказ ", "great 😀 ", "商品", "使用Python3编写 ", '<a href="x">\\n'):
            for encode in (_core.dumps_to_bytes, _core.dumps):
                ratio = reserved(encode, unit * (20_000_000 // len(unit)))
                assert 0.9 < ratio < 1.1, (unit, encode, ratio)
        print("ok")
    """
    done = run_python(snippet, tmp_path)
    assert (done.stdout, done.returncode) == ("ok\n", 0), done.stderr
