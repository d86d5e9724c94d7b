"""Server-sent events as a browser reads them, and the ways in which a client of a server may leave."""

from __future__ import annotations

import json
import time
from dataclasses import dataclass
from typing import Any

from helpers.tracked_sources import Watched, asked, body_of, read_all, wait_until

BUFFERED_BYTES = 8 << 20
"""What the kernel and a transport may buffer."""
N_CHARS = 2000


@dataclass(frozen=True)
class Event:
    """What a client gets of one event."""

    data: Any
    event: str = "message"
    id: str = ""


def events_of(text: bytes) -> list[Event]:
    """The events of a stream with their data decoded, by the rules of WHATWG HTML, 9.2.6."""
    events: list[Event] = []
    data: list[str] = []
    name, last_id = "message", ""
    for line in text.decode().replace("\r\n", "\n").replace("\r", "\n").split("\n"):
        field, _, value = line.partition(":")
        value = value.removeprefix(" ")
        if not line:
            if data:
                events.append(Event(json.loads("\n".join(data)), name, last_id))
            data, name = [], "message"
        elif field == "data":
            data.append(value)
        elif field == "event":
            name = value
        elif field == "id":
            last_id = value
    return events


def check_whole_stream(port: int, path: str, source: Watched) -> None:
    """A client that reads all gets each item, and headers that keep proxies from holding events back."""
    with asked(port, path) as client:
        reply = read_all(client)
    head = reply.partition(b"\r\n\r\n")[0].lower()
    assert b"content-type: text/event-stream" in head
    assert b"cache-control: no-cache" in head
    assert b"x-accel-buffering: no" in head
    body, is_whole = body_of(reply)
    assert is_whole
    assert [event.data for event in events_of(body)] == source.values
    wait_until(lambda: source.closed == 1, "the source was not closed")


def check_slow_client(port: int, path: str, source: Watched) -> None:
    """The source waits for a client that does not read, and the client gets all once it does."""
    with asked(port, path) as client:
        before = -1
        while source.pulled != before:
            before = source.pulled
            time.sleep(0.3)
        assert 0 < source.pulled * 2 * N_CHARS < BUFFERED_BYTES
        assert [event.data for event in events_of(body_of(read_all(client))[0])] == source.values


def check_client_that_leaves(port: int, path: str, source: Watched) -> None:
    """The source is closed, and no further item pulled, when a client closes its connection."""
    with asked(port, path) as client:
        while b"data: " not in client.recv(1000):
            pass
    wait_until(lambda: source.closed == 1, "the source was not closed")
    pulled = source.pulled
    time.sleep(0.1)
    assert source.pulled == pulled


def check_silent_source(port: int, path: str, source: Watched) -> None:
    """A client of a silent source gets comments."""
    with asked(port, path) as client:
        got = b""
        while got.count(b": ping\n\n") < 3:
            more = client.recv(1000)
            assert more, got
            got += more
    assert source.pulled == 0
