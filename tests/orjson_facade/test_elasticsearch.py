"""elasticsearch's client has a serializer on orjson: the same bytes and errors with ssrjson_web.orjson in its place."""

from __future__ import annotations

import datetime
import decimal
import math
import uuid
from collections.abc import Callable
from typing import Any

import pytest
from orjson_facade.users import assert_same_with_both

from ssrjson_web import orjson as ours

theirs = pytest.importorskip("orjson", reason="orjson is not installed: nothing to compare with")
np = pytest.importorskip("numpy", reason="numpy is not installed")
serializers = pytest.importorskip("elasticsearch.serializer", reason="elasticsearch is not installed")
pytestmark = pytest.mark.skipif(
    theirs.__version__ != ours.__version__, reason="another orjson than the one that is followed"
)

MOMENT = datetime.datetime(2026, 11, 23, 12, 30, 15, 250_000)
BODIES: dict[str, Any] = {
    "query": {"query": {"bool": {"must": [{"match": {"title": "Überraschung 中文 😀"}}], "filter": []}}, "size": 10},
    "document": {"id": 1, "price": 12.5, "made": MOMENT, "day": MOMENT.date(), "tags": ("a", "b"), "none": None},
    "zones": [MOMENT.replace(tzinfo=datetime.timezone(datetime.timedelta(hours=hours))) for hours in (-5, 0, 9)],
    "what default knows": {"price": decimal.Decimal("1.50"), "key": uuid.UUID(int=5), "wide": decimal.Decimal("1e30")},
    "vector": {"vector": np.arange(8, dtype="f4") / 3, "ints": np.arange(3), "flags": np.array([True, False])},
    "scalars": [np.float32(0.1), np.float64(0.1), np.int8(-3), np.bool_(True), np.datetime64("2026-01-01T00:00:00")],
    "left to default": [np.arange(4)[::2], np.array(["é"]), np.arange(6).reshape(2, 3).T, np.array([1], dtype=">i4")],
    "floats": [math.nan, math.inf, 1e16, 5e-324, -0.0],
    "ints": [2**63, -(2**63), 2**64 - 1],
    "wide ints": [2**64],
    "keys": {1: 2},
    "surrogate": ["\ud800"],
    "set": {"a": {1}},
    "object": object,
    "circle": None,
    "text": '{"a": 1}',
    "bytes": b'{"a": 1}',
}
BODIES["circle"] = circle = []
circle.append(circle)
ANSWERS = [b'{"hits": {"total": 1, "hits": [{"_source": {"t": "\xc3\xa9"}}]}}', b"[2.5, 1e400, 18446744073709551616]"]
ANSWERS += [b"{", b"", b"[1,]", b"NaN", b'"\xff"', b"{} x", b'["\\ud800"]', b"[" * 2000]


@pytest.fixture
def put(monkeypatch: pytest.MonkeyPatch) -> Callable[[Any], None]:
    return lambda module: monkeypatch.setattr("elastic_transport._serializer.orjson", module)


@pytest.mark.parametrize("name", [name for name in BODIES if name not in ("text", "bytes")])
def test_body_is_written_or_refused_alike(put: Callable[[Any], None], name: str) -> None:
    assert_same_with_both(theirs, put, lambda: serializers.OrjsonSerializer().dumps(BODIES[name]))


def test_text_and_bytes_are_passed_on(put: Callable[[Any], None]) -> None:
    put(ours)
    written = [serializers.OrjsonSerializer().dumps(BODIES[name]) for name in ("text", "bytes")]
    assert written == [BODIES["bytes"]] * 2


@pytest.mark.parametrize("answer", [answer for answer in ANSWERS if answer], ids=lambda answer: repr(answer[:40]))
def test_answer_is_read_or_refused_alike(put: Callable[[Any], None], answer: bytes) -> None:
    assert_same_with_both(theirs, put, lambda: serializers.OrjsonSerializer().loads(answer))


def test_client_uses_the_serializer(put: Callable[[Any], None]) -> None:
    client = pytest.importorskip("elasticsearch").Elasticsearch(
        "http://127.0.0.1:9", serializer=serializers.OrjsonSerializer()
    )
    collection = client.transport.serializers
    assert_same_with_both(theirs, put, lambda: collection.dumps(BODIES["document"], "application/json"))
    assert_same_with_both(theirs, put, lambda: collection.loads(ANSWERS[0], "application/json"))
    client.close()
