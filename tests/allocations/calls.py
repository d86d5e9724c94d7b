"""Three hundred calls over the whole public API, by name: what each gives is the same every time."""

from __future__ import annotations

import collections
import dataclasses
import datetime
import decimal
import enum
import io
import pathlib
import struct
import types
import uuid
from collections.abc import Callable, Iterator
from typing import Any, Literal

from collecting import typed_cases
from helpers.exports import FLOAT, INT, Exported, Tensor, array, schema

from ssrjson_web import (
    Decoder,
    Encoder,
    Fragment,
    Recorder,
    dumps,
    dumps_to_bytes,
    get_current_features,
    json,
    loads,
    orjson,
    scan_utf8_cache,
    utf8_cache_size,
)
from ssrjson_web._core import _audit_utf8_cache, current_recorder
from ssrjson_web._models.language import Accepted
from ssrjson_web._models.plan import Plan, PlanField

Call = Callable[[], Any]


class Items(list[Any]):
    def __iter__(self) -> Iterator[Any]:
        return list.__iter__(self)


class Members(dict[Any, Any]):
    def items(self) -> Any:
        return list(dict.items(self))


Pair = collections.namedtuple("Pair", "x y")


class Colour(enum.Enum):
    RED = ("rot", 1)
    GREEN = "grün"


@dataclasses.dataclass
class Data:
    x: Any
    y: Any


@dataclasses.dataclass
class Tree:
    kids: list[Tree | int] | None = None
    by_key: dict[float, tuple[Tree, ...] | Literal["all"] | datetime.date] | None = None


TREE = Decoder(type=list[Tree])
"""Plans that are made within a call would be kept."""

TREE_TEXT = (
    '[{"kids": [1, {}, {"by_key": {"1.5": "all", "2": "2026-01-02", "3e1": [{"kids": []}]}}]}, '
    + '{"kids": [' * 12
    + "5"
    + "]}" * 12
    + ', {"by_key": {"%s": [%s]}}]'
)


class Slotted:
    __slots__ = ("text",)


def convert(value: Any, *options: Any) -> Any:
    return [value if isinstance(value, str) else None]


class Planned:
    __ssrjson_plan__ = Plan(
        "dict",
        (
            PlanField(
                "a",
                "a",
                "A",
                (Accepted(list, "items", inner=(Accepted(str), Accepted(tuple, "places", places=(None, None)))),),
            ),
            PlanField(
                "b",
                "b",
                "b",
                (
                    Accepted(dict, "fields", mapping={"x": 0}, places=(None,)),
                    Accepted(int, "among", among=frozenset([1, 2])),
                ),
                convert,
            ),
        ),
        (PlanField("c", "c", "c"),),
        convert,
    )
    c = "é"

    def __init__(self, **attributes: Any) -> None:
        self.__dict__.update(attributes)


PLANNED = [Planned(a=["é", (1, 2)], b={"x": None}), Planned(b="x" * 300, a=["é"])]

NATIVE = (
    datetime.datetime(2026, 1, 2, 3, tzinfo=datetime.timezone(datetime.timedelta(hours=1))),
    datetime.date(2026, 1, 2),
    datetime.timedelta(5, 7),
    uuid.UUID(int=5),
    decimal.Decimal("1.50"),
    decimal.Decimal("123456789012345678901234567890.5"),
    Colour.GREEN,
    Colour.RED,
    b"bytes" * 50,
    pathlib.PurePosixPath("a/é"),
    frozenset([5]),
    collections.deque([Data(1, [Data(2, {"k": b"v"})])]),
    types.MappingProxyType({"a": collections.UserDict(b=1)}),
    memoryview(b"abc"),
)
PLAIN = {"b": ["é" * 300, "中" * 400, "a" * 3000, 1.5, 10**30, None], "a": {"😀": [[], {}, (1, 2)]}, "c": -7}
DEEP = loads("[" * 200 + "]" * 200)

