"""Validators of an application that the core calls: pydantic's values, errors and calls, in its order, each once."""

from __future__ import annotations

import datetime
import gc
from collections.abc import Iterable
from typing import Annotated, Any, Optional, get_origin

import pytest
from check_models.functions import CALLS, RandomFunctions, Row, assert_made_alike
from helpers.threads import in_threads
from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    PrivateAttr,
    TypeAdapter,
    ValidationError,
    ValidationInfo,
    WrapValidator,
    create_model,
    field_validator,
    model_validator,
)
from pydantic_core import PydanticCustomError, PydanticOmit, PydanticUseDefault
from typing_extensions import TypedDict

from ssrjson_web import _core
from ssrjson_web._models.adapter import _values_maker, bodies_maker, models_obstacle
from ssrjson_web._models.language import Accepted, AcceptedModel
from ssrjson_web._models.pydantic.replay import Replay, can_replay, replaying_validator
from ssrjson_web.models import TypedEncoder

pytestmark = pytest.mark.skipif(
    not can_replay(), reason="pydantic 2.11 and 2.12 take the validators of classes in place of their schemas"
)


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
    assert assert_made_alike(TypeAdapter(Page), lambda: value) == n_made


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


@pytest.mark.parametrize("seed", range(400))
def test_random_models_with_functions(seed: int) -> None:
    case = RandomFunctions(seed)
    for value in case.values(6):
        case.check(value)


def test_random_models_are_made_by_the_core_often_enough() -> None:
    n_made = n = 0
    for seed in range(200):
        case = RandomFunctions(seed, depth=2)
        for value in case.values(3):
            n_made += case.check(value)
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

    def run(name: str) -> None:
        for _ in range(200):
            value = [{"name": name}, {"name": name, "n": "4"}]
            _, replay = maker.make(value)
            assert replay is not None
            made = replay.validate_python(value)
            assert [one.name for one in made] == [name, name]

    in_threads(run, "abc")


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


class Initialized(BaseModel):
    n: int
    text: str = "é"
    _made: Any = PrivateAttr(default_factory=lambda: CALLS.append(("_made", "")))
    _of: int = 3

    def model_post_init(self, context: Any, /) -> None:
        CALLS.append(("post_init", f"{context} {self!r} {self.__pydantic_private__}"))
        if self.n == 13:
            raise ValueError("unlucky")
        if self.n == 14:
            raise RuntimeError("stop")
        if self.n == 15:
            del self.text
        if self.n == 16:
            self.__dict__["more"] = self.__pydantic_fields_set__
        if self.n == 17:
            self._made = TypeAdapter(Initialized).dump_json(Initialized.model_construct(n=0))


class Inherited(Initialized):
    more: list[Initialized] = []
    _more: list[int] = PrivateAttr([1])


class Initializeds(BaseModel):
    items: list[Initialized]
    last: Optional[Inherited] = None  # noqa: UP045


@pytest.mark.parametrize(
    ("value", "n_made"),
    [
        ({"items": [{"n": 1}, {"n": 2, "text": "a"}]}, 2),
        ({"items": [], "last": {"n": 1, "more": [{"n": 2}, {"n": 3}]}}, 2),
        ({"items": [{"n": 1}, Initialized(n=3)]}, 2),
        ({"items": [{"n": 1}, {"n": 13}, {"n": 2}]}, 0),
        ({"items": [{"n": 1}, {"n": "x"}, {"n": 13}], "last": {}}, 0),
        ({"items": [{"n": 1}, {"n": 14}, {"n": 2}]}, 0),
        ({"items": [{"n": 1}, Initialized(n=3), Inherited(n=1), {"n": 2}, {"n": "4"}]}, 0),
        ({"items": [{"n": 15}, {"n": 16}, {"n": 17}]}, 2),
        ({"items": [{"n": 15}, {"n": 16}, {"n": 17}, {"n": "x"}]}, 0),
        ({"items": [Row(n=1, text="b")], "last": Row(n=1, text="", more=[])}, 1),
        (Row(items=[Row(n=13, text="b")], last=None), 0),
        ({"items": [{"n": 1, "text": None}]}, 0),
    ],
    ids=repr,
)
def test_post_inits_and_private_attributes_are_those_of_pydantic(value: Any, n_made: int) -> None:
    assert assert_made_alike(TypeAdapter(Initializeds), lambda: value) == n_made


def test_errors_of_a_union_name_models_that_have_a_post_init() -> None:
    class Part(BaseModel):
        n: int

        def model_post_init(self, context: Any, /) -> None:
            CALLS.append(("post_init", repr(self)))

    class Other(Part):
        pass

    class Whole(BaseModel):
        first: Part
        either: Part | list[Other] | None = None

    assert_made_alike(TypeAdapter(Whole), lambda: {"first": {"n": 1}, "either": "x"})
    assert_made_alike(TypeAdapter(Whole), lambda: {"first": {"n": 1}, "either": [{"n": "x"}]})


