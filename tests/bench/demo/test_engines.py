"""Every engine of the demo's application gives the catalogue's records, and leaves copies in its strings or not."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

pytest.importorskip("fastapi", reason="fastapi is not installed")

from bench.demo.app import create_app
from bench.demo.engines import ENGINES
from bench.kit.records import Catalogue, generate
from ssrjson_web import scan_utf8_cache


def get(app: Any, path: str, *, query: str = "") -> tuple[int, dict[str, str], bytes]:
    """Status, headers and body of a GET, straight through the ASGI protocol."""
    sent: list[dict[str, Any]] = []

    async def receive() -> dict[str, Any]:
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send(message: Any) -> None:
        sent.append(message)

    scope = {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": "GET",
        "path": path,
        "raw_path": path.encode(),
        "query_string": query.encode(),
        "root_path": "",
        "scheme": "http",
        "headers": [(b"host", b"test")],
        "client": ("127.0.0.1", 1),
        "server": ("127.0.0.1", 2),
    }
    asyncio.run(app(scope, receive, send))
    headers = {name.decode(): value.decode() for name, value in sent[0]["headers"]}
    return sent[0]["status"], headers, b"".join(message.get("body", b"") for message in sent[1:])


@pytest.fixture
def catalogue() -> Catalogue:
    return generate(megabytes=0.2)


def serving(name: str, catalogue: Catalogue) -> Any:
    if not ENGINES[name].is_installed:
        pytest.skip(f"{name} is not installed")
    return create_app(engine=ENGINES[name], catalogue=catalogue)


@pytest.mark.parametrize("name", ENGINES)
def test_engine_reply_equals_the_records_by_value(name: str, catalogue: Catalogue) -> None:
    app = serving(name, catalogue)
    for page in range(catalogue.pages):
        status, headers, body = get(app, "/records", query=f"page={page}")
        assert status == 200
        assert headers["content-type"] == "application/json"
        assert headers["content-length"] == str(len(body))
        assert json.loads(body) == {"page": page, "records": catalogue.page(page)}
        assert body.count(b'"sku":') == len(catalogue.page(page))


@pytest.mark.parametrize(
    ("name", "copies"),
    [("json", False), ("orjson", True), ("msgspec", True), ("pydantic", True), ("ssrjson_web", False)],
)
def test_engine_leaves_copies_or_none(name: str, copies: bool, catalogue: Catalogue) -> None:
    app = serving(name, catalogue)
    for page in range(catalogue.pages):
        get(app, "/records", query=f"page={page}")
    report = scan_utf8_cache(catalogue.records)
    assert (report["cached_strings"] > 9 * len(catalogue.records)) is copies
    assert (report["bytes"] > 0) is copies


@pytest.mark.parametrize("name", ENGINES)
def test_engine_on_ascii_leaves_no_copies(name: str) -> None:
    catalogue = generate(megabytes=0.1, script="ascii")
    app = serving(name, catalogue)
    get(app, "/records", query="page=0")
    assert scan_utf8_cache(catalogue.records)["bytes"] == 0


def test_caches_control_reports_what_the_catalogue_holds(catalogue: Catalogue) -> None:
    app = serving("json", catalogue)
    assert json.loads(get(app, "/demo/caches")[2])["bytes"] == 0
    orjson = pytest.importorskip("orjson", reason="orjson is not installed")
    orjson.dumps(catalogue.records)
    report = scan_utf8_cache(catalogue.records)
    assert json.loads(get(app, "/demo/caches")[2])["bytes"] == report["bytes"] > 0
