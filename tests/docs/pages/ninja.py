"""docs/ninja.md: its API answers in the bytes that its setting names."""

import sys
from types import ModuleType
from typing import Any

from django.test import Client, override_settings
from django.urls import path


def after(names: dict[str, Any]) -> None:
    names["api"].get("/books")(lambda request: {"title": "红", "n": [1, 2]})
    urls = ModuleType("urls_of_the_page")
    urls.urlpatterns = [path("", names["api"].urls)]  # type: ignore[attr-defined]
    sys.modules[urls.__name__] = urls
    with override_settings(ROOT_URLCONF=urls.__name__, ALLOWED_HOSTS=["*"]):
        assert Client().get("/books").content == b'{"title": "\\u7ea2", "n": [1, 2]}'
