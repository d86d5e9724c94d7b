"""Sanic with our functions: what json and stock write and read, on a real server."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from helpers.call_outcome import lasting_repr

pytest.importorskip("sanic", reason="Sanic is not installed")

from helpers.bodies import BODIES, DEEP
from helpers.call_outcome import assert_same, outcome
from helpers.processes import serving
from other_frameworks import sanic_twins as twins
from sanic.request import Request
from sanic.response import BaseHTTPResponse
from sanic_testing.testing import SanicTestClient

from ssrjson_web import scan_utf8_cache
from ssrjson_web.sanic import dumps, loads

VALUES: list[Any] = [
    twins.PAGE,
    [0, -1, 10**30, 1.0, -0.0, 1e16, 1e-7, float("nan"), -float("inf")],
    {1: "int", 2.5: "float", None: "none", "s": (True, None)},
    '"\\/\b\f\n\r\t\0\x1f\x7f\u2028',
    ["\ud800"],
    None,
    [object()],
    {(1, 2): 3},
]


@pytest.fixture(params=["default", "ujson"])
def stock_dumps(request: pytest.FixtureRequest) -> Any:
    """Sanic's functions with ujson and without it."""
    if request.param == "default":
        return lambda value: json.dumps(value, separators=(",", ":"))
    ujson = pytest.importorskip("ujson", reason="ujson is not installed")
    return lambda value: ujson.dumps(value, escape_forward_slashes=False)


@pytest.fixture
def process_wide() -> Iterator[None]:
    """Restores Sanic's functions."""
    known = BaseHTTPResponse._dumps, Request._loads
    yield
    BaseHTTPResponse._dumps, Request._loads = known  # type: ignore[method-assign]


def test_dumps_writes_what_sanic_writes(stock_dumps: Any) -> None:
    assert dumps(twins.PAGE) == stock_dumps(twins.PAGE).encode()
    assert dumps({"a/b": [1.5, "\x1f", None]}) == stock_dumps({"a/b": [1.5, "\x1f", None]}).encode()


@pytest.mark.parametrize("value", VALUES, ids=lasting_repr)
def test_dumps_writes_what_json_writes_compact(value: Any) -> None:
    assert_same(outcome(lambda: dumps(value).decode()), outcome(json.dumps, value, separators=(",", ":")), value)
    options = {"sort_keys": True, "indent": 1, "ensure_ascii": False}
    if value != ["\ud800"]:  # UTF-8 has no form for it
        assert_same(outcome(lambda: dumps(value, **options).decode()), outcome(json.dumps, value, **options), value)


def test_dumps_writes_canonical_json() -> None:
    assert dumps({"é": 1.0, "a": 2}, canonical=True) == '{"a":2,"é":1}'.encode()


def test_dumps_of_an_unknown_option_is_a_type_error_that_names_it() -> None:
    with pytest.raises(TypeError, match="escape_forward_slashes"):
        dumps([], escape_forward_slashes=False)


@pytest.mark.parametrize("name", BODIES)
def test_loads_reads_what_json_reads(name: str) -> None:
    assert_same(outcome(loads, BODIES[name]), outcome(json.loads, BODIES[name]), name)


def test_application_answers_as_json_says(process_wide: None) -> None:
    client = SanicTestClient(twins.ours())
    _, reply = client.get("/page")
    assert (reply.status, reply.headers["x-a"], reply.headers["content-type"]) == (201, "1", "application/json")
    assert reply.content == json.dumps(twins.PAGE, separators=(",", ":")).encode()
    assert scan_utf8_cache(twins.PAGE)["cached_strings"] == 0
    _, reply = client.get("/dates")
    assert reply.content == '{"é":"2020-01-02"}'.encode()


def test_application_under_its_server_answers_as_stock() -> None:
    command = [
        sys.executable,
        "-m",
        "sanic",
        "--factory",
        "--single-process",
        "--port",
        "{port}",
        "--host",
        "127.0.0.1",
    ]
    bodies = {**BODIES, "deep": DEEP}
    answers = []
    for name in ("stock", "ours"):
        with (
            serving([*command, f"other_frameworks.sanic_twins.{name}"], folder=Path(__file__).parents[1]) as address,
            httpx.Client(base_url=f"http://{address}") as client,
        ):
            replies = {each: client.post("/echo", content=body) for each, body in bodies.items()}
            replies["page"] = client.get("/page")
        answers.append({each: (got.status_code, got.content.strip()) for each, got in replies.items()})
    stock, ours = answers
    different = {each for each in stock if stock[each] != ours[each]}
    # ujson, which stock reads with where it is installed, differs from json in what it accepts
    encodings = {"UTF-16", "UTF-16 without a mark", "UTF-32", "byte order mark", "NUL", "encoded surrogate"}
    assert different <= encodings | {"control character", "leading zero"}
    assert (ours["page"][0], ours["truncated"][0], ours["deep"][0]) == (201, 400, 400)
