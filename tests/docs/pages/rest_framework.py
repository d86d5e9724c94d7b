"""docs/rest_framework.md: its lists are REST framework's own, with the JSON classes replaced by ours."""

from typing import Any

from django.conf import settings
from rest_framework.settings import DEFAULTS


def after(names: dict[str, Any]) -> None:
    ours = {
        "rest_framework.renderers.JSONRenderer": "ssrjson_web.rest_framework.SSRJSONRenderer",
        "rest_framework.parsers.JSONParser": "ssrjson_web.rest_framework.SSRJSONParser",
    }
    assert len(settings.REST_FRAMEWORK) == 3
    for name, classes in settings.REST_FRAMEWORK.items():
        assert classes == [ours.get(stock, stock) for stock in DEFAULTS[name]], name
    assert names["Renderer"]().render([float("nan"), "红"]) == '[null,"红"]'.encode()
