"""Python code that the encoder calls may drop, change or re-enter the object that is being walked, without harm.

Each trap drops the document and its contents as soon as it is called; what it returns is written.
"""

from __future__ import annotations

import datetime
import enum
import gc
import pathlib
import sys
import uuid
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import pytest
from helpers.all_outputs import in_chunks, run_with_little_stack
from helpers.call_outcome import outcome

from ssrjson_web import _core

pytestmark = pytest.mark.usefixtures("isa")

DOCUMENT: list[Any] = []  # the containers to be emptied


def spring() -> None:
    """Drop the document, collect what that leaves, and use the memory again."""
    while DOCUMENT:
        container = DOCUMENT.pop()
        container.clear()
    gc.collect()
    [[f"{n}" * 9] for n in range(100)]
    assert _core.dumps([{"é": ["inner", Decimal(1)]}], natives=True) == '[{"é":["inner",1]}]'


class Zone(datetime.tzinfo):
    is_armed = False

    def utcoffset(self, moment: Any) -> Any:
        if Zone.is_armed:
            spring()
        return datetime.timedelta(0)


class Seconds(datetime.timedelta):
    def total_seconds(self) -> Any:
        spring()
        return ["trap"] * 3


class Path(pathlib.PurePosixPath):
    def __str__(self) -> str:
        spring()
        return "trap"


class Id(uuid.UUID):
    def __getattribute__(self, name: str) -> Any:
        if name == "int":
            spring()
            return None
        return uuid.UUID.__getattribute__(self, name)

    def __str__(self) -> str:
        return "trap"


class Member(enum.Enum):
    A = 1

    @property
    def value(self) -> Any:
        spring()
        return ["trap"] * 3

    @property
    def name(self) -> Any:
        spring()
        return "trap"


class Real(Decimal):
    def __float__(self) -> float:
        spring()
        return 1.5


class Claims:
    """Claims another class, when isinstance asks."""

    @property
    def __class__(self) -> Any:
        spring()
        return int


class Pairs(Mapping[Any, Any]):
    def __getitem__(self, key: Any) -> Any:
        spring()
        return "trap"

    def __iter__(self) -> Iterator[Any]:
        spring()
        return iter(["k"])

    def __len__(self) -> int:
        spring()
        return 1


class Items(dict[str, Any]):
    def items(self) -> Any:
        spring()
        yield "k", "trap"


class Draws:
    def __iter__(self) -> Any:
        spring()
        return self

    def __next__(self) -> Any:
        spring()
        self.n = getattr(self, "n", 0) + 1
        if self.n > 2:
            raise StopIteration
        return ["trap"]


def generated() -> Iterator[Any]:
    spring()
    yield ["trap"]
    spring()


@dataclass
class Asks:
    x: Any = 1

    def __getattribute__(self, name: str) -> Any:
        spring()
        return ["trap"]


@dataclass
class Property:
    y: Any = 1


Property.y = property(lambda self: spring())  # type: ignore[assignment, misc]


class Watching(type):
    is_armed = False

    def __getattribute__(cls, name: str) -> Any:
        if Watching.is_armed and name == "__dataclass_fields__":
            spring()
        return type.__getattribute__(cls, name)


@dataclass
class Watched(metaclass=Watching):
    w: int = 5


def new_class() -> Any:
    value = Watching("New", (Watched,), {})()
    Watching.is_armed = True
    return value


class Bytes(bytes):
    def __buffer__(self, flags: int) -> Any:
        spring()
        return memoryview(b"trap")


class Name(str):
    def __eq__(self, other: object) -> bool:
        spring()
        return str.__eq__(self, other)

    __hash__ = str.__hash__


@dataclass
class Plain:
    z: Any = 1


def odd_dict() -> Any:
    plain = Plain()
    plain.__dict__.clear()
    plain.__dict__[Name("z")] = ["trap"]
    return plain


def odd_member() -> Any:
    class Colour(enum.Enum):
        RED = 1

    colour = object.__new__(Colour)
    for name in ("_value_", "_name_"):
        colour.__dict__[Name(name)] = ["trap"]
    return colour


class Default:
    pass


@dataclass
class HasDefault:
    x: Any = Default()  # noqa: RUF009


def no_attribute() -> Any:
    _core.dumps(HasDefault(5), dataclass=True)  # the plan is made while the default is harmless
    Default.__get__ = lambda self, instance, owner=None: spring()  # type: ignore[attr-defined]
    return HasDefault.__new__(HasDefault)


class Asked(datetime.datetime):
    def utcoffset(self) -> Any:
        spring()


def armed_moment() -> datetime.datetime:
    Zone.is_armed = True
    return datetime.datetime(2026, 1, 2, tzinfo=Zone())


