"""The live page: closed to foreign scripts, without a secret in it, and working in a real browser."""

from __future__ import annotations

import asyncio
import base64
import hashlib
import os
import re
from pathlib import Path
from typing import Any
from urllib.parse import quote

import httpx
import pytest
from helpers import browser
from helpers.processes import serving
from monitor.calls import BEARER, GUNICORN, TOKEN, UVICORN, serving_shop

from ssrjson_web.monitor.page import page_headers, page_html

TESTS = Path(__file__).parent.parent
needs_browser = pytest.mark.skipif(browser.chromium() is None, reason="no Chromium: apt install chromium")


def test_page_asks_nobody_else_and_its_policy_names_its_own_script_and_style() -> None:
    text = page_html().decode()
    assert re.findall(r"""(?:src|href)\s*=\s*["'](?!data:,")""", text) == []
    assert re.findall(r"url\(|@import|https?://(?!www\.w3\.org/2000/svg)", text) == []
    policy = dict(part.split(" ", 1) for part in dict(page_headers())["content-security-policy"].split("; "))
    for element in ("script", "style"):
        (inner,) = re.findall(rf"<{element}>(.*?)</{element}>", text, re.DOTALL)
        digest = base64.b64encode(hashlib.sha256(inner.encode()).digest()).decode()
        assert policy[f"{element}-src"] == f"'sha256-{digest}'"
    assert policy["default-src"] == "'none'"
    assert " style=" not in text
    assert "innerHTML" not in text


ROUND = re.compile(r"0|(1|2|3|4|5|6|8|10|15|[1-9]0+|[1-9]50*|1[0-9]0+|0\.[1-9]5?|[1-9]\.5)( \S+)")
"""A multiple of 1, 2 or 5 times a power of ten, with its unit."""
FITS = """[...document.querySelectorAll("svg.chart")].every(
    (svg) => Math.abs(svg.viewBox.baseVal.width - svg.clientWidth) <= 1)"""
"""Charts are drawn for the width that they have, so that their text is not scaled."""


async def walk_through(address: str, folder: Path) -> None:
    async with browser.opened(f"http://{address}/ssrjson/", folder / "profile") as tab:
        await tab.until("!document.getElementById('entry').hidden")
        enter = "document.getElementById('token').value = {!r}; document.querySelector('#form button').click()"
        await tab.evaluate(enter.format("not-the-token"))
        await tab.until("document.getElementById('refusal').textContent.includes('is wrong')")
        assert await tab.evaluate("sessionStorage.length") == 0
        await tab.evaluate(enter.format(TOKEN))
        await tab.until("!document.getElementById('main').hidden")
        async with httpx.AsyncClient() as client:
            for n in range(40):
                assert (await client.get(f"http://{address}/{('books', 'json')[n % 2]}")).status_code == 200
                await asyncio.sleep(0.1)
        for chart in ("rss", "share", "latency"):
            await tab.until(f"document.querySelectorAll('#chart-{chart} polyline').length >= 1")
        await tab.until("document.querySelector('#chart-cache polyline') !== null")  # without a click
        await tab.evaluate("document.getElementById('scan').click()")
        await tab.until("document.getElementById('result').textContent.includes('try again in')")
        await tab.evaluate("document.getElementById('trim').click()")
        await tab.until("document.getElementById('result').textContent.startsWith('trim of')")
        stats = (await asyncio.to_thread(httpx.get, f"http://{address}/ssrjson/stats", headers=BEARER)).json()
        shown = await tab.evaluate("document.getElementById('workers').textContent")
        assert all(str(worker["pid"]) in shown for worker in stats["workers"])
        heads = await tab.evaluate("document.querySelector('#responses tr').textContent")
        assert heads == "responses of worker1xx2xx3xx4xx5xxother statusexceptionclient disconnected"
        all_2xx = "document.querySelector('#responses tr:last-child td:nth-child(3)').textContent"
        await tab.until(f"{all_2xx} === '40'")
        cards = await tab.evaluate("document.getElementById('figures').textContent")
        assert "0errors (5xx or exception)" in cards
        assert "0cached UTF-8 copies in the watched objects" in cards
        assert "p99 latency" in cards
        assert ("memory of all workers (PSS)" in cards) is (stats["workers_memory"]["source"] == "pss")
        libraries = await tab.evaluate("document.getElementById('libraries').textContent")
        assert "ssrjson_web" in libraries
        assert "json" in libraries
        assert await tab.evaluate("document.getElementById('routes-card').hidden")
        await tab.until("document.querySelectorAll('#chart-rss polyline')[0].getAttribute('points').length > 60")
        for name, width, theme in [("desktop", 1240, "light"), ("dark", 1240, "dark"), ("phone", 360, "light")]:
            await tab.show_as(width=width, theme=theme)
            await tab.until(FITS)
            pictures = Path(os.environ.get("SSRJSON_TEST_SCREENSHOTS", folder))
            await tab.screenshot(pictures / f"{folder.name}-{name}.png")
        assert await tab.evaluate("document.body.scrollWidth") <= 360
        ticks = await tab.evaluate("[...document.querySelectorAll('text.tick')].map((tick) => tick.textContent)")
        assert len(ticks) >= 8
        assert [tick for tick in ticks if not ROUND.fullmatch(tick)] == []
        assert [text for text in tab.complaints if "404" not in text and "429" not in text] == []
        assert all(url.startswith((f"http://{address}/ssrjson/", "data:")) for url in tab.requested)
        assert not any(TOKEN in url for url in tab.requested)
        await tab.evaluate("document.getElementById('forget').click()")
        await tab.until("document.getElementById('main').hidden && sessionStorage.length === 0")


