"""README.md: the model of its Django view; what the view and the Flask application answer."""

from types import SimpleNamespace
from typing import Any

TITLES = [{"title": "红楼梦"}, {"title": "Middlemarch"}]


def before(names: dict[str, Any]) -> None:
    names["Book"] = SimpleNamespace(objects=SimpleNamespace(values=lambda: TITLES))


def after(names: dict[str, Any]) -> None:
    assert names["books"](None).content == '{"books":[{"title":"红楼梦"},{"title":"Middlemarch"}]}'.encode()
    assert type(names["app"].json).__name__ == "SSRJSONProvider"
