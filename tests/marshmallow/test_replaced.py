"""Functions of marshmallow that are replaced: before the first use, between uses, and before our import."""

from __future__ import annotations

import decimal
import functools
import importlib
import inspect
import json
import re
import subprocess
import sys
import types
from collections.abc import Callable, Iterator
from importlib import metadata
from typing import Any

import marshmallow
import pytest
from helpers.marshmallow_fields import FIELDS, ONE, schema_class
from marshmallow import Schema, fields, validate

from ssrjson_web._known import functions
from ssrjson_web._known.functions import declared
from ssrjson_web._known.texts import FUNCTIONS as TABLE
from ssrjson_web.marshmallow import disabled, setup, teardown

MODULES = ("schema", "fields", "utils", "validate")


class Thing:
    def __init__(self, value: Any) -> None:
        self.it = value
        self.some = types.SimpleNamespace(name=value)
        self.other = 1


def calls(name: str) -> dict[str, Callable[[Any], Any]]:
    _, dumped, loaded = FIELDS[name]
    return {
        "dump": lambda schema: schema.dump(Thing(dumped)),
        "dump many": lambda schema: schema.dump([Thing(dumped)] * 3, many=True),
        "dump nothing": lambda schema: schema.dump({"it": None}),
        "load": lambda schema: schema.load({"it": loaded, "other": 2}),
        "load many": lambda schema: schema.load([{"it": loaded}] * 3, many=True),
        "load nothing": lambda schema: schema.load({}),
        "load null": lambda schema: schema.load({"it": None}),
        "load unknown": lambda schema: schema.load({"it": loaded, "extra": 1}),
        "load partial": lambda schema: schema.load({"it": loaded}, partial=("it",)),
        "dumps": lambda schema: schema.dumps({"it": dumped, "some": {"name": dumped}}),
    }


class Marked(Exception):
    """What a replaced function raises."""


def outcome(call: Callable[[], Any]) -> Any:
    try:
        return repr(call())
    except Marked as error:
        return f"Marked {error}"
    except Exception as error:
        return f"{type(error).__name__}: {getattr(error, 'messages', error)}"


def all_functions() -> Iterator[tuple[Any, str, Any]]:
    """Each function of marshmallow: where it is, its name, and what is there."""
    for name in MODULES:
        module = importlib.import_module(f"marshmallow.{name}")
        for key, value in vars(module).items():
            if isinstance(value, types.FunctionType) and value.__module__.startswith("marshmallow."):
                yield module, key, value
            elif isinstance(value, type) and value.__module__ == module.__name__ and key == value.__name__:
                for inner, function in vars(value).items():
                    if isinstance(function, (types.FunctionType, staticmethod, classmethod, property)):
                        yield value, inner, function


NOT_AT_RUN_TIME = {"__init__", "__new__", "__repr__", "__init_subclass__", "__deepcopy__", "_bind_to_schema"}
FUNCTIONS = {
    f"{owner.__name__.removeprefix('marshmallow.')}.{name}": (owner, name, value)
    for owner, name, value in all_functions()
    if name not in NOT_AT_RUN_TIME and owner.__name__ not in ("SchemaMeta", "SchemaOpts")
}
MAX_FIELDS = 4
"""Fields that each replaced function is tried with."""


def plain(function: Any) -> Any:
    return getattr(function, "fget", None) or getattr(function, "__func__", function)


@functools.cache
def callers() -> dict[Any, dict[str, set[str]]]:
    """The calls, of each field, in which marshmallow itself calls a function: by the function's code."""
    found: dict[Any, dict[str, set[str]]] = {}
    for name in FIELDS:
        for what, call in calls(name).items():
            schema, codes = schema_class(name)(), set()
            with disabled():
                outcome(lambda: call(schema))  # noqa: B023
                sys.setprofile(lambda frame, event, arg: codes.add(frame.f_code))  # noqa: B023
                outcome(lambda: call(schema))  # noqa: B023
                sys.setprofile(None)
            for code in codes:
                found.setdefault(code, {}).setdefault(name, set()).add(what)
    return found


