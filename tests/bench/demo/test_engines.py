"""Every engine of the demo's application gives the catalogue's records, and leaves copies in its strings or not."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("fastapi", reason="fastapi is not installed")

from bench.demo.app import create_app
from bench.demo.engines import ENGINES
from bench.kit.records import Catalogue, generate
from ssrjson_web import scan_utf8_cache

ROOT = Path(__file__).parents[3]


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


@pytest.mark.parametrize("name", ENGINES)
def test_warmup_takes_the_same_way_and_leaves_the_catalogue_alone(name: str, catalogue: Catalogue) -> None:
    status, _, body = get(serving(name, catalogue), "/warmup", query="page=3")
    content = json.loads(body)
    assert status == 200
    assert len(content["records"]) == len(catalogue.page(0))
    assert content["records"][0].keys() == catalogue.records[0].keys()
    assert content["records"][0] not in catalogue.records
    assert scan_utf8_cache(catalogue.records)["bytes"] == 0


@pytest.mark.parametrize("name", ENGINES)
def test_encode_times_tell_first_from_again(name: str, catalogue: Catalogue) -> None:
    app = serving(name, catalogue)
    assert json.loads(get(app, "/demo/encode-times")[2]) == {"first": None, "again": None}
    get(app, "/records", query="page=0")
    first = json.loads(get(app, "/demo/encode-times")[2])
    assert first["first"] > 0
    assert first["again"] is None
    get(app, "/records", query="page=0")
    assert json.loads(get(app, "/demo/encode-times")[2])["again"] > 0


def test_caches_control_reports_what_the_catalogue_holds(catalogue: Catalogue) -> None:
    app = serving("json", catalogue)
    assert json.loads(get(app, "/demo/caches")[2])["bytes"] == 0
    orjson = pytest.importorskip("orjson", reason="orjson is not installed")
    orjson.dumps(catalogue.records)
    report = scan_utf8_cache(catalogue.records)
    assert json.loads(get(app, "/demo/caches")[2])["bytes"] == report["bytes"] > 0


def test_engines_need_no_framework_to_be_listed() -> None:
    code = (
        "from bench.source_tree import prefer_installed_packages as prefer; prefer();"
        "import sys, bench.demo.command; print(*sys.modules, sep='\\n')"
    )
    ran = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert not {"fastapi", "starlette", "uvicorn", "matplotlib", "orjson"} & set(ran.stdout.split())
