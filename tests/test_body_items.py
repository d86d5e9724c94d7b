"""The items of a body in chunks: arrays and JSON Lines, with positions in the whole body."""

from __future__ import annotations

import asyncio
import json
import random
import tracemalloc
from collections.abc import AsyncIterator, Iterable, Iterator
from typing import Any

import pytest

from ssrjson_web import Decoder, JSONDecodeError, JSONDepthError, loads
from ssrjson_web._shared.body_items import ItemTooLongError, async_items, is_lines_type, items

ITEMS: list[Any] = [{"id": i, "名": "值" * (i % 7), "x": [i, None, 1.5, "\n\\"]} for i in range(60)]
ARRAY = json.dumps(ITEMS, ensure_ascii=False, indent=1)
LINES = "".join(json.dumps(item, ensure_ascii=False) + "\n" for item in ITEMS)
NO_LIMITS: Any = {"max_item_size": None, "max_depth": None}


def chunks_of(data: Any, longest: int, seed: int = 1) -> Iterator[Any]:
    source = random.Random(seed)
    while data:
        n = source.randint(0, longest)
        yield data[:n]
        data = data[n:]


@pytest.mark.parametrize("longest", [1, 3, 17, 400, 100_000])
@pytest.mark.parametrize(
    ("text", "lines"), [(ARRAY, False), (LINES, True), (LINES[:-1], True), (LINES.replace("\n", "\r\n\n"), True)]
)
def test_items_of_any_chunks(text: str, lines: bool, longest: int) -> None:
    for whole in (text, text.encode()):
        assert list(items(chunks_of(whole, longest), lines=lines, **NO_LIMITS)) == ITEMS

    async def chunks() -> AsyncIterator[bytes]:
        for chunk in chunks_of(text.encode(), longest):
            yield chunk

    async def run() -> list[Any]:
        return [item async for item in async_items(chunks(), lines=lines, **NO_LIMITS)]

    assert asyncio.run(run()) == ITEMS


def found(text: Any, longest: int, **options: Any) -> tuple[list[Any], tuple[Any, ...]]:
    """The items before the error, and what the error says."""
    got: list[Any] = []
    try:
        for item in items(chunks_of(text, longest), **(NO_LIMITS | options)):
            got.append(item)
    except JSONDecodeError as error:
        return got, (error.msg, error.pos, error.lineno, error.colno, str(error))
    except UnicodeDecodeError as error:
        return got, (error.reason,)
    return got, ()


@pytest.mark.parametrize("longest", [1, 5, 300])
@pytest.mark.parametrize(
    "end", ["", " ,", ", x]", ", 1 2]", "}", "] ]", ', "\n"]', ', {"a" 1}]', ', ["\\x"]]', ", nul]"]
)
def test_errors_of_an_array_are_those_of_the_whole(end: str, longest: int) -> None:
    for whole in (ARRAY[:-1] + end, ARRAY[:-1].replace(",\n", ",\r\n\n") + end):
        for text in (whole, whole.encode()):
            with pytest.raises(JSONDecodeError) as error:
                loads(text)
            expected = error.value
            got, said = found(text, longest, lines=False)
            assert said == (expected.msg, expected.pos, expected.lineno, expected.colno, str(expected))
            assert got[:60] == ITEMS[: len(got)]
            assert len(got) >= 59 or longest == 300


@pytest.mark.parametrize("longest", [1, 5, 300])
@pytest.mark.parametrize("end", ["x", "\n[1", "1 2\n", '{"a": "\n"}', "\n\n  nul\n[]"])
def test_errors_of_lines_are_those_of_the_whole(end: str, longest: int) -> None:
    for text in (LINES + end, (LINES + end).encode()):
        with pytest.raises(JSONDecodeError) as error:
            Decoder().decode_lines(text)
        expected = error.value
        got, said = found(text, longest, lines=True)
        assert said == (expected.msg, expected.pos, expected.lineno, expected.colno, str(expected))
        assert got == ITEMS[: len(got)]


@pytest.mark.parametrize(("body", "lines"), [(b'["\xff"]', False), (b'"\xff"\n', True)])
def test_malformed_utf8(body: bytes, lines: bool) -> None:
    assert found(body, 2, lines=lines) == ([], ("invalid start byte",))


@pytest.mark.parametrize("body", [b"", b" ", b'{"a": 1}', b'"a"', b"12", '{"a": 1}'.encode("utf-16")])
def test_body_that_is_no_array(body: bytes) -> None:
    with pytest.raises(JSONDecodeError, match=r"Expecting (an array|value)"):
        list(items([body], lines=False, **NO_LIMITS))


