"""observe: other libraries' calls timed once each, with their results and errors, and put back exactly."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from helpers.processes import run_python

import ssrjson_web
from ssrjson_web.monitor.observation import LIBRARIES, observe
from ssrjson_web.monitor.recorder import record

orjson = pytest.importorskip("orjson")
msgspec = pytest.importorskip("msgspec")
pydantic = pytest.importorskip("pydantic")
pydantic_core = pytest.importorskip("pydantic_core")

PLACES = [
    (json, "dumps"),
    (json, "loads"),
    (json.JSONEncoder, "encode"),
    (json.JSONDecoder, "decode"),
    (orjson, "dumps"),
    (orjson, "loads"),
    (msgspec.json, "encode"),
    (msgspec.json, "decode"),
    (pydantic.BaseModel, "model_dump_json"),
    (pydantic.BaseModel, "model_validate_json"),
    (pydantic.TypeAdapter, "dump_json"),
    (pydantic.TypeAdapter, "validate_json"),
    (pydantic_core, "to_json"),
    (pydantic_core, "from_json"),
]


class Book(pydantic.BaseModel):  # type: ignore[misc]
    title: str = "é"


ADAPTER = pydantic.TypeAdapter(list[int])
DUMPS, LOADS = json.dumps, json.loads  # as names that were imported before

CALLS: list[tuple[str, Callable[[], Any], str, int, bool]] = [
    ("json", lambda: json.dumps([1, 2]), "encode", 6, True),
    ("json", lambda: json.dumps([1], indent=1), "encode", 6, True),
    ("json", lambda: json.JSONEncoder().encode([1]), "encode", 3, True),
    ("json", lambda: DUMPS([1, 2]), "encode", 6, True),
    ("json", lambda: json.loads(b"[1, 2]"), "decode", 6, True),
    ("json", lambda: json.loads(s="[1]"), "decode", 3, True),
    ("json", lambda: LOADS("[1]"), "decode", 3, True),
    ("json", lambda: json.JSONDecoder().decode("[1]"), "decode", 3, True),
    ("json", lambda: json.loads("[1"), "decode", 2, False),
    ("orjson", lambda: orjson.dumps({"é": 1}), "encode", 8, True),
    ("orjson", lambda: orjson.loads(memoryview(b"[1]")), "decode", 3, True),
    ("orjson", lambda: orjson.dumps(object()), "encode", 0, False),
    ("msgspec", lambda: msgspec.json.encode([1]), "encode", 3, True),
    ("msgspec", lambda: msgspec.json.decode(b"[1]", type=list[int]), "decode", 3, True),
    ("pydantic", lambda: Book().model_dump_json(), "encode", 13, True),
    ("pydantic", lambda: Book.model_validate_json('{"title": "x"}'), "decode", 14, True),
    ("pydantic", lambda: Book.model_validate_json(json_data=b"[]"), "decode", 2, False),
    ("pydantic", lambda: ADAPTER.dump_json([1]), "encode", 3, True),
    ("pydantic", lambda: ADAPTER.validate_json("[1]"), "decode", 3, True),
    ("pydantic", lambda: pydantic_core.to_json([1]), "encode", 3, True),
    ("pydantic", lambda: pydantic_core.from_json(b"[1]"), "decode", 3, True),
]


def outcome(call: Callable[[], Any]) -> tuple[str, str]:
    try:
        return "value", repr(call())
    except Exception as error:
        return type(error).__name__, str(error)


@pytest.mark.parametrize(("library", "call", "direction", "size", "succeeds"), CALLS)
def test_observed_call_counts_once_and_gives_the_same(
    library: str, call: Callable[[], Any], direction: str, size: int, succeeds: bool
) -> None:
    expected = outcome(call)
    assert (expected[0] == "value") is succeeds
    with observe(*LIBRARIES), record() as recorder:
        assert outcome(call) == expected
    (name,) = recorder.observed
    calls = recorder.observed[name]
    other = "decode" if direction == "encode" else "encode"
    assert name == library
    assert (getattr(calls, f"{direction}s"), getattr(calls, f"{direction}d_bytes")) == (1, size)
    assert (getattr(calls, f"{other}s"), getattr(calls, f"{other}_ns")) == (0, 0)
    assert recorder.json_ns == getattr(calls, f"{direction}_ns") > 0
    assert recorder.encodes == recorder.decodes == 0


def test_removed_observation_leaves_every_place_as_it_was() -> None:
    before = [vars(owner)[name] for owner, name in PLACES]
    observation = observe(*LIBRARIES)
    during = [vars(owner)[name] for owner, name in PLACES]
    assert all(now is not then for now, then in zip(during, before, strict=True))
    observation.remove()
    observation.remove()
    assert all(vars(owner)[name] is then for (owner, name), then in zip(PLACES, before, strict=True))


def test_second_observation_neither_counts_twice_nor_ends_with_the_first() -> None:
    original = orjson.dumps
    first, second = observe("orjson", "orjson"), observe("orjson", "json")
    with record() as recorder:
        orjson.dumps(1)
    assert recorder.observed["orjson"].encodes == 1
    first.remove()
    assert orjson.dumps is not original
    second.remove()
    assert orjson.dumps is original


def test_place_that_somebody_replaced_meanwhile_is_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(orjson, "dumps", orjson.dumps)
    observation = observe("orjson")
    timed = orjson.dumps
    theirs = lambda value: timed(value)  # noqa: E731
    orjson.dumps = theirs
    observation.remove()
    assert orjson.dumps is theirs
    assert orjson.dumps([1]) == b"[1]"


@pytest.mark.parametrize("unknown", ["ujson", "", "JSON"])
def test_unknown_library_is_refused_before_anything_is_replaced(unknown: str) -> None:
    original = json.dumps
    with pytest.raises(ValueError, match=r"^observe: .* is not one of json, orjson, msgspec, pydantic$"):
        observe("json", unknown)
    assert json.dumps is original


def test_library_that_is_missing_is_refused_by_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "orjson", None)
    original = json.dumps
    with pytest.raises(ValueError, match=r"^observe: orjson cannot be imported"):
        observe("json", "orjson")
    assert json.dumps is original


def test_nested_calls_of_several_libraries_belong_to_the_outermost() -> None:
    with observe(*LIBRARIES), record() as recorder:
        orjson.dumps([object()], default=lambda _: orjson.Fragment(ssrjson_web.dumps_to_bytes(json.loads("[1]"))))
        ssrjson_web.dumps([object()], default=lambda _: orjson.loads(msgspec.json.encode([1])))
    assert list(recorder.observed) == ["orjson"]
    assert (recorder.observed["orjson"].encodes, recorder.encodes, recorder.decodes) == (1, 1, 0)


def test_calls_without_a_recorder_are_passed_on_and_not_counted() -> None:
    with observe("orjson"):
        assert orjson.dumps([1], option=orjson.OPT_APPEND_NEWLINE) == b"[1]\n"
        with record() as recorder:
            thread = threading.Thread(target=orjson.dumps, args=([1],))
            thread.start()
            thread.join()
    assert recorder.observed == {}


def test_recorder_of_an_inner_block_counts_apart() -> None:
    with record() as outer:
        ssrjson_web.dumps(1)
        with record() as inner:
            ssrjson_web.dumps([1])
        ssrjson_web.loads("1")
    assert (outer.encodes, outer.decodes, inner.encodes) == (1, 1, 1)


def test_renderer_of_rest_framework_keeps_working_under_observation(tmp_path: Path) -> None:
    pytest.importorskip("rest_framework")
    ran = run_python(
        """
        import django.conf
        django.conf.settings.configure(REST_FRAMEWORK={"STRICT_JSON": False}, INSTALLED_APPS=["rest_framework"])
        django.setup()
        from rest_framework.utils.encoders import JSONEncoder
        from ssrjson_web.rest_framework import SSRJSONRenderer
        from ssrjson_web.monitor.observation import observe

        class Renderer(SSRJSONRenderer):
            nan = "null"
            encoder_class = type("Own", (JSONEncoder,), {})

        with observe("json"):
            print(Renderer().render([float("nan")]).decode())
        """,
        tmp_path,
    )
    assert (ran.stdout.strip(), ran.returncode) == ("[null]", 0), ran.stderr
