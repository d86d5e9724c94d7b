"""An object graph out of a fuzzer's bytes, and its twin: plain values with the same text, which the oracle writes."""

from __future__ import annotations

import base64
import collections
import dataclasses
import datetime
import decimal
import enum
import pathlib
import struct
import types
import uuid
from collections.abc import Iterator
from typing import Any

from fuzz.draw import Draw
from ssrjson_web import _core

try:
    import numpy
except ImportError:  # the graphs do without
    numpy = None  # type: ignore[assignment]

Pair = tuple[Any, Any]

MODEL_FORMATS = {"datetime": "rfc3339", "utc": "Z", "decimal": "str", "mapping": False, "numpy": False}
"""What `models=True` says where it differs from `natives=True`."""

ALPHABETS = (
    "abcdefghijklmnop",
    'a"\\/\b\f\n\r\t\x00\x1f\x7f b',
    "aéÿ\x80ß",
    "a中文字é\u07ff\u0800\u2028\u2029<>&",
    "a😀𐀀\U0010ffff中é",
    "a\ud800\udfff\ud83d\ude00中",
)
FLOATS = (0.0, -0.0, 1.5, 0.1, 1e16, 1e-5, 1.25e-7, 1e22, 5e-324, 1.7976931348623157e308)
NOT_FINITE = (float("nan"), float("inf"), float("-inf"))
INTS = (0, 1, -1, 10, 2**31, 2**53 - 1, 2**53, -(2**53), 2**60, 2**63 - 1, -(2**63), 2**64, 10**30, -(10**40))


class Marker:
    """The twin of what has no text unless `default` gives it one."""


class Raw(str):
    """The twin of text that is written as it is."""


class Pairs(dict[Any, Any]):
    """The twin of a dict: its members in order, keys that became equal among them."""

    def __init__(self) -> None:
        self.members: list[Pair] = []

    def items(self) -> Any:
        return list(self.members)

    def __bool__(self) -> bool:
        return bool(self.members)


class Text(str):
    def __str__(self) -> str:
        return "not this"


class Whole(int):
    def __repr__(self) -> str:
        return "not this"


class Real(float):
    def __repr__(self) -> str:
        return "not this"


class Items(list[Any]):
    pass


class Iterated(list[Any]):
    def __iter__(self) -> Iterator[Any]:
        return list.__iter__(self)


class Members(dict[Any, Any]):
    pass


class Listed(dict[Any, Any]):
    def items(self) -> Any:
        return list(dict.items(self))


class Number(enum.IntEnum):
    ONE = 1
    LARGE = 2**60


class Colour(enum.Enum):
    RED = "rot"
    GREEN = (1, "grün")


Triple = collections.namedtuple("Triple", "a b c")


@dataclasses.dataclass
class Data:
    x: Any
    y: Any = 5


@dataclasses.dataclass
class Slotted:
    __slots__ = ("x", "名")
    x: Any
    名: Any


class Plain:
    """Its instances' `__dict__` have their keys in one table."""

    def __init__(self, **values: Any) -> None:
        self.__dict__.update(values)


class Attributes:
    def __init__(self, a: Any, b: Any, c: Any) -> None:
        self.a, self.b, self.c = a, b, c


def is_written_alike_by_msgspec(value: Any, seen: set[int]) -> bool:
    """Whether msgspec, whose rules hold within a Struct, writes a value as stdlib's json does: no floats, say."""
    kind = type(value)
    if kind in (str, int, bool, type(None)):
        return True
    if id(value) in seen:  # also a cycle: msgspec recurses
        return False
    seen = seen | {id(value)}
    if kind in (list, tuple):
        return all(is_written_alike_by_msgspec(item, seen) for item in value)
    if kind is dict:
        return all(type(key) is str and is_written_alike_by_msgspec(value[key], seen) for key in value)
    return kind.__name__ == "Struct" and all(is_written_alike_by_msgspec(item, seen) for item in (value.x, value.y))


