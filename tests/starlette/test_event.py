"""Server-sent events: the format, byte for byte as FastAPI's, and the stream."""

from __future__ import annotations

import asyncio
import itertools
import time
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from typing import Any

import pytest

pytest.importorskip("starlette", reason="Starlette is not installed")
pytest.importorskip("pytest_asyncio", reason="pytest-asyncio is not installed")

from helpers.asgi_exchange import Exchange

from ssrjson_web import Encoder, Fragment
from ssrjson_web.starlette import SSRJSONEvent, SSRJSONEventResponse, json_event

LINE_ENDS = [*"\n\v\f\r\x1c\x1d\x1e\x85\u2028\u2029"]  # those of str.splitlines
TEXTS = ["", "a", "a b", " leading", "é中😀", "one\ntwo", "one\r\ntwo", "one\rtwo", "\n", "end\n", "\r\n\r\n", "a\n\rb"]
SINGLE_LINES = [None, "", "a", "é: b", " space "]


def test_event_with_every_field_is_in_the_format() -> None:
    event = json_event({"имя": [1, None]}, event="price", id="7", retry=3000, comment="two\nlines")
    assert event.decode() == ': two\n: lines\nevent: price\ndata: {"имя":[1,null]}\nid: 7\nretry: 3000\n\n'


def test_event_equals_fastapis_for_the_same_data_text() -> None:
    sse = pytest.importorskip("fastapi.sse", reason="this FastAPI has no server-sent events")
    for data, comment in itertools.product([None, *TEXTS], repeat=2):
        ours = json_event(comment=comment) if data is None else json_event(Fragment(data), comment=comment)
        assert ours == sse.format_sse_event(data_str=data, comment=comment), (data, comment)
    for event, id, retry in itertools.product(SINGLE_LINES, SINGLE_LINES, [None, 0, 1500]):
        ours = json_event(1, event=event, id=id, retry=retry)
        assert ours == sse.format_sse_event(data_str="1", event=event, id=id, retry=retry), (event, id, retry)


def test_event_keep_alive_equals_fastapis() -> None:
    sse = pytest.importorskip("fastapi.sse", reason="this FastAPI has no server-sent events")
    assert json_event(comment="ping") == sse.KEEPALIVE_COMMENT


@pytest.mark.parametrize("data", [None, "", "text", "one\ntwo\r", 0, [], {"a": {"b": "\u2028\x85\x0b"}}], ids=repr)
def test_event_data_is_one_line_of_json(data: Any) -> None:
    event = json_event(data)
    assert event == b"data: " + Encoder(line_safe=True).encode(data) + b"\n\n"
    assert len(event.decode().splitlines()) == 2


def test_event_data_of_an_encoder_that_breaks_lines_is_in_lines() -> None:
    assert json_event([1], encoder=Encoder(indent=1)) == b"data: [\ndata:  1\ndata: ]\n\n"


def test_event_comment_is_in_lines_for_each_reader() -> None:
    ends = ["\r\n", *LINE_ENDS]
    event = json_event(1, comment="".join(f"é{end}" for end in ends) + "中").decode()
    assert event == ": é\n" * len(ends) + ": 中\ndata: 1\n\n"
    assert json_event(comment="") == b": \n\n"


def test_event_fields_of_subclasses_are_read_as_they_are() -> None:
    class Text(str):
        def encode(self, *_: object) -> bytes:
            return b"x\n"

    class Number(int):
        def __lt__(self, _: object) -> bool:
            return False

        def __repr__(self) -> str:
            return "1\n"

    event = json_event(1, event=Text("e"), id=Text("i"), comment=Text("c"), retry=Number(5))
    assert event == b": c\nevent: e\ndata: 1\nid: i\nretry: 5\n\n"
    for name in ("event", "id"):
        with pytest.raises(ValueError, match="line breaks"):
            json_event(1, **{name: Text("a\u2028")})  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="retry"):
        json_event(1, retry=Number(-1))


