"""SSRJSON = {"COMPARE": ...}: REST framework and the core do the same work; what differs is named and not served."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("rest_framework", reason="Django REST framework is not installed")

from helpers.processes import run_python

from ssrjson_web._compare import comparison
from ssrjson_web._compare.record import RECORD


@pytest.fixture(autouse=True)
def fresh_record() -> Iterator[None]:
    RECORD.reset_after_fork()
    yield
    RECORD.reset_after_fork()


@pytest.fixture(params=["stock", "core"])
def serve(request: pytest.FixtureRequest) -> Iterator[str]:
    from django.test import override_settings

    from ssrjson_web.rest_framework import setup, teardown

    with override_settings(SSRJSON={"COMPARE": 1.0, "SERVE": request.param}):
        setup()
        yield request.param
        teardown()


def numbers(route: str) -> tuple[int, int]:
    found = RECORD.figures()["routes"].get(route, {"compared": 0, "differ": 0})
    return found["compared"], found["differ"]


@functools.cache
def classes() -> Any:
    from rest_framework import serializers

    class Line(serializers.Serializer):  # type: ignore[misc]
        title = serializers.CharField(max_length=9)
        n = serializers.IntegerField(required=False)

    class Checked(Line):
        def validate_title(self, title: str) -> str:
            CALLED.append(title)
            return title

    class Shown(serializers.Serializer):  # type: ignore[misc]
        title = serializers.SerializerMethodField()

        def get_title(self, row: Any) -> str:
            CALLED.append(row["title"])
            return "x"

    class Order(serializers.Serializer):  # type: ignore[misc]
        lines = Line(many=True)

    return {"Line": Line, "Checked": Checked, "Shown": Shown, "Order": Order}


CALLED: list[str] = []


def request_of(body: bytes) -> Any:
    """What REST framework's view makes of a request, with our classes, and its answer: the value that was sent."""
    from rest_framework.response import Response
    from rest_framework.test import APIRequestFactory
    from rest_framework.views import APIView

    from ssrjson_web.rest_framework import SSRJSONParser, SSRJSONRenderer

    class View(APIView):  # type: ignore[misc]
        parser_classes, renderer_classes = (SSRJSONParser,), (SSRJSONRenderer,)

        def post(self, request: Any) -> Response:
            return Response({"got": request.data})

    request = APIRequestFactory().post("/", body, content_type="application/json")
    return View.as_view()(request).render()


def test_bodies_and_answers_that_are_alike_do_not_differ(serve: str) -> None:
    for body in (b'{"a": "\xc3\xa9"}', b"[1.5, null]", b"{", b"\xff", b'{"a": NaN}', b"[" * 100_000):
        try:
            answer = request_of(body)
        except RecursionError:
            assert serve == "stock"  # the difference of the core's parser
            continue
        assert answer.status_code == (200 if body[:2] in (b'{"', b"[1") and b"NaN" not in body else 400), body
    figures = RECORD.figures()
    assert figures["left_out"] == {}
    assert [one["place"] for one in figures["differences"]] == ["an exception"]


