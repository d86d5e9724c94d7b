"""A slow, obvious JSON codec: what the core must do, in the fewest words. The oracle beside stdlib's json.

Encoding follows `json.dumps`, with raw non-ASCII text and compact separators as defaults, and knows the core's options
for plain values; decoding follows `json.loads`, errors included, and takes contiguous memoryviews too. Both recurse.
"""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, NoReturn

ESCAPES = {'"': '\\"', "\\": "\\\\", "\b": "\\b", "\f": "\\f", "\n": "\\n", "\r": "\\r", "\t": "\\t"}
HTML_SPECIAL = "<>&\u2028\u2029"
LINE_ENDS = "\x85\u2028\u2029"
UNESCAPES = {escape[1]: char for char, escape in ESCAPES.items()} | {"/": "/"}


def stdlib_says(document: str, message: str) -> bool:
    """Whether this Python's json gives that message for a malformed document."""
    try:
        json.loads(document)
    except json.JSONDecodeError as error:
        return error.msg == message
    return False


# what differs between versions of Python, also between patch releases
TRAILING_COMMA_HAS_ITS_OWN_MESSAGE = stdlib_says("[1,]", "Illegal trailing comma before end of array")
UNICODE_ESCAPE_NEEDS_A_CHARACTER_AFTER = stdlib_says('"\\u1234', "Invalid \\uXXXX escape")

SKIPPED_KEYS_LEAVE_AN_EMPTY_LINE = json.dumps({(): 1}, skipkeys=True, indent=0) != "{}"


# ---- encoding


@dataclass(frozen=True)
class Options:
    default: Callable[[Any], Any] | None = None
    skipkeys: bool = False
    ensure_ascii: bool = False
    check_circular: bool = True
    allow_nan: bool = True
    indent: int | str | None = None
    separators: tuple[str, str] | None = None
    sort_keys: bool = False
    append_newline: bool = False
    html_safe: bool = False
    escape_surrogates: bool = False
    nan_as_null: bool = False
    nan_as_str: bool = False
    int53: str | None = None
    int64: str | None = None
    line_safe: bool = False


def encode(obj: object, **options: Any) -> str:
    """The document as `dumps` must give it."""
    settings = Options(**options)
    text = "".join(Encoder(settings).value(obj, 0))
    if settings.html_safe:
        text = "".join(f"\\u{ord(char):04x}" if char in HTML_SPECIAL else char for char in text)
    if settings.line_safe:
        text = "".join(f"\\u{ord(char):04x}" if char in LINE_ENDS else char for char in text)
    if settings.escape_surrogates:
        text = "".join(f"\\u{ord(char):04x}" if "\ud800" <= char <= "\udfff" else char for char in text)
    return text + "\n" if settings.append_newline else text


def encode_to_bytes(obj: object, **options: Any) -> bytes:
    """The document as `dumps_to_bytes` must give it."""
    return encode(obj, **options).encode()


def encode_str(text: str, ensure_ascii: bool = False) -> str:
    return '"' + "".join(encode_char(char, ensure_ascii) for char in text) + '"'


def encode_char(char: str, ensure_ascii: bool) -> str:
    if char in ESCAPES:
        return ESCAPES[char]
    code = ord(char)
    if code < 0x20:
        return f"\\u{code:04x}"
    if code < 0x7F or not ensure_ascii:
        return char
    if code < 0x10000:
        return f"\\u{code:04x}"
    return f"\\u{0xD800 + ((code - 0x10000) >> 10):04x}\\u{0xDC00 + ((code - 0x10000) & 0x3FF):04x}"


def encode_float(number: float, options: Options) -> str:
    if math.isfinite(number):
        return float.__repr__(number)
    if options.nan_as_null:
        return "null"
    if not options.allow_nan and not options.nan_as_str:
        message = "Out of range float values are not JSON compliant"
        # up to Python 3.11 stdlib's encoder in C, which does not indent, leaves the value out
        is_value_named = sys.version_info >= (3, 12) or options.indent is not None
        raise ValueError(f"{message}: {number!r}" if is_value_named else message)
    return "NaN" if math.isnan(number) else "Infinity" if number > 0 else "-Infinity"


def encode_int(number: int, options: Options) -> str:
    """The digits; with int53="str" a key does not change, as it is in quotes anyway."""
    if options.int53 == "error" and abs(number) >= 2**53:
        raise ValueError(f"Integer beyond 53 bits is not exact in every reader: {number!r}")
    if options.int64 == "error" and not -(2**63) <= number < 2**64:
        raise ValueError(f"Integer beyond 64 bits: {number!r}")
    return int.__repr__(number)


