"""The items of a body of Quart while it arrives."""

from __future__ import annotations

import asyncio
import json
import socket
from collections.abc import Iterator
from typing import Any

import pytest
from helpers.streams import read_all, serve_asgi, wait_until
from quart import Quart, request

from ssrjson_web.quart import SSRJSON, json_items

app = Quart("items")
SSRJSON(app)
taken: list[Any] = []


@app.post("/items")
async def items() -> Any:
    options: dict[str, Any] = {}
    if "max" in request.args:
        options["max_item_size"] = int(request.args["max"])
    if "lines" in request.args:
        options["lines"] = True
    taken.clear()
    async for item in json_items(request, **options):
        taken.append(item)
    return {"items": taken}


def post(body: bytes, path: str = "/items", content_type: str = "application/json") -> tuple[int, Any]:
    async def run() -> tuple[int, Any]:
        reply = await app.test_client().post(path, data=body, headers={"content-type": content_type})
        return reply.status_code, await reply.get_data(as_text=True)

    return asyncio.run(run())


ROWS = [{"名": "值" * i, "n": i} for i in range(50)]


@pytest.mark.parametrize(
    ("body", "path", "content_type"),
    [
        (json.dumps(ROWS, ensure_ascii=False).encode(), "/items", "application/json"),
        (b"".join(json.dumps(row).encode() + b"\n" for row in ROWS), "/items", "application/x-ndjson"),
        (b"\n".join(json.dumps(row).encode() for row in ROWS), "/items?lines=1", "text/plain"),
    ],
)
def test_items(body: bytes, path: str, content_type: str) -> None:
    status, text = post(body, path, content_type)
    assert status == 200
    assert json.loads(text) == {"items": ROWS}


@pytest.mark.parametrize("body", [b"[1, 2}", b"", b'{"a": 1}', b"[1", b'["\xff"]', b"[1] 2"])
def test_what_is_malformed_is_a_bad_request_as_with_get_json(body: bytes) -> None:
    assert post(body)[0] == 400


def test_comma_before_the_end_in_segments_is_a_bad_request() -> None:
    async def run() -> int:
        async with app.test_client().request("/items", method="POST") as connection:
            for segment in (b"[" + b"1," * 5000 + b" ", b"]"):
                await connection.send(segment)
                await asyncio.sleep(0.01)
            await connection.send_complete()
        return (await connection.as_response()).status_code

    assert asyncio.run(run()) == 400
    assert taken == [1] * 5000


def test_limits() -> None:
    assert post(b'["' + b"x" * 100, "/items?max=50")[0] == 413
    assert post(b"[]", "/items?max=0")[0] == 500


@pytest.fixture(scope="module")
def port() -> Iterator[int]:
    pytest.importorskip("uvicorn", reason="uvicorn is not installed")
    with serve_asgi(app) as port:
        yield port


def test_server_gives_items_while_the_body_arrives(port: int) -> None:
    taken.clear()
    with socket.create_connection(("127.0.0.1", port), timeout=10) as client:
        client.sendall(b"POST /items HTTP/1.1\r\nhost: x\r\nconnection: close\r\ntransfer-encoding: chunked\r\n")
        client.sendall(b"content-type: application/json\r\n\r\n")
        for chunk, n in ((b'[{"a": 1}, {"b', 1), (b'": 2}, 3', 2), (b"]", 3)):
            client.sendall(b"%x\r\n%s\r\n" % (len(chunk), chunk))
            wait_until(lambda n=n: len(taken) == n, "the items did not come")  # type: ignore[misc]
        client.sendall(b"0\r\n\r\n")
        assert json.loads(read_all(client).partition(b"\r\n\r\n")[2]) == {"items": [{"a": 1}, {"b": 2}, 3]}