def replacement(stock: Any, *, raises: bool) -> Any:
    """Something that calls the stock function, and raises an error or returns something else."""
    if isinstance(stock, property):
        return property(replacement(stock.fget, raises=raises), stock.fset)
    if isinstance(stock, (staticmethod, classmethod)):
        return type(stock)(replacement(stock.__func__, raises=raises))

    @functools.wraps(stock)
    def other(*args: Any, **kwargs: Any) -> Any:
        if raises:
            raise Marked(stock.__qualname__)
        made = stock(*args, **kwargs)
        return {str: lambda: made + "!", int: lambda: made + 100, dict: lambda: {**made, "!": 1}}.get(
            type(made), lambda: made
        )()

    return other


def differences(name: str, whats: set[str], change: Callable[[], Any]) -> list[str]:
    """The calls for a field whose outcome is another than marshmallow's."""
    cls = schema_class(name)
    used = {what: cls() for what in whats}
    for what in whats:
        for _ in range(3):
            outcome(lambda: calls(name)[what](used[what]))  # noqa: B023
    unused = {what: (cls(), schema_class(name)()) for what in whats}
    change()
    wrong = []
    for what in sorted(whats):
        call = calls(name)[what]
        stock, fresh = unused[what]
        with disabled():
            expected = outcome(lambda: call(stock))  # noqa: B023
        found = [outcome(lambda: call(schema)) for schema in (used[what], used[what], fresh, fresh)]  # noqa: B023
        if found != [expected] * 4:
            wrong.append(f"{name} {what}: {found} instead of {expected}")
    return wrong


