"""examples/flask_app.py under each kind of server, as its reader would run it."""

from __future__ import annotations

import importlib.util
import json
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from helpers.processes import serving

pytest.importorskip("flask", reason="Flask is not installed")
httpx = pytest.importorskip("httpx", reason="httpx is not installed")

FOLDER = Path(__file__).parents[1] / "examples"
SERVERS = {
    "werkzeug": ["flask_app.py", "{port}"],
    "gunicorn": ["-m", "gunicorn", "-b", "127.0.0.1:{port}", "--threads", "2", "--no-control-socket", "flask_app:app"],
}


@pytest.fixture(scope="module", params=SERVERS)
def bookshop(request: pytest.FixtureRequest) -> Iterator[str]:
    """The address of the example under a server."""
    if importlib.util.find_spec(request.param) is None:
        pytest.skip(f"{request.param} is not installed")
    with serving([sys.executable, *SERVERS[request.param]], folder=FOLDER) as address:
        yield f"http://{address}"


def test_flask_example_lists_its_books_compact_and_as_utf8(bookshop: str) -> None:
    reply = httpx.get(f"{bookshop}/books")
    assert reply.headers["content-type"] == "application/json"
    price = '{"amount":"5.01","currency":"EUR"}'
    first = f'{{"id":1,"title":"红楼梦, vol. 1","price":{price},"added":"2026-01-01T09:31:00+00:00"}}'
    assert reply.content.startswith(f'{{"books":[{first},'.encode())
    assert reply.content.endswith(b'"total":20000}\n')


def test_flask_example_remembers_in_a_session(bookshop: str) -> None:
    with httpx.Client() as client:
        assert client.get(f"{bookshop}/seen").json() == {"last_seen": None}
        client.get(f"{bookshop}/books")
        assert client.get(f"{bookshop}/seen").json() == {"last_seen": "books: 书"}


def test_flask_example_exports_all_books_both_ways(bookshop: str) -> None:
    array = httpx.get(f"{bookshop}/export")
    lines = httpx.get(f"{bookshop}/export.jsonl")
    assert "content-length" not in array.headers
    assert array.headers["content-disposition"] == 'attachment; filename="books.json"'
    assert lines.headers["content-type"] == "application/jsonl"
    books = array.json()
    assert len(books) >= 20_000
    assert [json.loads(line) for line in lines.content.splitlines()] == books


def test_flask_example_takes_a_book_and_refuses_what_is_none(bookshop: str) -> None:
    url = f"{bookshop}/books"
    book = {"title": "細雪", "cents": 2050}
    made = httpx.post(url, json=book)
    assert (made.status_code, made.json()) == (201, {"id": 20_001, **book})
    assert httpx.post(url, json=[1]).status_code == 422
    assert httpx.post(url, content=b"{}").status_code == 415
    headers = {"Content-Type": "application/json"}
    for body, status in ((b"{", 400), (b"[" * 9 + b"]" * 9, 400), (b"1" * 10_001, 413)):
        assert httpx.post(url, content=body, headers=headers).status_code == status


def test_flask_example_writes_books_into_its_page(bookshop: str) -> None:
    page = httpx.get(bookshop).text
    books = json.loads(page.partition("let books = ")[2].partition("</script>")[0])
    assert [book["title"] for book in books] == ["红楼梦, vol. 1", "吾輩は猫である, vol. 2"]


def test_flask_example_keeps_flasks_own_json_for_older_clients(bookshop: str) -> None:
    reply = httpx.get(f"{bookshop}/v1/books")
    first = '{"added":"Thu, 01 Jan 2026 09:31:00 GMT","id":1,"price":"5.01","title":"\\u7ea2\\u697c\\u68a6, vol. 1"}'
    assert reply.text.startswith(f"[{first},")
