"""Litestar with our classes compared with stock: bytes, headers, errors; under uvicorn, too."""

from __future__ import annotations

import collections
import dataclasses
import datetime as dt
import decimal
import enum
import ipaddress
import pathlib
import re
import sys
import types
import uuid
from collections.abc import Callable, Iterator
from typing import Any

import httpx
import pytest

pytest.importorskip("litestar", reason="Litestar is not installed")

import msgspec
import pydantic
from helpers.bodies import BODIES, DEEP
from helpers.call_outcome import assert_same
from helpers.processes import serving
from litestar import Litestar, Request, post
from litestar.middleware import AbstractMiddleware
from litestar.plugins.pydantic import PydanticInitPlugin
from litestar.response import Response
from litestar.serialization import default_serializer, get_serializer
from litestar.testing import TestClient
from other_frameworks import litestar_twins as twins

from ssrjson_web import scan_utf8_cache
from ssrjson_web.litestar import SSRJSONRequest, SSRJSONResponse

UTC = dt.timezone.utc
PLUG_IN = PydanticInitPlugin.encoders()


class Tagged(msgspec.Struct, tag=True, omit_defaults=True):
    a: Any = msgspec.UNSET
    b: Any = None


class Array(msgspec.Struct, array_like=True):
    a: Any
    b: Any = 1


@dataclasses.dataclass(slots=True)
class Private:
    a: Any
    _b: Any = 1


class Colour(enum.Enum):
    RED = "é"
    FEW = (1, 2)


class Rank(enum.IntEnum):
    ACE = 1


class Text(str):
    pass


class Items(list[Any]):
    pass


class Mapped(dict[Any, Any]):
    pass


class Moment(dt.datetime):
    pass


class Model(pydantic.BaseModel):
    model_config = pydantic.ConfigDict(extra="allow")

    name: str = "中文"
    when: dt.datetime = dt.datetime(2020, 1, 2, 3, 4, 5, 6, UTC)
    span: dt.timedelta = dt.timedelta(1, 2, 3)
    floats: list[float] = [1e16, 1e-5, 1.5e-7, 0.1]
    raw: bytes = b"ab"
    some: int | None = pydantic.Field(None, alias="SOME")
    more: Any = None


@pydantic.dataclasses.dataclass
class Checked:
    x: int = pydantic.Field(1, serialization_alias="XX")


Named = collections.namedtuple("Named", "left right")

