"""What is attacked: each kind of value, with each group of options, by each way to encode; and texts to decode."""

from __future__ import annotations

import collections
import dataclasses
import datetime
import decimal
import enum
import gc
import importlib
import pathlib
import types
import uuid
import zoneinfo
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from allocations.calls import TEXTS, VALUES, Data, Items, Members, Pair

from collecting import typed_cases
from collecting.documents import drop, drop_new_objects, renewed
from ssrjson_web import Decoder, Encoder, Fragment, dumps, dumps_to_bytes, json, loads, orjson

__all__ = ["Case", "cases"]


class Case(NamedTuple):
    """A document is made, and given to the core; the attack clears what is in it."""

    name: str
    make: Callable[[], Any]
    run: Callable[[Any], object]
    attack: Callable[[Any], None]


# ---- values ------------------------------------------------------------------------------------


class Stamp(datetime.datetime):
    pass


class Text(str):
    __slots__ = ()


class Number(int):
    pass


class Size(enum.IntEnum):
    LARGE = 1


class Word(str, enum.Enum):
    E = "é"


class Zone(datetime.tzinfo):
    def utcoffset(self, moment: object) -> datetime.timedelta:
        return datetime.timedelta(hours=2)


@dataclasses.dataclass
class Slotted:
    __slots__ = ("x", "y")
    x: Any
    y: Any


INNER: list[Any] = ["x" * 9, ["y" * 9]]


def inner() -> Any:
    return renewed(INNER)


HOUR = datetime.timezone(datetime.timedelta(hours=1))
MAKERS: dict[str, Callable[[], Any]] = {
    "dataclass": lambda: Data(inner(), {"k": inner()}),
    "dataclass with slots": lambda: Slotted(inner(), {"k": inner()}),
    "datetime in UTC": lambda: datetime.datetime(2026, 1, 2, tzinfo=datetime.timezone.utc),
    "datetime with an offset": lambda: datetime.datetime(2026, 1, 2, tzinfo=HOUR),
    "datetime with a Python zone": lambda: datetime.datetime(2026, 1, 2, tzinfo=Zone()),
    "datetime with a zone of its own": lambda: datetime.datetime(2026, 1, 2, tzinfo=zoneinfo.ZoneInfo.no_cache("UTC")),
    "datetime of a class": lambda: Stamp(2026, 1, 2, tzinfo=Zone()),
    "time": lambda: datetime.time(1, 2, tzinfo=Zone()),
    "timedelta": lambda: datetime.timedelta(5, 7, 9),
    "str of a class": lambda: Text("é" * 9),
    "int of a class": lambda: Number(10**30),
    "member of IntEnum": lambda: Size.LARGE,
    "member of a str Enum": lambda: Word.E,
    "large int": lambda: 10**3000,
    "NaN": lambda: float("nan"),
    "generator": lambda: (renewed(item) for item in INNER),
    "iterator": lambda: iter(inner()),
    "deque": lambda: collections.deque(inner()),
    "UserDict": lambda: collections.UserDict(a=inner()),
    "OrderedDict": lambda: collections.OrderedDict(a=inner(), b=inner()),
    "list with __iter__": lambda: Items(inner()),
    "dict with items": lambda: Members(a=inner()),
    "namedtuple": lambda: Pair(inner(), inner()),
    "keys of a dict": {"a" * 9: 1, "b" * 9: 2}.keys,
    "values of a dict": lambda: {"a": inner()}.values(),
    "set": lambda: {"a" * 9, "b" * 9},
    "proxy": lambda: types.MappingProxyType({"a": inner()}),
    "keys of JSON": lambda: {1: inner(), 2.5: inner(), None: inner(), 10**30: 2},
    "mixed keys": lambda: {"a": inner(), 1: inner(), "b": inner()},
    "tuple as key": lambda: {(1, "a" * 9): inner()},
    "other keys": lambda: {
        decimal.Decimal("1.5"): inner(),
        uuid.UUID(int=5): inner(),
        datetime.datetime(2026, 1, 1): inner(),
        Size.LARGE: inner(),
        b"k": inner(),
        Text("t" * 9): inner(),
    },
    "fragment": lambda: Fragment("é" * 3000),
    "fragment of a lone surrogate": lambda: Fragment("\ud800" * 30),
    "lone surrogate": lambda: "\ud800" * 30 + "é",
    "object": object,
    "path": lambda: pathlib.PurePosixPath("a/é"),
    "UUID": lambda: uuid.UUID(int=5),
    "UUID without its int": lambda: object.__new__(uuid.UUID),
    "Decimal": lambda: decimal.Decimal("1.50"),
    "long Decimal": lambda: decimal.Decimal("1" * 40 + ".5"),
    "Decimal that is no number": lambda: decimal.Decimal("sNaN1"),
    "bytes that are no UTF-8": lambda: b"\xff" * 30,
    "bytearray": lambda: bytearray(b"abc"),
    "memoryview": lambda: memoryview(bytearray(b"abc")),
}


