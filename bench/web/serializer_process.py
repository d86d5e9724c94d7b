"""A Django project with REST framework's serializers, in a process of its own: it makes requests and times them.

    python serializer_process.py ENGINE

ENGINE is `stock`, `ssrjson_web` or `drf-oxide`. Of the bench it imports only `kit.wsgi`, because drf-oxide needs an
environment of its own. Each line of its input is a request in JSON, each line of its output the answer:

    {"check": CASE}                       status and body of one request, bytes of UTF-8 copies that it left
    {"time": CASE, "n": 10}               nanoseconds of the thread's CPU time for 10 of them
"""

from __future__ import annotations

import base64
import datetime
import decimal
import gc
import json
import sys
import time
import uuid
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import django
from django.conf import settings

N_ROWS = 100
TIMES = (1, 2, 4, 8, 16)
"""How often a class is used that is new."""
ENGINE = sys.argv[1] if len(sys.argv) > 1 else "stock"
APPS = {"stock": [], "ssrjson_web": ["ssrjson_web.rest_framework"], "drf-oxide": ["drf_oxide"]}[ENGINE]
CLASSES = {
    "stock": {},
    "ssrjson_web": {
        "DEFAULT_RENDERER_CLASSES": ["ssrjson_web.rest_framework.SSRJSONRenderer"],
        "DEFAULT_PARSER_CLASSES": ["ssrjson_web.rest_framework.SSRJSONParser"],
    },
    "drf-oxide": {
        "DEFAULT_RENDERER_CLASSES": ["drf_oxide.renderers.JSONRenderer"],
        "DEFAULT_PARSER_CLASSES": ["drf_oxide.parsers.JSONParser"],
    },
}[ENGINE]
STOCK_CLASSES = {
    "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
    "DEFAULT_PARSER_CLASSES": ["rest_framework.parsers.JSONParser"],
}

settings.configure(
    ALLOWED_HOSTS=["*"],
    DATABASES={"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": ":memory:"}},
    DATA_UPLOAD_MAX_MEMORY_SIZE=1_000_000,
    DEFAULT_AUTO_FIELD="django.db.models.BigAutoField",
    INSTALLED_APPS=[*APPS, "django.contrib.contenttypes", "django.contrib.auth", "rest_framework"],
    MIDDLEWARE=[],
    REST_FRAMEWORK={
        "DEFAULT_AUTHENTICATION_CLASSES": [],
        "UNAUTHENTICATED_USER": None,
        **STOCK_CLASSES,
        **CLASSES,
    },
    ROOT_URLCONF=__name__,
    SECRET_KEY="of the benchmark",
    TIME_ZONE="UTC",
    USE_TZ=True,
)
django.setup()
sys.path.append(str(Path(__file__).resolve().parents[2]))

from django.core.wsgi import get_wsgi_application  # noqa: E402
from django.db import connection, models  # noqa: E402
from django.urls import path  # noqa: E402
from rest_framework import generics, serializers  # noqa: E402
from rest_framework.response import Response  # noqa: E402
from rest_framework.views import APIView  # noqa: E402

from bench.kit import wsgi  # noqa: E402


class Seller(models.Model):
    """What an item refers to."""

    name = models.CharField(max_length=100)
    city = models.CharField(max_length=100)

    class Meta:
        app_label = "bench"


class Item(models.Model):
    """A row: 12 fields."""

    title = models.CharField(max_length=200)
    summary = models.TextField()
    price = models.DecimalField(max_digits=10, decimal_places=2)
    rating = models.FloatField()
    stock = models.IntegerField()
    day = models.DateField()
    created_at = models.DateTimeField()
    ref = models.UUIDField()
    colour = models.CharField(max_length=10, choices=[("red", "红"), ("green", "绿"), ("blue", "蓝")])
    active = models.BooleanField()
    seller = models.ForeignKey(Seller, on_delete=models.CASCADE)

    class Meta:
        app_label = "bench"


FIELDS = (
    *("id", "title", "summary", "price", "rating", "stock", "day", "created_at", "ref", "colour", "active", "seller"),
)


class SellerSerializer(serializers.ModelSerializer):
    """Two fields of a seller, and its key."""

    class Meta:
        model = Seller
        fields = ("id", "name", "city")


