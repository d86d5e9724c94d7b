"""Applications that are made in a loop are collected, with the classes that they define."""

from __future__ import annotations

import functools
import gc
import weakref
from typing import Any

from fastapi import FastAPI
from fastapi.routing import APIRoute
from fastapi.testclient import TestClient
from helpers.builds import CLASSES_ARE_IMMORTAL
from pydantic import BaseModel

from ssrjson_web.fastapi import setup


def made_and_used() -> tuple[weakref.ref[Any], ...]:
    class Route(APIRoute):
        pass

    class Item(BaseModel):
        name: str = "é"

    app = FastAPI()
    app.router.route_class = Route

    def endpoint(item: Any) -> Any:
        return item

    endpoint.__annotations__["item"] = Item
    app.post("/", response_model=Item)(endpoint)
    app.get("/", response_model=None)(lambda: [Item()])
    setup(app)
    client = TestClient(app)
    for _ in range(2):
        assert client.post("/", json={"name": "a"}).json() == {"name": "a"}
        assert client.get("/").json() == [{"name": "é"}]
    return weakref.ref(app), weakref.ref(Route), weakref.ref(Item)


def test_application_is_collected_with_its_classes(whole_heap: None) -> None:
    references = [reference for _ in range(3) for reference in made_and_used()]
    for cached in gc.get_objects():  # those of FastAPI and of typing hold classes, too
        if type(cached) is functools._lru_cache_wrapper and not str(cached.__module__).startswith("ssrjson_web"):
            cached.cache_clear()
    del cached
    gc.collect()
    alive = [made for reference in references if (made := reference()) is not None]
    assert [made for made in alive if not (CLASSES_ARE_IMMORTAL and isinstance(made, type))] == []
