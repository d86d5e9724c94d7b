"""examples/chat_events.py under uvicorn, read by the clients that people use."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from helpers.processes import serving

pytest.importorskip("fastapi", reason="fastapi is not installed")
pytest.importorskip("uvicorn", reason="uvicorn is not installed")
httpx = pytest.importorskip("httpx", reason="httpx is not installed")

EXAMPLE = Path(__file__).parents[1] / "examples" / "chat_events.py"
SAID = "你好, the\u2028quick\x85 brown 😀 “fox”\n吾輩"


@pytest.fixture(scope="module")
def chat() -> Iterator[str]:
    """The address of the example, served by uvicorn."""
    with serving([sys.executable, str(EXAMPLE), "{port}"]) as address:
        yield f"http://{address}"


def question(*, stream: bool = True) -> dict[str, Any]:
    return {"model": "echo-1", "stream": stream, "messages": [{"role": "user", "content": SAID}]}


def said(chunks: list[dict[str, Any]]) -> str:
    return "".join(chunk["choices"][0]["delta"]["content"] or "" for chunk in chunks)


def test_chat_example_streams_chunks_that_httpx_reads_by_lines(chat: str) -> None:
    with httpx.stream("POST", f"{chat}/v1/chat/completions", json=question()) as reply:
        assert reply.headers["content-type"] == "text/event-stream; charset=utf-8"
        lines = [line for line in reply.iter_lines() if line]  # which splits as str.splitlines does
    assert lines[-1] == "data: [DONE]"
    chunks = [json.loads(line.removeprefix("data: ")) for line in lines[:-1]]
    assert said(chunks) == SAID
    assert len(chunks) > 10
    assert list(chunks[0]) == ["id", "object", "created", "model", "choices"]
    assert [chunk["choices"][0]["finish_reason"] for chunk in chunks] == [None] * (len(chunks) - 1) + ["stop"]


def test_chat_example_answers_at_once_without_stream(chat: str) -> None:
    reply = httpx.post(f"{chat}/v1/chat/completions", json=question(stream=False))
    assert reply.json()["choices"][0]["message"] == {"role": "assistant", "content": SAID}
    assert httpx.post(f"{chat}/v1/chat/completions", json={"model": "echo-1"}).status_code == 422


def test_chat_example_streams_chunks_that_httpx_sse_reads(chat: str) -> None:
    sse = pytest.importorskip("httpx_sse", reason="httpx-sse is not installed")
    with (
        httpx.Client() as client,
        sse.connect_sse(client, "POST", f"{chat}/v1/chat/completions", json=question()) as source,
    ):
        data = [event.data for event in source.iter_sse()]
    assert data.pop() == "[DONE]"
    assert said([json.loads(text) for text in data]) == SAID


def test_chat_example_streams_chunks_that_the_client_of_openai_reads(chat: str) -> None:
    openai = pytest.importorskip("openai", reason="openai is not installed")
    with openai.OpenAI(base_url=f"{chat}/v1", api_key="none", max_retries=0) as client:
        chunks = list(client.chat.completions.create(**question()))
        whole = client.chat.completions.create(**question(stream=False))
    assert "".join(chunk.choices[0].delta.content or "" for chunk in chunks) == SAID
    assert chunks[-1].choices[0].finish_reason == "stop"
    assert whole.choices[0].message.content == SAID


def test_chat_example_streams_chunks_that_the_async_client_of_openai_may_leave(chat: str) -> None:
    openai = pytest.importorskip("openai", reason="openai is not installed")

    async def run() -> int:
        async with openai.AsyncOpenAI(base_url=f"{chat}/v1", api_key="none", max_retries=0) as client:
            stream = await client.chat.completions.create(**question())
            n = 0
            async with stream:
                async for _ in stream:
                    n += 1
                    if n == 3:
                        break
            return n

    assert asyncio.run(run()) == 3
    assert httpx.get(chat).status_code == 200


def test_chat_example_resumes_after_the_last_event_that_a_client_has_seen(chat: str) -> None:
    sse = pytest.importorskip("httpx_sse", reason="httpx-sse is not installed")
    seen: list[Any] = []
    last_id = "0"
    with httpx.Client() as client:
        for stop in (3, 7):
            headers = {"Last-Event-ID": last_id}
            with sse.connect_sse(client, "GET", f"{chat}/ticks?stop={stop}", headers=headers) as source:
                events = list(source.iter_sse())
            seen += [event.json() for event in events if event.event == "tick"]
            last_id = events[-1].id
            assert events[0].retry == 100
    assert [event["tick"] for event in seen] == [1, 2, 3, 4, 5, 6, 7]
    assert {event["says"] for event in seen} == {"下一个\u2028"}
    assert httpx.get(f"{chat}/ticks", headers={"Last-Event-ID": "x"}).status_code == 422


def test_chat_example_is_shown_by_a_browser_that_reconnects(chat: str, tmp_path: Path) -> None:
    pytest.importorskip("websockets", reason="websockets is not installed")
    from helpers import browser

    if browser.chromium() is None:
        pytest.skip("no Chromium: apt install chromium")

    async def show() -> Any:
        async with browser.opened(f"{chat}/", tmp_path / "profile") as tab:
            await tab.until("document.querySelectorAll('#ticks li').length >= 25")
            assert tab.complaints == []
            return await tab.evaluate("[...document.querySelectorAll('#ticks li')].map((item) => item.textContent)")

    assert asyncio.run(show()) == [f"{number}: 下一个" for number in range(1, 26)]
