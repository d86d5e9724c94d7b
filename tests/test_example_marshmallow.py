"""examples/marshmallow_app.py under a server, as its reader would run it."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from helpers.processes import serving

pytest.importorskip("flask", reason="Flask is not installed")
pytest.importorskip("marshmallow", reason="marshmallow is not installed")
httpx = pytest.importorskip("httpx", reason="httpx is not installed")

FOLDER = Path(__file__).parents[1] / "examples"


@pytest.fixture(scope="module")
def bookshop() -> Iterator[str]:
    """The address of the example under its own server."""
    with serving([sys.executable, "marshmallow_app.py", "{port}"], folder=FOLDER) as address:
        yield f"http://{address}"


def test_marshmallow_example_lists_its_books(bookshop: str) -> None:
    for _ in range(3):
        books = httpx.get(f"{bookshop}/books").json()["books"]
    assert len(books) >= 200
    assert books[0] == {
        "added": "2026-01-01T09:30:00+00:00",
        "id": 1,
        "label": "红楼梦, vol. 1 (5 EUR)",
        "price": "5.00",
        "tags": ["classic"],
        "title": "红楼梦, vol. 1",
    }


def test_marshmallow_example_takes_a_book_and_refuses_what_is_none(bookshop: str) -> None:
    for _ in range(3):
        reply = httpx.post(f"{bookshop}/books", json={"title": "Faust", "price": "7.5"})
        assert reply.status_code == 201
        assert (reply.json()["price"], reply.json()["label"]) == ("7.50", "Faust (7.50 EUR)")
        wrong = httpx.post(f"{bookshop}/books", json={"title": "", "price": -1, "more": 1})
        assert wrong.status_code == 422
        assert wrong.json()["errors"] == {
            "more": ["Unknown field."],
            "price": ["Must be greater than or equal to 0."],
            "title": ["Length must be between 1 and 80."],
        }


def test_marshmallow_example_tells_what_marshmallow_serves(bookshop: str) -> None:
    (report,) = httpx.get(f"{bookshop}/schemas").json()
    assert (report["dumps"], report["loads"]) == (True, True)
    assert report["loaded_by_marshmallow"] == {}