def is_quoted_int(number: int, options: Options) -> bool:
    is_beyond_64_bits = not -(2**63) <= number < 2**64
    return (options.int53 == "str" and abs(number) >= 2**53) or (options.int64 == "str" and is_beyond_64_bits)


@dataclass
class Encoder:
    options: Options
    open_ids: set[int] = field(default_factory=set)  # the containers and hooked objects on the way down

    @property
    def item_separator(self) -> str:
        return self.options.separators[0] if self.options.separators is not None else ","

    @property
    def key_separator(self) -> str:
        if self.options.separators is not None:
            return self.options.separators[1]
        return ":" if self.options.indent is None else ": "

    def newline(self, depth: int) -> str:
        indent = self.options.indent
        if indent is None:
            return ""
        return "\n" + (indent if isinstance(indent, str) else " " * indent) * depth

    def value(self, obj: Any, depth: int) -> Iterator[str]:
        if isinstance(obj, str):
            yield encode_str(obj, self.options.ensure_ascii)
        elif obj is None:
            yield "null"
        elif obj is True:
            yield "true"
        elif obj is False:
            yield "false"
        elif isinstance(obj, int):
            digits = encode_int(obj, self.options)
            yield f'"{digits}"' if is_quoted_int(obj, self.options) else digits
        elif isinstance(obj, float):
            number = encode_float(obj, self.options)
            yield f'"{number}"' if self.options.nan_as_str and not math.isfinite(obj) else number
        elif isinstance(obj, (list, tuple)):
            yield from self.nested(obj, self.items(obj, depth + 1))
        elif isinstance(obj, dict):
            yield from self.nested(obj, self.members(obj, depth + 1))
        elif self.options.default is not None:
            yield from self.nested(obj, self.hooked(obj, depth))
        else:
            raise TypeError(f"Object of type {obj.__class__.__name__} is not JSON serializable")

    def nested(self, obj: object, pieces: Iterator[str]) -> Iterator[str]:
        if self.options.check_circular and id(obj) in self.open_ids:
            raise ValueError("Circular reference detected")
        self.open_ids.add(id(obj))
        yield from pieces
        self.open_ids.discard(id(obj))

    def hooked(self, obj: object, depth: int) -> Iterator[str]:
        assert self.options.default is not None
        yield from self.value(self.options.default(obj), depth)

    def items(self, items: list[Any] | tuple[Any, ...], depth: int) -> Iterator[str]:
        before = "[" + self.newline(depth)
        is_empty = True
        for item in items:
            yield before
            yield from self.value(item, depth)
            before = self.item_separator + self.newline(depth)
            is_empty = False
        yield "[]" if is_empty else self.newline(depth - 1) + "]"

    def members(self, members: dict[Any, Any], depth: int) -> Iterator[str]:
        before = "{" + self.newline(depth)
        is_empty = True
        for key, value in sorted(members.items()) if self.options.sort_keys else members.items():
            name = self.key(key)
            if name is None:
                continue
            yield before + encode_str(name, self.options.ensure_ascii) + self.key_separator
            yield from self.value(value, depth)
            before = self.item_separator + self.newline(depth)
            is_empty = False
        if not is_empty:
            yield self.newline(depth - 1) + "}"
        elif members and SKIPPED_KEYS_LEAVE_AN_EMPTY_LINE:
            yield before + self.newline(depth - 1) + "}"
        else:
            yield "{}"

    def key(self, key: object) -> str | None:
        """The key as text; None: skip it."""
        if isinstance(key, str):
            return key
        if isinstance(key, float):
            return encode_float(key, self.options)
        if key is True or key is False or key is None:
            return {True: "true", False: "false", None: "null"}[key]
        if isinstance(key, int):
            return encode_int(key, self.options)
        if self.options.skipkeys:
            return None
        raise TypeError(f"keys must be str, int, float, bool or None, not {key.__class__.__name__}")


# ---- decoding


def decode(document: str | bytes | bytearray | memoryview, *, max_size: int | None = None, **options: Any) -> Any:
    """The value as `loads` must give it."""
    if max_size is not None and len(document) > max_size:
        raise json.JSONDecodeError(f"Document is longer than max_size ({max_size})", "", max_size)
    decoder = Decoder(text_of(document), **options)
    decoder.skip_spaces()
    value = decoder.value()
    decoder.skip_spaces()
    if decoder.at < len(decoder.text):
        decoder.fail("Extra data", decoder.at)
    return value


