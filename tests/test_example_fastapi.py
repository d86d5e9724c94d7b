"""The examples, run as their reader would run them."""

from __future__ import annotations

import json
import sys
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from helpers.processes import serving

EXAMPLES = Path(__file__).parents[1] / "examples"


def call(url: str, *, body: object = None) -> tuple[int, str, Any]:
    """Status, content type and parsed body of a GET, or of a POST of `body`, bytes or a value."""
    data = body if body is None or isinstance(body, bytes) else json.dumps(body).encode()
    request = urllib.request.Request(url, data=data, headers={"Content-Type": "application/json"})
    try:
        reply = urllib.request.urlopen(request, timeout=10)
    except urllib.error.HTTPError as error:
        reply = error
    with reply:
        return reply.status, reply.headers["Content-Type"], json.loads(reply.read())


@pytest.fixture(scope="module")
def bookshop() -> Iterator[str]:
    """The address of examples/fastapi_app.py, served by uvicorn."""
    pytest.importorskip("fastapi", reason="fastapi is not installed")
    pytest.importorskip("uvicorn", reason="uvicorn is not installed")
    with serving([sys.executable, str(EXAMPLES / "fastapi_app.py"), "{port}"]) as address:
        yield f"http://{address}"


def test_fastapi_example_lists_its_books_in_all_scripts(bookshop: str) -> None:
    status, content_type, content = call(f"{bookshop}/books")
    assert (status, content_type) == (200, "application/json")
    assert [book["title"] for book in content["books"][:3]] == ["红楼梦", "吾輩は猫である", "Мастер и Маргарита"]


def test_fastapi_example_sends_text_as_utf8_and_compact(bookshop: str) -> None:
    with urllib.request.urlopen(f"{bookshop}/books", timeout=10) as reply:
        body = reply.read()
    assert body.startswith('{"books":[{"id":1,"title":"红楼梦","author":"曹雪芹","price":128.0,'.encode())
    assert "📖".encode() in body


def test_fastapi_example_shows_a_book_through_its_model(bookshop: str) -> None:
    book = {"id": 4, "title": "À la recherche du temps perdu", "author": "Marcel Proust", "price": 79.0, "in_stock": 1}
    assert call(f"{bookshop}/books/4") == (200, "application/json", book)


def test_fastapi_example_errors_are_fastapis_own(bookshop: str) -> None:
    assert call(f"{bookshop}/books/99") == (404, "application/json", {"detail": "本がありません: 99"})
    status, _, content = call(f"{bookshop}/books/nine")
    assert status == 422
    assert content["detail"][0]["type"] == "int_parsing"


def test_fastapi_example_refuses_bodies_as_fastapi_does(bookshop: str) -> None:
    status, content_type, content = call(f"{bookshop}/orders", body='{"book": "é",}'.encode())
    error = {"error": "Expecting property name enclosed in double quotes"}
    expected = {"type": "json_invalid", "loc": ["body", 13], "msg": "JSON decode error", "input": {}, "ctx": error}
    if sys.version_info >= (3, 13):  # json points at the comma there, and has a text for it
        expected = {**expected, "loc": ["body", 12], "ctx": {"error": "Illegal trailing comma before end of object"}}
    assert (status, content_type, content) == (422, "application/json", {"detail": [expected]})
    assert call(f"{bookshop}/orders", body=b"[" * 100_000)[0] in (400, 422)


def test_fastapi_example_takes_an_order_until_the_shelf_is_empty(bookshop: str) -> None:
    order = {"book": 1, "copies": 3}
    ordered = {"book": "红楼梦", "copies": 3, "total": 384.0}
    assert call(f"{bookshop}/orders", body=order) == (201, "application/json", ordered)
    assert call(f"{bookshop}/orders", body=order) == (409, "application/json", {"detail": "Нет в наличии"})


def test_fastapi_example_describes_itself(bookshop: str) -> None:
    _, _, schema = call(f"{bookshop}/openapi.json")
    assert call(f"{bookshop}/openapi.json")[2] == schema
    assert set(schema["paths"]) == {"/books", "/books/{number}", "/orders"}
    assert "application/json" in schema["paths"]["/orders"]["post"]["responses"]["201"]["content"]
