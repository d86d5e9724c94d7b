"""What the threads share: objects that are read, and objects that are changed meanwhile."""

from __future__ import annotations

import collections
import dataclasses
import datetime
import decimal
import enum
import json
import random
import threading
import types
import uuid
from typing import Any

import ssrjson_web

try:
    import attrs
except ImportError:
    attrs = None  # type: ignore[assignment]
try:
    import pydantic
except ImportError:
    pydantic = None  # type: ignore[assignment]
try:
    import msgspec
except ImportError:
    msgspec = None  # type: ignore[assignment]


class Colour(enum.Enum):
    RED = "rot"
    BLUE = 2


class OwnDict(dict[str, Any]):
    """A subclass with dict's own items()."""


class OwnList(list[Any]):
    """A subclass that is iterated as a list."""


@dataclasses.dataclass
class Plain:
    x: int
    name: str
    items: list[Any]


@dataclasses.dataclass(slots=True)
class Slotted:
    x: int
    name: str
    items: list[Any]


MODELS: list[type[Any]] = [Plain, Slotted]

if attrs is not None:

    @attrs.define
    class Defined:
        x: int
        name: str
        items: list[Any]

    MODELS.append(Defined)

if pydantic is not None:

    class Leaf(pydantic.BaseModel):
        n: int = 1

    class Model(pydantic.BaseModel):
        x: int
        name: str
        items: list[Any]
        numbers: list[int] = pydantic.Field([1, 2])
        table: dict[str, int] = pydantic.Field({"a": 1})
        leaf: Leaf = Leaf()

    class Renamed(pydantic.BaseModel):
        x: int = pydantic.Field(serialization_alias="y")
        name: str
        items: list[Any]

    MODELS += [Model, Renamed]

if msgspec is not None:

    class Struct(msgspec.Struct):
        x: int
        name: str
        items: list[Any]

    MODELS.append(Struct)


def document(seed: int) -> Any:
    """A document of all JSON's types, repeated keys, nested containers and text of each kind."""
    rng = random.Random(seed)
    return [
        {
            "id": i,
            "name": rng.choice(["Ada", "Zoë", "艾达", "\U0001f600 x" * 5, '\u2028"\\', "a" * 100]),
            "tags": [rng.choice([None, True, False, 1.5, -7, 10**20, "é"]) for _ in range(i % 7)],
            f"only {i % 3}": {"deep": [[[i]]], "pair": (1, 2.5)},
            "empty": [{}, [], ""],
        }
        for i in range(12)
    ]


NATIVE = {
    "datetime": datetime.datetime(2026, 11, 22, 16, 5, 7, 80, datetime.timezone.utc),
    "offset": datetime.datetime(2026, 1, 2, tzinfo=datetime.timezone(datetime.timedelta(hours=2))),
    "date": datetime.date(2026, 11, 22),
    "time": datetime.time(1, 2, 3),
    "timedelta": datetime.timedelta(days=3, seconds=4),
    "uuid": uuid.UUID(int=0x12345678123456781234567812345678),
    "decimal": decimal.Decimal("12.50"),
    "colour": Colour.RED,
    "number": Colour.BLUE,
    "bytes": b"text",
    "frozen": frozenset({1}),
    "mapping": types.MappingProxyType({"a": 1}),
    "generator": (1, 2),
}


class Shared:
    """The objects of one run. `stop` is set at its end, `failures` are what the threads found wrong."""

    def __init__(self) -> None:
        self.stop = threading.Event()
        self.failures: list[str] = []
        self.writing = threading.Lock()  # writers take turns; readers take no lock
        self.document = document(0)
        self.text = ssrjson_web.dumps(self.document)
        self.encoded = self.text.encode()
        self.decoded = json.loads(self.text)  # a tuple is a list
        self.documents = [ssrjson_web.dumps(document(seed)) for seed in range(4)]
        self.sorted = ssrjson_web.dumps(self.document, sort_keys=True)
        self.strings = ["é" * n for n in range(1, 40)] + ["中文" * n for n in range(1, 40)]
        # what other threads change
        self.dict: dict[Any, Any] = {"0": 0}
        self.attributes = types.SimpleNamespace(a=1).__dict__
        self.list: list[Any] = [0]
        self.own_dict = OwnDict({"0": 0})
        self.own_list = OwnList([0])
        self.set: set[int] = {0}
        self.deque: collections.deque[int] = collections.deque([0], 50)
        self.nested: dict[str, Any] = {"list": self.list, "dict": self.dict, "own": [self.own_dict, self.own_list]}
        self.models = [model(x=1, name="é", items=[1, "x", None]) for model in MODELS]
        # used by several threads at once
        self.encoder = ssrjson_web.Encoder(natives=True)
        self.sorting = ssrjson_web.Encoder(sort_keys=True, natives=True)
        self.exact = ssrjson_web.Encoder(exact_types=True, default=lambda value: type(value).__name__)
        self.hooked = ssrjson_web.Encoder(default=self.default)
        has_models = attrs is not None or pydantic is not None
        self.modelling = ssrjson_web.Encoder(models=True) if has_models else self.encoder
        self.decoder = ssrjson_web.Decoder()
        self.hooking = ssrjson_web.Decoder(object_hook=dict, array_hook=list)
        self.recorder = ssrjson_web.Recorder()
        self.stream = iter(self.encoder.iterencode(self.document, 50))
        self.fragment = ssrjson_web.Fragment(self.encoded)

    def default(self, value: object) -> Any:
        """A hook that encodes and decodes in turn."""
        return ssrjson_web.loads(ssrjson_web.dumps([str(type(value)), {"n": 1}]))

    def check(self, holds: bool, what: str) -> None:
        if not holds:
            self.failures.append(what)
            self.stop.set()
