"""The serializers compared with Django's: dumpdata, loaddata and fixtures go through them."""

from __future__ import annotations

import datetime
import decimal
import io
import json
import uuid
from collections.abc import Iterator
from typing import Any

import pytest
from django.core import serializers
from django.core.serializers.json import DjangoJSONEncoder as StockEncoder
from django.test import override_settings
from helpers.call_outcome import assert_same, outcome

from ssrjson_web._shared.surrogates import escape_surrogates

MODULES = {name: f"ssrjson_web.django.serializers.{name}" for name in ("json", "jsonl")}
OPTIONS: tuple[dict[str, Any], ...] = (
    {},
    {"indent": 2},
    {"indent": 0},
    {"indent": "\t"},
    {"ensure_ascii": True},
    {"fields": ["title", "details"]},
    {"sort_keys": True},
    {"cls": json.JSONEncoder, "fields": ["title"]},
    {"cls": type("Own", (StockEncoder,), {"default": lambda self, o: repr(o)})},
    {"unknown": 1},
)


def books() -> Iterator[Any]:
    from helpers.django_bookshop.models import Book

    yield Book(pk=1, title="红楼梦 </script> \x7f", price=decimal.Decimal("12.50"), details={"键": ["é", 1.5, None]})
    yield Book(
        pk=2,
        title="",
        created=datetime.datetime(2024, 1, 2, 3, 4, 5, 678901, tzinfo=datetime.timezone.utc),
        opens=datetime.time(9, 30, 0, 5),
        takes=datetime.timedelta(days=1, microseconds=1),
        published=datetime.date(2024, 1, 2),
        key=uuid.UUID(int=9),
        rating=float("nan"),
        details=[{"at": datetime.date(2024, 1, 1), "n": decimal.Decimal("1.0")}],
    )
    yield Book(pk=None, title="😀\ud800 \u2028")


def text_of(kind: str, objects: Any, **options: Any) -> Any:
    return serializers.serialize(kind, objects, **options)


def escaped_text_of(kind: str, objects: Any, **options: Any) -> Any:
    return escape_surrogates(text_of(kind, objects, **options))


def using_ours(**modules: str) -> Any:
    """The registry of serializers reads the setting once."""
    serializers._serializers = {}
    return override_settings(SERIALIZATION_MODULES=modules)


@pytest.fixture(autouse=True)
def registry() -> Iterator[None]:
    yield
    serializers._serializers = {}


@pytest.mark.parametrize("kind", MODULES)
def test_serializer_writes_what_django_writes(kind: str) -> None:
    for options in OPTIONS:
        for n in (0, 1, 3):
            written = text_of if "cls" in options else escaped_text_of
            expected = outcome(written, kind, list(books())[:n], **options)
            with using_ours(**{kind: MODULES[kind]}):
                assert serializers.get_serializer(kind).__module__ == MODULES[kind]
                assert_same(outcome(text_of, kind, list(books())[:n], **options), expected, (options, n))
            serializers._serializers = {}


def test_settings_to_paste_keep_djangos_other_formats() -> None:
    stock = set(serializers.get_serializer_formats())
    with using_ours(**MODULES):
        assert set(serializers.get_serializer_formats()) == stock >= {"json", "jsonl", "python", "xml"}


@pytest.mark.parametrize("kind", MODULES)
def test_serializer_writes_an_object_before_the_next_is_iterated(kind: str) -> None:
    stream = io.StringIO()
    lengths = []

    def items() -> Iterator[Any]:
        for book in list(books())[:2] * 50:
            lengths.append(len(stream.getvalue()))
            yield book

    with using_ours(**{kind: MODULES[kind]}):
        serializers.serialize(kind, items(), stream=stream)
    assert sorted(set(lengths)) == lengths


@pytest.mark.parametrize("kind", MODULES)
def test_deserializer_reads_what_was_written(kind: str) -> None:
    with using_ours(**{kind: MODULES[kind]}):
        text = text_of(kind, list(books())[:2])
        for source in (text, text.encode(), io.StringIO(text)):
            read = [entry.object for entry in serializers.deserialize(kind, source)]
            assert [book.title for book in read] == [book.title for book in list(books())[:2]]
            assert read[1].created == datetime.datetime(2024, 1, 2, 3, 4, 5, 678000, tzinfo=datetime.timezone.utc)
        with pytest.raises(serializers.base.DeserializationError):
            list(serializers.deserialize(kind, "{"))
