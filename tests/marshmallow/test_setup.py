"""setup, teardown, disabled and the ways to opt out: when marshmallow works in its own way."""

from __future__ import annotations

import asyncio
import copy
import gc
import inspect
import json
import pickle
import subprocess
import sys
import threading
import weakref
from typing import Any

import marshmallow
import pytest
from helpers.builds import CLASSES_ARE_IMMORTAL
from helpers.marshmallow_schemas import Row, RowSchema, assert_alike, plans_of
from helpers.threads import in_threads
from marshmallow import Schema, fields

from ssrjson_web import utf8_cache_size
from ssrjson_web.marshmallow import disabled, setup, teardown
from ssrjson_web.marshmallow._setup import _is_disabled

NAMES = ("_serialize", "_deserialize", "dumps", "loads")


def test_setup_replaces_four_methods_and_teardown_gives_them_back() -> None:
    ours = {name: vars(Schema)[name] for name in NAMES}
    setup()
    assert {name: vars(Schema)[name] for name in NAMES} == ours
    teardown()
    assert not set(ours.values()) & {vars(Schema)[name] for name in NAMES}
    teardown()
    for name in NAMES:
        stock = vars(Schema)[name]
        assert (ours[name].__name__, ours[name].__doc__, ours[name].__module__) == (
            stock.__name__,
            stock.__doc__,
            stock.__module__,
        )
        assert inspect.signature(ours[name]) == inspect.signature(stock)


def test_teardown_leaves_a_method_that_another_library_has_replaced(monkeypatch: pytest.MonkeyPatch) -> None:
    def other(self: Any, obj: Any, *, many: bool = False) -> Any:
        return "other"

    with monkeypatch.context() as patched:
        patched.setattr(Schema, "_serialize", other)
        teardown()
        assert vars(Schema)["_serialize"] is other
        setup()
        assert vars(Schema)["_serialize"] is other


def test_schema_has_a_plan_and_disabled_uses_none() -> None:
    schema = RowSchema()
    with disabled():
        assert schema.dump(Row(1))["id"] == 1
        assert plans_of(schema) == set()
    assert schema.dump(Row(1))["id"] == 1
    assert plans_of(schema) == {None}


def test_disabled_decorates() -> None:
    schema = RowSchema()

    @disabled()
    def dump() -> Any:
        return schema.dump(Row(2))

    assert dump() == dump()
    assert plans_of(schema) == set()
    schema.dump(Row(2))
    assert plans_of(schema) == {None}


def test_disabled_is_of_one_thread_and_one_task() -> None:
    schema = RowSchema()
    inside, done = threading.Event(), threading.Event()

    def elsewhere() -> None:
        inside.wait(10)
        schema.dump(Row(1))
        done.set()

    thread = threading.Thread(target=elsewhere)
    thread.start()
    with disabled():
        inside.set()
        assert done.wait(10)
    thread.join()
    assert plans_of(schema) == {None}

    async def task(other: RowSchema, order: list[str]) -> None:
        with disabled():
            order.append("in")
            await asyncio.sleep(0.01)
            other.dump(Row(1))

    async def both() -> tuple[Schema, Schema]:
        first, second, order = RowSchema(), RowSchema(), []
        waiting = asyncio.create_task(task(first, order))
        await asyncio.sleep(0)
        assert order == ["in"]
        second.dump(Row(1))
        await waiting
        return first, second

    first, second = asyncio.run(both())
    assert (plans_of(first), plans_of(second)) == (set(), {None})


def test_threads_share_schemas_and_classes() -> None:
    shared = RowSchema()
    with disabled():
        expected = [shared.dump(Row(n)) for n in range(4)]
        loaded = [shared.load(data) for data in expected]

    def work(number: int) -> None:
        for n in range(60):
            schema = RowSchema(only=None if n % 3 else ["id", "name"]) if n % 2 else shared
            if n % 7 == number:
                shared.fields["note"].metadata = {"changed": n}
            dumped, again = (
                schema.dump(Row(n % 4)),
                schema.load({name: expected[n % 4][name] for name in schema.fields}),
            )
            assert dumped == {name: expected[n % 4][name] for name in schema.fields}
            assert again == {name: loaded[n % 4][name] for name in schema.fields}

    in_threads(work, range(6))


def test_class_opts_out_and_its_subclasses_with_it() -> None:
    class OptedOut(RowSchema):
        ssrjson = False

    class Derived(OptedOut):
        pass

    class Back(OptedOut):
        ssrjson = True

    for cls, plans in ((OptedOut, set()), (Derived, set()), (Back, {None})):
        schema = cls()
        assert_alike(lambda schema=schema: schema.dump(Row(1)))
        assert plans_of(schema) == plans


def test_class_that_opts_out_later_is_left_alone() -> None:
    class Later(RowSchema):
        pass

    schema = Later()
    schema.dump(Row(1))
    assert plans_of(schema) == {None}
    Later.ssrjson = False
    schema.dump(Row(1))
    assert plans_of(schema) == set()


def test_own_serialize_is_called_for_each_item() -> None:
    class Own(RowSchema):
        calls = 0

        def _serialize(self, obj: Any, *, many: bool = False) -> Any:
            type(self).calls += 1
            return super()._serialize(obj, many=many)

    schema = Own()
    assert_alike(lambda: schema.dump([Row(1), Row(2)], many=True))
    assert Own.calls == 6