MAKERS: dict[str, Callable[[], Any]] = {
    "nothing": lambda: [None, True, False, {}, [], ()],
    "floats": lambda: [1e15, 1e16, 1e17, 1.5e300, 1e-4, 1e-5, 1.5e-5, 1e-6, 1e-7, -0.0, 0.1, 1e22, 5e-324],
    "not finite": lambda: [float("nan"), {"a": -float("inf")}],
    "ints": lambda: [0, -1, 2**63, 2**64, -(2**63), 10**30],
    "text": lambda: {"a": '"\\/\b\f\n\r\t\0\x1f\x7f\u2028 é中😀', "é": ""},
    "surrogate": lambda: ["é", "\ud800"],
    "surrogate in a key": lambda: {"\ud800": 1},
    "datetimes": lambda: [
        dt.datetime(2020, 1, 2, 3, 4, 5),
        dt.datetime(1, 1, 1, tzinfo=UTC),
        dt.datetime(2020, 1, 2, 3, 4, 5, 120000, dt.timezone(-dt.timedelta(hours=4, minutes=30))),
        dt.date(2020, 1, 2),
        dt.time(1, 2, 3, 4),
        dt.time(1, tzinfo=UTC),
        Moment(2020, 1, 1),
    ],
    "timedeltas": lambda: [dt.timedelta(), dt.timedelta(1, 2, 3), -dt.timedelta(seconds=1), dt.timedelta.max],
    "decimals": lambda: [*map(decimal.Decimal, ("1", "1.50", "1E+2", "-0.0", "NaN"))],
    "uuid": lambda: [uuid.UUID(int=7)],
    "bytes": lambda: [b"", b"\xff\0", bytearray(b"x"), memoryview(b"abc")],
    "enums": lambda: [Colour.RED, Colour.FEW, Rank.ACE],
    "subclasses": lambda: [Text("é"), Items([Text("é"), Items()]), Mapped(a=Mapped()), Named(1, {2: 3})],
    "ordered": lambda: collections.OrderedDict([("b", 1), ("a", [dt.date(2020, 1, 1)])]),
    "sets": lambda: [{1}, frozenset(), {"é"}, {dt.date(2020, 1, 1)}],
    "deque": lambda: collections.deque([1, dt.date(2020, 1, 1)]),
    "generator": lambda: (n for n in [1]),
    "dict views": lambda: {"a": 1}.keys(),
    "mapping proxy": lambda: types.MappingProxyType({"a": 1}),
    "paths": lambda: [pathlib.Path("/é"), pathlib.PurePosixPath("a")],
    "addresses": lambda: [ipaddress.ip_address("::1"), ipaddress.ip_network("10.0.0.0/8")],
    "pattern": lambda: re.compile("é"),
    "structs": lambda: [twins.Row(1), Tagged(), Tagged(1, Tagged(b={2: 3})), Array("é", Array(None))],
    "dataclasses": lambda: [twins.Point(1e16), Private({1}, Private(None))],
    "attrs": lambda: [twins.Pair(1, twins.Pair(b"\xff"))],
    "raw": lambda: [msgspec.Raw(b'{"a":1}'), Array(msgspec.Raw(b"[]"))],
    "models": lambda: [Model(), {"a": Model(SOME=5, extra="é", more=Model())}],
    "models in structs": lambda: [Array(Model()), twins.Pair(Model()), twins.Point(Model())],
    "nones in models": lambda: {
        "a": None,
        "b": [None, {"c": None}],
        "m": Model(more={"d": None}),
        "p": twins.Point(None),
    },
    "structs in models": lambda: Model(more=twins.Row(1)),
    "pydantic's dataclass": lambda: [Checked()],
    "pydantic's types": lambda: [pydantic.AnyUrl("http://a/é"), pydantic.SecretStr("é")],
    "int keys": lambda: {1: 2, "a": {3: [{4: 5}]}, -1: dt.date(2020, 1, 1)},
    "keys that repeat": lambda: {1: "first", "1": "second"},
    "keys in what is converted": lambda: Array({7: {2.5: {1}}}),
    "keys of other types": lambda: {
        2.5: 2,
        Colour.RED: 3,
        Rank.ACE: 4,
        dt.date(2020, 1, 1): 5,
        uuid.UUID(int=1): 6,
        Text("é"): 7,
        decimal.Decimal("1.5"): 8,
        b"a": 9,
    },
    "tuple as key": lambda: {(1, 2): 3},
    "object": lambda: {"a": [object()]},
    "money": lambda: [twins.Money(5), {"a": twins.Money(6), 7: Items([twins.Money(8)])}],
    "class": lambda: [int],
    "exception": lambda: ValueError("é"),
}
ENCODERS: dict[str, dict[Any, Callable[[Any], Any]]] = {
    "the plug-in's": PLUG_IN,
    "aliases preferred": PydanticInitPlugin.encoders(prefer_alias=True),
    "nothing unset": PydanticInitPlugin.encoders(exclude_unset=True, exclude_none=True),
    "some excluded": PydanticInitPlugin.encoders(exclude={"name"}),  # type: ignore[arg-type]
    "money": {**PLUG_IN, twins.Money: lambda money: {"cents": money.cents, 2: "é"}},
    "models of one's own": {**PLUG_IN, Model: lambda model: {"own": model.name}},
    "all models": {**PLUG_IN, pydantic.BaseModel: lambda model: type(model).__name__},
    "revealed": {**PLUG_IN, pydantic.SecretStr: lambda secret: secret.get_secret_value()},
    "text": {**PLUG_IN, Text: lambda text: {"text": str(text)}, dt.datetime: lambda when: "when"},
}


def rendered(response: type[Response[Any]], value: Any, enc_hook: Any, media_type: str = "application/json") -> Any:
    try:
        return ("value", response(None).render(value, media_type, enc_hook))
    except Exception as error:
        return (type(error), str(error), getattr(error, "detail", None))