class ItemSerializer(serializers.ModelSerializer):
    """The row, with its seller's key."""

    class Meta:
        model = Item
        fields = FIELDS


class UnrelatedSerializer(serializers.ModelSerializer):
    """The row without its seller: loading it sends no query."""

    class Meta:
        model = Item
        fields = FIELDS[:-1]


class NestedSerializer(serializers.ModelSerializer):
    """The row with its seller in it."""

    seller = SellerSerializer()

    class Meta:
        model = Item
        fields = FIELDS


class MethodSerializer(serializers.ModelSerializer):
    """The row with a field that a method makes."""

    label = serializers.SerializerMethodField()

    class Meta:
        model = Item
        fields = (*FIELDS, "label")

    def get_label(self, item: Item) -> str:
        return f"{item.title} ({item.stock})"


class PlainSerializer(serializers.Serializer):
    """The same fields, declared."""

    id = serializers.IntegerField(read_only=True)
    title = serializers.CharField(max_length=200)
    summary = serializers.CharField()
    price = serializers.DecimalField(max_digits=10, decimal_places=2)
    rating = serializers.FloatField()
    stock = serializers.IntegerField(min_value=0)
    day = serializers.DateField()
    created_at = serializers.DateTimeField()
    ref = serializers.UUIDField()
    colour = serializers.ChoiceField(choices=["red", "green", "blue"])
    active = serializers.BooleanField()


class SmallSerializer(serializers.Serializer):
    """Three fields, where what is done for each call counts most."""

    title = serializers.CharField(max_length=200)
    stock = serializers.IntegerField()
    active = serializers.BooleanField()


class SmallCheckedSerializer(SmallSerializer):
    """With a value that the client does not send, and a check of one field."""

    origin = serializers.HiddenField(default="shop")

    def validate_title(self, value: str) -> str:
        return value.strip()


class OfferSerializer(serializers.Serializer):
    """Others in it, and a list of them."""

    name = serializers.CharField(max_length=50)
    main = SmallSerializer()
    more = SmallSerializer(many=True)


