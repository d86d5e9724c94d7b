"""How often a route's values go around validation: shown of FastAPI applications, and of no others."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import httpx
import pytest

pytest.importorskip("fastapi", reason="FastAPI is not installed")

from helpers.processes import run_python, serving
from monitor.calls import BEARER, GUNICORN_UVICORN, UVICORN, serving_shop

parser = pytest.importorskip("prometheus_client.parser")

TESTS = Path(__file__).parent.parent
SERVERS = {
    "uvicorn, added": serving_shop(UVICORN, "asgi"),
    "uvicorn, wrapped": serving_shop(UVICORN, "wrapped"),
    "uvicorn, 2 workers, added": [*serving_shop(UVICORN, "asgi"), "--workers", "2"],
    "gunicorn --preload, 2 workers, wrapped": [*serving_shop(GUNICORN_UVICORN, "wrapped"), "--preload", "-w", "2"],
}
ADD, CHECKED, ONE = "POST /orders", "GET /orders/checked", "GET /admin/orders/{number}"
N_ROUNDS = 12

pytestmark = [
    pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="needs Linux's /proc"),
]


def ask_each_route(address: str) -> None:
    for n in range(N_ROUNDS):
        with httpx.Client(base_url=f"http://{address}") as client:  # a connection each round: workers share them
            title = f"{n}"
            assert client.post("/orders", json={"title": title}).json() == {"title": title}
            assert client.post("/orders", json={"title": 1}).status_code == 422
            assert client.get("/orders/checked").json() == {"title": "x"}
            assert client.get(f"/admin/orders/{n}").json() == {"title": title}
            assert client.get("/untyped").json() == {"title": "x"}


def totals(figures: dict[str, Any]) -> tuple[int, int]:
    return tuple(figures[f"{name}_around"] + figures[f"{name}_validated"] for name in ("answers", "bodies"))  # type: ignore[return-value]


def stats_of_all(address: str) -> Any:
    """Figures with all requests; other workers tell theirs once a second."""
    deadline = time.monotonic() + 30
    while True:
        stats = httpx.get(f"http://{address}/ssrjson/stats", headers=BEARER, timeout=60).json()
        if stats["requests"]["count"] == 5 * N_ROUNDS:
            return stats
        assert time.monotonic() < deadline, stats["requests"]["count"]
        time.sleep(0.1)


@pytest.mark.parametrize("name", SERVERS)
def test_values_of_each_route_are_counted_over_all_workers(name: str) -> None:
    with serving(SERVERS[name], folder=TESTS) as address:
        ask_each_route(address)
        stats = stats_of_all(address)
        time.sleep(2)  # whichever worker answers knows the last figures of the others by now
        metrics = httpx.get(f"http://{address}/ssrjson/metrics", headers=BEARER, timeout=60).text
    routes, workers = stats["routes"], [worker["routes"] for worker in stats["workers"]]
    assert routes.keys() == {ADD, CHECKED, ONE}
    assert totals(routes[ADD]) == (N_ROUNDS, 2 * N_ROUNDS)
    assert routes[ADD]["answers_validated"] == 0
    assert (routes[ADD]["bodies_around"], routes[ADD]["bodies_validated"]) == (N_ROUNDS, N_ROUNDS)
    assert (routes[CHECKED]["answers_around"], routes[CHECKED]["answers_validated"]) == (0, N_ROUNDS)
    assert (totals(routes[CHECKED]), totals(routes[ONE])) == ((N_ROUNDS, 0), (N_ROUNDS, 0))
    assert routes[ONE]["answers_around"] > 0
    assert routes[CHECKED]["reason"].endswith(
        "validated by pydantic because of Checked.title: the validator Checked.check"
    )
    assert routes[ADD]["reason"].endswith("validated by it or by pydantic")
    for route, figures in routes.items():
        for figure, number in figures.items():
            if figure != "reason":
                assert number == sum(each[route][figure] for each in workers if route in each)
    check_metrics(metrics, routes)


def check_metrics(text: str, routes: dict[str, Any]) -> None:
    families = {family.name: family for family in parser.text_string_to_metric_families(text)}
    values, reasons = families["ssrjson_route_values"], families["ssrjson_route_reason"]
    assert (values.type, reasons.type) == ("counter", "gauge")
    sums: dict[tuple[str, str], float] = {}
    for sample in values.samples:
        assert sample.name == "ssrjson_route_values_total"
        key = sample.labels["route"], f"{sample.labels['value']}_{sample.labels['way']}"
        sums[key] = sums.get(key, 0) + sample.value
    expected = {(route, figure): n for route, figures in routes.items() for figure, n in figures.items()}
    absent = {(route, f"bodies_{way}") for route in (CHECKED, ONE) for way in ("around", "validated")}  # no body
    assert sums == {key: n for key, n in expected.items() if key[1] != "reason" and key not in absent}
    assert {sample.labels["route"]: sample.labels["reason"] for sample in reasons.samples} == {
        route: figures["reason"] for route, figures in routes.items()
    }
    assert [sample.value for sample in reasons.samples] == [1, 1, 1]


def test_application_of_another_framework_shows_nothing() -> None:
    with serving(UVICORN, folder=TESTS) as address:
        assert httpx.get(f"http://{address}/books").status_code == 200
        stats = httpx.get(f"http://{address}/ssrjson/stats", headers=BEARER).json()
        metrics = httpx.get(f"http://{address}/ssrjson/metrics", headers=BEARER).text
    assert (stats["routes"], stats["workers"][0]["routes"]) == ({}, {})
    assert "ssrjson_route" not in metrics


PREPARATION = """
import json, os
from fastapi import FastAPI
from fastapi.testclient import TestClient
from monitor.shop import Order, made
from starlette.applications import Starlette
from starlette.routing import Host, Mount
from ssrjson_web.asgi import MemoryMiddleware
from ssrjson_web.fastapi import setup

