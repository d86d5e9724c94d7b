"""The endpoints of asgi.MemoryMiddleware: who may ask, and what is answered."""

from __future__ import annotations

import asyncio
import json
import threading
from typing import Any

import pytest
from monitor.calls import (
    RAW_BEARER,
    TOKEN,
    answer,
    exchange,
    http,
    made,
    not_found,
    requests_of,
    run,
)


def test_stats_answers_with_the_token() -> None:
    status, headers, body = answer(made(not_found), "/ssrjson/stats", headers=RAW_BEARER)
    stats = json.loads(body)
    assert status == 200
    assert headers[b"content-type"] == b"application/json"
    assert headers[b"cache-control"] == b"no-store"
    assert int(headers[b"content-length"]) == len(body)
    assert stats["requests"]["count"] == 0
    assert stats["requests"]["json_share"] is None
    assert [worker["pid"] for worker in stats["workers"]] == [stats["pid"]]
    assert stats["unavailable"]["workers"].startswith("share=False")


@pytest.mark.parametrize(
    "headers",
    [
        [],
        [(b"authorization", b"")],
        [(b"authorization", b"Bearer")],
        [(b"authorization", b"Bearer " + TOKEN[:-1].encode())],
        [(b"authorization", b"Bearer " + TOKEN.encode() + b"x")],
        [(b"authorization", b"Basic " + TOKEN.encode())],
        [(b"authorization", TOKEN.encode())],
        [(b"authorization", b"Bearer \xff\xfe")],
        [(b"cookie", b"token=" + TOKEN.encode())],
    ],
)
@pytest.mark.parametrize("endpoint", [("GET", "stats"), ("GET", "metrics"), ("GET", "events"), ("POST", "scan")])
def test_without_the_token_the_application_answers(headers: Any, endpoint: tuple[str, str]) -> None:
    method, name = endpoint
    request = (f"/ssrjson/{name}", method, headers)
    assert answer(made(not_found), *request) == answer(not_found, *request)


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("POST", "/ssrjson/stats"),
        ("GET", "/ssrjson/scan"),
        ("HEAD", "/ssrjson/stats"),
        ("POST", "/ssrjson"),
        ("GET", "/x/ssrjson"),
        ("GET", "/ssrjson/other"),
        ("GET", "/ssrjson/stats/"),
        ("GET", "/ssrjsonx/stats"),
        ("GET", "/x/ssrjson/stats"),
        ("GET", f"/ssrjson/stats?token={TOKEN}"),
    ],
)
def test_anything_else_is_the_applications_even_with_the_token(method: str, path: str) -> None:
    assert answer(made(not_found), path, method, RAW_BEARER)[2] == b"nothing here"


@pytest.mark.parametrize("scope", [{}, {"root_path": "/shop", "path": "/shop/internal/memory"}])
def test_prefix_without_its_slash_redirects_by_a_relative_location(scope: Any) -> None:
    middleware = made(not_found, prefix="/internal/memory")
    start, body = run(middleware, {**http("/internal/memory"), **scope})
    assert (start["status"], body["body"]) == (307, b"")
    assert dict(start["headers"])[b"location"] == b"memory/"
    assert answer(made(not_found, page=False), "/ssrjson")[2] == b"nothing here"


def test_endpoints_without_a_configured_token_are_not_there() -> None:
    with pytest.warns(RuntimeWarning, match="without a token"):
        middleware = made(not_found, token=None)
    for headers in (RAW_BEARER, [(b"authorization", b"Bearer ")], []):
        for path in ("/ssrjson/stats", "/ssrjson", "/ssrjson/", "/ssrjson/events"):
            assert answer(middleware, path, headers=headers)[2] == b"nothing here"
    assert requests_of(middleware)["count"] == 12


def test_endpoints_are_found_below_a_root_path() -> None:
    middleware = made(not_found, prefix="/internal/memory")
    assert answer(middleware, "/api/internal/memory/stats", headers=RAW_BEARER, root_path="/api")[0] == 200
    assert answer(middleware, "/internal/memory/stats", headers=RAW_BEARER, root_path="")[0] == 200
    assert answer(middleware, "/api/internal/memory/stats", headers=RAW_BEARER)[0] == 404


@pytest.mark.parametrize("name", ["trim", "scan"])
def test_action_answers_once_and_then_says_when_to_come_again(name: str) -> None:
    middleware = made(not_found)
    status, _, body = answer(middleware, f"/ssrjson/{name}", "POST", RAW_BEARER)
    assert status == 200
    assert "pid" in json.loads(body)
    status, headers, body = answer(middleware, f"/ssrjson/{name}", "POST", RAW_BEARER)
    assert status == 429
    assert int(headers[b"retry-after"]) == json.loads(body)["retry_after"] >= 1


