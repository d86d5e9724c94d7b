"""What compare mode has found, in the figures of the memory middleware."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

pytest.importorskip("fastapi", reason="FastAPI is not installed")

from fastapi import FastAPI
from fastapi.testclient import TestClient
from monitor.calls import BEARER, TOKEN

from ssrjson_web._compare.record import RECORD
from ssrjson_web.asgi import MemoryMiddleware
from ssrjson_web.fastapi import _compare as compare_module
from ssrjson_web.fastapi import setup


@pytest.fixture(autouse=True)
def fresh_record() -> Iterator[None]:
    RECORD.reset_after_fork()
    yield
    RECORD.reset_after_fork()


def measured(**options: Any) -> TestClient:
    app = FastAPI()
    app.post("/items")(lambda: {"name": "José"})
    app.get("/iterator")(lambda: iter([]))
    setup(app, **options)
    app.add_middleware(MemoryMiddleware, enabled=True, token=TOKEN, share=False)
    return TestClient(app, raise_server_exceptions=False)


def test_figures_are_shown_by_route_with_differences_and_what_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    client = measured(compare=1.0)
    client.post("/items")
    monkeypatch.setattr(compare_module.JsonableResponse, "render", lambda self, value: b'{"name":"JosX"}')
    client.post("/items")
    client.get("/iterator")
    stats = client.get("/ssrjson/stats", headers=BEARER).json()
    compared = stats["compared"]
    assert compared["summary"].startswith("2 compared, 1 differ; ")
    assert (compared["compared"], compared["differ"]) == (2, 1)
    assert compared["times_as_fast"] == compared["stock_ns"] / compared["core_ns"]
    assert compared["saved_an_hour"] != 0
    assert compared["routes"].keys() == {"POST /items"}
    assert compared["left_out"] == {"GET /iterator": "an answer holds an iterator, which can be iterated once"}
    (difference,) = compared["differences"]
    assert difference["place"] == "byte 12, .name"
    assert stats["workers"][0]["compared"]["routes"] == compared["routes"]

    parser = pytest.importorskip("prometheus_client.parser")
    text = client.get("/ssrjson/metrics", headers=BEARER).text
    found = {
        (sample.name, sample.labels.get("way")): (sample.labels["route"], sample.value)
        for family in parser.text_string_to_metric_families(text)
        for sample in family.samples
        if sample.name.startswith("ssrjson_compared")
    }
    assert found == {
        ("ssrjson_compared_requests_total", None): ("POST /items", 2.0),
        ("ssrjson_compared_differ_total", None): ("POST /items", 1.0),
        ("ssrjson_compared_seconds_total", "stock"): ("POST /items", compared["stock_ns"] / 1e9),
        ("ssrjson_compared_seconds_total", "core"): ("POST /items", compared["core_ns"] / 1e9),
    }


def test_without_compare_mode_there_are_no_figures_of_it() -> None:
    client = measured()
    client.post("/items")
    stats = client.get("/ssrjson/stats", headers=BEARER).json()
    assert stats["compared"] is None
    assert stats["workers"][0]["compared"] is None
    assert "ssrjson_compared" not in client.get("/ssrjson/metrics", headers=BEARER).text