@pytest.mark.parametrize("name", MAKERS)
def test_render_gives_the_bytes_and_the_errors_of_stock(name: str) -> None:
    for encoders, chosen in ENCODERS.items():
        if (name, encoders) == ("pydantic's dataclass", "aliases preferred"):
            continue  # msgspec writes the fields of such a class, the core what pydantic makes of them
        enc_hook = get_serializer(chosen)
        for make in (MAKERS[name], lambda: {"in": [MAKERS[name]()]}):
            expected = rendered(Response, make(), enc_hook)
            assert_same(rendered(SSRJSONResponse, make(), enc_hook), expected, (name, encoders))


@pytest.mark.parametrize("name", [name for name in MAKERS if "model" not in name and "pydantic" not in name])
def test_render_without_type_encoders_gives_the_bytes_and_the_errors_of_stock(name: str) -> None:
    make = MAKERS[name]
    expected = rendered(Response, make(), default_serializer)
    assert_same(rendered(SSRJSONResponse, make(), default_serializer), expected, name)


@pytest.mark.parametrize("name", [name for name in MAKERS if name != "raw"])
def test_render_with_a_hook_that_is_not_litestars_gives_the_bytes_of_stock(name: str) -> None:
    def hook(value: Any) -> Any:
        return type(value).__name__

    make = MAKERS[name]
    assert_same(rendered(SSRJSONResponse, make(), hook), rendered(Response, make(), hook), name)


def test_keys_that_are_true_or_none_are_written_as_json_writes_them() -> None:
    assert rendered(Response, {True: 1}, default_serializer) == ("value", b'{"1":1}')
    assert rendered(SSRJSONResponse, {True: 1, None: 2}, default_serializer) == ("value", b'{"true":1,"null":2}')


def test_models_without_the_plug_in_are_written_all_the_same() -> None:
    assert rendered(SSRJSONResponse, twins.Book(), default_serializer) == (
        "value",
        '{"title":"红楼梦","price":"12.50","isbn":null}'.encode(),
    )


def test_type_encoder_of_a_class_that_is_mixed_into_models_is_asked() -> None:
    class Mixin:
        pass

    class Mixed(Mixin, pydantic.BaseModel):
        a: int = 1

    enc_hook = get_serializer({**PLUG_IN, Mixin: lambda value: "mixed"})
    assert rendered(SSRJSONResponse, [Mixed()], enc_hook) == ("value", b'["mixed"]')


@pytest.mark.parametrize(
    "media_type", ["text/plain", "text/html", "application/json", "image/png", "application/a+json"]
)
@pytest.mark.parametrize("value", [b"\xff", "é", "", None, {}, [1], {"a": "é"}])
def test_render_leaves_other_media_types_to_stock(value: Any, media_type: str) -> None:
    hook = get_serializer(PLUG_IN)
    assert rendered(SSRJSONResponse, value, hook, media_type) == rendered(Response, value, hook, media_type)


def test_circular_content_is_a_recursion_error_as_by_stock() -> None:
    made: list[Any] = []
    made.append(made)
    for response in (Response, SSRJSONResponse):
        with pytest.raises(RecursionError):
            response(None).render(made, "application/json")


def test_content_keeps_no_utf8_copies() -> None:
    def content() -> tuple[Any, list[str]]:
        texts = ["".join(("中文", str(n))) for n in range(10)]
        a, b, c, d, e, f, g, h, i, j = texts
        rows = [twins.Row(1, a), twins.Pair(b, {c}), twins.Point(1, d), Model(name=e, more=f), twins.Money(g)]  # type: ignore[arg-type]
        return {"rows": rows, h: {7: i, i: Items([j])}}, texts

    for encoders in ("money", "models of one's own", "all models"):
        enc_hook = get_serializer({**ENCODERS[encoders], twins.Money: lambda money: {3: money.cents}})
        made, texts = content()
        assert rendered(SSRJSONResponse, made, enc_hook)[0] == "value"
        assert scan_utf8_cache(texts)["cached_strings"] == 0, encoders
        assert rendered(Response, made, enc_hook)[0] == "value"
        assert scan_utf8_cache(texts)["cached_strings"] >= 5


