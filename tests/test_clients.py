"""The helpers for clients, with each client, on a real server."""

from __future__ import annotations

import datetime
import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from urllib.parse import urlencode

import pytest
from helpers.processes import run_python, serving

from ssrjson_web import JSONDepthError, JSONEncodeError, JSONSizeError, JSONTypeError, scan_utf8_cache
from ssrjson_web.clients import decode, decode_async, json_body

aiohttp = pytest.importorskip("aiohttp", reason="aiohttp, the server of these tests, is not installed")
httpx = pytest.importorskip("httpx", reason="httpx is not installed")
requests = pytest.importorskip("requests", reason="requests is not installed")

PAGE = {"rows": [{"id": n, "标题": f"红楼梦 {n} “—” é 😀", "price": n / 7} for n in range(20)]}
COMPACT = json.dumps(PAGE, ensure_ascii=False, separators=(",", ":")).encode()
NOTED = sys.version_info >= (3, 11)


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    command = [
        sys.executable,
        "-m",
        "aiohttp.web",
        "-H",
        "127.0.0.1",
        "-P",
        "{port}",
        "other_frameworks.aiohttp_twins:build",
    ]
    with serving(command, folder=Path(__file__).parent) as address:
        yield f"http://{address}"


def typed(server: str, body: bytes, content_type: str | None = "application/json", status: int = 200) -> str:
    asked = {"hex": body.hex(), "status": str(status)} | ({"type": content_type} if content_type else {})
    return f"{server}/typed?{urlencode(asked)}"


async def sent_by_aiohttp(url: str, **options: Any) -> tuple[bytes, str]:
    async with aiohttp.ClientSession() as session, session.post(url, **options) as reply:
        return await reply.read(), reply.headers["X-Content-Type"]


async def sent(client: str, url: str, options: Any) -> tuple[bytes, str]:
    """The body and the content-type that the server got."""
    if client == "aiohttp":
        return await sent_by_aiohttp(url, **options)
    reply = {"httpx": httpx, "requests": requests}[client].post(url, **options)
    return reply.content, reply.headers["X-Content-Type"]


async def read(client: str, url: str, **options: Any) -> Any:
    if client == "aiohttp":
        async with aiohttp.ClientSession() as session, session.get(url) as reply:
            return await decode_async(reply, **options)
    if client == "httpx.stream":
        async with httpx.AsyncClient() as session, session.stream("GET", url) as reply:
            return await decode_async(reply, **options)
    return decode({"httpx": httpx, "requests": requests}[client].get(url), **options)


CLIENTS = ["httpx", "requests", "aiohttp"]
READERS = [*CLIENTS, "httpx.stream"]


@pytest.mark.asyncio
@pytest.mark.parametrize("client", CLIENTS)
@pytest.mark.filterwarnings("error")
async def test_body_arrives_as_compact_utf8_with_its_content_type(server: str, client: Any) -> None:
    assert await sent(client, f"{server}/raw", json_body(PAGE, client=client)) == (COMPACT, "application/json")
    assert scan_utf8_cache(PAGE)["cached_strings"] == 0


@pytest.mark.asyncio
@pytest.mark.parametrize("client", CLIENTS)
async def test_body_with_headers_and_options_arrives_as_they_say(server: str, client: Any) -> None:
    headers = {"content-type": "application/vnd.a+json", "X-A": "1"}
    arguments = json_body({"é": datetime.date(2020, 1, 2)}, client=client, headers=headers, natives=True)
    assert arguments["headers"] == headers
    assert await sent(client, f"{server}/raw", arguments) == (
        '{"é":"2020-01-02"}'.encode(),
        "application/vnd.a+json",
    )


