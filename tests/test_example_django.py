"""examples/django_app under each kind of server, as its reader would run it."""

from __future__ import annotations

import importlib.util
import json
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from helpers.processes import serving

pytest.importorskip("django", reason="Django is not installed")
for needed in ("rest_framework", "ninja"):
    if importlib.util.find_spec(needed) is None:
        pytest.skip(f"{needed} is not installed", allow_module_level=True)
httpx = pytest.importorskip("httpx", reason="httpx is not installed")

FOLDER = Path(__file__).parents[1] / "examples" / "django_app"
SERVERS = {
    "wsgiref": ["bookshop.py", "{port}"],
    "gunicorn": [
        "-m",
        "gunicorn",
        "-b",
        "127.0.0.1:{port}",
        "--threads",
        "2",
        "--no-control-socket",
        "bookshop:application",
    ],
    "uvicorn": ["bookshop.py", "{port}", "asgi"],
}


@pytest.fixture(scope="module", params=SERVERS)
def bookshop(request: pytest.FixtureRequest) -> Iterator[str]:
    """The address of the example under a server."""
    if request.param != "wsgiref" and importlib.util.find_spec(request.param) is None:
        pytest.skip(f"{request.param} is not installed")
    with serving([sys.executable, *SERVERS[request.param]], folder=FOLDER) as address:
        yield f"http://{address}"


def test_django_example_lists_its_books_compact_and_as_utf8(bookshop: str) -> None:
    reply = httpx.get(f"{bookshop}/books", timeout=60)  # gunicorn listens before it imports the application
    assert reply.headers["content-type"] == "application/json"
    first = (
        '{"id":1,"title":"红楼梦, vol. 1","price":"5.01","added":"2026-01-01T09:31:00.123Z","details":{"pages":101}}'
    )
    assert reply.content.startswith(f'{{"books":[{first},'.encode())


def test_django_example_remembers_in_a_session(bookshop: str) -> None:
    with httpx.Client() as client:
        assert client.get(f"{bookshop}/seen").json() == {"last_seen": None}
        client.get(f"{bookshop}/books")
        assert client.get(f"{bookshop}/seen").json() == {"last_seen": "books: 书"}


def test_django_example_exports_all_books_both_ways(bookshop: str) -> None:
    array = httpx.get(f"{bookshop}/export")
    lines = httpx.get(f"{bookshop}/export.jsonl")
    assert "content-length" not in array.headers
    assert lines.headers["content-type"] == "application/jsonl"
    books = array.json()
    assert len(books) >= 20_000
    assert [json.loads(line) for line in lines.content.splitlines()] == books
    titles = httpx.get(f"{bookshop}/titles.jsonl").content.splitlines()
    assert [json.loads(line)["title"] for line in titles] == [book["title"] for book in books]


def test_django_example_takes_a_book_and_refuses_what_is_none(bookshop: str) -> None:
    url = f"{bookshop}/books"
    book = {"title": "細雪", "price": 20.5}
    made = httpx.post(url, json=book)
    assert (made.status_code, made.json()) == (201, {"id": 20_001, **book})
    assert httpx.post(url, json=[1]).status_code == 422
    for body in (b"{", b"", b"[" * 9 + b"]" * 9, b"1" * 10_001):
        assert httpx.post(url, content=body).status_code == 400


def test_django_example_writes_books_into_its_page(bookshop: str) -> None:
    page = httpx.get(bookshop).text
    script = page.partition('<script id="books" type="application/json">')[2].partition("</script>")[0]
    assert [book["id"] for book in json.loads(script)] == [1, 2]
    assert script.isascii()


def test_django_example_answers_by_rest_framework_compact_and_as_utf8(bookshop: str) -> None:
    reply = httpx.get(f"{bookshop}/rest/books")
    first = (
        '{"id":1,"title":"红楼梦, vol. 1","price":"5.01","added":"2026-01-01T09:31:00.123456Z","details":{"pages":101}}'
    )
    assert reply.content.startswith(f"[{first},".encode())
    page = httpx.get(f"{bookshop}/rest/books", headers={"Accept": "text/html"})
    assert page.headers["content-type"].startswith("text/html")
    assert "&quot;红楼梦, vol. 1&quot;" in page.text


def test_django_example_takes_a_book_by_rest_framework_or_says_why_not(bookshop: str) -> None:
    made = httpx.post(f"{bookshop}/rest/books", json={"title": "书", "price": "1.50", "details": {}})
    assert (made.status_code, made.json()["title"]) == (201, "书")
    for body, detail in ((b"[1,x]", "JSON parse error - Expecting value"), (b"[" * 9000, "JSON parse error")):
        reply = httpx.post(f"{bookshop}/rest/books", content=body, headers={"Content-Type": "application/json"})
        assert reply.status_code == 400
        assert reply.json()["detail"].startswith(detail)


def test_django_example_answers_by_ninja_compact_and_as_utf8(bookshop: str) -> None:
    reply = httpx.get(f"{bookshop}/ninja/books")
    assert reply.content.startswith('[{"title":"红楼梦, vol. 1","price":"5.01","id":1,'.encode())
    made = httpx.post(f"{bookshop}/ninja/books", json={"title": "书", "price": "1.50"})
    assert (made.status_code, made.json()["price"]) == (201, "1.50")
    refused = httpx.post(f"{bookshop}/ninja/books", content=b"[1,]")
    assert (refused.status_code, refused.content) == (400, b'{"detail":"Cannot parse request body"}')
