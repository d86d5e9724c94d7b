"""Streams under a real server: clients that leave or read slowly, sources that raise."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from typing import Any

import pytest
from flask import Flask
from helpers.streams import Watched, asked, body_of, read_all, serve_wsgi, wait_until

from ssrjson_web.flask import SSRJSON, stream_array, stream_lines

# what the kernel may buffer
BUFFERED_BYTES = 8 << 20
N_CHARS = 2000

watched: dict[str, Watched] = {}
app = Flask("server")
SSRJSON(app, ensure_ascii=False)


@app.get("/stream/<kind>")
def stream(kind: str) -> Any:
    return {"array": stream_array, "lines": stream_lines}[kind](watched["now"].items())


@app.get("/document")
def document() -> Any:
    return {"名": "值" * 100_000}


@pytest.fixture(scope="module")
def port() -> Iterator[int]:
    with serve_wsgi(app) as port:
        yield port


def test_server_sends_the_whole_of_a_stream(port: int) -> None:
    watched["now"] = source = Watched(5000, n_chars=100)
    for kind in ("array", "lines"):
        with asked(port, f"/stream/{kind}") as client:
            body, is_whole = body_of(read_all(client))
        assert is_whole
        values = json.loads(body) if kind == "array" else [json.loads(line) for line in body.splitlines()]
        assert values == source.values
    wait_until(lambda: source.closed == 2, "the sources were not closed")
    with asked(port, "/document") as client:
        assert json.loads(body_of(read_all(client))[0]) == {"名": "值" * 100_000}


def test_server_waits_for_a_client_that_reads_slowly(port: int) -> None:
    watched["now"] = source = Watched(5000, n_chars=N_CHARS)  # 20 MB
    with asked(port, "/stream/array") as client:
        before = -1
        while source.pulled != before:
            before = source.pulled
            time.sleep(0.3)
        assert 0 < source.pulled * 2 * N_CHARS < BUFFERED_BYTES
        assert json.loads(body_of(read_all(client))[0]) == source.values


@pytest.mark.parametrize("pause_seconds", [0.0, 0.01])
def test_client_that_leaves_ends_the_iteration(port: int, pause_seconds: float) -> None:
    watched["now"] = source = Watched(10**9, pause_seconds=pause_seconds, n_chars=N_CHARS)
    with asked(port, "/stream/array"):
        wait_until(lambda: source.pulled, "no item was iterated")
    wait_until(lambda: source.closed == 1, "the source was not closed")
    pulled = source.pulled
    time.sleep(0.1)
    assert source.pulled == pulled


@pytest.mark.parametrize("kind", ["array", "lines"])
def test_error_of_a_source_ends_the_text_after_the_items_before_it(port: int, kind: str) -> None:
    watched["now"] = source = Watched(3000, n_chars=100, error_at=2500)
    with asked(port, f"/stream/{kind}") as client:
        body, _ = body_of(read_all(client))
    assert body.count(b'"i":') == 2500
    if kind == "array":
        with pytest.raises(ValueError, match="Expecting"):
            json.loads(body)
    wait_until(lambda: source.closed == 1, "the source was not closed")