def _makers_of_libraries() -> Iterator[tuple[str, Callable[[], Any]]]:
    """Values of the libraries that are installed."""
    for module, add in (("attrs", _attrs), ("msgspec", _msgspec), ("pydantic", _pydantic), ("numpy", _numpy)):
        try:
            library = importlib.import_module(module)
        except ImportError:
            continue
        yield from add(library).items()


def _attrs(attrs: Any) -> dict[str, Callable[[], Any]]:
    made: Any = attrs.make_class("Made", ["x", "y"])
    return {"attrs": lambda: made(inner(), {"k": inner()})}


def _msgspec(msgspec: Any) -> dict[str, Callable[[], Any]]:
    made: Any = msgspec.defstruct("Made", [("x", Any), ("y", Any)])
    return {"Struct": lambda: made(inner(), {"k": inner()})}


def _pydantic(pydantic: Any) -> dict[str, Callable[[], Any]]:
    row = pydantic.create_model("Row", a=(int, ...), b=(list[str], ...), c=(dict[str, int], ...), d=(Any, None))
    rows = pydantic.create_model("Rows", items=(list[row], ...), any=(Any, None))  # type: ignore[valid-type]
    moment = pydantic.TypeAdapter(datetime.datetime)

    def make_row() -> Any:
        return row(a=1, b=["q" * 9, "r" * 9], c={"a" * 9: 5, "b" * 9: 6}, d=decimal.Decimal("1.5"))

    return {
        "model": make_row,
        "models in a model": lambda: rows(items=[make_row(), make_row()], any={"k": inner()}),
        "datetime of pydantic": lambda: moment.validate_json('"2026-01-02T03:04:05+02:00"'),
    }


def _numpy(numpy: Any) -> dict[str, Callable[[], Any]]:
    return {
        "array": lambda: numpy.arange(9.0),
        "array of objects": lambda: numpy.array([inner(), 2], dtype=object),
        "scalar": lambda: numpy.float32(1.5),
        "datetime64": lambda: numpy.datetime64("2026-01-01"),
        "masked array": lambda: numpy.ma.array([1, 2], mask=[0, 1]),
        "array of strs": lambda: numpy.array(["a", "b"]),
    }


# ---- calls -------------------------------------------------------------------------------------


def hook(value: object) -> object:
    return ["of the hook", "é"]