@pytest.mark.parametrize(
    "encoder", [Encoder(), Encoder(models=True), Encoder(indent=1), Encoder(separators=("\v,", ":"))]
)
@pytest.mark.asyncio
async def test_event_of_a_fragment_is_one_event_for_each_reader(encoder: Encoder) -> None:
    ends = "".join(LINE_ENDS)
    texts = [f'["é{ends}",{ends}1]', f'"é{ends}', "1\r", "\n\n", "\v"]
    items = [Fragment(text) for text in texts] + [Fragment(text.encode()) for text in texts]
    items = [*items, {"a": items[0]}, SSRJSONEvent(items[0], id="1")]  # type: ignore[list-item]
    exchange = await Exchange().run(SSRJSONEventResponse(items, encoder=encoder))
    for event in (exchange.text, *(json_event(item, encoder=encoder) for item in items[:-1])):
        lines = event.decode().splitlines()
        assert lines == event.decode().split("\n")[:-1]
        assert all(line.startswith("data: ") or line in ("", "id: 1") for line in lines)
    assert exchange.text.count(b"\n\n") == len(items)


@pytest.mark.parametrize("name", ["event", "id"])
@pytest.mark.parametrize("text", ["a\nb", "a\rb", "\r\n", "a\0b", "\n", *(f"é{end}" for end in LINE_ENDS)], ids=ascii)
def test_event_field_with_a_break_is_a_value_error(name: str, text: str) -> None:
    with pytest.raises(ValueError, match=f"{name} must not contain line breaks or NUL"):
        json_event(1, **{name: text})  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "options",
    [{"event": 1}, {"id": 7}, {"id": b"7"}, {"comment": b""}, {"retry": 1.5}, {"retry": "1"}, {"retry": True}],
)
def test_event_field_of_another_type_is_a_type_error(options: dict[str, Any]) -> None:
    with pytest.raises(TypeError, match="must be"):
        json_event(1, **options)


def test_event_with_negative_retry_is_a_value_error() -> None:
    with pytest.raises(ValueError, match="retry must be 0 or more, not -1"):
        json_event(1, retry=-1)


def test_event_data_is_refused_as_json_response_refuses() -> None:
    with pytest.raises(ValueError, match="Out of range float values are not JSON compliant"):
        json_event(float("nan"))


@pytest.mark.asyncio
async def test_events_are_data_or_what_json_event_made() -> None:
    items = [{"a": 1}, json_event("b", event="x", id="1"), None, "text"]
    exchange = await Exchange().run(SSRJSONEventResponse(items))
    assert exchange.text == b'data: {"a":1}\n\nevent: x\ndata: "b"\nid: 1\n\ndata: null\n\ndata: "text"\n\n'
    headers = dict(exchange.messages[0]["headers"])
    assert headers[b"content-type"] == b"text/event-stream; charset=utf-8"
    assert (headers[b"cache-control"], headers[b"x-accel-buffering"]) == (b"no-cache", b"no")


def test_events_leave_headers_that_were_given() -> None:
    response = SSRJSONEventResponse([], headers={"cache-control": "private, no-store", "X-Accel-Buffering": "yes"})
    assert response.headers.getlist("cache-control") == ["private, no-store"]
    assert response.headers.getlist("x-accel-buffering") == ["yes"]


@pytest.mark.asyncio
async def test_events_of_a_silent_source_keep_the_connection_alive() -> None:
    async def items() -> AsyncIterator[int]:
        yield 1
        await asyncio.sleep(0.5)
        yield 2

    exchange = await Exchange().run(SSRJSONEventResponse(items(), keep_alive=0.1))
    assert exchange.chunks[0] == b"data: 1\n\n"
    assert set(exchange.chunks[1:-1]) == {b": ping\n\n"}
    assert 2 <= len(exchange.chunks[1:-1]) <= 5
    assert exchange.chunks[-1] == b"data: 2\n\n"


