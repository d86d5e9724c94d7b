"""Validators of an application that the core calls: pydantic's values, errors and calls, in its order, each once."""

from __future__ import annotations

import datetime
import gc
import random
import threading
from collections.abc import Callable
from typing import Annotated, Any, Optional

import pytest
from helpers.pydantic_outcome import assert_alike
from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    PlainValidator,
    TypeAdapter,
    ValidationError,
    create_model,
    field_validator,
    model_validator,
)
from pydantic_core import PydanticCustomError, PydanticOmit, PydanticUseDefault

from ssrjson_web import _core
from ssrjson_web._models.acceptance import Accepted, AcceptedModel
from ssrjson_web._models.adapter import _values_maker, bodies_maker
from ssrjson_web._models.pydantic.replay import Replay, can_replay
from ssrjson_web.models import TypedEncoder

CALLS: list[tuple[str, str]] = []
RAISED = (ValueError, AssertionError, RuntimeError, PydanticOmit, PydanticUseDefault, KeyError)


def outcome(validate: Callable[[], Any]) -> tuple[Any, Any, list[tuple[str, str]]]:
    """The value, or the error with its details; and the calls."""
    CALLS.clear()
    try:
        made, error = validate(), None
    except ValidationError as raised:
        made, error = None, (raised.title, raised.errors(include_url=False, include_context=False))
    except Exception as raised:
        made, error = None, (type(raised), str(raised))
    return made, error, CALLS.copy()


def assert_same(adapter: TypeAdapter[Any], value: Callable[[], Any]) -> int:
    """Compare the makers of bodies and of answers with pydantic; the number of values that the core made."""
    n_made = 0
    for maker, options in ((bodies_maker(adapter), {}), (_values_maker(adapter, from_attributes=True)[0], ATTRIBUTES)):
        theirs = outcome(lambda: adapter.validate_python(value(), **options))  # noqa: B023
        if maker is None:
            continue

        def validate() -> Any:
            given = value()
            made, replay = maker.make(given)  # noqa: B023
            nonlocal n_made
            n_made += made is not NotImplemented
            return (replay or adapter).validate_python(given, **options) if made is NotImplemented else made  # noqa: B023

        ours = outcome(validate)
        assert ours[2] == theirs[2]
        assert ours[1] == theirs[1]
        assert_alike(ours[0], theirs[0])
    return n_made


ATTRIBUTES: Any = {"from_attributes": True}


class Row:
    def __init__(self, **values: Any) -> None:
        self.__dict__.update(values)

    def __repr__(self) -> str:
        return f"Row({self.__dict__})"


class Trimmed(BaseModel):
    name: str = Field(min_length=1)
    n: int = 3

    @field_validator("name")
    @classmethod
    def trim(cls, name: str) -> str:
        CALLS.append(("trim", name))
        if name == "bad":
            raise ValueError("a bad name")
        return name.strip()

    @model_validator(mode="before")
    @classmethod
    def look(cls, value: Any) -> Any:
        CALLS.append(("look", repr(value)))
        return {"name": value} if isinstance(value, str) else value

    @model_validator(mode="after")
    def count(self) -> Trimmed:
        CALLS.append(("count", repr(self)))
        if self.n == 13:
            raise PydanticCustomError("unlucky", "unlucky {n}", {"n": self.n})
        return self


class Page(BaseModel):
    items: list[Trimmed]
    first: Optional[Trimmed] = None  # noqa: UP045


@pytest.mark.parametrize(
    ("value", "n_made"),
    [
        ({"items": [{"name": " a "}, {"name": "b", "n": 4}]}, 2),
        ({"items": [], "first": {"name": "é"}}, 2),
        ({"items": [{"name": "a"}, {"name": "bad"}, {"name": "c"}]}, 0),
        ({"items": [{"name": "a"}, {"name": ""}, {"name": "bad"}, {}]}, 0),
        ({"items": [{"name": "a", "n": "7"}]}, 0),
        ({"items": [{"name": "a", "n": 13}], "first": {"name": "bad", "n": 13}}, 0),
        ({"items": [], "first": None}, 2),
        ({"items": [Row(name="a", n=1)]}, 1),
        (Row(items=[Row(name="x", n=13)], first=None), 0),
        ({"items": [Trimmed(name="kept")]}, 2),
        ({"items": ["text"]}, 0),
        ([], 0),
    ],
    ids=repr,
)
def test_functions_are_called_as_by_pydantic(value: Any, n_made: int) -> None:
    assert assert_same(TypeAdapter(Page), lambda: value) == n_made


def test_no_function_is_called_twice() -> None:
    adapter = TypeAdapter(list[Trimmed])
    maker = bodies_maker(adapter)
    assert maker is not None
    CALLS.clear()
    made, replay = maker.make([{"name": "a"}, {"name": "bad"}])
    assert made is NotImplemented
    assert replay is not None
    n = len(CALLS)
    with pytest.raises(ValidationError, match="a bad name"):
        replay.validate_python([{"name": "a"}, {"name": "bad"}])
    assert len(CALLS) == n == 5  # look, trim, count; look, trim


