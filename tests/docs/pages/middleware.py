"""docs/middleware.md: the token, Django's settings, and a function to measure."""

import os
from typing import Any

import orjson
from django.conf import settings


def before(names: dict[str, Any]) -> None:
    os.environ["MEMORY_TOKEN"] = "a-token-for-this-test"
    settings.configure()
    names["order"] = {"title": "红楼梦"}
    names["handle"] = lambda order: orjson.dumps(order)


def after(names: dict[str, Any]) -> None:
    assert names["recorder"].observed["orjson"].encodes == 1
    client = names["app"].test_client()
    assert client.get("/ssrjson/stats").status_code == 404
    answer = client.get("/ssrjson/stats", headers={"Authorization": f"Bearer {os.environ['MEMORY_TOKEN']}"})
    assert answer.status_code == 200