TRAPS: dict[str, Callable[[], Any]] = {
    "zone": armed_moment,
    "zone of a time": lambda: armed_moment().timetz(),
    "zone of a subclass": lambda: Asked(2026, 1, 2, tzinfo=armed_moment().tzinfo),
    "seconds": lambda: Seconds(1),
    "path": lambda: Path("a"),
    "uuid": lambda: Id(int=1),
    "enum": lambda: object.__new__(Member),
    "decimal": lambda: Real("1.5"),
    "decimal that is no number": lambda: Real("Infinity"),
    "class": Claims,
    "mapping": Pairs,
    "dict": lambda: Items(a=1),
    "iterator": Draws,
    "generator": generated,
    "getattribute": Asks,
    "property": lambda: Property.__new__(Property),
    "new class": new_class,
    "bytes": lambda: Bytes(b"bytes" * 20),
    "dict of an instance": odd_dict,
    "dict of a member": odd_member,
    "default": no_attribute,
    "hook": object,
}
PLACES: dict[str, Callable[[Any], Any]] = {
    "list": lambda trap: [trap, ["after" * 9]],
    "tuple": lambda trap: [(trap, ["after" * 9])],
    "dict": lambda trap: {"before": ["before" * 9], "k": trap, "after": ["after" * 9]},
    "deep": lambda trap: [[["a" * 9], {"k": [trap, "b" * 9], "l": "c" * 9}], ["d" * 9]],
    "set": lambda trap: [iter([trap, "after" * 9]), ["after" * 9]],
    "dataclass": lambda trap: [Plain([trap, "after" * 9]), ["after" * 9]],
}


def disarm() -> None:
    DOCUMENT.clear()
    Zone.is_armed = Watching.is_armed = False
    if hasattr(Default, "__get__"):
        del Default.__get__


@pytest.fixture(autouse=True)
def disarmed() -> Iterator[None]:
    yield
    disarm()


def containers_in(value: Any) -> list[Any]:
    """Every list and dict of a document, the innermost last."""
    found = [value] if type(value) in (list, dict) else []
    inner = value.values() if type(value) is dict else value if type(value) in (list, tuple) else ()
    for item in inner:
        found += containers_in(item)
    return found


def encode_all(make: Callable[[], Any], **options: Any) -> Iterator[Any]:
    """What each way to encode gives for a document that only the encoder holds while it is dropped."""
    ways: list[Callable[..., Any]] = [_core.dumps, _core.dumps_to_bytes, in_chunks]
    ways.append(lambda value, **options: in_chunks(value, 1 << 20, **options))
    for encode in ways:
        document = make()
        DOCUMENT[:] = containers_in(document)
        yield outcome(encode, document, natives=True, default=lambda _: spring() or ["trap"] * 3, **options)
        DOCUMENT.clear()


OPTIONS: list[dict[str, Any]] = [
    {**chosen, **choice}
    for chosen in (
        {},
        {"indent": 1},
        {"sort_keys": True},
        {"ensure_ascii": True},
        {"enum": "name"},
        {"bytes": "base64"},
    )
    for choice in ({"timedelta": "seconds", "decimal": "float"}, {})
]


@pytest.mark.parametrize("trap", TRAPS)
def test_trap_that_drops_the_document_does_no_harm(trap: str) -> None:
    for place, wrapped in PLACES.items():
        disarm()
        for options in OPTIONS:
            got = list(encode_all(lambda wrapped=wrapped: wrapped(TRAPS[trap]()), **options))
            for kind, text, *_ in got:
                assert kind in ("value", "RuntimeError", "TypeError", "BufferError"), (place, options, got)
                if kind == "value":
                    decoded = eval(text)
                    _core.loads(decoded)
                    Zone.is_armed = Watching.is_armed = False


KEYS: dict[str, Callable[[], Any]] = {
    "zone": armed_moment,
    "seconds": lambda: Seconds(1),
    "path": lambda: Path("a"),
    "uuid": lambda: Id(int=1),
    "enum": lambda: Member.A,
    "decimal": lambda: Real("Infinity"),
}


@pytest.mark.parametrize("key", KEYS)
def test_key_that_drops_the_document_does_no_harm(key: str) -> None:
    def document() -> Any:
        Zone.is_armed = False
        made = {KEYS[key](): 1} if key != "zone" else {datetime.datetime(2026, 1, 2, tzinfo=Zone()): 1}
        for name in made:
            value: dict[Any, Any] = {name: ["x" * 50], "after": ["y" * 50]}
        Zone.is_armed = True
        return [value, ["z" * 50]]

    for skipkeys in (False, True):
        for choice in ({"timedelta": "seconds", "decimal": "float"}, {}):
            for got in encode_all(document, skipkeys=skipkeys, **choice):
                assert got[0] in ("value", "RuntimeError", "TypeError"), got


def test_trap_that_raises_passes_its_error_through() -> None:
    class Raises(datetime.tzinfo):
        def utcoffset(self, moment: Any) -> Any:
            DOCUMENT[0].clear()
            raise KeyError("zone")

    for encode in (_core.dumps, _core.dumps_to_bytes, in_chunks):
        document = [datetime.datetime(2026, 1, 2, tzinfo=Raises()), ["after" * 9]]
        DOCUMENT[:] = [document]
        assert outcome(encode, document, natives=True)[0] == "KeyError"


@pytest.mark.skipif(sys.version_info >= (3, 12), reason="from 3.12 on no garbage is collected within an allocation")
def test_calls_within_each_other_take_little_of_the_stack() -> None:
    class Items(dict[str, Any]):
        def items(self) -> Any:
            return [("a", _core.dumps(Items(a=1)))]

    def hook(value: Any) -> Any:
        return _core.dumps_to_bytes([object()], default=hook)

    def recur() -> None:
        for call in (lambda: hook(1), lambda: _core.dumps(Items(a=1))):
            with pytest.raises(RecursionError):
                call()

    assert run_with_little_stack(recur)