def function(r: random.Random, name: str) -> Callable[[Any], Any]:
    """A validator that may raise, change a value, or its type."""
    kind, error = r.choice(("same", "same", "raises", "other", "changes")), r.choice(RAISED)

    def validate(value: Any) -> Any:
        CALLS.append((name, repr(value)))
        if kind == "raises" and len(repr(value)) % 3 == 0:
            raise error(*([] if error in (PydanticOmit, PydanticUseDefault) else [name]))
        if kind == "other":
            return [value]
        if kind == "changes" and isinstance(value, (str, int)) and not isinstance(value, bool):
            return value + value
        return value

    return validate


def random_type(r: random.Random, depth: int, names: list[str]) -> Any:
    choice = r.randrange(8 if depth else 4)
    declared: Any
    if choice < 4:
        declared = (str, int, Optional[int], datetime.date)[choice]  # noqa: UP045
    elif choice == 4:
        declared = list[random_type(r, depth - 1, names)]  # type: ignore[misc]
    elif choice == 5:
        declared = dict[str, random_type(r, depth - 1, names)]  # type: ignore[misc]
    else:
        declared = random_model(r, depth - 1, names)
    while r.random() < 0.35:
        names.append("f")
        wrapper = r.choice((AfterValidator, AfterValidator, BeforeValidator, PlainValidator))
        declared = Annotated[declared, wrapper(function(r, f"f{len(names)}"))]
    return Optional[declared] if r.random() < 0.2 else declared  # noqa: UP045


def random_model(r: random.Random, depth: int, names: list[str]) -> Any:
    fields: dict[str, Any] = {}
    for i in range(r.randrange(1, 4)):
        default = r.choice((..., ..., None, 1))
        fields[f"a{i}"] = (random_type(r, depth, names), Field(default, validate_default=r.random() < 0.1))
    validators: dict[str, Any] = {}
    names.append("m")
    call = function(r, f"m{len(names)}")
    if r.random() < 0.3:
        validators["before"] = model_validator(mode="before")(classmethod(lambda cls, value: call(value)))
    if r.random() < 0.3:
        validators["after"] = model_validator(mode="after")(lambda self: call(self))
    config = ConfigDict(extra=r.choice(("ignore", "forbid")))
    base = type("Base", (BaseModel,), {"model_config": config, "__module__": __name__})
    return create_model(f"M{len(names)}", __base__=base, __validators__=validators, **fields)


def random_value(r: random.Random, schema: Any, definitions: dict[str, Any]) -> Any:
    """A value for a core schema, right more often than not."""
    if r.random() < 0.03:
        return r.choice((None, "x", 5, [], {}, "2026-01-02", 1.5))
    kind = schema["type"]
    if kind in ("default", "nullable") or kind.startswith("function-"):
        if kind == "nullable" and r.random() < 0.2:
            return None
        return random_value(r, schema.get("schema", {"type": "str"}), definitions)
    if kind == "definition-ref":
        return random_value(r, definitions[schema["schema_ref"]], definitions)
    if kind == "definitions":
        within = {one["ref"]: one for one in schema["definitions"]}
        return random_value(r, schema["schema"], within)
    if kind == "list":
        return [random_value(r, schema["items_schema"], definitions) for _ in range(r.randrange(4))]
    if kind == "dict":
        return {f"k{i}": random_value(r, schema["values_schema"], definitions) for i in range(r.randrange(4))}
    if kind == "model":
        return random_value(r, schema["schema"], definitions)
    if kind == "model-fields":
        chosen = {name: field for name, field in schema["fields"].items() if r.random() < 0.95}
        values = {name: random_value(r, field["schema"], definitions) for name, field in chosen.items()}
        return Row(**values) if r.random() < 0.3 else values
    if kind == "date":
        return r.choice((datetime.date(2026, 1, 2), "2026-01-02"))
    return {"int": 5, "str": "text"}.get(kind, 1)


@pytest.mark.parametrize("seed", range(400))
def test_random_models_with_functions(seed: int) -> None:
    r = random.Random(seed)
    adapter: TypeAdapter[Any] = TypeAdapter(random_model(r, 3, []))
    for _ in range(6):
        value = random_value(r, adapter.core_schema, {})
        assert_same(adapter, lambda: value)  # noqa: B023


def test_random_models_are_made_by_the_core_often_enough() -> None:
    n_made = n = 0
    for seed in range(200):
        r = random.Random(seed)
        adapter: TypeAdapter[Any] = TypeAdapter(random_model(r, 2, []))
        for _ in range(3):
            value = random_value(r, adapter.core_schema, {})
            n_made += assert_same(adapter, lambda: value)  # noqa: B023
            n += 2
    assert n_made > n / 5


