"""A project on a real database that changes from stock to ours and still finds what was written."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from helpers.processes import run_python

MODELS = """
from django.db import models
{imports}

class Book(models.Model):
    writer = models.CharField(max_length=10)
    name = models.CharField(max_length=10)
    details = models.JSONField({arguments})
"""
STOCK = MODELS.format(
    imports="from django.core.serializers.json import DjangoJSONEncoder",
    arguments="null=True, encoder=DjangoJSONEncoder",
)
OURS = MODELS.format(
    imports="from ssrjson_web.django import DjangoJSONEncoder, JSONDecoder",
    arguments="null=True, encoder=DjangoJSONEncoder, decoder=JSONDecoder",
)

PROJECT = """
import datetime, decimal, json, pathlib, sys, uuid
sys.path.insert(0, {folder!r})
import django
from django.conf import settings
settings.configure(
    DATABASES={{"default": {database!r}}},
    DEFAULT_AUTO_FIELD="django.db.models.BigAutoField",
    INSTALLED_APPS=["ssrjson_web.django", "shop"],
    SECRET_KEY="of the tests",
    SERIALIZATION_MODULES={modules!r},
    USE_TZ=True,
)
django.setup()
from django.core.management import call_command
from django.db import connection
from shop.models import Book

VALUES = {{
    "texts": {{"名": "é\\u2028😀", "k": ["<&>", ""]}},
    "numbers": {{"n": [0, -1, 2**53, 10**20, 1.5, -0.25]}},
    "empty": {{}},
    "list": [1, [None, True, {{}}]],
    "text": "中文",
    "number": 7,
    "dates": {{
        "at": datetime.datetime(2024, 1, 2, 3, 4, 5, 678901, tzinfo=datetime.timezone.utc),
        "day": datetime.date(2024, 1, 2),
        "time": datetime.time(9, 30, 0, 5),
        "takes": datetime.timedelta(days=1, microseconds=1),
    }},
    "others": [decimal.Decimal("1.10"), uuid.UUID(int=7), {{1: "int key"}}],
}}

def texts_of(writer):
    with connection.cursor() as cursor:
        cursor.execute("SELECT name, CAST(details AS TEXT) FROM shop_book WHERE writer = %s ORDER BY id", [writer])
        return cursor.fetchall()

call_command("makemigrations", "shop", verbosity=0)
call_command("makemigrations", "shop", check=True, verbosity=0)
call_command("migrate", verbosity=0)
"""

BY_STOCK = """
for name, value in VALUES.items():
    Book.objects.create(writer="stock", name=name, details=value)
print("written", Book.objects.count())
"""

BY_OURS = """
migrations = sorted(path.name for path in pathlib.Path({folder!r}, "shop", "migrations").glob("0*.py"))
text = pathlib.Path({folder!r}, "shop", "migrations", migrations[-1]).read_text()
assert "ssrjson_web.django.DjangoJSONEncoder" in text, text
assert "ssrjson_web.django.JSONDecoder" in text, text

# each way to write
names = list(VALUES)
Book.objects.create(writer="ours", name=names[0], details=VALUES[names[0]])
Book.objects.bulk_create([Book(writer="ours", name=name, details=VALUES[name]) for name in names[1:4]])
for name in names[4:]:
    book = Book.objects.create(writer="ours", name=name)
    Book.objects.filter(pk=book.pk).update(details=VALUES[name])

assert texts_of("ours") == texts_of("stock"), (texts_of("ours"), texts_of("stock"))
assert len(texts_of("ours")) == len(VALUES)
from django.core.serializers.json import DjangoJSONEncoder as Stock
for name, value in VALUES.items():
    found = Book.objects.filter(details=value)
    assert {{book.writer for book in found}} == {{"stock", "ours"}}, (name, list(found))
    plain = json.loads(json.dumps(value, cls=Stock))
    assert all(book.details == plain for book in found), name
assert Book.objects.filter(details__名="é\\u2028😀").count() == 2
assert Book.objects.filter(details__k__0="<&>").count() == 2
assert Book.objects.filter(details__n__1__lt=0).count() == 2
assert Book.objects.filter(details__has_key="day").count() == 2
assert Book.objects.filter(details__k=["<&>", ""]).count() == 2
if connection.vendor == "postgresql":
    assert Book.objects.filter(details__contains={{"day": datetime.date(2024, 1, 2)}}).count() == 2
assert set(Book.objects.filter(name="text").values_list("details", flat=True)) == {{"中文"}}
assert list(Book.objects.filter(name="dates").values_list("details__day", flat=True)) == ["2024-01-02"] * 2

dump = pathlib.Path({folder!r}, "dump.json")
call_command("dumpdata", "shop", output=str(dump), verbosity=0)
before = list(Book.objects.order_by("pk").values())
Book.objects.all().delete()
call_command("loaddata", str(dump), verbosity=0)
assert list(Book.objects.order_by("pk").values()) == before
print("found", len(before), len(migrations))
"""


@pytest.fixture(params=["sqlite", "postgresql"])
def database(request: pytest.FixtureRequest, tmp_path: Path) -> dict[str, Any]:
    if request.param == "sqlite":
        return {"ENGINE": "django.db.backends.sqlite3", "NAME": str(tmp_path / "shop.sqlite3")}
    server = request.getfixturevalue("postgres")
    names = {"HOST": server.host, "USER": server.user, "NAME": server.new_database()}
    return {"ENGINE": "django.db.backends.postgresql", **names}


def test_rows_of_stock_are_found_and_repeated_by_ours(database: dict[str, Any], tmp_path: Path) -> None:
    app = tmp_path / "shop"
    (app / "migrations").mkdir(parents=True)
    for package in (app, app / "migrations"):
        (package / "__init__.py").write_text("")
    for models, script, modules, expected in (
        (STOCK, BY_STOCK, {}, "written 8"),
        (OURS, BY_OURS, {"json": "ssrjson_web.django.serializers.json"}, "found 16 2"),
    ):
        (app / "models.py").write_text(models, encoding="utf-8")
        code = (PROJECT + script).format(folder=str(tmp_path), database=database, modules=modules)
        done = run_python(code, tmp_path)
        assert done.stdout.strip() == expected, done.stderr


def test_dump_of_a_database_is_that_of_stock(tmp_path: Path) -> None:
    database = {"ENGINE": "django.db.backends.sqlite3", "NAME": str(tmp_path / "shop.sqlite3")}
    app = tmp_path / "shop"
    (app / "migrations").mkdir(parents=True)
    for package in (app, app / "migrations"):
        (package / "__init__.py").write_text("")
    (app / "models.py").write_text(STOCK, encoding="utf-8")
    dump = "call_command('dumpdata', 'shop', '--indent=2', format={kind!r})"
    done = run_python(PROJECT.format(folder=str(tmp_path), database=database, modules={}) + BY_STOCK, tmp_path)
    assert done.returncode == 0, done.stderr
    for kind in ("json", "jsonl"):
        texts = []
        for modules in ({}, {kind: f"ssrjson_web.django.serializers.{kind}"}):
            code = PROJECT.format(folder=str(tmp_path), database=database, modules=modules) + dump.format(kind=kind)
            done = run_python(code, tmp_path)
            assert done.returncode == 0, done.stderr
            texts.append(done.stdout)
        assert texts[0] == texts[1]
        assert json.loads(texts[0].split("\n")[0] if kind == "jsonl" else texts[0])
