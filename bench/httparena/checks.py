"""The answers of a server, checked before it is timed."""

from __future__ import annotations

import gzip
import http.client
import json
from dataclasses import dataclass
from typing import Any

from bench.httparena.profiles import Ask, Profile
from bench.kit.processes import HOST

__all__ = ["Answers", "WrongAnswerError", "ask", "check", "differences"]

_SECONDS = 30


class WrongAnswerError(Exception):
    """An answer that HttpArena's rules do not allow, or that differs from another server's."""


@dataclass(frozen=True, kw_only=True)
class Answers:
    """What a server said to the requests of a profile."""

    bodies: tuple[bytes, ...]
    """Unpacked."""
    mean_bytes: float
    """Of the bodies as they were sent."""


def ask(port: int, request: Ask) -> tuple[http.client.HTTPResponse, bytes]:
    """The answer, and its body as it was sent. Raises OSError and HTTPException."""
    connection = http.client.HTTPConnection(HOST, port, timeout=_SECONDS)
    try:
        if request.is_chunked:
            connection.request(
                request.method,
                request.path,
                iter([request.body]),
                {**request.headers, "Transfer-Encoding": "chunked"},
                encode_chunked=True,
            )
        else:
            connection.request(request.method, request.path, request.body or None, dict(request.headers))
        answer = connection.getresponse()
        return answer, answer.read()
    finally:
        connection.close()


def check(port: int, profile: Profile) -> Answers:
    """The answers to all requests of a profile. Raises WrongAnswerError."""
    bodies, sizes = [], []
    for request in profile.asks():
        what = f"{request.method} {request.path}"
        answer, packed = ask(port, request)
        kind = answer.headers.get("Content-Type", "")
        coding = answer.headers.get("Content-Encoding", "")
        if answer.status != 200 or kind.partition(";")[0] != request.media_type:
            raise WrongAnswerError(f"{what}: status {answer.status}, {kind}")
        if (coding in ("gzip", "br")) != profile.is_compressed:
            raise WrongAnswerError(f"{what}: its Content-Encoding is {coding!r}")
        body = _unpacked(packed, coding)
        if not request.is_right(body):
            raise WrongAnswerError(f"{what}: a wrong body, {body[:80]!r}")
        bodies.append(body)
        sizes.append(len(packed))
    return Answers(bodies=tuple(bodies), mean_bytes=sum(sizes) / len(sizes))


def differences(answers: Answers, reference: Answers) -> str:
    """Empty where the bodies are the same bytes, `other bytes` where only the values are. Raises WrongAnswerError."""
    if answers.bodies == reference.bodies:
        return ""
    for ours, theirs in zip(answers.bodies, reference.bodies, strict=True):
        if _value_of(ours) != _value_of(theirs):
            raise WrongAnswerError(f"other answers than the first server: {ours[:80]!r}, {theirs[:80]!r}")
    return "other bytes"


def _value_of(body: bytes) -> Any:
    return json.loads(body)


def _unpacked(body: bytes, coding: str) -> bytes:
    if coding == "gzip":
        return gzip.decompress(body)
    if coding == "br":
        import brotli

        unpacked: bytes = brotli.decompress(body)
        return unpacked
    return body
