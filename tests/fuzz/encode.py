"""Encoding of object graphs: the text held against the oracle's, and each way to encode against each other.

The first bytes choose the options, the next ones build the graph; some graphs have hooks that change them under way.
"""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Callable
from json.encoder import encode_basestring, encode_basestring_ascii
from typing import Any

from helpers import reference_codec
from helpers.call_outcome import Outcome, assert_same, outcome

from fuzz.draw import Draw
from fuzz.graph import Graph, Pair, Raw
from ssrjson_web import _core

Options = dict[str, Any]

# options that are left at their defaults: to go on past what is known already
WITHOUT = os.environ.get("SSRJSON_FUZZ_WITHOUT", "").split(",")

LEVELS = _core.get_current_features()["levels"]

INDENTS = (None, None, 0, 1, 3, "\t", "é", "")
SEPARATORS = (None, None, (",", ":"), (", ", ": "), (" ,\n", " : "), ("，", "：😀"), ("", ""))


class Oracle(reference_codec.Encoder):
    """The reference, which knows text that is written as it is and the spelling of floats."""

    floats = "repr"

    def value(self, obj: Any, depth: int) -> Any:
        if isinstance(obj, Raw):
            yield "".join(
                reference_codec.encode_char(char, True) if self.options.ensure_ascii and ord(char) > 0x7F else char
                for char in obj
            )
        elif isinstance(obj, str):  # stdlib's own, because long texts take the reference long
            yield (encode_basestring_ascii if self.options.ensure_ascii else encode_basestring)(obj)
        elif isinstance(obj, float):
            yield self.spelt(reference_codec.encode_float(obj, self.options))
        else:
            yield from super().value(obj, depth)

    def key(self, key: object) -> str | None:
        name = super().key(key)
        return self.spelt(name) if isinstance(key, float) and name is not None else name

    def spelt(self, text: str) -> str:
        if self.floats == "repr" or "e" not in text:
            return text
        digits, exponent = text.split("e")
        if exponent == "-05":
            sign = "-" if digits.startswith("-") else ""
            return f"{sign}0.0000{digits.lstrip('-').replace('.', '')}"
        if exponent.startswith("-0"):
            return f"{digits}e-{exponent[2:]}"
        return text.replace("e+", "e") if self.floats == "e16" else text


def draw_options(draw: Draw) -> Options:
    options: Options = {}
    chosen = draw.word(2)
    names = ("ensure_ascii", "skipkeys", "sort_keys", "append_newline", "html_safe", "nan_as_null", "natives", "models")
    for i, name in enumerate(names):
        if chosen >> (2 * i) & 3 == 1:
            options[name] = True
    chosen = draw.word(2)
    if chosen & 7 == 1:
        options["allow_nan"] = False
    if chosen & 24 == 8:
        options["check_circular"] = False
    options["int53"] = (None, None, None, None, "str", "str", "str", "error")[chosen >> 5 & 7]
    options["floats"] = ("repr", "repr", "e16", "e+16")[chosen >> 8 & 3]
    if chosen & 0xC00 == 0x400:
        options["indent"] = draw.choice(INDENTS)
    if chosen & 0x3000 == 0x1000:
        options["separators"] = draw.choice(SEPARATORS)
    if options.get("models"):
        options.pop("natives", None)
        options["nan_as_null"] = True  # its default beside models, which the oracle does not know
        for name in ("by_alias", "exclude_unset", "exclude_defaults", "exclude_none"):
            if draw.byte() >= 0xE0:
                options[name] = True
        if options.get("exclude_none"):
            options["exclude_none"] = "pydantic"  # the oracle leaves out fields of models only
    elif options.get("natives"):
        draw_formats(draw, options)
        leave_out_idle(options)
    return {name: value for name, value in options.items() if name not in WITHOUT}


def draw_formats(draw: Draw, options: Options) -> None:
    formats = {
        "datetime": ("iso", None),
        "date": ("iso", None),
        "time": ("iso", None),
        "timespec": ("auto", "seconds", "milliseconds", "microseconds"),
        "utc": ("+00:00", "Z"),
        "naive": (None, "utc"),
        "timedelta": (None, "iso", "iso-years", "seconds"),
        "uuid": ("hyphenated", "hex", None),
        "enum": ("value", "name", None),
        "decimal": ("number", "str", "float", None),
        "bytes": ("utf-8", "base64", "base64url", None),
    }
    chosen = draw.byte()
    if chosen & 1:
        for name, values in formats.items():
            options[name] = draw.choice(values)
    if chosen & 2:
        for name in ("dataclass", "iterables", "mapping", "path", "numpy", "arrays"):
            options[name] = draw.flag()