class Summed(BaseModel):
    n: Annotated[int, AfterValidator(lambda n: n + 1)]


def test_encoder_writes_what_functions_return() -> None:
    encoder = TypedEncoder(list[Summed])
    assert encoder.encode([{"n": 1}, {"n": 2}]) == b'[{"n":2},{"n":3}]'
    assert encoder.encode([{"n": 1}, {"n": "2"}]) == b'[{"n":2},{"n":3}]'


def test_functions_that_change_what_is_being_read() -> None:
    items: list[Any] = []

    def shorten(value: Any) -> Any:
        items[:] = items[:1]
        return value

    def add(value: Any) -> Any:
        value[object()] = 1  # a key that is no str
        gc.collect()
        return value

    class Changed(BaseModel):
        n: Annotated[int, AfterValidator(shorten)]

        @model_validator(mode="before")
        @classmethod
        def grow(cls, value: Any) -> Any:
            return add(value) if isinstance(value, dict) else value

    adapter = TypeAdapter(list[Changed])
    maker = bodies_maker(adapter)
    assert maker is not None
    for _ in range(3):
        items[:] = [{"n": i} for i in range(50)]
        made, replay = maker.make(items)
        assert made is NotImplemented
        assert replay is not None
        assert replay.validate_python(items)[0].n == 0


def test_function_that_ends_the_program_ends_it() -> None:
    class Ended(BaseModel):
        n: Annotated[int, AfterValidator(lambda n: exec("raise KeyboardInterrupt"))]

    maker = bodies_maker(TypeAdapter(Ended))
    assert maker is not None
    with pytest.raises(KeyboardInterrupt):
        maker.make({"n": 1})


def test_functions_that_validate_the_same_type_again() -> None:
    adapter: TypeAdapter[Any]

    def again(n: int) -> int:
        CALLS.append(("again", str(n)))
        if 0 < n < 5:
            made, replay = maker.make([{"n": n + 1}, {"n": "x"}])
            assert made is NotImplemented
            with pytest.raises(ValidationError):
                replay.validate_python([{"n": n + 1}, {"n": "x"}])
        return n

    class Again(BaseModel):
        n: Annotated[int, AfterValidator(again)]

    adapter = TypeAdapter(list[Again])
    maker: Any = bodies_maker(adapter)
    CALLS.clear()
    _, replay = maker.make([{"n": 1}, {"n": "y"}])
    with pytest.raises(ValidationError, match="1\\.n"):
        replay.validate_python([{"n": 1}, {"n": "y"}])
    assert [("again", str(n)) for n in (1, 2, 3, 4, 5)] == CALLS


def test_replays_of_threads_do_not_meet() -> None:
    adapter = TypeAdapter(list[Trimmed])
    maker = bodies_maker(adapter)
    assert maker is not None
    failures: list[Any] = []

    def run(name: str) -> None:
        for _ in range(200):
            value = [{"name": name}, {"name": name, "n": "4"}]
            _, replay = maker.make(value)
            assert replay is not None
            made = replay.validate_python(value)
            if [one.name for one in made] != [name, name]:
                failures.append(made)

    threads = [threading.Thread(target=run, args=(name,)) for name in ("a", "b", "c")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures


def test_replay_in_another_order_calls_the_functions() -> None:
    adapter = TypeAdapter(Summed)
    assert can_replay()
    maker = bodies_maker(adapter)
    assert maker is not None
    _, replay = bodies_maker(TypeAdapter(list[Summed])).make([{"n": 1}, {}])  # type: ignore[union-attr]
    assert isinstance(replay, Replay)
    replay._outcomes.insert(0, (print, 5))
    with pytest.raises(ValidationError):
        replay.validate_python([{"n": 1}, {}])


def test_core_refuses_functions_that_are_none() -> None:
    for described in (
        Accepted(object, "functions", before=(1,)),  # type: ignore[arg-type]
        Accepted(object, "functions", after=[len]),  # type: ignore[arg-type]
        Accepted(dict, "model", model=AcceptedModel(Summed, (), before=None)),  # type: ignore[arg-type]
    ):
        with pytest.raises(TypeError, match="functions are a tuple of callables"):
            _core._Acceptance((described,))
    acceptance = _core._Acceptance((Accepted(object, "functions", after=(len,), inner=None),))
    assert acceptance.for_models("abc") is NotImplemented
    assert acceptance.for_text("abc") is NotImplemented
    assert acceptance.for_models("abc", outcomes := []) == 3
    assert outcomes == [(len, 3)]
    for arguments in ((), ("a", ()), ("a", [], 1)):
        with pytest.raises(TypeError, match=r"for_models\(\) takes"):
            acceptance.for_models(*arguments)  # type: ignore[arg-type]