def test_post_init_is_called_once_for_each_object() -> None:
    adapter = TypeAdapter(list[Initialized])
    maker = bodies_maker(adapter)
    assert maker is not None
    value = [{"n": 1}, Initialized.model_construct(n=2), {"n": "3"}, {"n": 13}]
    CALLS.clear()
    made, replay = maker.make(value)
    assert made is NotImplemented
    assert replay is not None
    with pytest.raises(ValidationError, match=r"(?s)list\[Initialized\].*unlucky"):
        replay.validate_python(value)
    assert [name for name, _ in CALLS] == ["_made", "post_init"] * 3


def test_post_init_that_was_replaced_is_called(monkeypatch: pytest.MonkeyPatch) -> None:
    class Late(BaseModel):
        n: int

        def model_post_init(self, context: Any, /) -> None:
            raise AssertionError

    adapter = TypeAdapter(Late)
    maker = bodies_maker(adapter)
    assert maker is not None
    monkeypatch.setattr(Late, "model_post_init", lambda self, context: self.__dict__.update(n=self.n + 1))
    assert maker.make({"n": 1})[0].n == adapter.validate_python({"n": 1}).n == 2


class Informed(BaseModel):
    model_config = ConfigDict(title="Inf", extra="forbid")

    n: int
    text: str = "a"

    @model_validator(mode="before")
    @classmethod
    def before(cls, value: Any, info: ValidationInfo) -> Any:
        CALLS.append(("before", f"{value!r} {_shown(info)}"))
        if value == {"n": 13}:
            raise ValueError("unlucky")
        return {"n": value} if isinstance(value, int) else value

    @model_validator(mode="after")
    def after(self) -> Informed:
        CALLS.append(("after", repr(self)))
        return self


def _shown(info: ValidationInfo) -> str:
    data = getattr(info, "data", "none")
    return f"{type(info)} {info.context} {info.mode} {info.config} {info.field_name} {data}"


@pytest.mark.parametrize(
    ("value", "n_made"),
    [
        ({"n": 1}, 2),
        (5, 0),
        ({"n": 1, "text": ""}, 2),
        ({"n": 13}, 0),
        ({"n": "x"}, 0),
        ({"n": 1, "more": 1}, 0),
        (Row(n=2, text="b"), 1),
    ],
    ids=repr,
)
@pytest.mark.parametrize("is_list", [False, True])
def test_infos_before_outermost_models_are_those_of_pydantic(value: Any, n_made: int, is_list: bool) -> None:
    declared: Any = list[Informed] if is_list else Informed
    values = [{"n": 0}, value, {"n": 3}] if is_list else value
    n_of_row = 1 if isinstance(value, Row) else n_made
    assert assert_made_alike(TypeAdapter(declared), lambda: values) == n_of_row


class Informeds(BaseModel):
    """An `info` of a model within another one has the fields before it."""

    first: int = 0
    inner: Optional[Informeds] = None  # noqa: UP045
    informed: Optional[Informed] = None  # noqa: UP045

    @model_validator(mode="before")
    @classmethod
    def before(cls, value: Any, info: ValidationInfo) -> Any:
        CALLS.append(("before", f"{value!r} {_shown(info)}"))
        return value


@pytest.mark.parametrize(
    "value", [{}, {"first": 1, "informed": {"n": 1}}, {"first": 1, "inner": {"first": 2}}, {"first": "x", "inner": {}}]
)
def test_infos_within_models_are_left_to_pydantic(value: Any) -> None:
    assert_made_alike(TypeAdapter(Informeds), lambda: value)
    assert_made_alike(TypeAdapter(list[Informeds]), lambda: [{}, value, {}])


def test_an_iterator_is_read_after_a_second_validation() -> None:
    class Item(BaseModel):
        n: int

        def model_post_init(self, context: Any) -> None:
            seen.append(self.n)

        @field_validator("n")
        @classmethod
        def double(cls, n: int) -> int:
            return 2 * n

    seen: list[int] = []
    adapter = TypeAdapter(Iterable[Item])
    made = Replay(replaying_validator(adapter.validator), []).validate_python([{"n": 1}, {"n": 2}])
    assert [one.n for one in made] == [2, 4]
    assert seen == [2, 4]


class Priced(BaseModel):
    price: int = Field(ge=0)


class Own(Exception):
    pass