def test_first_call_of_a_class_makes_no_plan_for_one_row(monkeypatch: pytest.MonkeyPatch) -> None:
    from ssrjson_web.marshmallow import _plans

    monkeypatch.setattr(_plans, "FEW_ITEMS", 4)

    class Once(RowSchema):
        pass

    first, second, third = Once(), Once(), Once()
    first.dump(Row(1))
    assert plans_of(first) == set()
    second.dump(Row(1))
    assert plans_of(second) == {None}
    third.dump(Row(1))
    assert plans_of(third) == set()
    third.dump(Row(1))
    assert plans_of(third) == {None}
    assert vars(second)["_ssrjson_plans"].plans[None][0] is vars(third)["_ssrjson_plans"].plans[None][0]


def test_copies_of_a_schema_have_plans_of_their_own() -> None:
    schema = RowSchema()
    expected = schema.dump(Row(1))
    for other in (copy.copy(schema), copy.deepcopy(schema)):
        other.dump_fields = {"id": other.dump_fields["id"]}
        assert other.dump(Row(1)) == {"id": 1}
    assert schema.dump(Row(1)) == expected
    kept = pickle.loads(pickle.dumps(vars(schema)["_ssrjson_plans"]))
    assert kept.plans == {}


def _collected(n_plans: int) -> list[bool]:
    """Whether a schema that was used, its class, and the class of a field are collected."""

    class Own(fields.String):
        pass

    known: list[Any] = []

    class Local(RowSchema):
        own = Own()
        nested = fields.Nested(lambda: known[0](only=("id",)))

    known.append(Local)
    schema = Local()
    row = Row(1)
    row.nested = Row(2)
    for _ in range(3):
        loadable = schema.dump(row)
        schema.load(loadable)
    assert len(plans_of(schema)) == n_plans
    gone = [weakref.ref(one) for one in (schema, Local, Own)]
    known.clear()
    del schema, Local, Own, row, loadable
    for _ in range(4):
        gc.collect()
    return [ref() is None for ref in gone]


def test_schemas_classes_and_fields_are_collected() -> None:
    with disabled():
        expected = _collected(0)  # old versions of marshmallow keep all classes
    assert _collected(2) == expected
    assert all(expected) or CLASSES_ARE_IMMORTAL or marshmallow_version().startswith("3.2")


def test_import_of_the_adapter_changes_nothing() -> None:
    code = (
        "import marshmallow; before = dict(vars(marshmallow.Schema))\n"
        "import ssrjson_web.marshmallow\n"
        "assert dict(vars(marshmallow.Schema)) == before"
    )
    assert subprocess.run([sys.executable, "-c", code], timeout=60, check=False).returncode == 0


# dumps and loads


def test_dumps_writes_the_bytes_of_json_and_leaves_no_copies() -> None:
    schema = RowSchema()
    row = Row(3)
    text = schema.dumps(row)
    with disabled():
        assert schema.dumps(row) == text
        assert schema.dumps([row], many=True, indent=2, sort_keys=True) == json.dumps(
            [schema.dump(row)], indent=2, sort_keys=True
        )
    assert schema.dumps([row], many=True, indent=2) == json.dumps([schema.dump(row)], indent=2)
    assert schema.dumps(row, ensure_ascii=False) == json.dumps(schema.dump(row), ensure_ascii=False)
    assert utf8_cache_size(row.name) == 0


def test_loads_reads_str_and_bytes_as_json_does() -> None:
    schema = RowSchema(only=("id", "name", "tags"))
    for text in (
        '{"id": 1, "name": "é"}',
        b'{"id": 1}',
        bytearray(b'{"id": "x"}'),
        '{"id": NaN}',
        "[]",
        "",
        "{",
        '{"id": 1, "id": 2}',
    ):
        assert_alike(lambda text=text: schema.loads(text))
    assert_alike(lambda: schema.loads("[{}]", many=True, partial=True))
    assert_alike(lambda: schema.loads('{"id": 1.5}', parse_float=lambda text: 7))
    assert_alike(lambda: schema.dumps({"id": 1}, default=1, separators=("", "")))


def test_other_render_module_is_called() -> None:
    class Module:
        @staticmethod
        def dumps(value: Any, *args: Any, **kwargs: Any) -> Any:
            return "dumped", value, args, kwargs

        @staticmethod
        def loads(text: Any, **kwargs: Any) -> Any:
            return {"id": 5}

    class Rendered(RowSchema):
        class Meta:
            render_module = Module
            register = False

    assert Rendered(only=["id"]).dumps({"id": 1}, 2, three=3) == ("dumped", {"id": 1}, (2,), {"three": 3})
    assert Rendered().loads("?") == {"id": 5}


def test_patched_json_is_called(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(json, "dumps", lambda value: "patched")
    assert RowSchema().dumps(Row(1)) == "patched"


def test_named_argument_of_loads_is_that_of_the_version() -> None:
    if int(marshmallow_version()[0]) >= 4:
        with pytest.raises(TypeError):
            RowSchema().loads(json_data="{}")
    else:
        assert RowSchema().loads(json_data="{}") == {}


def marshmallow_version() -> str:
    from importlib import metadata

    return metadata.version(marshmallow.__name__)


def test_disabled_decorates_coroutine_functions() -> None:
    @disabled()
    async def inside() -> bool:
        return _is_disabled.get()

    assert asyncio.run(inside())
    assert not _is_disabled.get()
