"""Documents like those of real services, and what the core makes of them: the same at every instruction-set level.

As a program it prints the level in use and a digest of all outcomes, so that two CPUs can be compared.
"""

from __future__ import annotations

import base64
import datetime
import hashlib
import json
import random
import struct
import sys
import uuid
from collections.abc import Callable, Iterator
from typing import Any

__all__ = ["alphabets", "digest", "outcomes", "texts", "values"]

alphabets = {
    "ascii": "abcdefghijklmnopqrstuvwxyz ABCDEFGHIJ 0123456789 .,;:-_/",
    "escapes": '"\\\n\r\t\b\f\x00\x1f\x7f/ab',
    "html": "<a href='x'>&</a>\u2028\u2029 &amp;",
    "latin-1": "Grüße, déjà vu, señor ÿ\x80\xa0",
    "two bytes": "Привет мир, Ελληνικά, עברית",
    "three bytes": "中文字符、日本語テキスト、한국어",
    "four bytes": "😀🎉👩🏽\U0010ffff\U00010000",
    "mixed": 'aé中😀"\\\n<я\u07ff\u0800\ud7ff\ue000\uffff',
    "surrogates": "ab\ud800\udbff\udc00\udfff中",
}
LENGTHS = (0, 1, 7, 8, 15, 16, 17, 31, 32, 33, 63, 64, 65, 130, 255, 256, 400, 2100)
SPACES = (" ", "\n", "\r\n", "\t", "  ", "\n    ", "\n\t\t\t", " " * 15, " " * 16, " " * 33, "\n" + " " * 70, "\r \t\n")


def text_of(draw: random.Random, alphabet: str, length: int) -> str:
    """Runs of few characters, of which some are of other kinds."""
    plain = alphabets["ascii"]
    found = ""
    while len(found) < length:
        letters = alphabet if draw.random() < 0.6 else plain
        found += "".join(draw.choices(letters, k=draw.choice((1, 2, 5, 16, 40))))
    return found[:length]


def numbers(draw: random.Random) -> Iterator[int | float]:
    """Numbers of each length and exponent."""
    for n_digits in range(1, 25):
        digits = draw.choice("123456789") + "".join(draw.choices("0123456789", k=n_digits - 1))
        at = draw.randint(0, n_digits)
        yield from (int(digits), -int(digits), float(f"{digits[:at] or 0}.{digits[at:] or 0}"))
        yield float(f"-{digits[:1]}.{digits[1:] or 0}e{draw.randint(-320, 300)}")
    for _ in range(40):
        (found,) = struct.unpack("<d", struct.pack("<Q", draw.getrandbits(64)))
        yield found if found - found == 0 else 0.1


def values(seed: int) -> Iterator[Any]:
    """Values to encode: what services send."""
    draw = random.Random(seed)
    for name, alphabet in alphabets.items():
        strings = [text_of(draw, alphabet, length) for length in LENGTHS]
        yield strings
        yield {text_of(draw, alphabet, 12) + str(i): string for i, string in enumerate(strings[:10])}
        yield [{"id": i, "name": strings[i % 9], "kind": name, "tags": strings[:3]} for i in range(draw.randint(1, 40))]
    yield list(numbers(draw))
    yield {"points": [[draw.uniform(-180, 180), draw.uniform(-90, 90)] for _ in range(60)]}
    yield [draw.randbytes(n) for n in (0, 1, 2, 3, 15, 16, 17, 47, 48, 49, 100, 1000)]
    moment = datetime.datetime(2026, 11, 22, 1, 2, 3, tzinfo=datetime.timezone.utc)
    yield [[moment + datetime.timedelta(microseconds=draw.getrandbits(50)), uuid.UUID(int=draw.getrandbits(128))]] * 3
    nested: Any = text_of(draw, alphabets["mixed"], 20)
    for _ in range(40):
        nested = {"next": nested} if draw.random() < 0.5 else [nested, None, True]
    yield nested


OPTIONS: tuple[dict[str, Any], ...] = (
    {},
    {"indent": 2},
    {"indent": "\t", "separators": (" , ", " : ")},
    {"ensure_ascii": True},
    {"html_safe": True},
    {"escape_surrogates": True, "sort_keys": True},
    {"html_safe": True, "ensure_ascii": True, "append_newline": True},
    {"bytes": "base64"},
    {"bytes": "base64url", "datetime": "http", "uuid": "hex"},
    {"floats": "e16", "nan_as_null": True},
)