def leave_out_idle(options: Options) -> None:
    """Take out what the core refuses because no other option gives it an effect."""
    has_datetime = (
        options.get("datetime", "iso") is not None or options.get("numpy", True) or options.get("arrays", True)
    )
    if not has_datetime:
        options.pop("naive", None)
    if not has_datetime and options.get("time", "iso") is None:
        options.pop("utc", None)
        options.pop("timespec", None)


# ---- hooks


class Failed(Exception):
    """What a hook raises."""


class Hooks:
    """A `default` that does as the bytes say: gives something, raises, encodes, changes the graph, drops it."""

    def __init__(self, draw: Draw, options: Options, is_wild: bool) -> None:
        self.draw = draw
        self.options = options
        self.is_wild = is_wild
        self.graph: Graph | None = None
        self.n_left = 40

    def __call__(self, thing: Any) -> Any:
        if not self.is_wild:
            return ["default", type(thing).__name__]
        self.n_left -= 1
        action = self.draw.below(12) if self.n_left > 0 else 0
        assert self.graph is not None
        pool = [made for made, _ in (*self.graph.pool, *self.graph.open)]
        container = self.draw.choice(pool) if pool else None
        if action == 1:
            raise Failed
        if action == 2:
            return _core.dumps(container, default=lambda other: type(other).__name__, skipkeys=True)
        if action == 3:
            gc.collect()
        elif action == 4:
            return container
        elif action == 5:
            self.graph.pool.clear()
        elif action > 5 and container is not None:
            self.change(action, container)
        return self.draw.choice((1, "é", None, [], {"中": []}, 2**60, [1.5, {}]))

    def change(self, action: int, container: Any) -> None:
        if isinstance(container, list):
            if action == 6:
                container.clear()
            elif action == 7:
                container.extend((1, "é", []) * 9)
            elif action == 8 and container:
                container.pop()
            elif action == 9:
                container[:0] = [{}]
        elif isinstance(container, dict):
            if action == 6:
                container.clear()
            elif action == 7:
                container.update({f"new {i}": [] for i in range(9)})
            elif action == 8 and container:
                del container[next(iter(container))]
            elif action == 9 and container:
                container[next(iter(container))] = "other"


# ---- ways


def in_bytes(value: Any, options: Options, _: Draw) -> str:
    return _core.dumps_to_bytes(value, **options).decode()


def in_str(value: Any, options: Options, _: Draw) -> str:
    return _core.dumps(value, **options)


def by_encoder(value: Any, options: Options, _: Draw) -> str:
    return _core.Encoder(**options).encode(value).decode()


def by_encoder_to_str(value: Any, options: Options, _: Draw) -> str:
    return _core.Encoder(**options).encode_str(value)


def in_chunks(value: Any, options: Options, draw: Draw) -> str:
    size = 1 + draw.word(1)
    return b"".join(_core.Encoder(**options).iterencode(value, size)).decode()


def into_buffer(value: Any, options: Options, draw: Draw) -> str:
    n = draw.below(20)
    buffer = bytearray(b"x" * n)
    try:
        _core.Encoder(**options).encode_into(value, buffer, n)
    except BaseException:
        assert buffer == b"x" * n
        raise
    return buffer[n:].decode()


def in_lines(value: Any, options: Options, draw: Draw) -> str:
    breaks_lines = options.get("indent") is not None or "\n" in "".join(options.get("separators") or ())
    if options.get("append_newline") or breaks_lines:  # refused
        return in_bytes(value, options, draw)
    return _core.Encoder(**options).encode_lines([value])[:-1].decode()


def with_cache(value: Any, options: Options, _: Draw) -> str:
    return _core.dumps_to_bytes(value, is_write_cache=True, **options).decode()


WAYS: tuple[Callable[[Any, Options, Draw], str], ...] = (
    in_bytes,
    in_str,
    in_chunks,
    by_encoder,
    by_encoder_to_str,
    into_buffer,
    in_lines,
    with_cache,
)
TO_STR = (in_str, by_encoder_to_str)