@pytest.mark.parametrize(
    ("scan_every", "seconds", "pause"), [(10, 0.001, 10), (10, 2.0, 200), (1, 2.0, 20), (0, 2.0, 1)]
)
def test_scan_says_when_the_next_automatic_one_may_be(
    scan_every: float, seconds: float, pause: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    middleware = made(not_found, scan_every=scan_every)
    assert middleware.monitor is not None
    monkeypatch.setattr(middleware.monitor.memory, "scan", lambda: {"seconds": seconds})
    assert middleware.monitor.scan()["pause"] == pause


def test_scan_does_not_hold_the_event_loop(monkeypatch: pytest.MonkeyPatch) -> None:

    middleware = made(not_found)
    assert middleware.monitor is not None
    loop_ran = threading.Event()
    monkeypatch.setattr(middleware.monitor.memory, "scan", lambda: {"ran": loop_ran.wait(30), "seconds": 0.0})

    async def both() -> tuple[Any, Any, Any]:
        scanning = asyncio.ensure_future(exchange(middleware, http("/ssrjson/scan", "POST", RAW_BEARER)))
        await asyncio.sleep(0.05)
        second = await exchange(middleware, http("/ssrjson/scan", "POST", RAW_BEARER))
        stats = await exchange(middleware, http("/ssrjson/stats", "GET", RAW_BEARER))
        loop_ran.set()
        return await scanning, second, stats

    first, second, stats = asyncio.run(both())
    assert [sent[0]["status"] for sent in (first, second, stats)] == [200, 429, 200]
    assert json.loads(first[1]["body"])["ran"] is True


def test_metrics_without_prometheus_client_say_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "prometheus_client", None)
    status, _, body = answer(made(not_found), "/ssrjson/metrics", headers=RAW_BEARER)
    assert (status, b"pip install prometheus_client" in body) == (404, True)


def test_page_needs_no_token_and_can_be_switched_off() -> None:
    assert answer(made(not_found), "/ssrjson/")[0] == 200
    for path in ("/ssrjson/", "/ssrjson"):
        assert answer(made(not_found, page=False), path)[2] == b"nothing here"


async def listen(middleware: Any, n_events: int) -> list[dict[str, Any]]:
    """What a client is sent that leaves after so many events."""
    sent: list[dict[str, Any]] = []
    leaving = asyncio.Event()

    async def receive() -> Any:
        await leaving.wait()
        return {"type": "http.disconnect"}

    async def send(message: Any) -> None:
        sent.append(message)
        if len(sent) > n_events:
            leaving.set()

    await asyncio.wait_for(middleware(http("/ssrjson/events", headers=RAW_BEARER), receive, send), 30)
    return sent


def test_events_are_sent_until_the_client_leaves(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ssrjson_web.asgi.EVENT_EVERY_SECONDS", 0.01)
    middleware = made(not_found)
    monkeypatch.setattr("ssrjson_web.asgi.EVENTS_A_STREAM", 1000)
    start, *events, end = asyncio.run(listen(middleware, 3))
    assert dict(start["headers"])[b"content-type"] == b"text/event-stream"
    assert len(events) == 3
    for event in events:
        assert event["body"].startswith(b"data: {")
        assert event["body"].endswith(b"}\n\n")
        assert "requests" in json.loads(event["body"][6:])
    assert end == {"type": "http.response.body", "body": b""}
    assert middleware._n_streams == 0


def test_events_end_by_themselves_so_that_a_server_can_stop(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ssrjson_web.asgi.EVENT_EVERY_SECONDS", 0.01)
    sent = asyncio.run(listen(made(not_found), 1000))
    assert [message.get("more_body", False) for message in sent] == [False, True, True, False]


def test_too_many_streams_are_told_to_come_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ssrjson_web.asgi.MAX_STREAMS", 1)
    monkeypatch.setattr("ssrjson_web.asgi.EVENT_EVERY_SECONDS", 0.05)

    async def two() -> list[Any]:
        return await asyncio.gather(listen(middleware, 2), listen(middleware, 2))

    middleware = made(not_found)
    first, second = asyncio.run(two())
    assert (first[0]["status"], second[0]["status"]) == (200, 429)


def test_stream_whose_client_has_gone_ends_quietly(monkeypatch: pytest.MonkeyPatch) -> None:
    async def send(message: Any) -> None:
        raise OSError("gone")

    async def receive() -> Any:
        await asyncio.sleep(1000)

    middleware: Any = made(not_found)
    asyncio.run(middleware(http("/ssrjson/events", headers=RAW_BEARER), receive, send))
    assert middleware._n_streams == 0