@pytest.mark.parametrize("raises", [True, False], ids=["raises", "returns"])
@pytest.mark.parametrize("place", sorted({name.partition(".")[0] for name in FUNCTIONS}))
def test_replaced_function_is_called_as_marshmallow_calls_it(
    place: str, raises: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    wrong = []
    for function, (owner, key, stock) in FUNCTIONS.items():
        if function.partition(".")[0] != place:
            continue
        called = callers().get(getattr(plain(stock), "__code__", None), {})
        for name in [*called][:: max(1, len(called) // MAX_FIELDS)]:
            with monkeypatch.context() as patched:
                other = replacement(stock, raises=raises)
                found = differences(name, called[name], lambda: patched.setattr(owner, key, other))  # noqa: B023
                wrong += [f"{function}: {line}" for line in found]
    assert wrong == []


def test_method_of_one_instance_is_called() -> None:
    class Row(Schema):
        price = fields.Decimal(places=1)
        key = fields.UUID()
        text = fields.String(validate=validate.Length(max=3))

    data = {"price": "1.55", "key": str(ONE), "text": "abc"}
    for name, key, made in (("price", "_validated", 7), ("key", "_validated", 8), ("text", "_validate", None)):
        schema = Row()
        for _ in range(3):
            assert schema.load(data)[name] != 7
        setattr(schema.fields[name], key, lambda value, made=made: made)
        with disabled():
            expected = outcome(lambda: schema.load(data))  # noqa: B023
        assert [outcome(lambda: schema.load(data)) for _ in range(3)] == [expected] * 3  # noqa: B023


def test_method_of_a_subclass_is_called() -> None:
    class OwnDecimal(fields.Decimal):
        def _validated(self, value: Any) -> Any:
            return decimal.Decimal(3) if value == "3" else super()._validated(value)

    class OwnLength(validate.Length):
        def __call__(self, value: Any) -> Any:
            if value == "bad":
                raise marshmallow.ValidationError("own")
            return super().__call__(value)

    class Row(Schema):
        price = OwnDecimal()
        text = fields.String(validate=OwnLength(max=3))

    schema = Row()
    for data in ({"price": "3", "text": "bad"}, {"price": "2.5", "text": "good"}):
        with disabled():
            expected = outcome(lambda: schema.load(data))  # noqa: B023
        assert [outcome(lambda: schema.load(data)) for _ in range(3)] == [expected] * 3  # noqa: B023


BEFORE_IMPORT = """
import functools, sys
import marshmallow
from marshmallow import Schema, fields, utils, validate
import marshmallow.schema

called = []

def replace(owner, name):
    stock = vars(owner)[name]
    @functools.wraps(stock)
    def other(*args, **kwargs):
        called.append(f"{owner.__name__}.{name}")
        return stock(*args, **kwargs)
    setattr(owner, name, other)

owner = {"schema": Schema, "utils": utils, "module": marshmallow.schema}.get(sys.argv[1])
owner = owner or getattr(fields, sys.argv[1], None) or getattr(validate, sys.argv[1])
replace(owner, sys.argv[2])

from ssrjson_web.marshmallow import disabled, setup
setup()

class Row(Schema):
    n = fields.Integer(validate=validate.Range(min=0))
    price = fields.Decimal()
    text = fields.String(validate=validate.Length(max=9))

def counted(call):
    del called[:]
    call()
    return len(called)

schema = Row()
row, data = {"n": 1, "price": 2, "text": "t"}, {"n": 1, "price": "2", "text": "t"}
for call in (lambda: schema.dump(row), lambda: schema.load(data), lambda: schema.dump([row] * 5, many=True)):
    with disabled():
        expected = counted(call)
    found = [counted(call) for _ in range(4)]
    assert found == [expected] * 4, (sys.argv, found, expected)
"""


@pytest.mark.parametrize(
    "name",
    [
        "schema _serialize",
        "schema _deserialize",
        "schema get_attribute",
        "module set_value",
        "Decimal _validated",
        "String _serialize",
        "Length __call__",
    ],
)
def test_function_that_was_replaced_before_our_import_is_called(name: str) -> None:
    command = [sys.executable, "-c", BEFORE_IMPORT, *name.split()]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr


def test_setup_says_in_one_line_which_functions_are_not_known(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    teardown()
    setup()
    assert caplog.messages == []
    teardown()
    monkeypatch.setattr(validate.Length, "__call__", replacement(validate.Length.__call__, raises=False))
    monkeypatch.setattr(fields.UUID, "_validated", replacement(fields.UUID._validated, raises=False))
    setup()
    setup()
    (message,) = caplog.messages
    assert message.startswith(
        f"marshmallow {metadata.version('marshmallow')}: not as in a release that ssrjson_web knows"
    )
    names = re.escape("marshmallow.fields.UUID._validated, marshmallow.validate.Length.__call__")
    assert re.search(rf": {names} \(replaced by \S+other of \S+test_replaced.py:\d+\)", message)


def test_functions_that_are_declared_are_those_of_the_tables() -> None:
    table = json.loads(TABLE.read_bytes())
    assert len(declared("marshmallow")) > 60
    for name in declared("marshmallow"):
        module = ".".join(name.split(".")[:2])
        assert name.removeprefix(f"{module}.") in table[module], name


@pytest.mark.parametrize("name", ["fields.String._serialize", "utils.set_value", "validate.Length.__call__"])
def test_function_of_a_text_that_we_do_not_know_is_called(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """As after a release that changes it."""
    stock = functions._is_of_file

    def is_of_file(function: Any, of: str, any_text: bool) -> bool:
        return of != f"marshmallow.{name}" and stock(function, of, any_text)

    monkeypatch.setattr(functions, "_is_of_file", is_of_file)
    monkeypatch.setattr(functions, "_seen", {})
    monkeypatch.setattr(functions, "_names", {})

    class Row(Schema):
        text = fields.String(validate=validate.Length(max=5))
        number = fields.Integer()

    _, key, function = FUNCTIONS[name.removeprefix("fields.").removeprefix("validate.")]
    code, called = plain(function).__code__, []
    for schema in (Row(), Row()):
        sys.setprofile(lambda frame, event, arg: called.append(1) if event == "call" and frame.f_code is code else None)
        try:
            schema.dump({"text": "a", "number": 1})
            schema.load({"text": "a", "number": 1})
        finally:
            sys.setprofile(None)
    assert len(called) == (4 if key == "set_value" else 2)


def test_mapping_without_a_class_is_loaded_as_marshmallow_loads_it() -> None:
    """marshmallow 4.0 to 4.2.0 let it be made, without a `mapping_type`; others make it abstract."""
    try:
        mapping = fields.Mapping()
    except TypeError:
        assert inspect.isabstract(fields.Mapping)
        return
    cls = Schema.from_dict({"it": mapping, "other": fields.Integer()})
    for call in (
        lambda schema: schema.dump({"it": {"a": 1}, "other": 1}),
        lambda schema: schema.load({"it": {"a": 1}, "other": 1}),
        lambda schema: schema.load({"it": 5, "other": 1}),
        lambda schema: schema.load({"other": 1}),
    ):
        with disabled():
            expected = outcome(lambda: call(cls()))  # noqa: B023
        schema = cls()
        assert [outcome(lambda: call(schema)) for _ in range(3)] == [expected] * 3  # noqa: B023


class _Rows(Schema):
    text = fields.String(validate=validate.Length(max=5))
    number = fields.Integer()


def _says(result: Any) -> Any:
    return lambda *args, **kwargs: result


@pytest.mark.parametrize(
    ("function", "name"),
    [
        (fields.String._serialize, "dump"),
        (fields.Field.serialize, "dump"),
        (marshmallow.utils.get_value, "dump"),
        (fields.String._deserialize, "load"),
        (fields.Number._validated, "load"),
        (validate.Length.__call__, "load"),
        (marshmallow.utils.set_value, "load"),
        (inspect.getattr_static(Schema, "_serialize"), "dump"),
        (inspect.getattr_static(Schema, "_deserialize"), "load"),
    ],
    ids=lambda value: getattr(value, "__qualname__", value),
)
def test_code_that_is_replaced_after_the_first_use_runs(function: Any, name: str) -> None:
    row, schema = {"text": "v", "number": 5}, _Rows()
    before = [getattr(schema, name)(row) for _ in range(20)]
    function = getattr(function, "__wrapped__", function)  # ours is there
    stock, other = function.__code__, (lambda *args, **kwargs: {}["new"]).__code__
    try:
        function.__code__ = other
        with disabled():
            expected = _outcome(lambda: getattr(_Rows(), name)(row))
        assert _outcome(lambda: getattr(schema, name)(row)) == _outcome(lambda: getattr(_Rows(), name)(row)) == expected
    finally:
        function.__code__ = stock
    assert expected != before[0]
    assert [getattr(schema, name)(row) for _ in range(20)] == before


def _outcome(call: Callable[[], Any]) -> Any:
    try:
        return call()
    except Exception as error:
        return type(error), str(error)


def test_module_that_is_replaced_within_another_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    row, schema = {"text": "v", "number": 5}, _Rows()
    before, *_ = [(schema.dump(row), schema.load(row)) for _ in range(20)]
    other = types.ModuleType("marshmallow.utils")
    vars(other).update(vars(marshmallow.utils), ensure_text_type=_says("other"), is_collection=_says(False))
    monkeypatch.setattr(fields, "utils", other)
    with disabled():
        expected = (schema.dump(row), _outcome(lambda: schema.load(row)))
    assert (schema.dump(row), _outcome(lambda: schema.load(row))) == expected
    assert expected[0] != before[0]
    monkeypatch.undo()
    assert (schema.dump(row), schema.load(row)) == before
