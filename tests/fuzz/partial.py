"""Documents decoded while they arrive: values, errors and positions held against `loads` of the whole.

The first bytes choose the source, the options, the chunks, and what is done after each: nothing, `take_items`, a look,
or a look that is changed afterwards. A byte of REPEAT in the rest repeats what is before it, so that texts grow and
parts of them are dropped.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any, Literal

from helpers.call_outcome import Outcome, assert_same, error_outcome
from helpers.partial_document import decode_part

from fuzz.decode import is_half_of_a_pair_at_the_end, is_other_fault_of_string
from fuzz.draw import Draw
from ssrjson_web import _core
from ssrjson_web._shared import body_items

Source = str | bytes | bytearray
Mode = Literal["on", "trailing-strings"]

REPEAT = 0x1F  # then how many bytes, and how often
MAX_BYTES = 12_000
MAX_DEPTH_OF_LOOKS = 200  # of those that the slow oracle is asked about
MAX_LOOKS = 40
STRING = re.compile(rb'"(?:[^"\\]|\\.)*("|\\?\Z)', re.DOTALL)


def expanded(data: bytes) -> bytes:
    out = bytearray()
    at = 0
    while at < len(data) and len(out) < MAX_BYTES:
        if data[at] != REPEAT:
            out.append(data[at])
            at += 1
            continue
        n, times = (data[at + 1 : at + 3] + b"\1\1")[:2]
        out += out[-n:] * (times * 8) if n else b""
        at += 3
    return bytes(out[:MAX_BYTES])


def source_of(kind: int, data: bytes) -> Source:
    if kind < 3:
        return data
    if kind == 3:
        return bytearray(data)
    text = data.decode("utf-8", "replace")
    if kind == 4:
        return text.encode("utf-8-sig")
    if kind == 5:
        return text.encode("utf-16-le")
    return text


def chunks_of(source: Source, draw: Draw) -> list[Any]:
    """The source in pieces whose lengths come in turn, some of them empty or long."""
    lengths = [(0, 1, 2, 3, 5, 17, 100, 4097)[draw.below(8)] for _ in range(1 + draw.below(4))]
    if not any(lengths):
        lengths = [1 + draw.below(64)]
    chunks: list[Any] = []
    at = 0
    while at < len(source):
        length = lengths[len(chunks) % len(lengths)]
        chunks.append(source[at : at + length])
        at += length
    return chunks


def n_open_of(part: bytes) -> int:
    """The number of containers that the part of a well-formed document leaves open."""
    rest = STRING.sub(b"", part)
    return rest.count(b"[") + rest.count(b"{") - rest.count(b"]") - rest.count(b"}")


def spoil(look: Any, n_open: int) -> None:
    """Change the open containers of a look, as a receiver may; the finished ones are shared."""
    for _ in range(n_open):
        if isinstance(look, list):
            newest = look[-1] if look else None
            look[:] = ["mine", *look[1:], "mine"]
        elif isinstance(look, dict):
            newest = list(look.values())[-1] if look else None
            look.clear()
            look["mine"] = "mine"
        else:
            return
        look = newest


class Feeding:
    """One document that is fed, with all that was taken of it."""

    def __init__(self, decoder: _core.Decoder, *, mode: Mode, is_well_formed: bool) -> None:
        self.decoder = decoder
        self.mode = mode
        self.is_well_formed = is_well_formed
        self.taken: list[Any] = []
        self.n_looks = 0
        self.held: list[Any] = []

    def look(self, part: bytes | None, *, spoils: bool) -> None:
        """`value`, which must be what the slow oracle finds in the part; None: it is not asked."""
        self.n_looks += 1
        try:
            look = self.decoder.value
        except LookupError:
            look = LookupError
        n_open = n_open_of(part) if part is not None else 0
        if part is not None and n_open < MAX_DEPTH_OF_LOOKS:
            try:
                expected = decode_part(part, trailing_strings=self.mode == "trailing-strings")
            except LookupError:
                expected = LookupError
            if isinstance(expected, list):
                expected = expected[len(self.taken) :]
            assert_same(repr(look), repr(expected), part)
            if spoils:
                spoil(look, n_open)
        self.held = [look, *self.held[:1]] if not spoils else []

    def take(self) -> None:
        self.taken += self.decoder.take_items()

    def run(self, chunks: list[Any], actions: list[int]) -> Any:
        fed = b""
        may_look = self.is_well_formed and not isinstance(chunks[0], str)
        for i, chunk in enumerate(chunks):
            self.decoder.feed(chunk)
            fed += chunk if may_look else b""
            action = actions[i % len(actions)]
            if action & 1:
                self.take()
            if action & 2 and self.n_looks < MAX_LOOKS:
                self.look(fed if may_look else None, spoils=bool(action & 4))
        value = self.decoder.close()
        return [*self.taken, *value] if self.taken else value


def outcome_of(call: Any, *args: Any) -> Outcome:
    try:
        return ("value", repr(call(*args)))
    except LookupError:
        raise
    except Exception as error:
        found = error_outcome(error)
        return (*found[:5], *found[6:]) if found[0] == "JSONDecodeError" else found[:1]


def compare(got: Outcome, expected: Outcome, case: object) -> None:
    """What is wrong in a part is found before the rest is there, so before what is no UTF-8 in the rest."""
    if expected[0] == "UnicodeDecodeError" and got[0] in ("UnicodeDecodeError", "JSONDecodeError"):
        return
    if is_half_of_a_pair_at_the_end(got, expected) or is_other_fault_of_string(got, expected):
        return
    assert_same(got, expected, case)


def is_no_array(source: Source) -> bool:
    try:
        text = source if isinstance(source, str) else bytes(source).decode(json.detect_encoding(source), "replace")
    except UnicodeDecodeError:
        return True
    return text.lstrip(" \t\n\r")[:1] != "["


def fed_document(source: Source, draw: Draw, options: dict[str, Any]) -> None:
    mode: Mode = draw.choice(("on", "trailing-strings"))
    actions = [draw.byte() for _ in range(1 + draw.below(5))]
    if is_no_array(source):
        actions = [action & ~1 for action in actions]
    chunks = chunks_of(source, draw)
    if not chunks:
        return
    expected = outcome_of(lambda: _core.loads(source, **options))
    is_utf8 = isinstance(source, str) or json.detect_encoding(source) == "utf-8"
    decoder = _core.Decoder(partial=mode, **options)
    feeding = Feeding(decoder, mode=mode, is_well_formed=expected[0] == "value" and is_utf8 and not options)
    got = outcome_of(feeding.run, chunks, actions)
    compare(got, expected, (source, options, mode, actions))


def items_of_body(source: Source, draw: Draw, *, lines: bool) -> None:
    chunks = chunks_of(source, draw)
    if lines:
        expected = outcome_of(_core.Decoder().decode_lines, source)
    elif not chunks or is_no_array(source):
        return
    else:
        expected = outcome_of(_core.loads, source)

    def items() -> Iterator[Any]:
        return body_items.items(iter(chunks), lines=lines, max_item_size=None, max_depth=None)

    compare(outcome_of(lambda: list(items())), expected, (source, lines))


def partial_one(data: bytes) -> None:
    draw = Draw(data)
    way, kind, chosen = draw.below(4), draw.below(8), draw.byte()
    limits = (("strict", False), ("allow_surrogates", False), ("duplicate_keys", "error"), ("jsonc", True))
    options = {name: value for i, (name, value) in enumerate(limits) if chosen >> 5 == 7 and chosen >> i & 1}
    splits = Draw(draw.take(10))
    source = source_of(kind, expanded(draw.rest()))
    if way < 2:
        fed_document(source, splits, options)
    else:
        items_of_body(bytes(source) if isinstance(source, bytearray) else source, splits, lines=way == 3)