def _wrap(value: Any, handler: Any) -> Any:
    """Uses a handler as the value says."""
    CALLS.append(("f", f"{type(handler).__name__} {value!r}"))
    if value == "omit":
        raise PydanticOmit
    if value == "default":
        raise PydanticUseDefault
    if value == "own":
        raise Own
    if value == "assert":
        raise AssertionError("no")
    if value == "twice":
        return handler({"price": handler({"price": 1}).price + 1})
    if value == "caught":
        try:
            return handler({"price": -1})
        except ValidationError as error:
            CALLS.append(("f", f"{error.title} {error.errors(include_url=False)}"))
            return None
    if value == "moved":
        return handler({"price": "x"}, "moved")
    return value if value == "kept" else handler(value)


WRAPPED = (
    *("omit", "default", "own", "assert", "twice", "caught", "moved", "kept"),
    *({"price": 1}, {"price": "2"}, {"price": -1}, {}, 3, Row(price=1), Row(price=-1), Priced(price=7)),
)


@pytest.mark.parametrize("value", WRAPPED, ids=repr)
@pytest.mark.parametrize(
    "declared",
    [
        list[Annotated[Priced, WrapValidator(_wrap)]],
        create_model("Holder", one=(Annotated[Priced | None, WrapValidator(_wrap)], None), n=(int, ...)),
        list[Annotated[Priced, AfterValidator(lambda one: one), WrapValidator(_wrap), AfterValidator(lambda one: one)]],
    ],
)
def test_functions_are_given_a_handler_of_pydantic(declared: Any, value: Any) -> None:
    adapter: TypeAdapter[Any] = TypeAdapter(declared)
    values = [[value], [{"price": 1}, value]] if get_origin(declared) is list else [{"one": value, "n": 1}]
    for one in (*values, {"one": value}):
        assert_made_alike(adapter, lambda: one)  # noqa: B023
    assert assert_made_alike(adapter, lambda: [{"price": 1}] if get_origin(declared) is list else {"n": 1}) == 2


def test_handler_may_be_kept_and_used_later() -> None:
    handlers: list[Any] = []

    def keep(value: Any, handler: Any) -> Any:
        handlers.append(handler)
        return handler(value)

    maker = bodies_maker(TypeAdapter(list[Annotated[Priced, WrapValidator(keep)]]))
    assert maker is not None
    assert maker.make([{"price": 1}])[0] == [Priced(price=1)]
    assert handlers[0]({"price": 2}) == Priced(price=2)
    with pytest.raises(ValidationError, match="1 validation error for ValidatorCallable"):
        handlers[0]({"price": -2})


def test_functions_within_a_handler_that_are_given_an_info_are_left_to_pydantic() -> None:
    class Informed(BaseModel):
        first: int
        second: Annotated[
            int, AfterValidator(lambda n, info: n + info.data["first"]), WrapValidator(lambda n, handler: handler(n))
        ]

    adapter = TypeAdapter(Informed)
    assert assert_made_alike(adapter, lambda: {"first": 1, "second": 2}) == 0
    assert models_obstacle(adapter).startswith("Informed.second: the validator ")


class Settings(TypedDict, total=False):
    color: str
    n: Annotated[int, Field(ge=0)]
    at: datetime.date


class WithSettings(BaseModel):
    settings: Settings
    more: Optional[list[Settings]] = None  # noqa: UP045

    @field_validator("*")
    @classmethod
    def look(cls, value: Any) -> Any:
        CALLS.append(("look", repr(value)))
        return value


class Number:
    def __index__(self) -> int:
        CALLS.append(("index", ""))
        return 3


class Key(str):
    def __hash__(self) -> int:
        CALLS.append(("hash", ""))
        return super().__hash__()

    def __eq__(self, other: object) -> bool:
        CALLS.append(("eq", ""))
        return super().__eq__(other)


@pytest.mark.parametrize(
    ("settings", "is_made"),
    [
        ({}, True),
        ({"color": "é", "n": 1, "at": "2026-11-28"}, True),
        ({"n": "1", "at": datetime.date(2026, 11, 28), "other": 1}, True),
        ({"n": -1}, False),
        ({"color": 1}, False),
        ({"n": Number()}, False),
        ({"other": Number()}, False),
        ({Key("color"): "a"}, False),
        ({"other": []}, False),
        ({"other": {"n": Row(a=1)}}, False),
        (Row(n=1), False),
        (None, False),
    ],
    ids=range(12),
)
def test_dicts_of_scalars_become_typed_dicts(settings: Any, is_made: bool) -> None:
    adapter = TypeAdapter(WithSettings)
    maker = _values_maker(adapter, from_attributes=True).maker
    assert maker is not None
    more = Row(settings=settings, more=[settings]), Row(settings=settings, more=[{"n": -1}])
    for value in ({"settings": settings}, *more):
        assert_made_alike(adapter, lambda: value)  # noqa: B023
    made, _ = maker.make(Row(settings=settings, more=None))
    assert (made is not NotImplemented) is is_made
    if is_made:
        assert made.settings is not settings
