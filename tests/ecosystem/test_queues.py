"""Celery, dramatiq, RQ, arq, FastStream, Kafka's clients and pika send and receive what the core writes."""

from __future__ import annotations

import asyncio
import datetime
import json
import uuid
from typing import Any

import pytest
from ecosystem.page import VALUE, fresh_value, has_no_copy, recorded, run_section

COMPACT = json.dumps(VALUE, ensure_ascii=False, separators=(",", ":")).encode()


def echo_job(value: Any) -> Any:
    """What a worker runs; RQ finds it by its name."""
    return {"echo": value}


@pytest.mark.parametrize("broker", ["memory", "redis", "amqp"])
def test_celery(broker: str, request: pytest.FixtureRequest) -> None:
    celery = pytest.importorskip("celery", reason="Celery is not installed")
    from celery.contrib.testing.worker import start_worker
    from kombu.serialization import registry

    urls = {"memory": "memory://", "redis": "redis://127.0.0.1:%d/3", "amqp": "amqp://guest:guest@127.0.0.1:%d//"}
    url = urls[broker]
    if broker == "redis":
        redis = pytest.importorskip("redis", reason="redis is not installed")
        if redis.VERSION < (6, 1):
            pytest.skip("kombu wants redis 6.1, which arq excludes")
        url %= request.getfixturevalue("redis_port")
    elif broker == "amqp":
        url %= request.getfixturevalue("rabbitmq_port")
    app = celery.Celery("tests", broker=url, backend="cache+memory://", set_as_current=False)
    try:
        run_section("Celery and kombu", app=app)
        seen: list[Any] = []

        @app.task(name=f"tests.echo_{broker}")  # type: ignore[untyped-decorator]
        def echo(value: Any, when: Any) -> Any:
            seen.append(value)
            return {"echo": value, "when": when, "id": uuid.UUID(int=1)}

        value = fresh_value()
        with (
            start_worker(app, perform_ping_check=False, pool="solo", loglevel="ERROR", shutdown_timeout=120),
            recorded() as recorder,
        ):
            result = echo.delay(value, datetime.date(2026, 1, 2)).get(timeout=30)
        assert result == {"echo": VALUE, "when": "2026-01-02", "id": str(uuid.UUID(int=1))}
        assert seen == [VALUE]
        assert recorder.encodes >= 1
        content_type, encoding, payload = registry.dumps([value], serializer="ssrjson")
        assert (content_type, encoding, payload) == ("application/x-ssrjson", "utf-8", b"[" + COMPACT + b"]")
        assert has_no_copy(value)
    finally:
        app.close()
        registry.unregister("ssrjson")


def test_dramatiq() -> None:
    dramatiq = pytest.importorskip("dramatiq", reason="dramatiq is not installed")
    from dramatiq.brokers.stub import StubBroker

    old_encoder = dramatiq.get_encoder()
    broker = StubBroker()
    broker.emit_after("process_boot")
    dramatiq.set_broker(broker)
    try:
        run_section("dramatiq")
        seen: list[Any] = []
        echo = dramatiq.actor(seen.append, actor_name="echo", broker=broker)
        value = fresh_value()
        with recorded() as recorder:
            echo.send(value)
        assert recorder.encodes >= 1
        worker = dramatiq.Worker(broker, worker_timeout=100)
        worker.start()
        broker.join(echo.queue_name)
        worker.join()
        worker.stop()
        assert seen == [VALUE]
        assert has_no_copy(value)
    finally:
        dramatiq.set_encoder(old_encoder)


def test_rq(redis_port: int) -> None:
    rq = pytest.importorskip("rq", reason="RQ is not installed")
    redis = pytest.importorskip("redis", reason="redis is not installed")
    from ssrjson_web import orjson

    value = fresh_value()
    with redis.Redis(port=redis_port, db=4) as client:
        queue = run_section("RQ", client=client)["queue"]
        with recorded() as recorder:
            job = queue.enqueue(echo_job, value)
            assert recorder.encodes >= 1
        rq.SimpleWorker([queue], connection=client, serializer=orjson).work(burst=True)
        job.refresh()
        assert job.return_value() == {"echo": VALUE}
    assert has_no_copy(value)


def test_arq(redis_port: int) -> None:
    arq = pytest.importorskip("arq", reason="arq is not installed")
    from arq.connections import RedisSettings

    value = fresh_value()

    async def echo(context: Any, value: Any) -> Any:
        return {"echo": value}

    async def run() -> None:
        names = run_section("arq", settings=RedisSettings(port=redis_port, database=5))
        pool = await names["pool"]()
        with recorded() as recorder:
            job = await pool.enqueue_job("echo", value)
            assert recorder.encodes == 1
        worker = arq.Worker(
            [arq.func(echo, name="echo")], redis_pool=pool, burst=True, handle_signals=False, poll_delay=0.05,
            job_serializer=names["encode"], job_deserializer=names["loads"],
        )  # fmt: skip
        await worker.main()
        assert await job.result(timeout=5) == {"echo": VALUE}
        await worker.close()

    asyncio.run(run())
    assert has_no_copy(value)


def test_faststream() -> None:
    pytest.importorskip("faststream", reason="FastStream is not installed")
    redis = pytest.importorskip("faststream.redis", reason="FastStream's Redis part is not installed")
    names = run_section("FastStream", url="redis://127.0.0.1:1")
    broker = names["broker"]
    seen: list[Any] = []

    @broker.subscriber("books")  # type: ignore[untyped-decorator]
    async def take(value: dict[str, Any]) -> None:
        seen.append(value)

    value = fresh_value()

    async def run() -> None:
        async with redis.TestRedisBroker(broker):
            with recorded() as recorder:
                await names["publish"](value)
            assert (recorder.encodes, recorder.decodes) == (1, 1)

    asyncio.run(run())
    assert seen == [VALUE]
    assert has_no_copy(value)


def test_aiokafka() -> None:
    pytest.importorskip("aiokafka", reason="aiokafka is not installed")
    value = fresh_value()

    async def run() -> None:
        producer, consumer = run_section("aiokafka", servers="127.0.0.1:1")["clients"]()
        with recorded() as recorder:
            payload = producer._value_serializer(value)  # there is no broker to send it to
            assert payload == COMPACT
            assert consumer._value_deserializer(payload) == VALUE
        assert (recorder.encodes, recorder.decodes) == (1, 1)

    asyncio.run(run())
    assert has_no_copy(value)


def test_confluent_kafka() -> None:
    pytest.importorskip("confluent_kafka", reason="confluent-kafka is not installed")
    value = fresh_value()
    names = run_section("confluent-kafka", servers="127.0.0.1:1")
    producer, consumer = names["producer"], names["consumer"]
    with recorded() as recorder:
        payload = producer._value_serializer(value, None)  # there is no broker to send it to
        assert payload == COMPACT
        assert consumer._value_deserializer(payload, None) == VALUE
    assert (recorder.encodes, recorder.decodes) == (1, 1)
    consumer.close()
    assert has_no_copy(value)


def test_pika(rabbitmq_port: int) -> None:
    pika = pytest.importorskip("pika", reason="pika is not installed")
    value = fresh_value()
    parameters = pika.ConnectionParameters("127.0.0.1", rabbitmq_port)
    connection = pika.BlockingConnection(parameters)
    try:
        channel = connection.channel()
        channel.queue_declare("books")
        assert run_section("pika", channel=channel, book=value)["same"] == VALUE
    finally:
        connection.close()
    assert has_no_copy(value)
