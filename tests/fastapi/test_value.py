"""What endpoints without a response model return: the same bytes, headers and errors as without us."""

import collections
import datetime
import decimal
import enum
import ipaddress
import math
import pathlib
import re
import uuid
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import pytest

pytest.importorskip("fastapi", reason="FastAPI is not installed")

from fastapi import FastAPI
from fastapi.responses import JSONResponse, PlainTextResponse, Response, StreamingResponse
from helpers.call_outcome import assert_same
from helpers.fastapi_twins import Call, Counter, answer, assert_twins_answer_alike
from pydantic import BaseModel, Field, SecretStr, computed_field

from ssrjson_web import utf8_cache_size
from ssrjson_web.fastapi import SSRJSONResponse, setup


class Colour(enum.Enum):
    RED = "röt"


class Number(enum.IntEnum):
    ONE = 1


class Pair(NamedTuple):
    x: int
    y: str


@dataclass
class Place:
    name: str
    tags: list[str] = field(default_factory=list)


class Item(BaseModel):
    name: str
    price: decimal.Decimal = decimal.Decimal("1.50")
    made: datetime.datetime = datetime.datetime(2026, 11, 21, 1, 2, 3, tzinfo=datetime.timezone.utc)
    other: str | None = Field(default=None, serialization_alias="anders")

    @computed_field  # type: ignore[prop-decorator]
    @property
    def length(self) -> int:
        return len(self.name)


class Plain:
    def __init__(self) -> None:
        self.a = "é"
        self._sa_instance_state = object()


class Text(str):
    pass


class Refusing:
    __slots__ = ()


def cycle() -> list[Any]:
    nested: list[Any] = []
    nested.append(nested)
    return nested


def nested(depth: int) -> Any:
    value: Any = "é"
    for _ in range(depth):
        value = [value]
    return value


