"""docs/django.md: the model that its views take for granted; what the views answer."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

from django.conf import settings
from django.test import RequestFactory

TITLES = [{"title": "红楼梦"}, {"title": "Middlemarch"}]


class Rows(list[Any]):
    iterator = list.__iter__


def before(names: dict[str, Any]) -> None:
    objects = SimpleNamespace(values=lambda: Rows(TITLES), create=lambda **book: SimpleNamespace(pk=len(book)))
    names["Book"] = SimpleNamespace(objects=objects)


def after(names: dict[str, Any]) -> None:
    assert names["books"](None).content == '{"books":[{"title":"红楼梦"},{"title":"Middlemarch"}]}'.encode()
    exported = b"".join(names["export"](None).streaming_content)
    assert exported == '{"title":"红楼梦"}\n{"title":"Middlemarch"}\n'.encode()
    request = RequestFactory().post("/", {"title": "细雪", "price": 6}, content_type="application/json")
    assert names["add"](request).content == b'{"id":2}'
    stock: dict[str, Any] = {}
    exec(Path("shop/settings.py").read_text(encoding="utf-8").partition("# settings.py")[0], {"__file__": "x"}, stock)
    apps, middleware = settings.INSTALLED_APPS, settings.MIDDLEWARE
    assert apps == [*stock["INSTALLED_APPS"], "ssrjson_web.django"]
    assert middleware == [*stock["MIDDLEWARE"], "ssrjson_web.django.SSRJSONMiddleware"]
