"""setup(compare=...): marshmallow and the core dump and load the same; what differs is named and not given."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

pytest.importorskip("marshmallow", reason="marshmallow is not installed")

from marshmallow import Schema, ValidationError, fields, post_dump, pre_load, validate, validates

from ssrjson_web._compare import comparison
from ssrjson_web._compare.record import RECORD
from ssrjson_web.marshmallow import _compare as compare_module
from ssrjson_web.marshmallow import setup, teardown
from ssrjson_web.marshmallow._loading import LoadPlan
from ssrjson_web.marshmallow._reading import ReadPlan

CALLED: list[str] = []


class Line(Schema):
    title = fields.String(required=True, validate=validate.Length(max=9))
    n = fields.Integer()
    when = fields.DateTime()


class Order(Schema):
    lines = fields.List(fields.Nested(Line))
    first = fields.Nested(Line)


class Hooked(Line):
    @pre_load
    def before(self, data: Any, **_: Any) -> Any:
        CALLED.append("pre_load")
        return data

    @post_dump
    def after(self, data: Any, **_: Any) -> Any:
        CALLED.append("post_dump")
        return data

    @validates("title")
    def check(self, value: str, **_: Any) -> None:
        CALLED.append("validates")


class Coded(Schema):
    title = fields.Function(lambda row: CALLED.append("function") or "x")  # type: ignore[func-returns-value]
    n = fields.Integer(validate=lambda n: CALLED.append("validator") or True)  # type: ignore[func-returns-value]


@pytest.fixture(params=["stock", "core"])
def serve(request: pytest.FixtureRequest) -> Iterator[str]:
    RECORD.reset_after_fork()
    CALLED.clear()
    setup(compare=1.0, serve=request.param)
    yield request.param
    teardown()
    RECORD.reset_after_fork()


def numbers(cls: type) -> tuple[int, int]:
    name = f"{cls.__module__}.{cls.__qualname__}"
    found = RECORD.figures()["routes"].get(name, {"compared": 0, "differ": 0})
    return found["compared"], found["differ"]


def rows(n: int = 20) -> list[dict[str, Any]]:
    return [{"title": f"é{number}", "n": number} for number in range(n)]


def test_schemas_that_are_alike_do_not_differ(serve: str) -> None:
    for _ in range(3):
        assert Line().dump(rows(), many=True) == rows()
        assert Order().dump({"lines": rows(), "first": rows(1)[0]}) == {"lines": rows(), "first": rows(1)[0]}
        assert Line().load(rows(), many=True) == rows()
        for wrong in ([{"title": "much too long"}], [{}], [1], {}, [{"title": "a", "other": 1}]):
            with pytest.raises(ValidationError):
                Line().load(wrong, many=True)
    figures = RECORD.figures()
    assert (figures["left_out"], figures["differences"]) == ({}, [])
    assert numbers(Line) == (21, 0)  # those within an order belong to it
    assert numbers(Order) == (3, 0)


def test_another_value_is_found_and_not_given(
    serve: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    schema = Line()
    for _ in range(3):
        schema.dump(rows(), many=True)
        schema.load(rows(), many=True)
    for cls, name in ((ReadPlan, "read_all"), (LoadPlan, "load_all")):
        monkeypatch.setattr(cls, name, lambda self, bound, data, *run: [{**row, "title": "other"} for row in data])
    for made in (schema.dump(rows(), many=True), schema.load(rows(), many=True)):
        assert made == (rows() if serve == "stock" else [{**row, "title": "other"} for row in rows()])
    found = [(one["part"], one["place"], one["core"]) for one in RECORD.figures()["differences"]]
    assert found == [("data", "[0].title", "str 'xxxxx'"), ("validated data", "[0][0].title", "str 'xxxxx'")]
    assert "other" not in caplog.text


def test_exception_of_the_core_is_found_and_not_raised(serve: str, monkeypatch: pytest.MonkeyPatch) -> None:
    schema = Line()
    schema.dump(rows(), many=True)

    def fail(*_: Any) -> Any:
        raise TypeError("secret 7")

    monkeypatch.setattr(ReadPlan, "read_all", fail)
    if serve == "stock":
        assert schema.dump(rows(), many=True) == rows()
    else:
        with pytest.raises(TypeError, match="secret 7"):
            schema.dump(rows(), many=True)
    assert [one["core"] for one in RECORD.figures()["differences"]] == ["TypeError: xxxxxx 9"]


def test_hooks_run_once_and_their_schema_is_compared(serve: str) -> None:
    assert Hooked().load(rows(1)[0]) == Hooked().dump(rows(1)[0]) == rows(1)[0]
    assert CALLED == ["pre_load", "validates", "post_dump"]
    assert numbers(Hooked) == (2, 0)
    assert RECORD.figures()["left_out"] == {}


def test_code_of_fields_runs_once_and_their_schema_is_left_out(serve: str) -> None:
    assert Coded(many=True).dump(rows(3)) == [{"title": "x", "n": n} for n in range(3)]
    assert Coded(only=["n"], many=True).load([{"n": n} for n in range(3)]) == [{"n": n} for n in range(3)]
    assert CALLED == ["function"] * 3 + ["validator"] * 3
    (reasons,) = RECORD.figures()["left_out"].values()
    assert "the field `title` runs code of the application" in reasons
    assert "a validator of the field `n` would run twice" in reasons


class Row:
    def __init__(self) -> None:
        self.n = 1

    @property
    def title(self) -> str:
        CALLED.append("property")
        return "x"


def test_properties_and_iterators_are_read_once(serve: str) -> None:
    assert Line().dump(Row()) == {"title": "x", "n": 1}
    assert CALLED == ["property"]
    assert Line().dump(iter(rows(2)), many=True) == rows(2)
    (reasons,) = RECORD.figures()["left_out"].values()
    assert f"`title` of {__name__}.Row would be found twice" in reasons
    assert "may be iterated once" in reasons


def test_fault_of_the_comparison_itself_harms_nothing(
    serve: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    comparison.tell_of_fault.cache_clear()

    def fail(*_: Any) -> Any:
        raise RuntimeError("of the comparison")

    monkeypatch.setattr(compare_module, "once_only", fail)
    assert Line().load(Line().dump(rows(), many=True), many=True) == rows()
    assert "could not be compared; the request was answered as usual" in caplog.text


def test_text_is_marshmallows_where_stock_serves(serve: str) -> None:
    for name in ("dumps", "loads"):
        assert vars(Schema)[name].__code__.co_filename.endswith("_setup.py") is (serve == "core")
    assert Line().dumps({"title": "é"}) == '{"title": "\\u00e9"}'
    assert Line().loads('{"title": "a"}') == {"title": "a"}


def test_without_a_share_the_methods_are_the_usual_ones() -> None:
    from ssrjson_web.marshmallow import _setup

    setup(compare=0.5)
    teardown()
    setup()
    try:
        assert {name: vars(Schema)[name] for name in _setup._OURS} == _setup._OURS
        assert set(_setup._OURS.values()) == _setup.OURS
    finally:
        teardown()