class Graph:
    """One graph. `is_exact`: the expected text is known for all values of the graph, once it is built."""

    def __init__(self, draw: Draw, options: dict[str, Any], most: int = 120) -> None:
        self.draw = draw
        self.options = options
        self.n_left = most
        self.has_exact_twins = True
        self.structs: list[Any] = []
        self.is_circular = False
        self.pool: list[Pair] = []
        self.has_iterators = False
        self.open: list[Pair] = []

    @property
    def is_exact(self) -> bool:
        return self.has_exact_twins and all(is_written_alike_by_msgspec(made, set()) for made in self.structs)

    def format(self, name: str) -> Any:
        """What an option beside `natives` or `models` says."""
        of_models = MODEL_FORMATS.get(name, True) if self.options.get("models") else False
        return self.options.get(name, of_models or self.options.get("natives", False))

    @property
    def takes_natives(self) -> bool:
        return any(self.options.get(name) for name in ("natives", "models", "default"))

    def is_on(self, name: str) -> bool:
        return bool(self.format(name))

    def root(self) -> Pair:
        """The whole graph: a container, for the most part."""
        choice = self.draw.byte()
        return self.mapping(0) if choice < 0xA0 else self.array(0) if choice < 0xE0 else self.value()

    def value(self, depth: int = 0) -> Pair:
        choice = self.draw.byte()
        self.n_left -= 1
        if choice >= 0xC0 and not self.takes_natives and self.draw.byte() < 0xF0:
            choice -= 0xC0  # what ends in an error is to be rare, because nothing after it is seen
        if self.n_left < 0 or depth > 60 or choice < 0x30:
            return self.scalar()
        if choice < 0x58:
            return self.array(depth)
        if choice < 0x98:
            return self.mapping(depth)
        if choice < 0xA8:
            return self.subclass(depth)
        if choice < 0xB4 and self.pool:
            return self.draw.choice(self.pool)
        if choice == 0xB4 and self.open:
            self.is_circular = True
            return self.draw.choice(self.open)
        if choice < 0xC0:
            return self.fragment()
        if choice < 0xD8:
            return self.native()
        if choice < 0xE8:
            return self.native_container(depth)
        if choice < 0xF4:
            return self.model(depth)
        if choice < 0xFA:
            return self.array_of_numpy()
        return self.unsupported(object())

    # ---- JSON's own types

    def text(self) -> str:
        alphabet = self.draw.choice(ALPHABETS)
        layout = self.draw.byte()
        pieces = "".join(self.draw.choice(alphabet) for _ in range(layout & 7))
        if layout & 0xF0 == 0xF0:
            pieces += alphabet[0] * (self.draw.word(2) % 6000)
        elif layout & 0xF0 == 0xE0:
            pieces = pieces * (self.draw.byte() % 60)
        text = "".join(list(pieces))
        if layout & 8 and layout & 0xC0 == 0xC0 and text.isprintable() and not text.isascii():
            _core.dumps_to_bytes(text, is_write_cache=True)
        return text

    def scalar(self) -> Pair:
        choice = self.draw.below(16)
        value: Any
        if choice < 4:
            value = self.text()
        elif choice == 4:
            value = self.draw.below(256) - 128
        elif choice < 8:
            value = self.draw.choice(INTS)
        elif choice == 8:
            value = self.draw.word(8) - 2**63
        elif choice < 11:
            value = self.draw.choice(FLOATS)
            if self.draw.byte() >= 0xF0:
                value = self.draw.choice(NOT_FINITE)
        elif choice == 11:
            value = struct.unpack("<d", self.draw.word(8).to_bytes(8, "little"))[0]
        elif choice == 12:
            value = self.draw.word(3) / 100
        else:
            value = (None, True, False)[choice - 13]
        return value, value

    def array(self, depth: int) -> Pair:
        kind = self.draw.byte()
        n = kind & 15
        if kind >= 0xE0:  # a run of one kind
            n = self.draw.byte()
            item, twin = self.scalar()
            return [item] * n, [twin] * n
        items: list[Any] = []
        twins: list[Any] = []
        if kind & 16:
            for _ in range(n):
                item, twin = self.value(depth + 1)
                items.append(item)
                twins.append(twin)
            made = tuple(items)
            return self.keep(made, twins)
        self.open.append((items, twins))
        for _ in range(n):
            item, twin = self.value(depth + 1)
            items.append(item)
            twins.append(twin)
        self.open.pop()
        return self.keep(items, twins)

    def keep(self, made: Any, twin: Any) -> Pair:
        """Let a container stand at a second place. It cannot if it holds an iterator, which is empty there."""
        if not self.has_iterators:
            self.pool.append((made, twin))
        return made, twin

    def key(self) -> Pair:
        choice = self.draw.below(16)
        key: Any
        if choice >= 11 and self.options.get("sort_keys") and self.draw.byte() < 0xF0:
            choice -= 11  # keys that do not sort, likewise
        if choice == 14 and not self.options.get("natives") and self.draw.byte() < 0xF0:
            choice = 15
        if choice < 8:
            key = "abcdefgh"[choice] * (1 + self.draw.below(20))
        elif choice < 11:
            key = self.text()
        elif choice == 11:
            key = self.draw.choice(INTS)
        elif choice == 12:
            key = self.draw.choice(FLOATS)
        elif choice == 13 and not self.options.get("sort_keys"):
            key = self.draw.choice((None, True, False, Whole(7), Real(2.5), Text("t"), Number.LARGE))
            twin = {Whole: 7, Real: 2.5, Text: "t", Number: 2**60}.get(type(key), key)
            return key, twin
        elif choice == 14 and not self.options.get("sort_keys"):
            return self.native_key()
        else:
            key = self.draw.below(100)
        return key, key

    def native_key(self) -> Pair:
        native, twin = self.native()
        if (
            isinstance(twin, (str, int, float))
            and not isinstance(twin, Raw)
            and isinstance(native, collections.abc.Hashable)
        ):
            return native, twin
        key = (1, 2)
        return key, self.marker(key)

    def mapping(self, depth: int) -> Pair:
        kind = self.draw.byte()
        n = kind & 15
        way = kind >> 4
        made: Any = {}
        twin = Pairs()
        if way == 1:
            names = [f"k{i}" for i in range(n)]
            text = _core.dumps(dict.fromkeys(names, 0))
            made = [_core.loads(text) for _ in range(3)][-1]  # a known shape: keys are shared
            for name in names:
                made[name], value = self.value(depth + 1)
                twin.members.append((name, value))
            return self.keep(made, twin)
        if way == 2:
            owner = Attributes(None, None, None)
            for name in "abc"[: n % 4]:
                item, value = self.value(depth + 1)
                setattr(owner, name, item)
            values = {name: self.value(depth + 1) for name in "abc"}
            for name, (item, value) in values.items():
                setattr(owner, name, item)
                twin.members.append((name, value))
            return self.keep(vars(owner), twin)
        self.open.append((made, twin))
        for i in range(n):
            if way == 3 and i % 3 == 0:
                made[f"gone {i}"] = None
            key, key_twin = (i * 7, i * 7) if way == 4 else self.key()
            item, value = self.value(depth + 1)
            if key in made:
                continue
            made[key] = item
            twin.members.append((key_twin, value))
        self.open.pop()
        if way == 3:
            for i in range(0, n, 3):
                made.pop(f"gone {i}", None)
        return self.keep(made, twin)

    def subclass(self, depth: int) -> Pair:
        choice = self.draw.below(12)
        if choice < 5:
            return self.draw.choice(
                ((Text("é"), "é"), (Whole(2**60), 2**60), (Real(0.25), 0.25), (Number.ONE, 1), (Number.LARGE, 2**60))
            )
        if choice < 8:
            items, twins = self.array(depth)
            if not isinstance(items, list):
                return items, twins
            made = (Items, Iterated)[choice & 1](items)
            return self.keep(made, list(twins))
        if choice == 8:
            fields = [self.value(depth + 1) for _ in range(3)]
            return self.keep(Triple(*(item for item, _ in fields)), [twin for _, twin in fields])
        members, twin = self.mapping(depth)
        copy = Pairs()
        copy.members = list(twin.members)
        made_dict = (Members, Listed, collections.OrderedDict)[choice % 3](members)
        return self.keep(made_dict, copy)

    def fragment(self) -> Pair:
        text = self.draw.choice(("1", '{"a":[]}', '"é"', '"中文"', '"😀"', '"' + "x" * 600 + '"', "[1, 2]"))
        contents: Any = text.encode() if self.draw.flag() else text
        return _core.Fragment(contents), Raw(text)

    # ---- beyond JSON

    def marker(self, thing: object) -> Marker:
        return type(type(thing).__name__, (Marker,), {})()

    def unsupported(self, thing: object) -> Pair:
        return thing, self.marker(thing)

    def native(self) -> Pair:
        choice = self.draw.below(10)
        if choice == 0:
            return self.moment()
        if choice == 1:
            day = datetime.date(1 + self.draw.word(2) % 9999, 1 + self.draw.below(12), 1 + self.draw.below(28))
            return (day, day.isoformat()) if self.is_on("date") else self.unsupported(day)
        if choice == 2:
            time = datetime.time(
                self.draw.below(24), self.draw.below(60), self.draw.below(60), self.draw.word(3) % 10**6
            )
            return (time, self.moment_text(time)) if self.is_on("time") else self.unsupported(time)
        if choice == 3:
            identifier = uuid.UUID(int=self.draw.word(8) << 64 | self.draw.word(4))
            twin = identifier.hex if self.format("uuid") == "hex" else str(identifier)
            return (identifier, twin) if self.is_on("uuid") else self.unsupported(identifier)
        if choice == 4:
            member = self.draw.choice((Colour.RED, Colour.GREEN))
            by_name = self.format("enum") == "name"
            value = member.name if by_name else list(member.value) if member is Colour.GREEN else member.value
            return (member, value) if self.is_on("enum") else self.unsupported(member)
        if choice == 5:
            return self.decimal()
        if choice == 6:
            return self.binary()
        if choice == 7:
            path = pathlib.PurePosixPath(self.draw.choice(("a", "a/é", "/", "中/b")))
            return (path, str(path)) if self.is_on("path") else self.unsupported(path)
        if choice == 8:
            delta = datetime.timedelta(self.draw.word(2) - 2**15, self.draw.word(2), self.draw.word(2))
            self.has_exact_twins = self.has_exact_twins and not self.is_on("timedelta")
            return self.unsupported(delta)
        return self.scalar_of_numpy()

    def moment_text(self, moment: Any) -> str:
        timespec = self.options.get("timespec", "auto")
        text: str = moment.isoformat(timespec=timespec)
        if isinstance(moment, datetime.datetime):
            offset = moment.utcoffset()
            if offset is None and self.options.get("naive") == "utc":
                text += "+00:00"
            if text.endswith("+00:00") and not offset and self.format("utc") == "Z":
                text = text[:-6] + "Z"
        return text

    def moment(self) -> Pair:
        zones = (None, datetime.timezone.utc, *(datetime.timezone(datetime.timedelta(minutes=m)) for m in (-90, 345)))
        moment = datetime.datetime(
            1 + self.draw.word(2) % 9998,
            1 + self.draw.below(12),
            1 + self.draw.below(28),
            self.draw.below(24),
            self.draw.below(60),
            self.draw.below(60),
            self.draw.choice((0, 5, 120000, 999999)),
            self.draw.choice(zones),
        )
        return (moment, self.moment_text(moment)) if self.is_on("datetime") else self.unsupported(moment)

    def decimal(self) -> Pair:
        number = decimal.Decimal(self.draw.choice(("0", "1.50", "-0.001", "123456789012345678901234567890.5", "7")))
        if not self.is_on("decimal"):
            return self.unsupported(number)
        form = self.format("decimal")
        twin: Any = float(number) if form == "float" else str(number) if form == "str" else Raw(number)
        return number, twin

    def binary(self) -> Pair:
        text = self.draw.choice(("", "abc", "é中", "x" * 200, '"\\\n'))
        data = self.draw.choice((bytes, bytearray, memoryview))(text.encode())
        if not self.is_on("bytes"):
            return self.unsupported(data)
        form = self.format("bytes")
        if form in (True, "utf-8"):
            return data, text
        encode = base64.b64encode if form == "base64" else base64.urlsafe_b64encode
        return data, encode(text.encode()).decode()

    def scalar_of_numpy(self) -> Pair:
        if numpy is None:
            return 1, 1
        kind = self.draw.choice(("int8", "uint64", "int64", "float64", "float32", "bool_"))
        number = getattr(numpy, kind)(self.draw.below(100))
        if isinstance(number, float):  # float64 is a float to everyone
            return number, float(number)
        return (number, number.item()) if self.is_on("numpy") else self.unsupported(number)

    def array_of_numpy(self) -> Pair:
        if numpy is None:
            return [], []
        kind = self.draw.choice(("i1", "u8", "<i8", ">i4", "f8", "f4", "?", "u2"))
        shape = tuple(self.draw.below(6) for _ in range(self.draw.below(4)))
        n_bytes = int(numpy.prod(shape, dtype=int)) * numpy.dtype(kind).itemsize
        data = bytes(self.draw.byte() & (1 if kind == "?" else 255) for _ in range(min(n_bytes, 64)))
        array = (
            numpy.frombuffer(data.ljust(n_bytes, b"\0"), kind).reshape(shape) if n_bytes else numpy.zeros(shape, kind)
        )
        layout = self.draw.below(4)
        array = (array, array.T, array[::-1] if shape else array, array.copy(order="F"))[layout]
        return (array, array.tolist()) if self.is_on("numpy") else self.unsupported(array)

    def native_container(self, depth: int) -> Pair:
        choice = self.draw.below(9)
        if choice < 3:
            thing, twin = self.value(depth + 1)
            other, other_twin = self.value(depth + 1)
            made: Any
            if choice == 0:
                made, members = Data(thing, other), [("x", twin), ("y", other_twin)]
            elif choice == 1:
                made, members = Slotted(thing, other), [("x", twin), ("名", other_twin)]
            else:
                made, members = types.MappingProxyType({"x": thing, "é": other}), [("x", twin), ("é", other_twin)]
            name = "dataclass" if choice < 2 else "mapping"
            if not self.is_on(name):
                return self.unsupported(made)
            pairs = Pairs()
            pairs.members = members
            return made, pairs
        items, twins = self.array(depth)
        if choice == 3:
            made = collections.deque(items)
        elif choice == 4:
            made, twins = {5}, [5]
        elif choice == 5:
            made, twins = frozenset(["é"]), ["é"]
        elif choice == 6:
            made = dict(enumerate(items)).values()
        elif choice == 7:
            made = iter(list(items))
            self.has_iterators = True
        else:
            made = (item for item in items)
            self.has_iterators = True
        return (made, list(twins)) if self.is_on("iterables") else self.unsupported(made)

    def model(self, depth: int) -> Pair:
        from fuzz.models import MAKERS

        thing, twin = self.value(depth + 1)
        other, other_twin = self.value(depth + 1)
        maker = self.draw.choice(MAKERS)
        made = maker(thing, other)
        # pydantic writes numbers and natives by rules of its own
        self.has_exact_twins = self.has_exact_twins and maker.__name__ != "pydantic_model"
        if not self.options.get("models"):
            is_dataclass = dataclasses.is_dataclass(made)
            self.has_exact_twins = self.has_exact_twins and not (is_dataclass and self.is_on("dataclass"))
            return self.unsupported(made)
        if maker.__name__ == "Struct":
            self.structs.append(made)
        pairs = Pairs()
        pairs.members = [("x", twin), ("y", other_twin)]
        return made, pairs