class Case:
    """What one input says; the graph is built again for each way, because encoding may change it or use it up."""

    def __init__(self, data: bytes) -> None:
        draw = Draw(data)
        self.options = draw_options(draw)
        self.mode = draw.byte()
        self.ways = (draw.choice(WAYS), draw.choice(WAYS))
        self.other_level = draw.byte()
        self.details = draw.take(2)
        self.hook_bytes = draw.take(draw.below(32)) if self.has_hook else b""
        self.graph_bytes = draw.rest()

    @property
    def has_hook(self) -> bool:
        return self.mode & 3 == 1

    @property
    def is_wild(self) -> bool:
        return self.has_hook and self.mode & 4 == 4

    def build(self) -> tuple[Graph, Pair, Options]:
        options = self.options
        graph = Graph(Draw(self.graph_bytes), options | ({"default": True} if self.has_hook else {}))
        if self.has_hook:
            hooks = Hooks(Draw(self.hook_bytes), options, self.is_wild)
            hooks.graph = graph
            options = options | {"default": hooks}
        return graph, graph.root(), options

    def run(self, way: Callable[[Any, Options, Draw], str]) -> Outcome:
        _, (value, _), options = self.build()
        return outcome(way, value, options, Draw(self.details))

    def expected(self) -> Outcome | None:
        """What the oracle says, None where it cannot."""
        graph, (_, twin), options = self.build()
        if not graph.is_exact or self.is_wild or (graph.is_circular and not options.get("check_circular", True)):
            return None
        settings = {name: options[name] for name in options if name in reference_codec.Options.__dataclass_fields__}
        oracle = Oracle(reference_codec.Options(**settings))
        oracle.floats = options.get("floats", "repr")
        return outcome(write, oracle, twin)


def write(oracle: Oracle, twin: Any) -> str:
    options = oracle.options
    text = "".join(oracle.value(twin, 0))
    if options.html_safe:
        text = "".join(f"\\u{ord(char):04x}" if char in reference_codec.HTML_SPECIAL else char for char in text)
    return text + "\n" if options.append_newline else text


NAMES_ITS_INT = "Integer beyond 53 bits"


def is_surrogate_error(outcome: Outcome) -> bool:
    return outcome[0] == "UnicodeEncodeError"


def compare(got: Outcome, expected: Outcome, case: object) -> None:
    """Surrogates are no UTF-8: where they are, bytes cannot be what the text is."""
    if is_surrogate_error(got) or is_surrogate_error(expected):
        texts = [one[1] for one in (got, expected) if one[0] == "value"]
        assert all("\\ud" in str(text) or "\\ud" in ascii(text) for text in texts), (got, expected, case)
        return
    if "RecursionError" in (got[0], expected[0]):
        return
    if got[0] == "ValueError" and str(got[1]).startswith(NAMES_ITS_INT):  # as its own class shows it
        got = expected if str(expected[1]).startswith(NAMES_ITS_INT) else got
    assert_same(got, expected, case)


DEEPEST = 400
"""The recursion limit, which ends a cycle that is not checked: indented, 1,000 levels take a sanitizer minutes."""


def encode_one(data: bytes, level: str) -> None:
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(DEEPEST)
    try:
        encode_described(data, level)
    finally:
        sys.setrecursionlimit(limit)


def encode_described(data: bytes, level: str) -> None:
    case = Case(data)
    expected = case.expected()
    first = case.run(case.ways[0])
    about = (case.ways[0].__name__, case.options)
    comparisons = case.mode >> 3 & 3
    if expected is not None:
        compare(first, expected, about)
        if comparisons == 0:  # half of the time is in the others
            return
    if not case.is_wild and comparisons != 1:
        compare(case.run(case.ways[1]), first, (case.ways[1].__name__, *about))
    if case.is_wild or comparisons != 2:
        with_other_level(case, level, first, about)


def with_other_level(case: Case, level: str, first: Outcome, about: tuple[object, ...]) -> None:
    other = LEVELS[case.other_level % len(LEVELS)]
    _core._use_level(other)
    try:
        compare(case.run(case.ways[0]), first, (other, *about))
    finally:
        _core._use_level(level)