VALUES: dict[str, tuple[Any, dict[str, Any]]] = {
    "plain": (PLAIN, {}),
    "plain, ASCII": (PLAIN, {"ensure_ascii": True}),
    "plain, laid out": (PLAIN, {"indent": "é", "separators": ("，", "：")}),
    "plain, sorted": (PLAIN, {"sort_keys": True, "indent": 1}),
    "plain, for html": (["<" + "é\u2028" * 3000, PLAIN], {"html_safe": True, "append_newline": True}),
    "short": ({"id": 1, "name": "中文", "ok": True}, {}),
    "wide after narrow": (["a" * 700, "é" * 700, "中" * 700, "😀" * 700], {}),
    "long": (["中" * 50000, "x" * 200000], {}),
    "deep": (DEEP, {}),
    "records": ([{"id": i, "name": "é", "tags": ["a", "b"]} for i in range(30)], {}),
    "ints": ([2**60 + i for i in range(20)] + [10**50, {10**30: 1}], {}),
    "ints as strings": ([2**60, {2**70: 1}, -(2**80)], {"int53": "str"}),
    "floats": ([0.1 * i for i in range(40)] + [float("nan"), {1e300: 1}], {}),
    "keys": ({7: 2, 2.5: 3, None: 4, True: 5, 10**25: 6, "é": 7}, {}),
    "items left out": (
        [{"a": None, "b": [1]}, Members(c=None, d=1), {2: None, "e": {"f": None}}],
        {"exclude_none": True},
    ),
    "namedtuples": ([Pair(None, "é")], {"exclude_none": True, "namedtuple_as_object": True}),
    "items left out, sorted": ([{"b": None, "a": [1]}, {2: None, "é": 1}], {"exclude_none": True, "sort_keys": True}),
    "defaults left out": ([Data(1, []), Data(1, [2])], {"dataclass": True, "omit_defaults": True}),
    "subclasses": ([collections.OrderedDict(a=[1]), Items([1, 2]), Members(b=3)], {}),
    "fragments": ([Fragment("é" * 500), Fragment(b"1"), {"k": Fragment("[]")}], {}),
    "hook": ([{1}, {"a": {2}}, 5j], {"default": lambda value: ["of the hook", "é"]}),
    "natives": (NATIVE, {"natives": True}),
    "natives in other formats": (
        NATIVE,
        {"natives": True, "timedelta": "seconds", "bytes": "base64", "decimal": "str"},
    ),
    "native keys": (dict.fromkeys(NATIVE[:7], 1), {"natives": True}),
    "models": ([Data(1, Data("é", [2])), {"k": Data(None, {})}], {"models": True}),
    "refused": ([1, {"k": object()}], {}),
    "circular": (None, {}),
    "surrogate": (["é", "中", "a\ud800"], {}),
    "surrogates, escaped": (["é", "\ud800" * 3000, "中"], {"escape_surrogates": True}),
    "plans": (PLANNED, {"models": True}),
    "plans, by alias": (PLANNED, {"models": True, "by_alias": True, "exclude_none": True}),
}
CIRCULAR: list[Any] = [1]
CIRCULAR.append({"a": CIRCULAR})
VALUES["circular"] = (CIRCULAR, {})


class Ready:
    """Exports again and again what was exported once: ctypes must not fail."""

    def __init__(self, exported: Exported) -> None:
        self.capsules = exported.__arrow_c_array__()

    def __arrow_c_array__(self) -> Any:
        return self.capsules


class ReadyTensor:
    """As Ready, of a tensor."""

    def __init__(self, tensor: Tensor) -> None:
        self.tensor = tensor
        self.capsule = tensor.__dlpack__()

    def __dlpack_device__(self) -> tuple[int, int]:
        return (1, 0)

    def __dlpack__(self, *, max_version: Any) -> Any:
        return self.capsule