OPTIONS = dict(enabled=True, token="0123456789abcdef", share=False)
BEARER = {"authorization": "Bearer 0123456789abcdef"}

def shown(client, prefix=""):
    stats = client.get(prefix + "/ssrjson/stats", headers=BEARER).json()
    print(json.dumps({route: list(figures.values())[:4] for route, figures in stats["routes"].items()}))
"""


def ran(snippet: str) -> list[Any]:
    result = run_python(PREPARATION + snippet, TESTS)
    assert result.returncode == 0, result.stderr
    return [json.loads(line) for line in result.stdout.splitlines()]


def test_application_within_one_of_starlettes_is_shown_with_its_prefix() -> None:
    (shown,) = ran("""
shop = made()
app = Starlette(routes=[Mount("/shop", shop), Host("shop.example", shop)])
app.add_middleware(MemoryMiddleware, **OPTIONS)
client = TestClient(app)
for n in range(3):
    client.get("/shop/admin/orders/7")
shown(client)
""")
    assert shown == {
        name: [3, 0, 0, 0] for name in ("GET /shop/admin/orders/{number}", "GET //shop.example/admin/orders/{number}")
    }


def test_middleware_around_a_mounted_application_shows_that_one_only() -> None:
    (shown,) = ran("""
app = made()
app.mount("/inner", MemoryMiddleware(made(), **OPTIONS))
client = TestClient(app)
for n in range(3):
    client.get("/inner/orders/checked")
    client.get("/orders/checked")
shown(client, "/inner")
""")
    assert shown == {CHECKED: [0, 3, 0, 0]}


def test_application_without_setup_shows_nothing() -> None:
    (shown,) = ran("""
app = FastAPI()
app.add_middleware(MemoryMiddleware, **OPTIONS)

@app.get("/")
def order() -> Order:
    return {"title": "x"}

client = TestClient(app)
client.get("/")
shown(client)
""")
    assert shown == {}


def test_child_of_a_fork_begins_at_zero() -> None:
    parent, child, parent_again = ran("""
app = made()
app.add_middleware(MemoryMiddleware, **OPTIONS)

def ask(n):
    client = TestClient(app)
    for _ in range(n):
        client.get("/orders/checked")
        client.get("/admin/orders/7")
    return client

shown(ask(3))
import sys
sys.stdout.flush()
pid = os.fork()
if pid == 0:
    shown(ask(2))
    sys.stdout.flush()
    os._exit(0)
os.waitpid(pid, 0)
shown(ask(1))
""")
    assert parent == {CHECKED: [0, 3, 0, 0], ONE: [3, 0, 0, 0]}
    assert child == {CHECKED: [0, 2, 0, 0], ONE: [2, 0, 0, 0]}
    assert parent_again == {CHECKED: [0, 4, 0, 0], ONE: [4, 0, 0, 0]}