class ChosenSerializer(PlainSerializer):
    """With the fields that who makes it asks for."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        chosen = kwargs.pop("chosen")
        super().__init__(*args, **kwargs)
        for name in self.fields.keys() - chosen:
            del self.fields[name]


class MarkedSerializer(SmallSerializer):
    """With a key that is no field."""

    def to_representation(self, instance: Any) -> Any:
        return {**super().to_representation(instance), "kind": "item"}


def _new_small() -> Any:
    """A serializer class that nobody has used."""
    fields = {
        "title": serializers.CharField(max_length=200),
        "stock": serializers.IntegerField(),
        "active": serializers.BooleanField(),
    }
    return type("NewSerializer", (serializers.Serializer,), fields)


def _new_of_model() -> Any:
    """A serializer class of a model that nobody has used."""
    meta = type("Meta", (), {"model": Item, "fields": FIELDS[:-1]})
    return type("NewSerializer", (serializers.ModelSerializer,), {"Meta": meta})


held: list[Any] = []
"""What the last request had: its strings are looked at for UTF-8 copies."""


def _list_view(serializer: Any, queryset: Any) -> Any:
    class View(generics.ListAPIView):
        serializer_class = serializer

        def get_queryset(self) -> Any:
            return queryset.all()

        def finalize_response(self, request: Any, response: Any, *args: Any, **kwargs: Any) -> Any:
            held[:] = [response.data]
            return super().finalize_response(request, response, *args, **kwargs)

    return View.as_view()


class RetrieveView(generics.RetrieveAPIView):
    """One row."""

    serializer_class = ItemSerializer
    queryset = Item.objects.all()

    def finalize_response(self, request: Any, response: Any, *args: Any, **kwargs: Any) -> Any:
        held[:] = [response.data]
        return super().finalize_response(request, response, *args, **kwargs)


def _post_view(serializer: Any) -> Any:
    class View(APIView):
        def post(self, request: Any) -> Response:
            made = serializer(data=request.data, many=True)
            held[:] = [request.data]
            made.is_valid(raise_exception=True)
            return Response({"n": len(made.validated_data)})

    return View.as_view()


_rows = Item.objects.order_by("pk")
urlpatterns = [
    path("list/", _list_view(ItemSerializer, _rows)),
    path("nested/", _list_view(NestedSerializer, _rows.select_related("seller"))),
    path("method/", _list_view(MethodSerializer, _rows)),
    path("retrieve/<int:pk>/", RetrieveView.as_view()),
    path("post/", _post_view(ItemSerializer)),
    path("post-unrelated/", _post_view(UnrelatedSerializer)),
]

_WORDS = [
    *("手机", "键盘", "屏幕", "耳机", "笔记本", "便携式", "高清", "无线", "蓝牙", "充电器"),
    *("旅行", "厨房", "花园", "儿童", "经典", "轻量", "防水", "全新", "限量", "家用"),
]


def _words(seed: int, n: int) -> str:
    return "".join(_WORDS[(seed * 7 + place * 13 + seed * place) % len(_WORDS)] for place in range(n))


def fill() -> None:
    """Makes the tables and their rows, of Chinese text."""
    with connection.schema_editor() as editor:
        editor.create_model(Seller)
        editor.create_model(Item)
    sellers = [Seller.objects.create(name=_words(n, 3), city=_words(n + 5, 1)) for n in range(7)]
    began = datetime.datetime(2026, 1, 2, 3, 4, 5, 678901, datetime.timezone.utc)
    Item.objects.bulk_create(
        Item(
            title=_words(n, 5),
            summary="，".join(_words(n + place, 4) for place in range(8)),
            price=decimal.Decimal(n * 1237 % 100_000) / 100,
            rating=3.5 + n / 100,
            stock=n * 31 % 500,
            day=began.date() + datetime.timedelta(n),
            created_at=began + datetime.timedelta(hours=n),
            ref=uuid.UUID(int=2**96 * (n + 1) + 7**n % 2**90),
            colour=("red", "green", "blue")[n % 3],
            active=n % 4 != 0,
            seller=sellers[n % 7],
        )
        for n in range(N_ROWS)
    )


def _request(address: str, body: bytes | None) -> Callable[[], tuple[str, bytes]]:
    """A function that makes a request by WSGI, without a socket."""
    return partial(wsgi.ask, get_wsgi_application(), address, body)


@dataclass(frozen=True)
class Fresh:
    """Calls with something that each of them has for itself, and that is made before the clock starts."""

    make: Callable[[], Any]
    call: Callable[[Any], tuple[str, bytes]]

    def __call__(self) -> tuple[str, bytes]:
        return self.call(self.make())


def _single_cases(rows: list[Item], sent: list[dict[str, Any]]) -> Mapping[str, Callable[[], tuple[str, bytes]]]:
    """One object or dict at a time, and classes that are hardly used: where plans gain little."""
    row, one = rows[0], sent[0]
    wrong = {**one, "price": "viel", "day": "2026-02-30"}
    small_wrong = {"title": "a", "stock": "viel", "active": True}

    def told(*made: Any) -> tuple[str, bytes]:
        held[:] = made
        return "single", repr(made).encode() if is_checked else b""

    def loaded(serializer: Any, value: Any) -> tuple[str, bytes]:
        made = serializer(data=value)
        made.is_valid()
        return told(made.validated_data, made.errors)

    def read_times(make: Callable[[], Any], n: int) -> Fresh:
        return Fresh(make, lambda cls: told(*[cls(row).data for _ in range(n)]))

    def loaded_times(make: Callable[[], Any], n: int) -> Fresh:
        return Fresh(make, lambda cls: [loaded(cls, one) for _ in range(n)][-1])

    chosen = ("id", "title", "price", "active")
    return {
        **{f"serializer-read-{n}-times": read_times(_new_of_model, n) for n in TIMES},
        **{f"serializer-read-{n}-times-small": read_times(_new_small, n) for n in TIMES},
        **{f"serializer-loaded-{n}-times": loaded_times(_new_of_model, n) for n in TIMES},
        **{f"serializer-loaded-{n}-times-small": loaded_times(_new_small, n) for n in TIMES},
        "serializer-first-list": Fresh(_new_of_model, lambda cls: told(cls(rows[:10], many=True).data)),
        "serializer-checked": lambda: loaded(SmallCheckedSerializer, one),
        "serializer-wrong": lambda: loaded(UnrelatedSerializer, wrong),
        "serializer-wrong-small": lambda: loaded(SmallSerializer, small_wrong),
        "serializer-nested-wrong": lambda: loaded(
            OfferSerializer, {"name": "a", "main": small_wrong, "more": [one, {}]}
        ),
        "serializer-chosen": lambda: told(ChosenSerializer(row, chosen=chosen).data),
        "serializer-chosen-list": lambda: told(ChosenSerializer(rows[:10], many=True, chosen=chosen).data),
        "serializer-marked": lambda: told(MarkedSerializer(row).data),
    }


def _cases() -> Mapping[str, Callable[[], tuple[str, bytes]]]:
    """Each kind of request; those of a serializer alone give what was made as text."""
    rows = list(_rows.select_related("seller"))
    sent = [
        {name: value for name, value in row.items() if name != "id"} for row in ItemSerializer(rows, many=True).data
    ]
    unrelated = [{name: value for name, value in row.items() if name != "seller"} for row in sent]
    wrong = [*unrelated[:-1], {**unrelated[-1], "price": "viel", "day": "2026-02-30"}]

    def body(value: Any) -> bytes:
        return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()

    def data(serializer: Any, value: Any) -> Callable[[], tuple[str, bytes]]:
        def read() -> tuple[str, bytes]:
            made = serializer(value, many=True).data
            held[:] = [made]
            return "read", repr(made).encode() if is_checked else b""

        return read

    def valid(serializer: Any, value: Any) -> Callable[[], tuple[str, bytes]]:
        def load() -> tuple[str, bytes]:
            made = serializer(data=value, many=True)
            made.is_valid()
            held[:] = [value, made.validated_data]
            return "loaded", repr([made.validated_data, made.errors]).encode() if is_checked else b""

        return load

    return {
        "serializer-list": _request("/list/", None),
        "serializer-nested": _request("/nested/", None),
        "serializer-method": _request("/method/", None),
        "serializer-retrieve": _request("/retrieve/7/", None),
        "serializer-post": _request("/post/", body(sent)),
        "serializer-post-unrelated": _request("/post-unrelated/", body(unrelated)),
        "serializer-400": _request("/post-unrelated/", body(wrong)),
        "serializer-data": data(ItemSerializer, rows),
        "serializer-data-nested": data(NestedSerializer, rows),
        "serializer-data-declared": data(PlainSerializer, rows),
        "serializer-is-valid": valid(UnrelatedSerializer, unrelated),
        "serializer-is-valid-declared": valid(PlainSerializer, unrelated),
        **_single_cases(rows, unrelated),
    }


is_checked = False


def _copies(values: Iterable[Any]) -> int:
    """Bytes of cached UTF-8 copies in the strings of what a request had: of dicts, lists and the rows themselves."""
    total = 0
    for value in values:
        if type(value) is str and not value.isascii():
            total += sys.getsizeof(value) - sys.getsizeof("".join(list(value)))
        elif isinstance(value, dict):
            total += _copies(value.values())
        elif isinstance(value, list):
            total += _copies(value)
    return total


def _checked(case: Callable[[], tuple[str, bytes]]) -> dict[str, Any]:
    global is_checked
    is_checked = True
    try:
        status, answer = case()
    finally:
        is_checked = False
    return {"status": status, "body": base64.b64encode(answer).decode(), "copies": _copies(held)}


def _timed(case: Callable[[], object], n: int) -> dict[str, int]:
    calls = [partial(case.call, case.make()) for _ in range(n)] if isinstance(case, Fresh) else [case] * n
    gc.collect()
    gc.disable()
    clock = time.thread_time_ns
    started = clock()
    for call in calls:
        call()
    return {"ns": clock() - started}


def main() -> None:
    """Answers the lines of the input."""
    fill()
    cases = _cases()
    gc.freeze()
    for line in sys.stdin:
        asked = json.loads(line)
        is_check = "check" in asked
        print(
            json.dumps(_checked(cases[asked["check"]]) if is_check else _timed(cases[asked["time"]], asked["n"])),
            flush=True,
        )


if __name__ == "__main__":
    main()
