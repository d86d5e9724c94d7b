"""A bookshop's Django project: a catalogue to page through, to add to and to export; its APIs are in api.py.

python examples/django_app/bookshop.py                          # wsgiref; then: curl http://127.0.0.1:8000/books
python examples/django_app/bookshop.py 8000 asgi                # uvicorn
gunicorn --chdir examples/django_app bookshop:application       # WSGI
uvicorn --app-dir examples/django_app bookshop:asgi_application # ASGI

curl http://127.0.0.1:8000/export           # one JSON array, streamed
curl http://127.0.0.1:8000/export.jsonl     # JSON Lines, streamed
"""

from __future__ import annotations

import datetime
import decimal
import itertools
import sys
import tempfile
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import django
from django.conf import settings

N_BOOKS = 20_000
TITLES = ["红楼梦", "吾輩は猫である", "Мастер и Маргарита", "À la recherche du temps perdu", "Middlemarch 📖"]


# for as long as the process runs
folder = tempfile.TemporaryDirectory(prefix="bookshop-")

settings.configure(
    ALLOWED_HOSTS=["127.0.0.1", "localhost"],
    DATABASES={"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": str(Path(folder.name) / "books.sqlite3")}},
    DATA_UPLOAD_MAX_MEMORY_SIZE=10_000,
    DEFAULT_AUTO_FIELD="django.db.models.BigAutoField",
    INSTALLED_APPS=["django.contrib.sessions", "rest_framework", "ssrjson_web.django", "ssrjson_web.rest_framework"],
    MIDDLEWARE=[
        "django.contrib.sessions.middleware.SessionMiddleware",
        "ssrjson_web.django.SSRJSONMiddleware",  # request.json
    ],
    REST_FRAMEWORK={
        "DEFAULT_AUTHENTICATION_CLASSES": [],
        "DEFAULT_RENDERER_CLASSES": [
            "ssrjson_web.rest_framework.SSRJSONRenderer",
            "rest_framework.renderers.BrowsableAPIRenderer",
        ],
        "DEFAULT_PARSER_CLASSES": [
            "ssrjson_web.rest_framework.SSRJSONParser",
            "rest_framework.parsers.FormParser",
            "rest_framework.parsers.MultiPartParser",
        ],
        "UNAUTHENTICATED_USER": None,
    },
    ROOT_URLCONF=__name__,
    SECRET_KEY="of the example",
    SERIALIZATION_MODULES={
        "json": "ssrjson_web.django.serializers.json",
        "jsonl": "ssrjson_web.django.serializers.jsonl",
    },
    SESSION_ENGINE="django.contrib.sessions.backends.signed_cookies",
    SESSION_SERIALIZER="ssrjson_web.django.SSRJSONSerializer",
    SSRJSON={"MAX_DEPTH": 8},
    STATIC_URL="/static/",
    TEMPLATES=[
        {
            "BACKEND": "django.template.backends.django.DjangoTemplates",
            "APP_DIRS": True,
            "OPTIONS": {"builtins": ["ssrjson_web.django.templatetags.ssrjson"]},
        }
    ],
    TIME_ZONE="UTC",
    USE_TZ=True,
)
django.setup()

from api import urls_of  # noqa: E402  # beside this file
from django.core.asgi import get_asgi_application  # noqa: E402
from django.core.wsgi import get_wsgi_application  # noqa: E402
from django.db import connection, models  # noqa: E402
from django.http import HttpRequest, HttpResponse  # noqa: E402
from django.template import engines  # noqa: E402
from django.urls import path  # noqa: E402

from ssrjson_web.django import (  # noqa: E402
    DjangoJSONEncoder,
    JSONDecoder,
    SSRJSONLinesResponse,
    SSRJSONResponse,
    SSRJSONStreamingResponse,
)


class Book(models.Model):
    title = models.CharField(max_length=200)
    price = models.DecimalField(max_digits=8, decimal_places=2)
    added = models.DateTimeField()
    details = models.JSONField(default=dict, encoder=DjangoJSONEncoder, decoder=JSONDecoder)

    class Meta:
        app_label = "bookshop"


def stock_the_shop() -> None:
    with connection.schema_editor() as editor:
        editor.create_model(Book)
    added = datetime.datetime(2026, 1, 1, 9, 30, 0, 123456, tzinfo=datetime.timezone.utc)
    titles = itertools.cycle(TITLES)
    Book.objects.bulk_create(
        Book(
            title=f"{next(titles)}, vol. {i}",
            price=decimal.Decimal(500 + i % 4000) / 100,
            added=added + datetime.timedelta(minutes=i),
            details={"pages": 100 + i % 900},
        )
        for i in range(1, N_BOOKS + 1)
    )


def rows() -> Any:
    return Book.objects.order_by("pk").values("id", "title", "price", "added", "details")


def books(request: HttpRequest) -> HttpResponse:
    """List the first books, or add one. Django answers invalid JSON, and JSON nested too deeply, with status 400."""
    if request.method != "POST":
        request.session["last_seen"] = "books: 书"
        return SSRJSONResponse({"books": list(rows()[:5]), "total": Book.objects.count()})
    book = request.json  # by SSRJSONMiddleware; without it: parse_json(request)
    if not isinstance(book, dict) or set(book) != {"title", "price"}:
        return SSRJSONResponse({"detail": "A book has a title and a price"}, status=422)
    made = Book.objects.create(
        title=book["title"], price=str(book["price"]), added=datetime.datetime.now(datetime.timezone.utc)
    )
    return SSRJSONResponse({"id": made.pk, **book}, status=201)


def seen(request: HttpRequest) -> HttpResponse:
    return SSRJSONResponse({"last_seen": request.session.get("last_seen")})


def export_array(request: HttpRequest) -> HttpResponse:
    """Stream all books. Under ASGI Django alone would read all of them before it sends the first."""
    return SSRJSONStreamingResponse(
        rows().iterator(), headers={"Content-Disposition": 'attachment; filename="books.json"'}
    )


def export_lines(request: HttpRequest) -> HttpResponse:
    return SSRJSONLinesResponse(rows().iterator())


async def export_lines_async(request: HttpRequest) -> HttpResponse:
    """Stream an async iterator under ASGI."""

    async def titles() -> AsyncIterator[Any]:
        async for row in rows():
            yield {"title": row["title"]}

    return SSRJSONLinesResponse(titles())


def page(request: HttpRequest) -> HttpResponse:
    template = engines["django"].from_string('<!doctype html><title>Books</title>{{ books|json_script:"books" }}')
    return HttpResponse(template.render({"books": list(rows()[:2])}, request))


urlpatterns = [
    path("", page),
    path("books", books),
    path("seen", seen),
    path("export", export_array),
    path("export.jsonl", export_lines),
    path("titles.jsonl", export_lines_async),
    *urls_of(Book),
]

stock_the_shop()
application = get_wsgi_application()
asgi_application = get_asgi_application()


def main(port: int = 8000, kind: str = "wsgi") -> None:
    if kind == "asgi":
        import uvicorn

        uvicorn.run(asgi_application, host="127.0.0.1", port=port, lifespan="off")
        return
    from wsgiref.simple_server import make_server

    with make_server("127.0.0.1", port, application) as server:
        print(f"http://127.0.0.1:{port}/books", flush=True)
        server.serve_forever()


if __name__ == "__main__":
    main(*(int(a) if a.isdecimal() else a for a in sys.argv[1:]))