def test_body_of_httpx_says_what_it_sends_itself() -> None:
    stock = httpx.Request("POST", "http://test", json=PAGE)
    ours = httpx.Request("POST", "http://test", **json_body(PAGE))
    assert json.loads(ours.content) == json.loads(stock.content)
    assert {**ours.headers, "content-length": ""} == {**stock.headers, "content-length": ""}


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"client": "curl"}, ValueError, "client must be one of 'httpx', 'requests', 'aiohttp', not 'curl'"),
        ({"client": None}, ValueError, "client must be one of"),
        ({"native": True}, TypeError, "native"),
        ({}, JSONEncodeError, "not JSON serializable"),
    ],
)
def test_body_that_cannot_be_made_is_an_error(options: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        json_body([object()], **options)


def test_response_is_decoded_to_a_type_and_in_parts() -> None:
    reply = SimpleNamespace(
        content=b'{"id": 1, "user": {"id": "x", "name": "y"}}', headers={}, status_code=200, url="/"
    )
    assert decode(reply, only="/user/id") == {"user": {"id": "x"}}
    assert decode(reply, type=dict[str, object])["id"] == 1
    with pytest.raises(JSONTypeError, match=r"\$\.user: ") as raised:
        decode(reply, type=dict[str, int])
    if sys.version_info >= (3, 11):
        assert "status 200" in raised.value.__notes__[0]


def test_body_is_canonical_where_that_is_asked_for() -> None:
    assert json_body({"b": 1.0, "a": 2}, canonical=True)["content"] == b'{"a":2,"b":1}'
    with pytest.raises(UnicodeEncodeError):
        json_body("\ud800", canonical=True)


def test_body_of_nan_is_a_value_error_unless_options_say_otherwise() -> None:
    with pytest.raises(ValueError, match="Out of range float values are not JSON compliant"):
        json_body([float("nan")])
    assert json_body([float("nan")], nan_as_null=True)["content"] == b"[null]"


@pytest.mark.asyncio
@pytest.mark.parametrize("client", READERS)
@pytest.mark.parametrize(
    ("encoding", "content_type"),
    [
        ("utf-8", "application/json"),
        ("utf-8", None),
        ("utf-8", "text/html; charset=latin-1"),  # which is wrong
        ("utf-8-sig", "application/json"),
        ("utf-16", "application/json"),
        ("utf-16-le", "application/json"),
        ("utf-32", "application/json; charset=utf-32"),
        ("gb18030", "application/json; charset=GB18030"),
        ("gb18030", 'text/plain; a=b; Charset="gb18030"'),
    ],
)
async def test_response_in_any_charset_is_decoded(
    server: str, client: str, encoding: str, content_type: str | None
) -> None:
    url = typed(server, '{"标题": ["红楼梦", 1.5]}'.encode(encoding), content_type)
    assert await read(client, url) == {"标题": ["红楼梦", 1.5]}


@pytest.mark.asyncio
@pytest.mark.parametrize("client", READERS)
async def test_malformed_response_is_a_decode_error_that_names_the_response(server: str, client: str) -> None:
    url = typed(server, b"<html>502</html>", "text/html", 502).replace("http://", "http://user:secret@")
    with pytest.raises(json.JSONDecodeError, match="Expecting value") as caught:
        await read(client, url)
    assert (caught.value.pos, caught.value.lineno, caught.value.colno) == (0, 1, 1)
    if NOTED:
        expected = f"in the response of {server}/typed: status 502, text/html, 16 bytes"
        assert caught.value.__notes__ == [expected]


@pytest.mark.asyncio
@pytest.mark.parametrize("client", READERS)
async def test_empty_response_is_a_decode_error_at_its_start(server: str, client: str) -> None:
    with pytest.raises(json.JSONDecodeError, match=r"Expecting value: line 1 column 1 \(char 0\)") as caught:
        await read(client, typed(server, b"", None, 204))
    if NOTED:
        assert "status 204" in caught.value.__notes__[0]


@pytest.mark.asyncio
@pytest.mark.parametrize("client", READERS)
@pytest.mark.parametrize(
    "charset", ["", "; charset=big5", "; charset=nonsense", "; charset=unicode-escape", "; charset=hex"]
)
async def test_response_that_is_no_text_is_a_unicode_error(server: str, client: str, charset: str) -> None:
    with pytest.raises(UnicodeDecodeError) as caught:
        await read(client, typed(server, b'"a\xff\xff"', f"application/json{charset}"))
    assert caught.value.encoding == "utf-8"
    if NOTED:
        assert f"application/json{charset}, 5 bytes" in caught.value.__notes__[0]


@pytest.mark.asyncio
@pytest.mark.parametrize("client", READERS)
async def test_response_options_are_those_of_loads(server: str, client: str) -> None:
    assert await read(client, typed(server, b"[[1.50]]"), array_hook=tuple, parse_float=str) == (("1.50",),)
    with pytest.raises(JSONDepthError):
        await read(client, typed(server, b"[[[]]]"), max_depth=2)
    with pytest.raises(JSONSizeError):
        await read(client, typed(server, b"[1,2,3]"), max_size=5)
    with pytest.raises(TypeError, match="max_deep"):
        await read(client, typed(server, b"[]"), max_deep=2)


def test_response_without_a_request_is_named_without_its_url() -> None:
    with pytest.raises(json.JSONDecodeError) as caught:
        decode(httpx.Response(500, content=b"oops"))
    if NOTED:
        assert caught.value.__notes__ == ["in the response of an unknown URL: status 500, no content-type, 4 bytes"]


@pytest.mark.asyncio
async def test_decode_of_a_response_that_is_not_read_is_a_type_error(server: str) -> None:
    async with aiohttp.ClientSession() as session, session.get(typed(server, b"[]")) as reply:
        with pytest.raises(TypeError, match="ClientResponse is not read yet: await decode_async"):
            decode(reply)


def test_module_imports_no_client(tmp_path: Path) -> None:
    snippet = """
        import sys
        import ssrjson_web.clients
        print([name for name in ("httpx", "requests", "aiohttp") if name in sys.modules])
    """
    done = run_python(snippet, tmp_path)
    assert done.stdout.strip() == "[]", done


def test_example_of_the_docs_orders_a_book_and_tells_of_what_is_no_json(server: str, tmp_path: Path) -> None:
    root = Path(__file__).parents[1]
    text = (root / "docs" / "clients.md").read_text("utf-8")
    example = tmp_path / "order.py"
    example.write_text(text.rpartition("```python\n")[2].partition("```")[0], "utf-8")

    def run(shop: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run([sys.executable, "-X", "utf8", example, shop], capture_output=True, encoding="utf-8")

    assert run(f"{server}/shop").stdout == "{'sent': ['title', 'price', 'wanted']}\n"
    stderr = run(f"{server}/broken").stderr
    assert stderr.startswith("Expecting value: line 1 column 1 (char 0)")
    if NOTED:
        assert stderr.endswith(f"in the response of {server}/broken/books: status 200, text/html, 6 bytes\n")
