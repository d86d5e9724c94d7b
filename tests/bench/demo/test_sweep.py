"""The client finds wrong answers, and keeps its time limits."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

from bench.demo.sweep import Expected, sweep
from bench.kit.http_client import Connection, ConnectionLost, connect
from bench.kit.records import make_page

EXPECTED = Expected(records=55, script="mixed", seed=1)


def body(page: int, *, records: list[dict[str, Any]] | None = None) -> bytes:
    if records is None:
        records = make_page(page, of=55, script="mixed", seed=1)
    content = {"page": page, "records": records}
    return json.dumps(content, ensure_ascii=False, separators=(",", ":")).encode()


def test_expected_right_answer_has_no_fault() -> None:
    assert [EXPECTED.fault(page, status=200, body=body(page)) for page in range(EXPECTED.pages)] == [None, None, None]


def test_expected_wrong_status_is_a_fault() -> None:
    assert EXPECTED.fault(1, status=500, body=body(1)) == "page 1: status 500"


def test_expected_missing_record_is_a_fault() -> None:
    short = make_page(1, of=55, script="mixed", seed=1)[:-1]
    assert EXPECTED.fault(1, status=200, body=body(1, records=short)) == "page 1: 19 records, not 20"


def test_expected_other_value_is_a_fault() -> None:
    records = make_page(0, of=55, script="mixed", seed=1)
    records[3]["reviews"][1]["author"] += "?"
    assert EXPECTED.fault(0, status=200, body=body(0, records=records)) == "page 0: other content than the catalogue's"


class Replies:
    """A connection that answers from a table."""

    def __init__(self, *, status: int = 200, seconds: float = 0.0) -> None:
        self.status = status
        self.seconds = seconds
        self.pages: list[int] = []

    async def get(self, path: str) -> tuple[int, bytes]:
        await asyncio.sleep(self.seconds)
        page = int(path.partition("=")[2])
        self.pages.append(page)
        return self.status, body(page)


def run_sweep(replies: Replies, **options: Any) -> Any:
    connections: Any = [replies, replies]
    return asyncio.run(sweep(connections, expected=EXPECTED, **options))


@pytest.mark.usefixtures("unpaced")
def test_sweep_serves_every_page_in_each_pass() -> None:
    replies = Replies()
    heard: list[tuple[int, int]] = []
    report = run_sweep(replies, seconds=60, passes=2, on_page=lambda done, total: heard.append((done, total)))
    assert sorted(replies.pages[:3]) == sorted(replies.pages[3:]) == [0, 1, 2]
    assert report.served_all
    assert len(report.pass_seconds) == 2
    assert heard == [(number + 1, 6) for number in range(report.requests)]
    assert report.body_bytes == sum(len(body(page)) for page in replies.pages)
    assert report.faults == ()


def test_sweep_of_a_slow_server_goes_on_as_long_as_it_answers() -> None:
    replies = Replies(seconds=0.02)
    report = run_sweep(replies, seconds=0.001)
    assert report.pass_records == (55, 55)
    assert len(report.pass_seconds) == 2
    assert [report.served(number, of=55) for number in range(3)] == [55, 55, 0]


def test_sweep_ends_at_its_bound_and_says_what_was_done() -> None:
    replies = Replies(seconds=0.02)
    report = run_sweep(replies, seconds=0.001, max_seconds=0.01)
    assert not report.served_all
    assert report.requests == len(replies.pages) == 2
    assert report.pass_seconds == ()
    served = sum(EXPECTED.count(page) for page in replies.pages)
    assert report.pass_records == (served,)
    assert report.served(0, of=55) == served
    assert report.served(1, of=55) == 0


def test_sweep_is_paced_over_its_time() -> None:
    assert run_sweep(Replies(), seconds=0.5).seconds >= 0.35  # the sixth page of six is due after 0.375 s


@pytest.mark.usefixtures("unpaced")
def test_sweep_ends_after_a_few_faults() -> None:
    report = run_sweep(Replies(status=503), seconds=30, passes=1000)
    assert 5 <= len(report.faults) <= 6
    assert report.requests == len(report.faults)


def test_connection_without_an_answer_raises_connection_lost(monkeypatch: pytest.MonkeyPatch) -> None:
    async def be_silent(reader: asyncio.StreamReader, _writer: asyncio.StreamWriter) -> None:
        await reader.read()

    async def request() -> None:
        server = await asyncio.start_server(be_silent, "127.0.0.1", 0)
        async with server:
            connection = await connect(server.sockets[0].getsockname()[1])
            try:
                await connection.get("/records?page=0")
            finally:
                await connection.close()

    monkeypatch.setattr("bench.kit.http_client.REPLY_SECONDS", 0.05)
    with pytest.raises(ConnectionLost, match=r"page=0: no answer within 0\.05 s"):
        asyncio.run(request())


def test_connection_closed_by_the_server_raises_connection_lost() -> None:
    async def hang_up(_reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf")
        await writer.drain()
        writer.close()

    async def request() -> None:
        server = await asyncio.start_server(hang_up, "127.0.0.1", 0)
        async with server:
            connection: Connection = await connect(server.sockets[0].getsockname()[1])
            try:
                await connection.get("/records?page=0")
            finally:
                await connection.close()

    with pytest.raises(ConnectionLost, match="page=0"):
        asyncio.run(request())
