"""The load test's applications: every engine gives the expected answers, and leaves copies or not."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

import pytest
from fastapi.testclient import TestClient
from werkzeug.test import Client

from bench.kit.answers import events_fault, page_fault, value_fault
from bench.load.plan import ENGINES, Setting
from bench.load.shelf import FRESH, POSTED, RESIDENT, Shelf, made, receipt
from ssrjson_web import scan_utf8_cache

SCRIPT = "russian"
LEAVES_COPIES = {
    ("fastapi", "stock"): {"models"},
    **{
        (app, engine): {"resident", "models"}
        for app in ("fastapi", "django", "flask")
        for engine in ("orjson", "msgspec")
    },
}
"""The kinds of pages that leave copies with an engine; empty for other engines."""


class _Client(Client):
    """The exchange with a WSGI application, on the host that it answers for."""

    def open(self, *args: Any, **kwargs: Any) -> Any:
        answer = super().open(*args, base_url="http://127.0.0.1", **kwargs)
        answer.content = answer.data  # type: ignore[attr-defined]
        return answer


def exchange(client: Any, shelf: Shelf) -> set[str]:
    """The kinds of pages that left copies in the shelf; fails where an answer is not as expected."""
    grown = set()
    for kind, seed in (("transient", FRESH), ("resident", RESIDENT), ("models", RESIDENT)):
        before = scan_utf8_cache(shelf.catalogues)["bytes"]
        first = {"resident": 0, "models": 5, "transient": 2}[kind]
        answer = client.get(f"/{kind}/{SCRIPT}?first={first}&count=4")
        expected = made(SCRIPT, seed=seed, first=first, count=4)
        assert page_fault(answer.status_code, answer.content, count=4, expected=expected.copy) == ""
        assert answer.headers["content-type"] == "application/json"
        if scan_utf8_cache(shelf.catalogues)["bytes"] > before:
            grown.add(kind)
    if isinstance(client, TestClient):
        exchange_streams(client)
    order = made(SCRIPT, seed=POSTED, first=0, count=3)
    answer = client.post("/orders", json=order)
    assert value_fault(answer.status_code, answer.content, expected=receipt(order)) == ""
    assert json.loads(client.get("/about").content) == shelf.about()
    return grown


def exchange_streams(client: TestClient) -> None:
    """The events and the upload of FastAPI's application; fails where an answer is not as expected."""
    answer = client.get(f"/events/{SCRIPT}?first=10&count=4")
    expected = made(SCRIPT, seed=RESIDENT, first=10, count=4)
    assert events_fault(answer.status_code, answer.content, count=4, expected=expected.copy) == ""
    assert answer.headers["content-type"].startswith("text/event-stream")
    upload = made(SCRIPT, seed=POSTED, first=0, count=9)
    body = json.dumps(upload, ensure_ascii=False).encode()
    parts = (body[at : at + 1001] for at in range(0, len(body), 1001))
    answer = client.post("/imports", content=parts, headers={"content-type": "application/json"})
    assert value_fault(answer.status_code, answer.content, expected=receipt(upload)) == ""


def exchange_with(app: str, engine: str) -> set[str]:
    """The result of `exchange` for a new application."""
    shelf = Shelf(script=SCRIPT, megabytes=0.1)
    interface = "asgi" if app == "fastapi" else "wsgi"
    setting = Setting(app=app, engine=engine, interface=interface, script=SCRIPT, megabytes=0.1)
    if app == "fastapi":
        from bench.load import fastapi_app

        return exchange(TestClient(fastapi_app.create(setting, shelf)), shelf)
    if app == "django":
        from bench.load import django_app

        return exchange(_Client(django_app.create(setting, shelf)), shelf)
    from bench.load import flask_app

    return exchange(_Client(flask_app.create(setting, shelf)), shelf)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("app", ["fastapi", "flask"])
def test_application_answers_and_leaves_copies_by_its_engine(app: str, engine: str) -> None:
    assert exchange_with(app, engine) == LEAVES_COPIES.get((app, engine), set())


@pytest.mark.parametrize("engine", ENGINES)
def test_django_application_answers_and_leaves_copies_by_its_engine(engine: str) -> None:
    code = f"import sys; sys.path[:] = {sys.path!r}; import runpy; " + (
        f"print(sorted(runpy.run_path({__file__!r})['exchange_with']('django', {engine!r})))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == str(sorted(LEAVES_COPIES.get(("django", engine), set())))


@pytest.mark.parametrize(
    ("status", "body", "fault"),
    [
        (200, b'[{"sku": "a"}, {"sku": "b"}]', ""),
        (200, b'{"records": [{"sku": "a"}, {"sku": "b"}]}', ""),
        (500, b"", "status 500"),
        (200, b'[{"sku": "a"}]', "1 records, not 2"),
        (200, b'[{"sku": "a"}, {"sku": "c"}]', "other content than the catalogue's"),
        (200, b'"sku" "sku"', "no JSON: Extra data: line 1 column 7 (char 6)"),
        (200, b'{"rows": [{"sku": "a"}, {"sku": "b"}]}', "other content than the catalogue's"),
    ],
)
def test_page_with_a_fault_is_found_out(status: int, body: bytes, fault: str) -> None:
    found = page_fault(status, body, count=2, expected=lambda: [{"sku": "a"}, {"sku": "b"}])
    assert found == fault
    assert (page_fault(status, body, count=2, expected=None) == "") is (status == 200 and body.count(b"sku") == 2)
