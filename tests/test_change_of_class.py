"""Requests that become ones of ours: the same object with the GIL; without it one that shares the attributes."""

from __future__ import annotations

import asyncio
import gc
from typing import Any

import pytest
from helpers.builds import IS_FREE_THREADED
from starlette.requests import Request

from ssrjson_web._shared.change_of_class import _twin, of_class
from ssrjson_web.starlette import SSRJSONRequest


def a_request(body: bytes) -> Request:
    async def receive() -> dict[str, Any]:
        return {"type": "http.request", "body": body, "more_body": False}

    return Request({"type": "http", "method": "POST", "path": "/", "headers": []}, receive)


@pytest.mark.parametrize("make", [of_class, _twin])
def test_body_that_one_has_read_the_other_has_too(make: Any) -> None:
    request = a_request(b"[1]")
    ours = make(request, SSRJSONRequest)
    assert type(ours) is SSRJSONRequest
    assert asyncio.run(ours.json()) == [1]
    ours.state.user = "Ada"
    assert vars(request) is vars(ours)
    assert request.state.user == "Ada"
    assert asyncio.run(request.body()) == b"[1]"


def test_twin_keeps_its_attributes_when_the_first_object_is_freed() -> None:
    request = a_request(b"[2]")
    ours = _twin(request, SSRJSONRequest)
    request.note = ["kept"]  # type: ignore[attr-defined]
    del request
    gc.collect()
    assert ours.note == ["kept"]
    assert asyncio.run(ours.body()) == b"[2]"


def test_class_is_changed_in_place_with_the_gil_only() -> None:
    request = a_request(b"")
    assert (of_class(request, SSRJSONRequest) is request) is not IS_FREE_THREADED
    ours = of_class(a_request(b""), SSRJSONRequest)
    assert of_class(ours, SSRJSONRequest) is ours