@pytest.mark.asyncio
@pytest.mark.parametrize("keep_alive", [None, 15.0])
async def test_events_of_a_source_that_is_not_silent_hold_no_comments(keep_alive: float | None) -> None:
    async def items() -> AsyncIterator[int]:
        for i in range(5):
            await asyncio.sleep(0.02)
            yield i

    exchange = await Exchange().run(SSRJSONEventResponse(items(), keep_alive=keep_alive))
    assert exchange.chunks == [b"data: %d\n\n" % i for i in range(5)]


@pytest.mark.asyncio
async def test_events_that_are_ready_go_out_together() -> None:
    async def items() -> AsyncIterator[int]:
        for i in range(3):
            yield i
        await asyncio.sleep(0.05)
        yield 3

    exchange = await Exchange().run(SSRJSONEventResponse(items()))
    assert exchange.chunks == [b"data: 0\n\ndata: 1\n\ndata: 2\n\n", b"data: 3\n\n"]


@pytest.mark.asyncio
@pytest.mark.parametrize("kind", ["sync", "async"])
async def test_events_longer_than_a_chunk_are_sent_without_a_pause(kind: str) -> None:
    async def items() -> AsyncIterator[str]:
        for _ in range(50):
            yield "a" * 1000

    content = items() if kind == "async" else iter(["a" * 1000] * 50)
    exchange = await Exchange().run(SSRJSONEventResponse(content, chunk_size=100))
    assert exchange.text == json_event("a" * 1000) * 50  # not a comment, which would come after 15 s
    assert exchange.times[-1] - exchange.times[0] < 10


@pytest.mark.asyncio
@pytest.mark.parametrize("kind", ["sync", "async"])
async def test_events_that_come_while_a_chunk_is_sent_go_out_in_one_write(kind: str) -> None:
    def items() -> Iterator[int]:
        for i in range(40):
            time.sleep(0.005)
            yield i

    async def async_items() -> AsyncIterator[int]:
        for i in range(40):
            await asyncio.sleep(0.005)
            yield i

    content: Any = async_items() if kind == "async" else items()
    exchange = await Exchange(send_seconds=0.05).run(SSRJSONEventResponse(content))
    assert exchange.text == b"".join(json_event(i) for i in range(40))
    assert len(exchange.chunks) < 20


@pytest.mark.asyncio
async def test_events_with_fields_are_encoded_by_the_encoder_of_the_response() -> None:
    @dataclass
    class Point:
        x: int

    items = [SSRJSONEvent(Point(1), id="7", event="move", retry=5), SSRJSONEvent(comment="hello"), Point(2)]
    exchange = await Exchange().run(SSRJSONEventResponse(items, encoder=Encoder(models=True)))
    assert exchange.text == b'event: move\ndata: {"x":1}\nid: 7\nretry: 5\n\n: hello\n\ndata: {"x":2}\n\n'


@pytest.mark.asyncio
@pytest.mark.parametrize(
    "encoder", [Encoder(), Encoder(indent=1), Encoder(indent="\u2028"), Encoder(default=lambda _: Fragment("\r"))]
)
async def test_events_of_any_encoder_hold_its_json_in_lines_of_data(encoder: Encoder) -> None:
    items = [["\u2028\x85\ud800"], SSRJSONEvent({"a": "\u2029"}, id="1"), Fragment("1\n2"), [1, 2]]
    exchange = await Exchange().run(SSRJSONEventResponse(items, encoder=encoder))
    whole = json_event(items[0], encoder=encoder) + json_event({"a": "\u2029"}, id="1", encoder=encoder)
    assert exchange.text == whole + b"".join(json_event(item, encoder=encoder) for item in items[2:])
    assert all(line[:4] in ("data", "id: ", "") for line in exchange.text.decode().splitlines())