WORDS = array(2, None, struct.pack("=3i", 0, 2, 5), "é中".encode())
COLUMNS = [
    array(2, None, struct.pack("=3i", 0, 1, 2), children=[WORDS]),
    array(2, None, b"\1\0", dictionary=array(2, None, struct.pack("=2i", 7, 1 << 30))),
]
ARROW = Ready(
    Exported(
        schema(b"+s", schema(b"+l", schema(b"u"), name=b"a_b"), schema(b"c", name=b"b", dictionary=schema(b"i"))),
        array(2, None, children=COLUMNS),
    )
)
VALUES["tensors"] = (
    [ReadyTensor(Tensor(bytes(range(240)), INT, 16, [4, 30])), ReadyTensor(Tensor(bytes(8), FLOAT, 64))],
    {"arrays": True},
)
VALUES["arrow"] = (["a", ARROW, ARROW, "é" * 600], {"arrays": True, "key_case": "camel", "sort_keys": True})
VALUES["arrow refused"] = ([Ready(Exported(schema(b"+r"), array(0)))], {"arrays": True})

try:
    import numpy
except ImportError:
    pass
else:
    arrays = [numpy.arange(100).reshape(4, 25), numpy.linspace(0, 1, 30), numpy.float32(1.5), numpy.zeros((2, 0))]
    VALUES["numpy"] = (arrays, {"natives": True})

PLAIN_TEXT = dumps(PLAIN).replace('"c"', '"c\\n中"')
TEXTS: dict[str, str] = {
    "plain": PLAIN_TEXT,
    "keys that no cache holds": dumps({f"中{i}" * 50: i for i in range(40)}),
    "records": dumps([{"id": i, "name": "é", "tags": [1.5, "b"]} for i in range(30)]),
    "numbers": dumps([10**30, 0.1, 1e300, -5, 123456789012345678, 1.2345678901234567e-300, 2**64]),
    "escapes": '["\\u00e9\\ud83d\\ude00\\n", "' + "\\u4e2d" * 90 + '"]',
    "deep": "[" * 200 + "]" * 200,
    "malformed": PLAIN_TEXT[:-3],
    "short": '{"id": 1, "name": "中文", "ok": true}',
}
HOOKS: dict[str, Any] = {"object_hook": list, "array_hook": tuple, "parse_int": str, "parse_float": str}

ORJSON = [Data(1, "é"), {**dict.fromkeys([*NATIVE[:2], NATIVE[3], 5, 2.5, None, Colour.GREEN], 1), "é": "中" * 300}]
ORJSON_LAYOUT = orjson.OPT_SORT_KEYS | orjson.OPT_INDENT_2 | orjson.OPT_NAIVE_UTC

HELD = [type(f"Class{i}", (), {"__slots__": "text"})() for i in range(70)]  # more than the first tables hold
for held in HELD:
    held.text = "".join(["中"] * 9)
HELD += [[b""] for _ in range(3000)]
dumps_to_bytes(HELD[:70], default=lambda held: held.text, is_write_cache=True)


def into(value: Any, **options: Any) -> bytes:
    buffer = bytearray(b"x" * 50)
    try:
        Encoder(**options).encode_into(value, buffer, 50)
    except MemoryError:
        assert buffer == b"x" * 50
        raise
    return bytes(buffer)


def fed(chunks: list[Any], **options: Any) -> Any:
    decoder = Decoder(**options)
    for chunk in chunks:
        try:
            decoder.feed(chunk)
        except MemoryError:
            decoder.feed("[5.5]")  # what was fed is dropped
            assert decoder.close() == [5.5]
            raise
    return decoder.close()


def renewed_plan() -> bytes:
    Planned.changed = True  # type: ignore[attr-defined]  # its plan is made again
    return dumps_to_bytes(PLANNED, models=True)


def looked_at(chunks: list[Any], **options: Any) -> Any:
    """The values after each chunk, each made anew or continued from the one before the last.

    Their texts are not their reprs: a repr without memory may stay in CPython's list of those that are being made.
    """
    decoder = Decoder(partial="trailing-strings", **options)
    values: list[Any] = []
    for chunk in chunks:
        decoder.feed(chunk)
        values = [dumps(decoder.value), *values[:1]]
    return values, decoder.take_items() if chunks[0][:1] in ("[", b"[") else None, decoder.close()


def recorded() -> Any:
    recorder = Recorder()
    token = current_recorder.set(recorder)
    try:
        loads(dumps(PLAIN))
    finally:
        current_recorder.reset(token)
    return recorder.encodes, recorder.decodes, recorder.encoded_bytes


