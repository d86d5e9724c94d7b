"""A Django project for measuring: a table of 50 rows, and the same pages by stock, by ours and by other libraries."""

from __future__ import annotations

import datetime
import decimal
import functools
from collections.abc import Callable
from typing import Any

import django
from django.conf import settings

settings.configure(
    ALLOWED_HOSTS=["*"],
    DATABASES={"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": ":memory:"}},
    DATA_UPLOAD_MAX_MEMORY_SIZE=1_000_000,
    DEFAULT_AUTO_FIELD="django.db.models.BigAutoField",
    INSTALLED_APPS=["django.contrib.contenttypes", "django.contrib.auth", "rest_framework"],
    MIDDLEWARE=[],
    REST_FRAMEWORK={"DEFAULT_AUTHENTICATION_CLASSES": [], "UNAUTHENTICATED_USER": None},
    ROOT_URLCONF=__name__,
    SECRET_KEY="of the benchmark",
    USE_TZ=True,
)
django.setup()

from django.core.wsgi import get_wsgi_application  # noqa: E402
from django.db import connection, models  # noqa: E402
from django.http import HttpRequest, HttpResponse  # noqa: E402
from django.urls import path  # noqa: E402
from ninja import NinjaAPI, Schema  # noqa: E402
from rest_framework import serializers  # noqa: E402
from rest_framework.response import Response  # noqa: E402
from rest_framework.views import APIView  # noqa: E402

from bench.web.adapter_cases import Ask, asked_by_wsgi, item_rows  # noqa: E402
from ssrjson_web.ninja import SSRJSONRenderer, setup  # noqa: E402

urlpatterns: list[Any] = []


class Item(models.Model):
    """A row: 11 fields."""

    sku = models.CharField(max_length=40)
    title = models.CharField(max_length=200)
    summary = models.TextField()
    seller = models.CharField(max_length=100)
    city = models.CharField(max_length=100)
    price = models.DecimalField(max_digits=10, decimal_places=2)
    rating = models.FloatField()
    stock = models.IntegerField()
    created_at = models.DateTimeField()
    active = models.BooleanField()

    class Meta:
        app_label = "bench"


FIELDS = ("id", "sku", "title", "summary", "seller", "city", "price", "rating", "stock", "created_at", "active")


class ItemSerializer(serializers.ModelSerializer):
    """The rows as REST framework serializes them."""

    class Meta:
        model = Item
        fields = FIELDS


class ItemSchema(Schema):
    """The rows as Ninja validates and dumps them."""

    id: int
    sku: str
    title: str
    summary: str
    seller: str
    city: str
    price: decimal.Decimal
    rating: float
    stock: int
    created_at: datetime.datetime
    active: bool


def fill() -> None:
    """Makes the table and its rows, of Chinese text: 42 KB as JSON."""
    with connection.schema_editor() as editor:
        editor.create_model(Item)
    Item.objects.bulk_create(
        Item(**{name: value for name, value in row.items() if name != "id"})
        for row in item_rows("chinese", joiner="，")
    )


def rows() -> Any:
    """The rows as dicts, read on access."""
    return Item.objects.order_by("pk").values(*FIELDS)


def serializer_view(renderer: type[Any]) -> Callable[..., Any]:
    """A list of a ModelSerializer."""

    class View(APIView):
        renderer_classes = (renderer,)

        def get(self, request: Any) -> Response:
            return Response(ItemSerializer(Item.objects.order_by("pk"), many=True).data)

    return View.as_view()  # type: ignore[no-any-return]


def values_view(renderer: type[Any]) -> Callable[..., Any]:
    """A list of dicts from the database."""

    class View(APIView):
        renderer_classes = (renderer,)

        def get(self, request: Any) -> Response:
            return Response(list(rows()))

    return View.as_view()  # type: ignore[no-any-return]


def parse_view(parser: type[Any]) -> Callable[..., Any]:
    """Reads a body."""

    class View(APIView):
        parser_classes = (parser,)

        def post(self, request: Any) -> HttpResponse:
            return HttpResponse(str(len(request.data)))

    return View.as_view()  # type: ignore[no-any-return]


def response_view(response_class: Callable[..., Any]) -> Callable[..., Any]:
    """A response class, called with dicts from the database."""

    def view(request: HttpRequest) -> Any:
        return response_class({"rows": list(rows())})

    return view


def ninja_view(name: str, renderer: Any) -> Any:
    """A Ninja endpoint with a response schema, set up where the renderer is ours."""
    api = NinjaAPI(urls_namespace=name, version=name, renderer=renderer, docs_url=None, openapi_url=None)
    if isinstance(renderer, SSRJSONRenderer):
        setup(api)

    @api.get("/", response=list[ItemSchema])
    def items(request: HttpRequest) -> Any:
        return list(Item.objects.order_by("pk"))

    return api.urls


def asking(name: str, view: Any) -> Ask:
    """Makes a route for the view, and returns a function that requests it by WSGI without a socket."""
    urlpatterns.append(path(f"{name}/", view))
    return lambda body: asked_by_wsgi(_application(), f"/{name}/", body)


@functools.cache
def _application() -> Any:
    return get_wsgi_application()