OPTIONS: dict[str, dict[str, Any]] = {
    "plain": {},
    "models": {"models": True, "natives": True},
    "sorted": {"models": True, "natives": True, "sort_keys": True},
    "ASCII": {"models": True, "natives": True, "ensure_ascii": True, "indent": 1},
    "other formats": {"natives": True, "timedelta": "seconds", "bytes": "base64", "decimal": "str"},
    "numbers": {"natives": True, "decimal": "number"},
    "items left out": {"models": True, "natives": True, "exclude_none": True, "omit_defaults": True},
    "key case": {"models": True, "natives": True, "key_case": "camel"},
    "canonical": {"natives": True, "canonical": True},
    "hook": {"default": hook},
    "exact types": {"exact_types": True, "default": hook},
    "iterables": {"natives": True, "iterables": True, "namedtuple_as_object": True},
    "skipped keys": {"natives": True, "skipkeys": True},
    "pydantic's way": {"natives": True, "models": "pydantic"},
    "Python's way": {"natives": True, "models": "python"},
    "html": {"natives": True, "html_safe": True, "escape_surrogates": True},
}
FLAGS = {
    "orjson": orjson.OPT_NON_STR_KEYS | orjson.OPT_SERIALIZE_NUMPY,
    "orjson sorted": orjson.OPT_SORT_KEYS | orjson.OPT_INDENT_2 | orjson.OPT_NON_STR_KEYS,
    "orjson with passthrough": orjson.OPT_PASSTHROUGH_DATACLASS | orjson.OPT_PASSTHROUGH_DATETIME,
}
DECODERS: dict[str, dict[str, Any]] = {
    "plain": {},
    "hooks": {"object_hook": lambda value: value, "array_hook": lambda value: value},
    "pairs": {"object_pairs_hook": dict},
    "numbers": {"parse_int": str, "parse_float": decimal.Decimal},
    "arrays": {"number_arrays": "array", "number_arrays_from": 1},
    "no duplicates": {"duplicate_keys": "error"},
    "key case": {"key_case": "snake"},
    "comments": {"jsonc": True},
    "parts": {"only": ["/a", "/b/0", "/items"]},
}


def _encoders(options: dict[str, Any]) -> Iterator[tuple[str, Callable[[Any], object]]]:
    yield "dumps", lambda value: dumps(value, **options)
    yield "dumps_to_bytes", lambda value: dumps_to_bytes(value, is_write_cache=True, **options)
    yield "iterencode", lambda value: [*Encoder(**options).iterencode(value, 1)]


def _fed(text: str, options: dict[str, Any]) -> None:
    decoder = Decoder(partial="on", **options)
    size = max(1, len(text) // 5)
    for begin in range(0, len(text), size):
        decoder.feed(text[begin : begin + size])
        _ = decoder.value
    decoder.close()


def _known() -> set[int]:
    return {id(one) for one in gc.get_objects()}


def cases() -> Iterator[Case]:
    """All cases."""
    for name, maker in (*MAKERS.items(), *_makers_of_libraries()):

        def make(maker: Callable[[], Any] = maker) -> Any:
            return [[maker(), ["after" * 9]], {"k" * 3: maker(), "l": ["after" * 9]}, maker(), ("after" * 9,)]

        for group, options in OPTIONS.items():
            for way, run in _encoders(options):
                yield Case(f"{way}, {group}: {name}", make, run, drop)
        for group, flags in FLAGS.items():
            yield Case(f"{group}: {name}", make, lambda v, flags=flags: orjson.dumps(v, hook, flags), drop)
        yield Case(f"json.dumps: {name}", make, lambda v: json.dumps(v, default=hook), drop)
        yield Case(f"json.iterencode: {name}", make, lambda v: [*json.JSONEncoder(default=hook).iterencode(v)], drop)
    for name, (value, options) in VALUES.items():
        if name in ("circular", "long") or "arrays" in options:
            continue
        for way, run in _encoders(options):
            yield Case(f"{way}: {name}", lambda value=value: [renewed(value), ["after" * 9], renewed(value)], run, drop)
    for group, options in DECODERS.items():
        for name, text in TEXTS.items():
            data = text.encode()
            for way, run in {
                "loads": lambda _, text=text, options=options: loads(text, **options),
                "loads of bytes": lambda _, data=data, options=options: loads(data, **options),
                "feed": lambda _, text=text, options=options: _fed(text, options),
            }.items():
                yield Case(f"{way}, {group}: {name}", _known, run, drop_new_objects)
    for name, cls, decode in typed_cases.loading():

        def make_decoder(cls: Any = cls) -> Any:
            return Decoder(type=cls), _known()  # in this order: what the Decoder has made is not attacked

        yield Case(
            name, make_decoder, lambda made, decode=decode: decode(made[0]), lambda made: drop_new_objects(made[1])
        )
    for name, make, run in typed_cases.with_documents():
        yield Case(name, make, run, drop)