def written() -> str:
    file = io.StringIO()
    json.dump(PLAIN, file)
    return file.getvalue()


def encodings(name: str, value: Any, options: dict[str, Any]) -> Iterator[tuple[str, Call]]:
    yield f"dumps: {name}", lambda: dumps(value, **options)
    yield f"dumps_to_bytes: {name}", lambda: dumps_to_bytes(value, **options)
    yield f"Encoder.encode: {name}", lambda: Encoder(**options).encode(value)
    yield f"Encoder.iterencode: {name}", lambda: b"".join(Encoder(**options).iterencode(value, 50))
    yield f"Encoder.encode_into: {name}", lambda: into(value, **options)
    if "indent" not in options:
        yield f"Encoder.encode_lines: {name}", lambda: Encoder(**options).encode_lines([value, 1])


def decodings(name: str, text: str) -> Iterator[tuple[str, Call]]:
    data = text.encode()
    middle = len(text) // 2
    yield f"loads str: {name}", lambda: loads(text)
    yield f"loads bytes: {name}", lambda: loads(data)
    yield f"loads UTF-16: {name}", lambda: loads(text.encode("utf-16"))
    yield f"loads with hooks: {name}", lambda: loads(text, **HOOKS)
    yield f"loads to arrays: {name}", lambda: loads(data, number_arrays="array", number_arrays_from=1)
    yield f"Decoder.decode: {name}", lambda: Decoder(duplicate_keys="error", max_depth=900).decode(data)
    yield f"Decoder.decode_lines: {name}", lambda: Decoder().decode_lines(f"{text}\n\n1\n")
    yield f"Decoder.raw_decode: {name}", lambda: Decoder().raw_decode(f"x{text} y", 1)
    yield f"Decoder.feed: {name}", lambda: fed([text[:middle], text[middle:]])