VALUES: dict[str, Callable[[], Any]] = {
    "none": lambda: None,
    "true": lambda: True,
    "int": lambda: 10**30,
    "float": lambda: [0.1, 1e16, 1e-7, -0.0, 5e-324],
    "text": lambda: 'né "中" 😀 \x00\x1f\x7f\u2028</script>',
    "empty text": lambda: "",
    "empty list": list,
    "empty dict": dict,
    "rows": lambda: [{"id": n, "name": "名" * n, "tags": ["é", None, True]} for n in range(20)],
    "odd keys": lambda: {1: 1, None: 2, 1.5: 3, False: 4},
    "equal keys after encoding": lambda: {1: "a", "1": "b"},
    "enum keys": lambda: {Colour.RED: 1, Number.ONE: 2},
    "uuid keys": lambda: {uuid.UUID(int=1): 1},
    "date keys": lambda: {datetime.date(2026, 1, 2): 1},
    "tuple keys": lambda: {(1, 2): 3},
    "bytes keys": lambda: {b"a": 3},
    "sqlalchemy keys": lambda: {"_sa_instance_state": object(), "_sa": 1, "_s": 2, "x": {"_sab": 1}},
    "tuple": lambda: (1, ("é", 2)),
    "named tuple": lambda: Pair(1, "é"),
    "set": lambda: {"é"},
    "frozenset": lambda: frozenset([1]),
    "deque": lambda: collections.deque(["é", {"a": (1,)}]),
    "ordered dict": lambda: collections.OrderedDict(b=1, a=2),
    "default dict": lambda: collections.defaultdict(list, a=[1]),
    "generator": lambda: (n for n in (1, "é", {"a": Pair(1, "b")})),
    "failing generator": lambda: (1 // n for n in (1, 0)),
    "iterator": lambda: iter([("a", 1)]),
    "range": lambda: range(3),
    "dict view": lambda: {"ab": 1}.keys(),
    "enum": lambda: [Colour.RED, Number.ONE],
    "str subclass": lambda: [Text("é"), Text()],
    "bool keyed by text": lambda: {Text("é"): True},
    "decimals": lambda: [decimal.Decimal(text) for text in ("1", "1.0", "1.50", "1E+3", "-0")],
    "decimal nan": lambda: decimal.Decimal("NaN"),
    "times": lambda: {
        "datetime": datetime.datetime(2026, 11, 21, 1, 2, 3, 4),
        "utc": datetime.datetime(2026, 11, 21, tzinfo=datetime.timezone.utc),
        "date": datetime.date(2026, 11, 21),
        "time": datetime.time(1, 2, 3),
        "timedelta": datetime.timedelta(days=1, microseconds=5),
    },
    "uuid": lambda: uuid.UUID(int=7),
    "path": lambda: pathlib.PurePosixPath("a/é"),
    "address": lambda: [ipaddress.ip_address("127.0.0.1"), ipaddress.ip_network("::/8")],
    "pattern": lambda: re.compile("é+"),
    "bytes": lambda: [b"abc", "é".encode()],
    "bytes, not utf-8": lambda: b"\xff",
    "bytearray": lambda: bytearray(b"ab"),
    "secret": lambda: SecretStr("é"),
    "dataclass": lambda: Place("é", ["中"]),
    "dataclass class": lambda: Place,
    "model": lambda: Item(name="é"),
    "models inside": lambda: {"a": [Item(name="中"), Place("é", [])], "b": Item(name="é", other="x")},
    "object": Plain,
    "object without dict": Refusing,
    "function": lambda: len,
    "nan": lambda: math.nan,
    "nan inside": lambda: {"a": [1, {"b": math.inf}]},
    "cycle": cycle,
    "deep": lambda: nested(50),
    "too deep": lambda: nested(100_000),
    "response": lambda: JSONResponse({"é": 1}, status_code=202, headers={"x-a": "b"}),
    "plain response": lambda: PlainTextResponse("é"),
    "our response": lambda: SSRJSONResponse({"é": 1}),
    "streaming response": lambda: StreamingResponse(iter(["a", "é"])),
    "coroutine function": lambda: answer_later,
}
UNREPEATABLE = {"too deep", "cycle"}  # the text of stock's error depends on the depth of the stack
RESPONSES = {"response", "plain response", "our response", "streaming response"}


async def answer_later() -> int:
    return 1


def build(response_class: Any = None) -> FastAPI:
    options = {} if response_class is None else {"default_response_class": response_class}
    app = FastAPI(**options)

    @app.get("/async/{name}", response_model=None)
    async def in_loop(name: str):
        return VALUES[name]()

    @app.get("/sync/{name}", response_model=None)
    def in_thread(name: str):
        return VALUES[name]()

    return app


CLASSES = {"default": None, "JSONResponse": JSONResponse, "SSRJSONResponse": SSRJSONResponse}


@pytest.mark.parametrize("response_class", CLASSES.values(), ids=CLASSES)
@pytest.mark.parametrize("name", [name for name in VALUES if name not in UNREPEATABLE])
def test_value_returned_by_endpoint_answers_as_stock(name: str, response_class: Any) -> None:
    theirs, ours = build(JSONResponse if response_class is SSRJSONResponse else response_class), build(response_class)
    setup(ours)
    for kind in ("async", "sync"):
        expected, got = answer(theirs, f"/{kind}/{name}"), answer(ours, f"/{kind}/{name}")
        assert_same(got.error, expected.error, (kind, name))
        assert_same(got.body, expected.body, (kind, name))
        assert got.messages == expected.messages


def test_cycle_fails_as_stock() -> None:
    theirs, ours = build(), build()
    setup(ours)
    for kind in ("async", "sync"):
        expected, got = answer(theirs, f"/{kind}/cycle"), answer(ours, f"/{kind}/cycle")
        assert expected.error is not None
        assert got.error is not None
        assert got.error[0] == expected.error[0]
        assert got.status == 500


def test_nesting_too_deep_for_stock_is_answered() -> None:
    theirs, ours = build(), build()
    setup(ours)
    for kind in ("async", "sync"):
        assert answer(theirs, f"/{kind}/too deep").error is not None
        assert answer(ours, f"/{kind}/too deep").body == b"[" * 100_000 + '"é"'.encode() + b"]" * 100_000


def test_value_table_has_answers_and_errors() -> None:
    app = build()
    setup(app)
    statuses = {name: answer(app, f"/async/{name}").status for name in VALUES}
    assert 35 < sum(status == 200 for status in statuses.values()) < len(VALUES) - 8
    assert set(statuses.values()) == {200, 202, 500}


@pytest.mark.parametrize("kind", ["async", "sync"])
def test_value_is_encoded_by_the_core(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    counter = Counter(monkeypatch)
    app = build()
    setup(app)
    for name in ("rows", "models inside", "none"):
        assert answer(app, f"/{kind}/{name}").status == 200
    assert counter.values == 3
    for name in RESPONSES:
        assert answer(app, f"/{kind}/{name}").status in (200, 202)
    assert counter.values == 3


def test_value_encoded_keeps_no_utf8_copy() -> None:
    texts = ["é" * 100, "中" * 100]
    app = FastAPI()

    @app.get("/")
    async def endpoint():
        return {"rows": texts}

    setup(app)
    assert answer(app, "/").status == 200
    assert [utf8_cache_size(text) for text in texts] == [0, 0]


class Shouting(JSONResponse):
    """A response class of the application, like ORJSONResponse."""

    media_type = "application/shout+json"

    def render(self, content: Any) -> bytes:
        return super().render(content).upper()


class OwnSSRJSON(SSRJSONResponse):
    media_type = "application/vnd.own+json"


class OwnText(Response):
    media_type = "text/x-own"

    def render(self, content: Any) -> bytes:
        return repr(content).encode()


@pytest.mark.parametrize("response_class", [Shouting, OwnSSRJSON, OwnText, PlainTextResponse])
def test_value_for_a_response_class_of_its_own_is_left_to_it(
    response_class: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    counter = Counter(monkeypatch)
    names = ["rows", "text", "none", "times", "model", "object", "nan", "response"]
    calls = [f"/{kind}/{name}" for kind in ("async", "sync") for name in names]
    assert_twins_answer_alike(lambda: build(response_class), calls)
    assert counter.values == 0


@pytest.mark.parametrize("status", [200, 201, 204, 205, 304, 418, 599])
@pytest.mark.parametrize("value", ["none", "rows"])
def test_value_with_each_status_answers_as_stock(status: int, value: str) -> None:
    def build() -> FastAPI:
        app = FastAPI()

        @app.api_route("/async", methods=["GET", "HEAD", "POST"], status_code=status, response_model=None)
        async def in_loop():
            return VALUES[value]()

        @app.api_route("/sync", methods=["GET", "HEAD", "POST"], status_code=status, response_model=None)
        def in_thread():
            return VALUES[value]()

        return app

    calls = [Call(method, path) for method in ("GET", "HEAD", "POST", "PUT") for path in ("/async", "/sync")]
    answers = assert_twins_answer_alike(build, calls)
    assert [found.status for found in answers[:6]] == [status] * 6


def test_value_of_unannotated_and_annotated_none_answer_as_stock() -> None:
    def build() -> FastAPI:
        app = FastAPI()

        @app.get("/none")
        async def none() -> None:
            return None

        @app.get("/any")
        async def anything() -> Any:
            return {"é": {1}}

        @app.get("/response")
        async def response() -> Response:
            return PlainTextResponse("é")

        return app

    answers = assert_twins_answer_alike(build, ["/none", "/any", "/response"])
    assert [found.body for found in answers] == [b"null", '{"é":[1]}'.encode(), "é".encode()]