def test_another_byte_of_an_answer_is_found_and_not_served(
    serve: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    from ssrjson_web._shared.hooked_encoder import HookedEncoder

    encode = HookedEncoder.encode
    monkeypatch.setattr(HookedEncoder, "encode", lambda *args: encode(*args).replace(b"Jos", b"XXX"))
    assert request_of(b'{"name": "Jos"}').content == b'{"got":{"name":"%s"}}' % (b"Jos" if serve == "stock" else b"XXX")
    (difference,) = RECORD.figures()["differences"]
    assert difference["route"] == "POST without a route"
    assert (difference["part"], difference["place"]) == ("answer", "byte 16, .got.name")
    assert "Jos" not in str(difference) + caplog.text
    assert "the core's answer differs from stock's at byte 16" in caplog.text


def test_another_value_of_a_body_is_found_and_not_served(serve: str, monkeypatch: pytest.MonkeyPatch) -> None:
    from ssrjson_web.rest_framework import _parsing

    monkeypatch.setattr(_parsing, "_decode_strictly", lambda body: {"a": 2})
    assert request_of(b'{"a": 1}').data == {"got": {"a": 1 if serve == "stock" else 2}}
    (difference,) = RECORD.figures()["differences"]
    assert (difference["part"], difference["place"]) == ("value of the body", ".a")


def test_serializers_that_are_alike_do_not_differ(serve: str) -> None:
    order, line = classes()["Order"], classes()["Line"]
    rows = [{"title": f"é{n}", "n": n} for n in range(20)]
    wrong: Any = ({"lines": [{"title": "too long for it"}]}, {}, [])
    for _ in range(3):
        assert order({"lines": rows}).data == {"lines": rows}
        assert line(rows, many=True).data == rows
        for data in ({"lines": rows}, *wrong):
            assert order(data=data).is_valid() == (data == {"lines": rows})
        assert line(data=rows, many=True).is_valid()
    figures = RECORD.figures()
    assert (figures["left_out"], figures["differences"]) == ({}, [])
    assert numbers(f"{__name__}.classes.<locals>.Order") == (15, 0)
    assert numbers(f"{__name__}.classes.<locals>.Line") == (6, 0)


def test_another_value_of_a_serializer_is_found_and_not_served(serve: str, monkeypatch: pytest.MonkeyPatch) -> None:
    from ssrjson_web.rest_framework import _loading, _reading

    line = classes()["Line"]
    rows = [{"title": f"{n}", "n": n} for n in range(20)]
    for _ in range(3):
        assert line(rows, many=True).data == rows  # plans are made

    class Reader:
        def read_all(self, rows: Any, resolve: Any) -> Any:
            return [{**row, "title": "other"} for row in rows]

    plan = type("Plan", (), {"reader": Reader(), "run": lambda self, read, serializer, data: read(data, None)})
    monkeypatch.setattr(_reading, "plan_to_read", lambda serializer, n_rows: plan())
    read = line(rows, many=True).data
    assert [row["title"] for row in read] == ([row["title"] for row in rows] if serve == "stock" else ["other"] * 20)

    def refuse(*_: Any) -> Any:
        raise TypeError("of the core")

    monkeypatch.setattr(_loading, "plan_in_use", refuse)
    serializer = line(data=rows[0])
    if serve == "stock":
        assert serializer.is_valid()
    else:
        with pytest.raises(TypeError, match="of the core"):
            serializer.is_valid()
    first, second = RECORD.figures()["differences"]
    assert (first["part"], first["place"], first["core"]) == ("data", "[0].title", "str 'xxxxx'")
    assert (second["part"], second["place"], second["core"]) == (
        "validated data",
        "an exception",
        "TypeError: xx xxx xxxx",
    )


def test_code_of_a_serializer_runs_once_and_it_is_left_out(serve: str) -> None:
    CALLED.clear()
    rows = [{"title": f"{n}"} for n in range(20)]
    for name, options in (("Checked", {"data": rows, "many": True}), ("Shown", {"instance": rows, "many": True})):
        serializer = classes()[name](**options)
        assert (serializer.is_valid() and serializer.validated_data) if name == "Checked" else serializer.data
    assert len(CALLED) == 40
    left_out = RECORD.figures()["left_out"]
    assert left_out[f"{__name__}.classes.<locals>.Checked"].startswith("`validate_title` of ")
    assert left_out[f"{__name__}.classes.<locals>.Shown"].startswith("`get_title` of ")
    assert RECORD.figures()["routes"] == {}


def test_data_and_rows_that_are_iterated_once_are_left_out(serve: str) -> None:
    line = classes()["Line"]
    assert len(line(({"title": f"{n}"} for n in range(3)), many=True).data) == 3
    assert "may be iterated once" in RECORD.figures()["left_out"][f"{__name__}.classes.<locals>.Line"]


def test_fault_of_the_comparison_itself_harms_nothing(
    serve: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    from ssrjson_web.rest_framework import _compare, _trials

    comparison.tell_of_fault.cache_clear()

    def fail(*_: Any) -> Any:
        raise RuntimeError("of the comparison")

    for module in (_compare, _trials):
        monkeypatch.setattr(module, "once_only", fail)
    assert request_of(b'{"a": 1}').content == b'{"got":{"a":1}}'
    assert classes()["Line"]([{"title": "a", "n": 1}], many=True).data == [{"title": "a", "n": 1}]
    assert "could not be compared; the request was answered as usual" in caplog.text


def test_classes_with_a_case_of_their_own_are_left_out(serve: str) -> None:
    from ssrjson_web.rest_framework import SSRJSONRenderer

    class Camel(SSRJSONRenderer):
        key_case = "camel"

    assert Camel().render({"a_b": 1}) == b'{"aB":1}'
    assert "stock does not" in str(RECORD.figures()["left_out"])


def test_without_the_setting_nothing_is_wrapped() -> None:
    from rest_framework.serializers import Serializer

    from ssrjson_web.rest_framework import SSRJSONParser, SSRJSONRenderer, setup, teardown
    from ssrjson_web.rest_framework import _compare as compare_module

    setup()
    try:
        for cls, (name, ours) in compare_module._OURS.items():
            assert vars(cls)[name] is ours
        assert {SSRJSONParser, SSRJSONRenderer} == compare_module._OURS.keys()
        assert Serializer.to_representation.__code__.co_filename.endswith("_reading.py")
    finally:
        teardown()


PROJECT = """
import logging
import django
from django.conf import settings
APP = "ssrjson_web.rest_framework"
settings.configure(
    INSTALLED_APPS=["django.contrib.contenttypes", "django.contrib.auth", "rest_framework", APP],
    DATABASES={"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": ":memory:"}},
    USE_TZ=True, SECRET_KEY="x", SSRJSON={"COMPARE": 1.0, "SERVE": "SERVED"})
django.setup()
from django.core.management import call_command
call_command("migrate", verbosity=0)
from django.contrib.auth.models import Group, User
from django.db import connection
from rest_framework import serializers
from ssrjson_web._compare.record import RECORD
class GroupSerializer(serializers.ModelSerializer):
    class Meta:
        model, fields = Group, ["id", "name"]
class UserSerializer(serializers.ModelSerializer):
    groups = GroupSerializer(many=True, read_only=True)
    class Meta:
        model, fields = User, ["id", "username", "date_joined", "groups"]
class KeySerializer(serializers.ModelSerializer):
    class Meta:
        model, fields = User, ["id", "groups"]
group = Group.objects.create(name="g")
group.user_set.set([User.objects.create(username=f"u{n}") for n in range(20)])
queries = []
def note(execute, sql, *rest):
    queries.append(sql)
    return execute(sql, *rest)
def n_queries(work):
    queries.clear()
    with connection.execute_wrapper(note):
        work()
    return len(queries)
users = User.objects.prefetch_related("groups")
assert n_queries(lambda: UserSerializer(users.all(), many=True).data) == 2
assert n_queries(lambda: UserSerializer(User.objects, many=True).data) == 21  # a query for each row's groups
assert n_queries(lambda: KeySerializer(User.objects.all(), many=True).data) == 21
assert n_queries(lambda: KeySerializer(data={"groups": [group.pk]}).is_valid()) == 1
figures = RECORD.figures()
assert figures["routes"]["__main__.UserSerializer"]["compared"] == 1, figures
left_out = figures["left_out"]
assert "`groups` of django.contrib.auth.models.User would be found twice" in left_out["__main__.UserSerializer"]
assert "asks the database" in left_out["__main__.KeySerializer"]
assert figures["differences"] == []
"""


@pytest.mark.parametrize("served", ["stock", "core"])
def test_queries_run_once(served: str, tmp_path: Path) -> None:
    done = run_python(PROJECT.replace("SERVED", served), tmp_path)
    assert done.returncode == 0, done.stderr
