"""The bookshop's APIs: REST framework at /rest/books, Ninja at /ninja/books.

curl http://127.0.0.1:8000/rest/books                                              # a browser gets the browsable API
curl -H 'Accept: application/json; indent=2' http://127.0.0.1:8000/rest/books
curl -H 'Content-Type: application/json' -d '{"title": "书", "price": "1.50"}' http://127.0.0.1:8000/ninja/books
"""

from __future__ import annotations

import datetime
import decimal
from typing import Any

from django.http import HttpRequest
from django.urls import path
from ninja import NinjaAPI, Schema
from rest_framework import generics, serializers

from ssrjson_web.ninja import setup


class NewBook(Schema):
    title: str
    price: decimal.Decimal


class ShownBook(NewBook):
    id: int
    added: datetime.datetime
    details: dict[str, Any]


def urls_of(model: Any) -> list[Any]:
    """The routes of both APIs for the model of books."""

    class BookSerializer(serializers.ModelSerializer):
        class Meta:
            fields = ("id", "title", "price", "added", "details")
            read_only_fields = ("added",)

    BookSerializer.Meta.model = model

    class Books(generics.ListCreateAPIView):
        """The settings name the classes that render and parse its JSON."""

        serializer_class = BookSerializer

        def get_queryset(self) -> Any:
            return model.objects.order_by("pk")[:5]

        def perform_create(self, serializer: Any) -> None:
            serializer.save(added=datetime.datetime.now(datetime.timezone.utc))

    api = NinjaAPI()
    setup(api)

    @api.get("/books", response=list[ShownBook])
    def books(request: HttpRequest) -> Any:
        return list(model.objects.order_by("pk")[:5])

    @api.post("/books", response={201: ShownBook})
    def add(request: HttpRequest, book: NewBook) -> Any:
        added = datetime.datetime.now(datetime.timezone.utc)
        return 201, model.objects.create(title=book.title, price=book.price, added=added)

    return [path("rest/books", Books.as_view()), path("ninja/", api.urls)]
