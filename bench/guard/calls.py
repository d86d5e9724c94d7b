"""The calls to count instructions of: each kind of document, of option and of entry point once."""

from __future__ import annotations

import datetime
import decimal
import json
import uuid
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from importlib import import_module
from typing import Any

import ssrjson_web
from bench import generated, vocabulary
from bench.cases import compact_json
from bench.guard.guarded import GuardedCall, Library
from bench.guard.requests import guarded_requests
from ssrjson_web import json as drop_in

N_NUMBERS = 2_000
"""Numbers in a document of numbers."""
LONG_TEXT_BYTES = 100_000


def all_calls() -> Sequence[GuardedCall]:
    """Forty calls of the core, then requests."""
    return (*_to_bytes(), *_with_options(), *_to_str(), *_of_models(), *_parsed(), *guarded_requests())


def _to_bytes() -> Sequence[GuardedCall]:
    call = partial(_encoded, "dumps_to_bytes", ssrjson_web.dumps_to_bytes)
    return (
        call("small/tiny", lambda: {"ok": True}, 400),
        call("small/web", partial(generated.small_web, "ascii"), 200),
        call("small/web-chinese", partial(generated.small_web, "chinese"), 200),
        call("rows/ascii", partial(generated.rows, "ascii"), 4),
        call("rows/chinese", partial(generated.rows, "chinese"), 4),
        call("rows/russian", partial(generated.rows, "russian"), 4),
        call("rows/emoji", partial(generated.rows, "emoji"), 4),
        call("text/ascii", partial(generated.long_text, "ascii", LONG_TEXT_BYTES), 20),
        call("text/chinese", partial(generated.long_text, "chinese", LONG_TEXT_BYTES), 20),
        call("text/emoji", partial(generated.long_text, "emoji", LONG_TEXT_BYTES), 20),
        call("escapes/source-code", partial(generated.escape_rows, vocabulary.CODE_LINES), 4),
        call("strings/chinese-0-64", partial(generated.strings_by_length, "中"), 4),
        call("strings/long-keys", generated.long_keys, 4),
        call("numbers/random-floats", partial(_numbers, "random-floats"), 2),
        call("numbers/short-floats", partial(_numbers, "short-floats"), 2),
        call("numbers/ints-64-bit", partial(_numbers, "ints-64-bit"), 4),
        call("numbers/small-ints", partial(_numbers, "small-ints"), 4),
        call("numbers/bool-null", partial(_numbers, "bool-null"), 4),
        call("shape/nested-lists", generated.nested_lists, 2),
    )


def _with_options() -> Sequence[GuardedCall]:
    rows, call = partial(generated.rows, "chinese"), ssrjson_web.dumps_to_bytes
    small = partial(generated.small_web, "ascii")
    return (
        _encoded("dumps_to_bytes indent=2", partial(call, indent=2), "rows/chinese", rows, 4),
        _encoded("dumps_to_bytes sort_keys", partial(call, sort_keys=True), "rows/chinese", rows, 4),
        _encoded("dumps_to_bytes natives", partial(call, natives=True), "rows/natives", _natives, 4),
        _encoded("dumps_to_bytes default", partial(call, default=str), "rows/natives", _natives, 4),
        _encoded("Encoder.encode", ssrjson_web.Encoder().encode, "small/web", small, 200),
        _encoded("Encoder.encode_lines", ssrjson_web.Encoder().encode_lines, "rows/chinese", rows, 4),
    )


def _to_str() -> Sequence[GuardedCall]:
    rows = partial(generated.rows, "chinese")
    escaped = partial(ssrjson_web.dumps, ensure_ascii=True)
    return (
        _encoded("dumps", ssrjson_web.dumps, "rows/chinese", rows, 4),
        _encoded("dumps ensure_ascii", escaped, "rows/chinese", rows, 4),
        _encoded("json.dumps", drop_in.dumps, "rows/ascii", partial(generated.rows, "ascii"), 4),
    )