def decode_lines(document: str | bytes | bytearray | memoryview, **options: Any) -> list[Any]:
    """The values as `Decoder.decode_lines` must give them."""
    text = text_of(document)
    values = []
    start = 0
    for line in text.split("\n"):
        end = start + len(line)
        has_return = line.endswith("\r") and end < len(text)
        decoder = Decoder(text, **options, at=start, end=end - has_return)
        decoder.skip_spaces()
        if decoder.at < decoder.end:
            values.append(decoder.value())
            decoder.skip_spaces()
            if decoder.at < decoder.end:
                decoder.fail("Extra data", decoder.at)
        start += len(line) + 1
    return values


def text_of(document: str | bytes | bytearray | memoryview) -> str:
    """The document as stdlib reads it."""
    if isinstance(document, str):
        text = document
        if text.startswith("\ufeff"):
            raise json.JSONDecodeError("Unexpected UTF-8 BOM (decode using utf-8-sig)", text, 0)
    elif isinstance(document, (bytes, bytearray, memoryview)):
        text = bytes(document).decode(json.detect_encoding(bytes(document)), "surrogatepass")
    else:
        raise TypeError(f"the JSON object must be str, bytes or bytearray, not {document.__class__.__name__}")
    return text


Hook = Callable[[Any], Any]