@needs_browser
@pytest.mark.parametrize(
    "command", [pytest.param(UVICORN, id="asgi"), pytest.param([*GUNICORN, "--preload", "-w", "2"], id="wsgi")]
)
def test_page_shows_figures_and_acts_in_a_browser(command: Any, request: pytest.FixtureRequest, tmp_path: Path) -> None:
    folder = tmp_path / f"page-{request.node.callspec.id}"
    folder.mkdir()
    with serving(command, folder=TESTS) as address:
        asyncio.run(walk_through(address, folder))


SCAN_BY_ITSELF = """(async (pause) => {
    const asked = [];
    window.fetch = async (name) => { asked.push(name); return { status: 200, json: async () => ({ pause }) }; };
    nextScanAt = 0;
    await scanAutomatically();
    return [asked.length, nextScanAt - performance.now() / 1000];
})"""


async def scan_by_itself(address: str, folder: Path) -> None:
    async with browser.opened(f"http://{address}/ssrjson/", folder / "profile") as tab:
        await tab.until("!document.getElementById('entry').hidden")
        asked, pause = await tab.evaluate(f"{SCAN_BY_ITSELF}(700)")
        assert asked == 1
        assert 690 < pause <= 700
        await tab.evaluate("document.getElementById('automatic').click()")
        asked, _ = await tab.evaluate(f"{SCAN_BY_ITSELF}(1)")
        assert asked == 0


@needs_browser
def test_page_scans_by_itself_as_often_as_the_server_says_unless_it_is_switched_off(tmp_path: Path) -> None:
    with serving(UVICORN, folder=TESTS) as address:
        asyncio.run(scan_by_itself(address, tmp_path))


async def open_by_link(address: str, folder: Path) -> None:
    link = f"http://{address}/ssrjson#token={quote(TOKEN)}"  # without the slash: the redirect keeps the fragment
    async with browser.opened(link, folder / "profile") as tab:
        await tab.until("!document.getElementById('main').hidden")
        assert await tab.evaluate("location.href") == f"http://{address}/ssrjson/"
        assert await tab.evaluate("sessionStorage.getItem('ssrjson_web token')") == TOKEN
        await tab.evaluate("document.getElementById('forget').click()")
        assert await tab.evaluate("document.getElementById('state').textContent") == ""
        await tab.evaluate(f"location.hash = 'token={quote(TOKEN)}'")
        await tab.until("!document.getElementById('main').hidden && location.hash === ''")
        assert not any(TOKEN in url.partition("#")[0] for url in tab.requested)


@needs_browser
def test_page_takes_the_token_of_the_links_fragment_and_shows_it_to_nobody(tmp_path: Path) -> None:
    with serving(UVICORN, folder=TESTS) as address:
        asyncio.run(open_by_link(address, tmp_path))


async def look_at_routes(address: str, folder: Path) -> None:
    async with httpx.AsyncClient(base_url=f"http://{address}") as client:
        for n in range(1234):
            assert (await client.get("/orders/checked")).status_code == 200
            if n < 3:
                assert (await client.post("/orders", json={"title": "x"})).status_code == 200
    async with browser.opened(f"http://{address}/ssrjson/#token={quote(TOKEN)}", folder / "profile") as tab:
        cells = "(row) => [...row.children].map((cell) => cell.textContent)"
        rows = f"[...document.querySelectorAll('#routes tr')].map({cells})"
        await tab.until(f"{rows}.length === 3")
        head, *others = await tab.evaluate(rows)
        values = ["answers bypassing validation", "validated", "bodies bypassing validation", "validated"]
        assert head == ["route", *values, "why"]
        reason = "its response model is encoded by the core, and validated by"
        assert others == [
            ["POST /orders", "2", "1", "2", "1", f"{reason} it or by pydantic"],
            [
                "GET /orders/checked",
                "0",
                "1,234",
                "–",
                "–",
                f"{reason} pydantic because of Checked.title: the validator Checked.check",
            ],
        ]
        for name, width, theme in [("desktop", 1240, "light"), ("phone", 360, "dark")]:
            await tab.show_as(width=width, theme=theme)
            await tab.until(FITS)
            pictures = Path(os.environ.get("SSRJSON_TEST_SCREENSHOTS", folder))
            await tab.screenshot(pictures / f"page-routes-{name}.png")
        assert await tab.evaluate("document.body.scrollWidth") <= 360
        assert tab.complaints == []


@needs_browser
def test_page_shows_the_routes_of_a_fastapi_application_and_why_they_are_validated(tmp_path: Path) -> None:
    with serving(serving_shop(UVICORN, "asgi"), folder=TESTS) as address:
        asyncio.run(look_at_routes(address, tmp_path))


@pytest.mark.parametrize("command", [pytest.param(UVICORN, id="asgi"), pytest.param(GUNICORN, id="wsgi")])
def test_prefix_without_its_slash_redirects_to_the_page(command: Any) -> None:
    with serving(command, folder=TESTS) as address:
        answer = httpx.get(f"http://{address}/ssrjson")
        followed = httpx.get(f"http://{address}/ssrjson", follow_redirects=True)
        assert httpx.post(f"http://{address}/ssrjson").status_code == 404
    assert (answer.status_code, answer.headers["location"], answer.content) == (307, "ssrjson/", b"")
    assert followed.url.path == "/ssrjson/"
    assert followed.content == page_html()


def test_page_is_for_everybody_unless_it_is_switched_off() -> None:
    with serving(UVICORN, folder=TESTS) as address:
        answer = httpx.get(f"http://{address}/ssrjson/")
    assert answer.status_code == 200
    assert answer.content == page_html()
    assert TOKEN.encode() not in answer.content
    assert answer.headers["content-security-policy"] == dict(page_headers())["content-security-policy"]