def _of_models() -> Sequence[GuardedCall]:
    encode = ssrjson_web.Encoder(models=True).encode
    kinds: Sequence[tuple[str, str, Library]] = (
        ("dataclass", "Point", ""),
        ("pydantic", "PointModel", "pydantic"),
        ("msgspec", "PointStruct", "msgspec"),
    )
    return tuple(
        _encoded("Encoder(models).encode", encode, f"models/{name}", partial(_points, kind), 4, library)
        for name, kind, library in kinds
    )


def _parsed() -> Sequence[GuardedCall]:
    call = partial(_decoded, "loads bytes", ssrjson_web.loads)
    rows = partial(generated.rows, "chinese")
    return (
        call("small/web", partial(generated.small_web, "ascii"), 200),
        call("rows/ascii", partial(generated.rows, "ascii"), 4),
        call("rows/chinese", rows, 4),
        call("rows/emoji", partial(generated.rows, "emoji"), 4),
        call("escapes/source-code", partial(generated.escape_rows, vocabulary.CODE_LINES), 4),
        call("numbers/random-floats", partial(_numbers, "random-floats"), 2),
        call("numbers/ints-64-bit", partial(_numbers, "ints-64-bit"), 4),
        _decoded("loads str", ssrjson_web.loads, "rows/chinese", rows, 4, write=compact_json),
        _decoded("Decoder.decode bytes", ssrjson_web.Decoder().decode, "rows/indented", rows, 4, write=_indented),
    )


def _encoded(
    entry: str,
    call: Callable[[Any], object],
    document: str,
    make: Callable[[], object],
    rounds: int,
    library: Library = "",
) -> GuardedCall:
    def made() -> tuple[Callable[[Any], object], object]:
        return call, _with_own_keys(make(), {})

    return GuardedCall(name=f"{entry} {document}", make=made, rounds=rounds, library=library)


def _with_own_keys(value: object, keys: dict[str, str]) -> object:
    """The document with keys that no other document has: their addresses decide which of them share a place in a table
    of the encoder, and a count with one such pair is up to 13 % higher. `keys` are those made so far."""
    if type(value) is list:
        return [_with_own_keys(item, keys) for item in value]
    if type(value) is not dict:
        return value
    return {keys.setdefault(key, _copied(key)): _with_own_keys(item, keys) for key, item in value.items()}


def _copied(text: str) -> str:
    return text.encode().decode()


def _decoded(
    entry: str,
    call: Callable[[Any], object],
    document: str,
    make: Callable[[], object],
    rounds: int,
    *,
    write: Callable[[object], str | bytes] = lambda value: compact_json(value).encode(),
) -> GuardedCall:
    return GuardedCall(name=f"{entry} {document}", make=lambda: (call, write(make())), rounds=rounds)


def _indented(value: object) -> bytes:
    return json.dumps(value, ensure_ascii=False, indent=2).encode()


def _numbers(kind: str) -> list[object]:
    return generated.numbers(kind)[:N_NUMBERS]


def _natives() -> list[Mapping[str, object]]:
    """100 rows of a table, as a database driver returns them."""
    start = datetime.datetime(2024, 5, 17, 8, 30, tzinfo=datetime.timezone.utc)
    return [
        {
            "id": uuid.UUID(int=number * 2**64 + 17),
            "at": start + datetime.timedelta(hours=number, microseconds=number % 3),
            "day": datetime.date(2024, 1 + number % 12, 1 + number % 28),
            "price": decimal.Decimal(100 * number + 99) / 100,
        }
        for number in range(100)
    ]


def _points(kind: str) -> list[object]:
    # imported here: pydantic hashes with a random seed, which changes later allocations
    make = getattr(import_module("bench.guard.models"), kind)
    return [make(name=f"point {number}", x=number / 4, y=-float(number)) for number in range(100)]