def with_spaces(draw: random.Random, text: str) -> str:
    """JSON without spaces or escapes in it, with white space of any kind around each token."""
    found, is_string = [], False
    for part in json.JSONEncoder(separators=(",", ":")).iterencode(json.loads(text)):
        is_string = part.startswith('"')
        found.append(part if is_string or len(part) > 40 else draw.choice(SPACES) + part)
        found.append(draw.choice(SPACES) if draw.random() < 0.5 else "")
    return "".join(found)


def texts(seed: int) -> Iterator[str | bytes]:
    """Texts to decode: valid ones with white space and escapes of any kind, and damaged ones."""
    draw = random.Random(~seed)
    for value in values(seed):
        try:
            compact = json.dumps(value, ensure_ascii=False)
        except TypeError:
            continue  # bytes and dates
        pretty = json.dumps(value, indent=draw.choice((1, 2, 4, 7, "\t", " " * 17)))
        spaced = with_spaces(draw, compact)
        yield from (compact, pretty, spaced)
        for text in (compact, pretty, spaced):
            data = text.encode("utf-8", "surrogatepass")
            yield data
            for _ in range(6):
                yield damaged(draw, data)
    for length in LENGTHS:
        text = "".join(f"\\u{draw.getrandbits(16):04x}" for _ in range(length // 3))
        yield f'["{text}"]'
        yield f'["{text[:-3]}zz"]'
        yield f"{' ' * length}[{draw.choice(SPACES)}1{' ' * length}]{' ' * length}"
        yield f"[1{' ' * length}\xff]"
        yield (
            (f"[1{' ' * length}").encode()
            + bytes([draw.choice((0x80, 0x85, 0xA0, 0xC2, 0xFF, 0x00, 0x0B, 0x2A))])
            + b"]"
        )
        yield base64.b64encode(draw.randbytes(length)).decode().join(('{"data":"', '"}'))


def damaged(draw: random.Random, data: bytes) -> bytes:
    """The text with one byte changed, removed or added, or cut."""
    at = draw.randrange(len(data))
    byte = bytes(
        [draw.choice((0x00, 0x1F, 0x22, 0x5C, 0x7F, 0x80, 0xBF, 0xC0, 0xC2, 0xE0, 0xED, 0xF0, 0xF4, 0xF5, 0xFF))]
    )
    return draw.choice(
        (data[:at], data[:at] + byte + data[at + 1 :], data[:at] + byte + data[at:], data[:at] + data[at + 1 :])
    )


def outcome(call: Callable[[], Any]) -> str:
    """What the call gives as text: the value, or the exception with its position."""
    try:
        return repr(call())
    except Exception as error:
        return f"{type(error).__name__}: {error} {getattr(error, 'pos', '')} {getattr(error, 'start', '')}"


def outcomes(seed: int) -> Iterator[tuple[str, str]]:
    """For each call on the documents of the seed: what was called, and its outcome."""
    from ssrjson_web import Decoder, Encoder, loads

    for i, value in enumerate(values(seed)):
        for options in OPTIONS:
            encoder = Encoder(**{"natives": True, **options})
            yield f"value {i} of seed {seed}, encode, {options}", outcome(lambda: encoder.encode(value))  # noqa: B023
            yield f"value {i} of seed {seed}, encode_str, {options}", outcome(lambda: encoder.encode_str(value))  # noqa: B023
    decoder = Decoder(parse_float=str)
    for i, text in enumerate(texts(seed)):
        yield f"text {i} of seed {seed}, loads", outcome(lambda: loads(text))  # noqa: B023
        yield f"text {i} of seed {seed}, decode", outcome(lambda: decoder.decode(text))  # noqa: B023


def digest(seeds: range) -> str:
    """SHA-256 of all outcomes of the seeds."""
    found = hashlib.sha256()
    for seed in seeds:
        for call, result in outcomes(seed):
            found.update(f"{call}: {result}\n".encode("utf-8", "backslashreplace"))
    return found.hexdigest()


if __name__ == "__main__":
    from ssrjson_web import get_current_features

    print(get_current_features()["level"], digest(range(int(sys.argv[1]))))
