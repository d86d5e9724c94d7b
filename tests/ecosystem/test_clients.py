"""The clients of Elasticsearch, OpenSearch and Jupyter, with the core's JSON."""

from __future__ import annotations

import datetime
import json
import threading
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from decimal import Decimal
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Any

import pytest
from ecosystem.page import VALUE, fresh_value, has_no_copy, recorded, run_section

MORE = {"day": datetime.date(2026, 1, 2), "id": uuid.UUID(int=1), "price": Decimal("1.5")}
STORED = {**VALUE, "day": "2026-01-02", "id": str(uuid.UUID(int=1)), "price": 1.5}


@contextmanager
def search_server() -> Iterator[tuple[str, list[bytes]]]:
    """The URL of a server that keeps a document, and the bodies that it got."""
    bodies: list[bytes] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            bodies.append(self.rfile.read(int(self.headers["content-length"])))
            self._answer({"_id": "1", "result": "created"})

        do_PUT = do_POST

        def do_GET(self) -> None:
            self._answer({"_id": "1", "found": True, "_source": json.loads(bodies[0])})

        def _answer(self, value: Any) -> None:
            body = json.dumps(value).encode()
            self.send_response(200)
            self.send_header("content-type", "application/json")
            self.send_header("x-elastic-product", "Elasticsearch")
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: Any) -> None:
            pass

    server = HTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}", bodies
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


@pytest.mark.parametrize("library", ["elasticsearch", "opensearchpy"])
def test_search_client(library: str) -> None:
    pytest.importorskip(library, reason=f"{library} is not installed")
    value = {**fresh_value(), **MORE}
    with search_server() as (url, bodies):
        if library == "elasticsearch":
            client = run_section("elasticsearch-py", url=url)["client"]
        else:
            client = run_section("opensearch-py", url=url)["client"]
        with recorded() as recorder:
            document = {"document": value} if library == "elasticsearch" else {"body": value}
            assert client.index(index="books", id="1", **document)["result"] == "created"
            assert client.get(index="books", id="1")["_source"] == STORED
        assert (recorder.encodes, recorder.decodes) == (1, 2)
        client.close()
    assert json.loads(bodies[0]) == STORED
    assert has_no_copy(value)


def test_jupyter_client() -> None:
    pytest.importorskip("jupyter_client", reason="jupyter_client is not installed")
    session = run_section("jupyter_client")["session"]
    value = fresh_value()
    with recorded() as recorder:
        parts = session.serialize(session.msg("execute_reply", content=value))
        message = session.deserialize(parts[1:] if parts[0] == b"<IDS|MSG>" else parts)
    assert message["content"] == VALUE
    assert recorder.encodes >= 4
    assert recorder.decodes >= 4
    assert has_no_copy(value)
