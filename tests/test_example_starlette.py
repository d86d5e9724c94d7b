"""examples/starlette_app.py under uvicorn, as its reader would run it."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from helpers.processes import serving

pytest.importorskip("starlette", reason="Starlette is not installed")
httpx = pytest.importorskip("httpx", reason="httpx is not installed")

EXAMPLE = Path(__file__).parents[1] / "examples" / "starlette_app.py"


@pytest.fixture(scope="module")
def bookshop() -> Iterator[str]:
    """The address of the example, served by uvicorn."""
    pytest.importorskip("uvicorn", reason="uvicorn is not installed")
    with serving([sys.executable, str(EXAMPLE), "{port}"]) as address:
        yield address


def test_starlette_example_lists_its_books_compact_and_as_utf8(bookshop: str) -> None:
    reply = httpx.get(f"http://{bookshop}/books")
    assert reply.headers["content-type"] == "application/json"
    assert reply.content.startswith('{"books":[{"id":1,"title":"红楼梦, vol. 1","price":6.0},'.encode())


def test_starlette_example_exports_all_books_both_ways(bookshop: str) -> None:
    array = httpx.get(f"http://{bookshop}/export")
    lines = httpx.get(f"http://{bookshop}/export.jsonl")
    assert "content-length" not in array.headers
    assert lines.headers["content-type"] == "application/jsonl"
    books = array.json()
    assert len(books) >= 20_000
    assert [json.loads(line) for line in lines.content.splitlines()] == books


def test_starlette_example_takes_a_book_and_refuses_what_is_none(bookshop: str) -> None:
    url = f"http://{bookshop}/books"
    book = {"title": "細雪", "price": 20.5}
    assert httpx.post(url, json=book).json() == {"id": 20_001, **book}
    assert httpx.post(url, json=[1]).status_code == 422
    too_long = httpx.post(url, content=b"1" * 10_001)
    assert (too_long.status_code, too_long.text) == (413, "The request body is longer than 10000 bytes")
    too_deep = httpx.post(url, content=b"[" * 9 + b"]" * 9)
    assert (too_deep.status_code, too_deep.text) == (400, "The JSON of the request is nested deeper than 8 levels")


def test_starlette_example_sends_prices_as_events_from_where_the_client_was(bookshop: str) -> None:
    with httpx.stream("GET", f"http://{bookshop}/prices", headers={"Last-Event-ID": "41"}) as reply:
        assert reply.headers["content-type"] == "text/event-stream; charset=utf-8"
        lines = reply.iter_lines()
        event = [next(lines) for _ in range(4)]
    assert event[0] == "event: price"
    assert set(json.loads(event[1].removeprefix("data: "))) == {"title", "price"}
    assert event[2:] == ["id: 42", ""]


def test_starlette_example_answers_in_its_websocket(bookshop: str) -> None:
    client = pytest.importorskip("websockets.sync.client", reason="websockets is not installed")
    with client.connect(f"ws://{bookshop}/counter") as socket:
        for number, said in enumerate(["你好", {"a": [1, None]}, 3], start=1):
            socket.send(json.dumps(said))
            assert socket.recv() == json.dumps(
                {"number": number, "said": said}, ensure_ascii=False, separators=(",", ":")
            )