@pytest.fixture(scope="module")
def clients() -> Iterator[tuple[TestClient[Any], TestClient[Any]]]:
    with (
        TestClient(twins.stock, raise_server_exceptions=False) as stock,
        TestClient(twins.ours, raise_server_exceptions=False) as ours,
    ):
        yield stock, ours


def answer_of(reply: httpx.Response) -> tuple[Any, ...]:
    headers = {name: value for name, value in reply.headers.items() if name not in ("date", "server")}
    return reply.status_code, headers, reply.content


@pytest.mark.parametrize("path", ["/values", "/nothing", "/text", "/response/200", "/response/418", "/fails", "/none"])
def test_application_answers_as_stock(clients: Any, path: str) -> None:
    stock, ours = clients
    assert answer_of(ours.get(path)) == answer_of(stock.get(path))


@pytest.mark.parametrize("path", ["/data", "/row", "/book", "/request"])
def test_body_gets_the_value_or_the_error_of_stock(clients: Any, path: str) -> None:
    for name, body in BODIES.items():
        expected, got = (
            answer_of(client.post(path, content=body, headers={"Content-Type": "application/json"}))
            for client in clients
        )
        no_stock_error = name in ("no UTF-8", "no UTF-8 in an object", "encoded surrogate", "open brackets")
        if expected[0] == 500 and no_stock_error and path != "/request":
            assert got[0] == 400, name
        else:
            assert got == expected, name


def test_deep_body_is_a_400_where_stock_fails(clients: Any) -> None:
    stock, ours = clients
    sent = {"content": DEEP, "headers": {"Content-Type": "application/json"}}
    assert stock.post("/data", **sent).status_code == 500
    reply = ours.post("/data", **sent)
    assert reply.status_code == 400
    detail = reply.json()["detail"]
    assert "recursion" in detail or "Stack overflow" in detail  # before Python 3.15, and from it on


def test_application_under_uvicorn_answers_as_stock() -> None:
    command = [sys.executable, "-m", "uvicorn", "--port", "{port}"]
    here = pathlib.Path(__file__).parents[1]
    answers = []
    for app in ("stock", "ours"):
        with (
            serving([*command, f"other_frameworks.litestar_twins:{app}"], folder=here) as address,
            httpx.Client(base_url=f"http://{address}") as client,
        ):
            answers.append(
                [
                    answer_of(client.get("/values")),
                    answer_of(client.post("/data", content=BODIES["page"])),
                    answer_of(client.post("/data", content=BODIES["truncated"])),
                ]
            )
    assert answers[1] == answers[0]
    assert [status for status, _, _ in answers[0]] == [200, 201, 400]


KNOWS_STRINGS = pytest.mark.skipif(
    tuple(map(int, pydantic.VERSION.split(".")[:2])) < (2, 9), reason='ser_json_inf_nan="strings" is of pydantic >= 2.9'
)


@pytest.mark.parametrize("mode", ["null", "constants", pytest.param("strings", marks=KNOWS_STRINGS)])
def test_response_of_a_model_with_nan_is_stocks_whatever_its_config_says(mode: Any) -> None:
    class Measured(pydantic.BaseModel):
        model_config = pydantic.ConfigDict(ser_json_inf_nan=mode)
        real: float = float("nan")
        listed: list[Any] = [float("inf"), 1e16]

    enc_hook = get_serializer(PLUG_IN)
    expected = rendered(Response, [Measured()], enc_hook)
    assert expected[0] == "value"
    assert_same(rendered(SSRJSONResponse, [Measured()], enc_hook), expected, mode)


def test_requests_of_one_connection_share_the_value() -> None:
    seen: list[Any] = []

    class Reading(AbstractMiddleware):
        async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
            request: Any = SSRJSONRequest(scope, receive)
            seen.append(await request.json())
            await self.app(scope, receive, send)

    @post("/", middleware=[Reading])
    async def take(data: dict[str, Any], request: Request[Any, Any, Any]) -> dict[str, Any]:
        seen.extend((await request.json(), data))
        return data

    app = Litestar([take], response_class=SSRJSONResponse, request_class=SSRJSONRequest)
    with TestClient(app) as client:
        assert client.post("/", json={"a": ["é"]}).json() == {"a": ["é"]}
    assert seen[0] == {"a": ["é"]}
    assert seen[1] is seen[0]
