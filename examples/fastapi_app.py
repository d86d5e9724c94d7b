"""A bookshop's FastAPI application that answers through ssrjson_web.

    python examples/fastapi_app.py            # then: curl http://127.0.0.1:8000/books

Adopting ssrjson_web took the two lines marked with (1) and (2); the rest is plain FastAPI.
"""

from __future__ import annotations

import sys
from typing import Any

from fastapi import APIRouter, FastAPI, HTTPException
from pydantic import BaseModel

from ssrjson_web.fastapi import setup  # (1)


class Book(BaseModel):
    """One title in stock."""

    id: int
    title: str
    author: str
    price: float
    in_stock: int = 0


class Order(BaseModel):
    """An order of a customer."""

    book: int
    copies: int = 1


BOOKS: list[dict[str, Any]] = [
    {"id": 1, "title": "红楼梦", "author": "曹雪芹", "price": 128.0, "in_stock": 4},
    {"id": 2, "title": "吾輩は猫である", "author": "夏目漱石", "price": 15.5, "in_stock": 9},
    {"id": 3, "title": "Мастер и Маргарита", "author": "Михаил Булгаков", "price": 12.9, "in_stock": 7},
    {"id": 4, "title": "À la recherche du temps perdu", "author": "Marcel Proust", "price": 79.0, "in_stock": 1},
    {"id": 5, "title": "Middlemarch 📖", "author": "George Eliot", "price": 11.0, "in_stock": 0},
]
SHELF = {book["id"]: book for book in BOOKS}

app = FastAPI(title="Bookshop")
setup(app)  # (2)
orders = APIRouter(prefix="/orders")


@app.get("/books", response_model=None)
async def list_books() -> dict[str, Any]:
    """All books. They are not copied or converted: with (2) the core encodes the returned value."""
    return {"books": BOOKS}


@app.get("/books/{number}")
async def show_book(number: int) -> Book:
    """One book, by its response model."""
    if number not in SHELF:
        raise HTTPException(status_code=404, detail=f"本がありません: {number}")
    return Book.model_validate(SHELF[number])


@orders.post("", status_code=201)
async def place_order(order: Order) -> dict[str, Any]:
    """Order copies of a book."""
    book = SHELF.get(order.book)
    if book is None or book["in_stock"] < order.copies:
        raise HTTPException(status_code=409, detail="Нет в наличии")
    book["in_stock"] -= order.copies
    return {"book": book["title"], "copies": order.copies, "total": order.copies * book["price"]}


app.include_router(orders)

if __name__ == "__main__":
    import uvicorn

    uvicorn.run(app, host="127.0.0.1", port=int(sys.argv[1]) if len(sys.argv) > 1 else 8000)