@dataclass
class Decoder:
    text: str
    at: int = 0
    end: int = -1
    """Where the text ends for this decoder: of a line, its line feed."""
    depth: int = 0
    object_hook: Hook | None = None
    object_pairs_hook: Hook | None = None
    array_hook: Hook | None = None
    parse_float: Hook | None = None
    parse_int: Hook | None = None
    parse_constant: Hook | None = None
    strict: bool = True
    allow_nan: bool = True
    allow_surrogates: bool = True
    duplicate_keys: str | None = "last"
    jsonc: bool = False
    max_depth: int | None = None

    def __post_init__(self) -> None:
        self.end = len(self.text) if self.end < 0 else self.end

    def fail(self, message: str, position: int) -> NoReturn:
        raise json.JSONDecodeError(message, self.text, position)

    def peek(self, n_chars: int = 1) -> str:
        return self.text[self.at : min(self.at + n_chars, self.end)]

    def skip(self, allowed: str) -> int:
        start = self.at
        while self.at < self.end and self.text[self.at] in allowed:
            self.at += 1
        return self.at - start

    def skip_spaces(self) -> None:
        self.skip(" \t\n\r")
        while self.jsonc and self.peek(2) in ("//", "/*"):
            start = self.at
            if self.peek(2) == "//":
                while self.at < self.end and self.peek() not in ("\n", "\r"):
                    self.at += 1
            else:
                end = self.text.find("*/", start + 2, self.end)
                if end < 0:
                    self.fail("Unterminated comment starting at", start)
                self.at = end + 2
            self.skip(" \t\n\r")

    def value(self) -> Any:
        char = self.peek()
        if char == '"':
            return self.string()
        if char in ("[", "{"):
            self.depth += 1
            if self.max_depth is not None and self.depth > self.max_depth:
                self.fail(f"Nesting is deeper than max_depth ({self.max_depth})", self.at)
            value = self.array_or_what_becomes_of_it() if char == "[" else self.object()
            self.depth -= 1
            return value
        for word, value in (("null", None), ("true", True), ("false", False)):
            if self.peek(len(word)) == word:
                self.at += len(word)
                return value
        for word, value in (("NaN", math.nan), ("Infinity", math.inf), ("-Infinity", -math.inf)):
            if self.peek(len(word)) == word:
                if not self.allow_nan and self.parse_constant is None:
                    self.fail("NaN and Infinity are not allowed", self.at)
                self.at += len(word)
                return value if self.parse_constant is None else self.parse_constant(word)
        return self.number()

    def array_or_what_becomes_of_it(self) -> Any:
        items = self.array()
        return items if self.array_hook is None else self.array_hook(items)

    def array(self) -> list[Any]:
        items: list[Any] = []
        self.at += 1
        self.skip_spaces()
        if self.peek() == "]":
            self.at += 1
            return items
        while True:
            items.append(self.value())
            if self.ends_at("]", "array"):
                return items

    def object(self) -> Any:
        pairs = self.members()
        if self.object_pairs_hook is not None:
            return self.object_pairs_hook(pairs)
        return dict(pairs) if self.object_hook is None else self.object_hook(dict(pairs))

    def members(self) -> list[tuple[str, Any]]:
        pairs: list[tuple[str, Any]] = []
        quotes: list[int] = []
        self.at += 1
        self.skip_spaces()
        if self.peek() == "}":
            self.at += 1
            return pairs
        while True:
            if self.peek() != '"':
                self.fail("Expecting property name enclosed in double quotes", self.at)
            quotes.append(self.at)
            key = self.string()
            self.skip_spaces()
            if self.peek() != ":":
                self.fail("Expecting ':' delimiter", self.at)
            self.at += 1
            self.skip_spaces()
            pairs.append((key, self.value()))
            if self.ends_at("}", "object"):
                self.check_duplicates([key for key, _ in pairs], quotes)
                return pairs

    def check_duplicates(self, keys: list[str], quotes: list[int]) -> None:
        """Once an object has ended: whether it repeats a key, where that is refused."""
        for i, key in enumerate(keys):
            if key in keys[:i] and self.duplicate_keys == "error":
                self.fail("Duplicate key", quotes[i])

    def ends_at(self, bracket: str, container: str) -> bool:
        """Past the closing bracket (True) or past the comma before the next item (False)."""
        self.skip_spaces()
        comma = self.at
        char = self.peek()
        if char == bracket:
            self.at += 1
            return True
        if char != ",":
            self.fail("Expecting ',' delimiter", self.at)
        self.at += 1
        self.skip_spaces()
        if self.jsonc and self.peek() == bracket:
            self.at += 1
            return True
        if TRAILING_COMMA_HAS_ITS_OWN_MESSAGE and self.peek() == bracket:
            self.fail(f"Illegal trailing comma before end of {container}", comma)
        return False

    def number(self) -> Any:
        start = self.at
        if self.peek() == "-":
            self.at += 1
        if self.peek() == "0":
            self.at += 1
        elif not self.skip("0123456789"):
            self.fail("Expecting value", start)
        end_of_int = self.at
        self.optional_part(".", "")
        self.optional_part("eE", "+-")
        digits = self.text[start : self.at]
        if self.at == end_of_int:
            return int(digits) if self.parse_int is None else self.parse_int(digits)
        if self.parse_float is not None:
            return self.parse_float(digits)
        number = float(digits)
        if math.isinf(number) and not self.allow_nan:
            self.fail("Number out of range", start)
        return number

    def optional_part(self, marks: str, signs: str) -> None:
        """Past the mark, a sign where there is one, and the digits; where there are no digits, nowhere."""
        start = self.at
        if self.peek() and self.peek() in marks:
            self.at += 1
            if self.peek() and self.peek() in signs:
                self.at += 1
            if not self.skip("0123456789"):
                self.at = start

    def string(self) -> str:
        quote = self.at
        chars = ""
        self.at += 1
        while True:
            char = self.peek()
            if not char:
                self.fail("Unterminated string starting at", quote)
            if ord(char) < 0x20 and self.strict:
                self.fail("Invalid control character at", self.at)
            if 0xD800 <= ord(char) < 0xE000 and not self.allow_surrogates:
                self.fail("Lone surrogate in \\uXXXX escape", self.at)
            self.at += 1
            if char == '"':
                return chars
            chars += self.escape(quote) if char == "\\" else char

    def escape(self, quote: int) -> str:
        """The character whose escape stands at `at`, just past its backslash."""
        char = self.peek()
        if not char:
            self.fail("Unterminated string starting at", quote)
        if char != "u":
            if char not in UNESCAPES:
                self.fail("Invalid \\escape", self.at - 1)
            self.at += 1
            return UNESCAPES[char]
        backslash = self.at - 1
        code = self.hex_digits()
        if 0xD800 <= code < 0xDC00 and self.peek(2) == "\\u" and self.at + 6 < self.end + self.missing:
            after_high = self.at
            self.at += 1
            low = self.hex_digits()
            if 0xDC00 <= low < 0xE000:
                return chr(0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00))
            self.at = after_high
        if 0xD800 <= code < 0xE000 and not self.allow_surrogates:
            self.fail("Lone surrogate in \\uXXXX escape", backslash)
        return chr(code)

    @property
    def missing(self) -> int:
        """Characters after the four digits that stdlib does not need."""
        return 0 if UNICODE_ESCAPE_NEEDS_A_CHARACTER_AFTER else 1

    def hex_digits(self) -> int:
        """The number after the `u` at `at`."""
        digits = self.text[self.at + 1 : min(self.at + 5, self.end)]
        is_hex = len(digits) == 4 and all(c in "0123456789abcdefABCDEF" for c in digits)
        if not is_hex or self.at + 5 >= self.end + self.missing:
            self.fail("Invalid \\uXXXX escape", self.at)
        self.at += 5
        return int(digits, 16)