def outcome_of_lines(chunks: Any) -> Any:
    got: list[Any] = []
    try:
        for item in items(chunks, lines=True, **NO_LIMITS):
            got.append(item)
    except JSONDecodeError as error:
        return got, str(error), error.pos, error.lineno, error.colno
    except UnicodeDecodeError as error:
        return got, error.reason, error.start, error.end
    return got


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"1",
        b"1\n",
        b"\n1\n",
        "1\n2".encode("utf-8-sig"),
        "\n\ufeff1\n".encode(),  # a mark that is none, as it is not the first
        "1\n\ufeff2\n".encode(),
        "\ufeff\ufeff1\n".encode(),
        b"1\n\x002\n",  # not UTF-16, though a piece may look like it
        b"1\n2\x00\x00\x00\n",
        b'"a"\n\xff\xfe\n',
        b'"a"\n"\xe4\xb8"\n',
        b'"a"\n["\xed\xa0\x80"]\n',
        "\ufeff1\n",
        "1\n\ufeff2\n",
        '"\ud800"\n2',
        b'1\r\n"cut\r\n2',
        b"[1,\r\n2",
        b'["cut\r',
        *[
            '"é中"\n{"a": [1]}\n\n 3'.encode(name)
            for name in ("utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-32-be")
        ],
        '"é"\n[1 2]\n'.encode("utf-16"),
        '"é"\n'.encode("utf-16-le")[:-1],
    ],
)
def test_lines_do_not_depend_on_the_chunks(body: Any) -> None:
    try:
        whole = Decoder().decode_lines(body)
    except JSONDecodeError as error:
        expected: Any = str(error), error.pos, error.lineno, error.colno
    except UnicodeDecodeError as error:
        expected = error.reason, error.start, error.end
    else:
        expected = whole
    for n in (1, 2, 3, 4, 5, 7, 1000):
        got = outcome_of_lines([body[i : i + n] for i in range(0, len(body), n)])
        assert (got[1:] if isinstance(expected, tuple) else got) == expected
    for at in range(len(body)):
        got = outcome_of_lines([body[:at], body[:0], body[at:]])
        assert (got[1:] if isinstance(expected, tuple) else got) == expected


def test_body_without_lines() -> None:
    assert list(items([b"", b"\n \n"], lines=True, **NO_LIMITS)) == []
    assert list(items([], lines=True, **NO_LIMITS)) == []


@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf", b" \n"])
@pytest.mark.parametrize(
    "body",
    [b'{"a": 1}', b'{"a" 1}', b'{"a": 1,}', b"{1: 2}", b"1 2", b"1\r2\n", b'{"\xff": 1}', b'"a"\n"b"', b"x \xff"],
)
def test_body_that_is_no_array_has_one_error_however_it_comes(mark: bytes, body: bytes) -> None:
    whole = found_in([mark + body])
    assert whole[0] == ("Expecting value" if body.startswith(b"x") else "Expecting an array")
    for place in range(1, len(mark + body)):
        assert found_in([(mark + body)[:place], (mark + body)[place:]]) == whole
    assert found_in(chunks_of(mark + body, 1)) == whole


def found_in(chunks: Iterable[bytes]) -> tuple[Any, ...]:
    with pytest.raises(JSONDecodeError) as error:
        list(items(chunks, lines=False, **NO_LIMITS))
    return error.value.msg, error.value.pos, error.value.lineno, error.value.colno, str(error.value)


def test_array_of_another_encoding() -> None:
    assert list(items(chunks_of("[1, 2]".encode("utf-16"), 3), lines=False, **NO_LIMITS)) == [1, 2]


@pytest.mark.parametrize("lines", [False, True])
def test_limits(lines: bool) -> None:
    def run(body: bytes, **options: Any) -> list[Any]:
        return list(items(chunks_of(body, 10), lines=lines, **(NO_LIMITS | options)))

    opening, separator, closing = (b"", b"\n", b"\n") if lines else (b"[", b",", b"]")
    short = opening + separator.join([b'"aaaa"'] * 100) + closing
    assert len(run(short, max_item_size=30)) == 100
    with pytest.raises(ItemTooLongError, match="longer than 30 bytes"):
        run(opening + b'"' + b"a" * 60 + b'"' + closing, max_item_size=30)
    with pytest.raises(JSONDepthError):
        run(opening + b"[[[1]]]" + closing, max_depth=2)
    with pytest.raises(ValueError, match="max_item_size must be 1 or more"):
        run(short, max_item_size=0)


@pytest.mark.parametrize("lines", [False, True])
def test_memory_does_not_grow_with_the_body(lines: bool) -> None:
    row = b'{"name": "' + b"x" * 500 + b'"}'

    def chunks() -> Iterator[bytes]:
        yield b"" if lines else b"[" + row
        for _ in range(20_000):
            yield (b"" if lines else b",") + row + b"\n"
        yield b"" if lines else b"]"

    tracemalloc.start()
    try:
        n = sum(1 for _ in items(chunks(), lines=lines, **NO_LIMITS))
        assert n >= 20_000
        assert tracemalloc.get_traced_memory()[1] < 200_000
    finally:
        tracemalloc.stop()


def test_chunk_is_read_when_the_items_before_were_taken() -> None:
    read: list[int] = []

    def chunks() -> Iterator[bytes]:
        for i in range(5):
            read.append(i)
            yield b"[1,2" if i == 0 else b",3,4" if i < 4 else b"]"

    iterator = items(chunks(), lines=False, **NO_LIMITS)
    assert next(iterator) == 1
    assert read == [0]
    assert [next(iterator), next(iterator)] == [2, 3]
    assert read == [0, 1]


@pytest.mark.parametrize(
    "name", ["application/jsonl", "Application/X-NDJSON; charset=utf-8", " application/x-jsonlines "]
)
def test_content_types_of_lines(name: str) -> None:
    assert is_lines_type(name)
    assert not is_lines_type(name.lower().replace("l", "").replace("nd", ""))
