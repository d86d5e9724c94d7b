"""examples/quart_app.py under each kind of server, as its reader would run it."""

from __future__ import annotations

import importlib.util
import json
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from helpers.processes import serving

pytest.importorskip("quart", reason="Quart is not installed")
httpx = pytest.importorskip("httpx", reason="httpx is not installed")

FOLDER = Path(__file__).parents[1] / "examples"
SERVERS = {
    "hypercorn": ["quart_app.py", "{port}"],
    "uvicorn": ["-m", "uvicorn", "--port", "{port}", "quart_app:app"],
}


@pytest.fixture(scope="module", params=SERVERS)
def bookshop(request: pytest.FixtureRequest) -> Iterator[str]:
    """The address of the example under a server."""
    if importlib.util.find_spec(request.param) is None:
        pytest.skip(f"{request.param} is not installed")
    with serving([sys.executable, *SERVERS[request.param]], folder=FOLDER) as address:
        yield address


def test_quart_example_lists_its_books_compact_and_as_utf8(bookshop: str) -> None:
    reply = httpx.get(f"http://{bookshop}/books")
    assert reply.headers["content-type"] == "application/json"
    assert reply.content.startswith('{"books":[{"id":1,"title":"红楼梦, vol. 1","price":6.0},'.encode())
    assert reply.content.endswith(b'"on":"2026-01-01","total":20000}\n')


def test_quart_example_exports_all_books(bookshop: str) -> None:
    reply = httpx.get(f"http://{bookshop}/export")
    assert "content-length" not in reply.headers
    books = reply.json()
    assert len(books) >= 20_000
    assert books[1] == {"id": 2, "title": "吾輩は猫である, vol. 2", "price": 7.0}


def test_quart_example_sends_prices_as_they_come(bookshop: str) -> None:
    with httpx.stream("GET", f"http://{bookshop}/prices.jsonl") as reply:
        assert reply.headers["content-type"] == "application/jsonl"
        lines = reply.iter_lines()
        ticks = [json.loads(next(lines)) for _ in range(3)]
    assert [tick["tick"] for tick in ticks] == [1, 2, 3]


def test_quart_example_takes_a_book_and_refuses_what_is_none(bookshop: str) -> None:
    url = f"http://{bookshop}/books"
    book = {"title": "細雪", "price": 20.5}
    made = httpx.post(url, json=book)
    assert (made.status_code, made.json()) == (201, {"id": 20_001, **book})
    assert httpx.post(url, json=[1]).status_code == 422
    headers = {"Content-Type": "application/json"}
    for body, status in ((b"{", 400), (b"[" * 9 + b"]" * 9, 400), (b"1" * 10_001, 413)):
        assert httpx.post(url, content=body, headers=headers).status_code == status


def test_quart_example_answers_in_its_websocket(bookshop: str) -> None:
    client = pytest.importorskip("websockets.sync.client", reason="websockets is not installed")
    with client.connect(f"ws://{bookshop}/counter") as socket:
        for number, said in enumerate(["你好", {"a": [1, None]}, 3], start=1):
            socket.send(json.dumps(said))
            assert socket.recv() == json.dumps({"said": said, "number": number}, ensure_ascii=False)