OTHERS: dict[str, Call] = {
    "dumps_to_bytes with a cache": lambda: dumps_to_bytes("".join(["中", "é"]) * 90, is_write_cache=True),
    "utf8_cache_size": lambda: utf8_cache_size("".join(["中", "é"])),
    "scan_utf8_cache": lambda: scan_utf8_cache(HELD),
    "audit": lambda: _audit_utf8_cache(HELD, 9, 9),
    "get_current_features": get_current_features,
    "Fragment": lambda: Fragment("é").contents,
    "Encoder": lambda: type(Encoder(indent=1, separators=(";", ":"), default=list, natives=True)),
    "Encoder of an unknown format": lambda: Encoder(bytes="base32"),  # type: ignore[arg-type]
    "Encoder of an unknown option": lambda: Encoder(byte="base64"),  # type: ignore[call-arg]
    "Decoder": lambda: type(Decoder(**HOOKS)),
    "Decoder of an unknown option": lambda: Decoder(duplicate_keys="first"),  # type: ignore[arg-type]
    "Recorder": recorded,
    "json.dumps": lambda: json.dumps(PLAIN),
    "json.dumps with options": lambda: json.dumps(PLAIN, indent=2, sort_keys=True, ensure_ascii=False),
    "json.dump": written,
    "json.JSONEncoder": lambda: json.JSONEncoder(indent=1).encode(PLAIN),
    "json.JSONEncoder.iterencode": lambda: "".join(json.JSONEncoder().iterencode(PLAIN)),
    "json.loads": lambda: json.loads(PLAIN_TEXT),
    "json.loads with hooks": lambda: json.loads(PLAIN_TEXT, parse_int=str, object_pairs_hook=tuple),
    "json.load": lambda: json.load(io.StringIO(PLAIN_TEXT)),
    "json.JSONDecoder": lambda: json.JSONDecoder().decode(PLAIN_TEXT),
    "json.JSONDecoder.raw_decode": lambda: json.JSONDecoder().raw_decode(PLAIN_TEXT),
    "loads with pairs": lambda: loads(PLAIN_TEXT.encode(), object_pairs_hook=tuple, parse_constant=str),
    "Decoder of a type": lambda: TREE.decode(TREE_TEXT % ("-1", "{}")),
    "Decoder of a type, with a wrong key": lambda: TREE.decode(TREE_TEXT % ("x" * 50, "{}")),
    "Decoder of a type, with a wrong value": lambda: TREE.decode_lines(
        TREE_TEXT % ("1", '{"kids": [{}, {"kids": "é"}]}')
    ),
    "Decoder of a type, too deep": lambda: TREE.decode('[{"kids": ' * 300 + "[]" + "}]" * 300),
    "loads of a duplicate key": lambda: loads('{"a": 1, "é": 2, "a": 3}', duplicate_keys="error"),
    "loads of invalid UTF-8": lambda: loads(b'["\xff"]'),
    "loads too deep": lambda: loads(b"[[[1]]]", max_depth=2),
    "loads too long": lambda: loads("[[[1]]]", max_size=2),
    "loads of a memoryview": lambda: loads(memoryview(PLAIN_TEXT.encode())),
    "Decoder.feed of bytes": lambda: fed([bytearray(b'{"a": ['), b"1, 2", memoryview(b"]}")], parse_int=str),
    "Decoder.value": lambda: looked_at(
        ['{"a": [{"b": "x', 'y", "c": 1}, {"b": "中', '", "c": 25'] + ["1"] * 40 + ["}, []]}"]
    ),
    "Decoder.take_items": lambda: looked_at([b'[{"a": 1}, {"a": ', b'2}, "' + b"x" * 9000, b'", [', b"3]]"]),
    "Decoder.value of a deep document": lambda: looked_at(["[" * 40, '{"a":' * 40, "1" + "}" * 40]),
    "Encoder.iterencode in part": lambda: next(Encoder().iterencode(PLAIN, 1)),
    "dumps of a refused int": lambda: dumps([2**60], int53="error"),
    "dumps of a refused key": lambda: dumps({(1, 2): 3}),
    "dumps of NaN": lambda: dumps([float("nan")], allow_nan=False),
    "dumps with skipped keys": lambda: dumps({(1, 2): 3, "a": 1}, skipkeys=True),
    "encode_lines of a generator": lambda: Encoder().encode_lines(iter([PLAIN, 1, "é" * 3000])),
    "orjson.dumps": lambda: orjson.dumps(ORJSON, option=orjson.OPT_NON_STR_KEYS),
    "orjson.dumps with flags": lambda: orjson.dumps(ORJSON, option=orjson.OPT_NON_STR_KEYS | ORJSON_LAYOUT),
    "orjson.dumps with a hook": lambda: orjson.dumps(
        [{1}, {"a": {2}}, 5j] * 99, default=lambda value: ["of the hook", "é"]
    ),
    "orjson.dumps deep": lambda: orjson.dumps(DEEP),
    "orjson.dumps refused": lambda: orjson.dumps([1, {"k": object()}]),
    "orjson.dumps of a surrogate": lambda: orjson.dumps(["é", "a\ud800"]),
    "orjson.loads": lambda: orjson.loads(PLAIN_TEXT),
    "orjson.loads of a memoryview": lambda: orjson.loads(memoryview(PLAIN_TEXT.encode())),
    "orjson.loads of malformed text": lambda: orjson.loads(PLAIN_TEXT[:-3].encode()),
    "orjson.loads of invalid UTF-8": lambda: orjson.loads(b'["\xff"]'),
    "nested dumps": lambda: dumps([{1}], default=lambda value: dumps(PLAIN)),
    "dumps of a new class": lambda: dumps([type("New", (Data,), {})(1, 2)], natives=True),
    "dumps of a new plan": renewed_plan,
    "records made": lambda: (typed_cases.reader() and None, typed_cases.loader() and None),
}
OTHERS |= {
    name: lambda make=make, run=run: run(make())
    for name, make, run in typed_cases.with_documents()
    if not name.startswith("Typed")  # pydantic panics without memory
}


def calls() -> dict[str, Call]:
    made: dict[str, Call] = {}
    for name, (value, options) in VALUES.items():
        made.update(encodings(name, value, options))
    for name, text in TEXTS.items():
        made.update(decodings(name, text))
    return made | OTHERS
