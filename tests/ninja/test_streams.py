"""Streams of Ninja with `setup` and without: the same bytes in the stock layout, the same values in ours."""

from __future__ import annotations

import asyncio
import datetime
import json
from collections.abc import AsyncIterator, Iterator
from typing import Any

import pytest

pytest.importorskip("ninja.streaming", reason="this version of Ninja has no streams")

from django.http import HttpRequest
from django.test import RequestFactory, override_settings
from helpers.encoder_hook_values import error_of
from ninja import NinjaAPI, Schema
from ninja.operation import Operation
from ninja.streaming import JSONL, SSE, StreamFormat

from ssrjson_web import utf8_cache_size
from ssrjson_web.ninja import setup
from ssrjson_web.ninja._derived import shortcut_of

STOCK_LAYOUT = {"SSRJSON": {"ASCII": True, "COMPACT": False}}


class Line(Schema):
    name: str
    n: int = 1
    at: datetime.datetime | None = None


class Row:
    def __init__(self, name: Any) -> None:
        self.name = name


class Tagged(StreamFormat):  # type: ignore[type-arg]
    media_type = "text/tagged"

    @classmethod
    def format_chunk(cls, data: str) -> str:
        return f"<{data}>"


AT = datetime.datetime(2026, 1, 2, 3, 4, 5, 678901, datetime.timezone.utc)
ITEMS: dict[str, list[Any]] = {
    "dicts": [{"name": "红楼梦", "n": 2, "at": AT}, {"name": "x"}],
    "converted": [{"name": "é", "n": "3", "at": "2026-01-02"}],
    "objects": [Row("ü"), Line(name="x")],
    "surrogates": [{"name": "\udc80 é"}],
    "wrong": [{"name": "x"}, {"name": 1}, {"name": "y"}],
    "none": [],
}


def api(*, ours: bool, name: str) -> NinjaAPI:
    made = NinjaAPI(urls_namespace=f"{name}-{ours}")
    formats: dict[str, Any] = {"jsonl": JSONL[Line], "sse": SSE[Line], "tagged": Tagged[Line], "any": JSONL[Any]}
    for path, response in formats.items():

        @made.get(f"/{path}/{{case}}", response=response, operation_id=path)
        def stream(request: HttpRequest, case: str) -> Iterator[Any]:
            yield from ITEMS[case]

        @made.get(f"/async/{path}/{{case}}", response=response, operation_id=f"async-{path}")
        async def stream_async(request: HttpRequest, case: str) -> AsyncIterator[Any]:
            for item in ITEMS[case]:
                yield item

    if ours:
        setup(made)
    return made


def operations(made: NinjaAPI) -> dict[str, Any]:
    made._get_urls()
    bound = getattr(made, "_bound_routers_cache", None) or [router for _, router in made._routers]
    views = (view for router in bound for view in router.path_operations.values())
    return {operation.operation_id: operation for view in views for operation in view.operations}


async def _all_chunks(source: Any) -> list[Any]:
    return [chunk async for chunk in source]


def answer(operation: Any, case: str) -> Any:
    request = RequestFactory().get("/")

    def ask() -> Any:
        if operation.operation_id.startswith("async-"):
            response: Any = asyncio.run(operation.run(request, case=case))
            chunks = asyncio.run(_all_chunks(response)) if response.is_async else list(response)
        else:
            response = operation.run(request, case=case)
            chunks = list(response)
        return dict(response.items()), [bytes(response.make_bytes(chunk)) for chunk in chunks]

    return error_of(ask)


PATHS = [f"{kind}{path}" for kind in ("", "async-") for path in ("jsonl", "sse", "tagged", "any")]


@pytest.mark.filterwarnings("ignore:StreamingHttpResponse must consume")  # Django takes a TypeError for that
@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("case", ITEMS)
def test_stream_is_as_stock(path: str, case: str) -> None:
    stock = operations(api(ours=False, name="stream"))[path]
    ours = operations(api(ours=True, name="stream"))[path]
    expected = answer(stock, case)
    with override_settings(**STOCK_LAYOUT):
        assert str(answer(ours, case)) == str(expected)
    got = answer(ours, case)
    if expected[0] == "value" and case != "surrogates":
        texts = [[chunk.decode() for chunk in side[1][1]] for side in (got, expected)]
        mine, theirs = ([json.loads(text.strip("<>\n").removeprefix("data: ")) for text in side] for side in texts)
        assert mine == theirs
        assert all(", " not in text and "\\u" not in text for text in texts[0])


def test_items_that_fit_skip_validation_and_keep_no_copy() -> None:
    operation = operations(api(ours=True, name="counted"))["jsonl"]
    counter = shortcut_of(operation.stream_item_model).counter  # type: ignore[union-attr]
    for case in ("dicts", "converted"):
        answer(operation, case)
    assert (counter.n_bypassed, counter.n_validated) == (2, 1)
    assert utf8_cache_size(ITEMS["dicts"][0]["name"]) == 0


def test_method_of_somebody_else_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Operation, "_validate_stream_item", lambda self, item, request: "theirs")
    operation = operations(api(ours=True, name="patched"))["jsonl"]
    assert answer(operation, "dicts")[1][1] == [b"theirs\n"] * 2
