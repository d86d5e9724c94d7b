"""Values that need no validation: their text and their models are those of the validated value, or pydantic decides."""

from __future__ import annotations

import collections
import copy
import dataclasses
import datetime
import enum
import functools
import gc
import pickle
import uuid
from typing import Annotated, Any, Literal, NamedTuple, Optional, get_args

import pytest
from check_models import models as random_models
from check_models.acceptances import RandomAcceptance
from helpers.pydantic_outcome import models_of, text_of
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    PrivateAttr,
    TypeAdapter,
    ValidationError,
    create_model,
    field_validator,
)

from ssrjson_web import _core
from ssrjson_web._models.adapter import AdapterEncoder, models_acceptance
from ssrjson_web._models.language import (
    Accepted,
    AcceptedField,
    AcceptedModel,
    ReadingWay,
)
from ssrjson_web._models.pydantic.features import KEEPS_NUMBERS

SEEDS = st.integers(0, 2**32)
MORE = settings(max_examples=max(400, settings().max_examples))


class Colour(enum.Enum):
    RED = "rot"


class Seller(BaseModel):
    name: str
    rating: int = 3


class Item(BaseModel):
    id: int
    title: str
    price: float
    made: datetime.datetime
    key: uuid.UUID
    colour: Colour = Colour.RED
    seller: Optional[Seller] = None  # noqa: UP045
    tags: list[str] = []
    kind: Literal["a", "b"] = "a"
    n: Annotated[int, Field(ge=0, le=10)] = 5
    code: Annotated[str, Field(min_length=2, max_length=4)] = "ab"


MOMENT = datetime.datetime(2026, 11, 23, 1, 2, 3, tzinfo=datetime.timezone.utc)
KEY = uuid.UUID(int=7)


def item(**changes: Any) -> dict[str, Any]:
    made = {"id": 1, "title": "名前", "price": 1.5, "made": MOMENT, "key": KEY, "seller": {"name": "é"}, "tags": ["中"]}
    return made | changes


# ---- random models


@MORE
@given(SEEDS)
def test_text_of_random_values_is_that_of_the_validated_value(seed: int) -> None:
    case = RandomAcceptance.of(seed)
    assume(case is not None)
    assert case is not None
    for value in case.inputs(6):
        case.has_text(value)


@MORE
@given(SEEDS)
def test_models_of_random_values_are_those_of_pydantic(seed: int) -> None:
    case = RandomAcceptance.of(seed)
    assume(case is not None)
    assert case is not None
    for value in case.inputs(6):
        case.has_models(value)


def test_random_values_are_accepted_for_the_most_part_where_types_are_plain() -> None:
    n_texts = n_models = 0
    for seed in range(300):
        case = RandomAcceptance.of(seed)
        for value in case.inputs(6) if case is not None else ():
            n_texts += case.has_text(value)
            n_models += case.has_models(value)
    assert n_texts > 100
    assert n_models > 100


# ---- what is accepted


def test_dicts_in_any_order_with_defaults_and_extra_keys_are_accepted() -> None:
    whole = item(colour=Colour.RED, kind="b", n=0, code="中文")
    for value in (whole, item(), dict(reversed(whole.items())), item(more=1), item(seller=Seller(name="x"))):
        assert text_of(Item, value) is not None
        assert text_of(list[Item], [value, value]) is not None
        assert models_of(list[Item], [value, value]) is not NotImplemented
    for options in ({"exclude_none": True}, {"exclude_unset": True}, {"by_alias": False}):
        assert text_of(list[Item], [item(seller=None), item()], **options) is not None


def test_values_of_json_are_converted_by_pydantic() -> None:
    texts = (
        *("2026-11-23T01:02:03Z", "2026-11-23T01:02:03", "2026-11-23T01:02:03.000001+02:00", "2024-02-29T00:00:00"),
        *("2026-11-23T01:02:03.5Z", "2026-11-23 01:02:03Z", "2026-11-23T01:02:03+00:00", "2026-11-23T01:02:03.000000"),
        *("2026-11-23T01:02Z", "1760000000", "2026-11-23T01:02:03-05:30", "0001-01-01T00:00:00+14:00"),
    )
    for text in texts:
        value = item(made=text, key=str(KEY), colour="rot", price=2)
        assert text_of(Item, value) is not None, text
        assert models_of(Item, value) is not NotImplemented, text
    for text in (KEY.hex, str(KEY).upper(), f"{{{KEY}}}", f"urn:uuid:{KEY}", "ABCDEF01-2345-6789-abcd-ef0123456789"):
        assert text_of(Item, item(key=text)) is not None, text


@pytest.mark.parametrize(
    "text",
    [
        *("2026-02-29T00:00:00", "2023-13-01T00:00:00", "2026-11-31T00:00:00", "0000-01-01T00:00:00"),
        *("2026-11-23T24:00:00", "2026-11-23T01:60:00", "2026-11-23T01:02:03+24:00", "2026-11-23T01:02:03+02:60"),
        *("2026-11-23T01:02:03z ", "2100-02-29T00:00:00", "", "é", "2026-11-23T01:02:03.00000aZ"),
        "２026-11-23T01:02:03",
    ],
)
def test_text_of_no_moment_is_left_to_pydantic(text: str) -> None:
    for like in (True, False):
        assert AdapterEncoder(TypeAdapter(Item), like_dump_json=like).encode_unvalidated(item(made=text)) is None
    acceptance = models_acceptance(TypeAdapter(Item))
    assert acceptance is not None
    assert acceptance.for_models(item(made=text)) is NotImplemented
    with pytest.raises(ValueError):  # noqa: PT011 - before 2.8 pydantic raises one of its own for the year 0
        TypeAdapter(Item).validate_python(item(made=text))


def test_every_day_and_every_offset_is_read_as_pydantic_reads_it() -> None:
    adapter = TypeAdapter(list[datetime.date])
    encoder = AdapterEncoder(adapter, like_dump_json=True)
    first = datetime.date(1999, 12, 25).toordinal()
    for start in (1, first, datetime.date(1899, 12, 30).toordinal(), datetime.date.max.toordinal() - 800):
        days = [datetime.date.fromordinal(start + i).isoformat() for i in range(800)]
        assert encoder.encode_unvalidated(days) == adapter.dump_json(adapter.validate_python(days))
    moments = TypeAdapter(datetime.datetime)
    encoder = AdapterEncoder(moments, like_dump_json=True)
    for hour in range(26):
        for minute in (0, 1, 59, 60):
            for sign in "+-":
                text = f"2026-11-23T01:02:03{sign}{hour:02}:{minute:02}"
                body = encoder.encode_unvalidated(text)
                if body is not None:
                    assert body == moments.dump_json(moments.validate_python(text))


WRONG: tuple[tuple[str, Any], ...] = (
    *(("id", value) for value in (True, "1", 1.0)),
    *(("title", value) for value in (1, None, random_models.OwnText("a"))),
    *(("price", value) for value in ("1.5", float("nan"), True, 2**60)),
    *(("made", value) for value in (0, MOMENT.date())),
    *(("key", KEY.int), ("colour", "blau"), ("kind", "c"), ("kind", random_models.OwnText("a"))),
    *(("n", value) for value in (-1, 11, 2**70, True)),
    *(("code", value) for value in ("a", "abcde", "a\ud800")),
    *(("tags", value) for value in (("a",), [1], collections.deque("a"))),
    *(("seller", value) for value in ([], {"rating": 1}, random_models.OwnDict(name="x"))),
)


@pytest.mark.parametrize(("name", "wrong"), WRONG, ids=repr)
def test_other_values_are_left_to_pydantic(name: str, wrong: Any) -> None:
    change = {name: wrong}
    for like in (True, False):
        assert AdapterEncoder(TypeAdapter(Item), like_dump_json=like).encode_unvalidated(item(**change)) is None
    acceptance = models_acceptance(TypeAdapter(Item))
    assert acceptance is not None
    assert acceptance.for_models(item(**change)) is NotImplemented


def test_missing_fields_and_keys_that_are_no_str_are_left_to_pydantic() -> None:
    for name in ("id", "title", "made"):
        value = item()
        del value[name]
        assert AdapterEncoder(TypeAdapter(Item), like_dump_json=True).encode_unvalidated(value) is None
    assert text_of(Item, item() | {1: 2}) is None
    assert models_of(Item, item() | {1: 2}) is NotImplemented


def test_extra_keys_are_dropped_refused_or_left_to_pydantic() -> None:
    class Forbids(Seller):
        model_config = ConfigDict(extra="forbid")

    class Allows(Seller):
        model_config = ConfigDict(extra="allow")

    assert text_of(Forbids, {"name": "é"}) == '{"name":"é","rating":3}'.encode()
    assert AdapterEncoder(TypeAdapter(Forbids), like_dump_json=True).encode_unvalidated({"name": "é", "x": 1}) is None
    assert text_of(Allows, {"name": "é", "x": 1}) is None


def test_aliases_are_read_and_written_as_the_config_says() -> None:
    class Named(BaseModel):
        model_config = ConfigDict(populate_by_name=True)
        first_name: str = Field(alias="firstName")
        secret: str = Field("s", exclude=True)
        out: int = Field(1, serialization_alias="ausgabe")

    both = {"firstName": "a", "first_name": "b", "secret": "x"}
    for value in ({"firstName": "é"}, {"first_name": "é", "out": 2}, both):
        for by_alias in (True, False):
            assert text_of(Named, value, by_alias=by_alias) is not None
        assert models_of(Named, value) is not NotImplemented

    class OnlyByAlias(BaseModel):
        first_name: str = Field(alias="firstName")

    assert text_of(OnlyByAlias, {"firstName": "é"}) == '{"firstName":"é"}'.encode()
    assert AdapterEncoder(TypeAdapter(OnlyByAlias), like_dump_json=True).encode_unvalidated({"first_name": "é"}) is None


def test_unions_are_told_apart_by_the_type_alone() -> None:
    class Either(BaseModel):
        a: int | str
        b: datetime.datetime | int | None = None
        c: Seller | str = "x"
        d: Seller | Item | None = None

    assert text_of(Either, {"a": "1", "b": MOMENT, "c": {"name": "n"}}) is not None
    assert text_of(Either, {"a": 1, "b": 5}) is not None
    # what is not clear by the type is validated by itself
    assert text_of(Either, {"a": 1, "b": "2026-11-23T01:02:03Z"}) is not None
    assert text_of(Either, {"a": 1, "d": {"name": "n"}}) is None
    assert models_of(Either, {"a": 1, "b": "5", "d": {"name": "n"}}) is not NotImplemented


@pytest.mark.parametrize("number", [5, 10**18, -(2**63) - 1, 10**30, 2.5])
def test_numbers_of_a_union_of_numbers_are_written_as_the_choice_that_pydantic_takes(number: float) -> None:
    """Older ones write an int as the float that the union names before it."""
    declared: Any
    for declared in (float | int, int | float, float | list[datetime.date] | int | None):
        made = create_model("Made", x=(declared, 0))
        for text in (text_of(declared, number), text_of(made, {"x": number})):  # these compare
            assert text is not None or not KEEPS_NUMBERS


def test_models_with_code_of_their_own_are_left_to_pydantic() -> None:
    class Validated(Seller):
        @field_validator("name")
        def check(cls, name: str) -> str:
            return name.upper()

    class WithPrivate(Seller):
        _n: Any = PrivateAttr(default_factory=lambda: 1)

    class WithInit(Seller):
        def __init__(self, **values: Any) -> None:
            super().__init__(**values)

    class WithPostInit(Seller):
        def model_post_init(self, context: Any, /) -> None:
            self.rating = 9

    class Lowered(Seller):
        model_config = ConfigDict(str_to_lower=True)

    class Strict(Seller):
        model_config = ConfigDict(strict=True)

    class DefaultsValidated(Seller):
        model_config = ConfigDict(validate_default=True)

    classes = (Validated, WithPrivate, WithInit, WithPostInit, Lowered, Strict, DefaultsValidated)
    for cls in classes:
        assert text_of(cls, {"name": " é "}) is None, cls
        assert models_of(cls, {"name": " é "}) is NotImplemented, cls
    assert text_of(WithPrivate, WithPrivate(name="a")) is not None  # an instance is not validated again


def test_plain_private_attributes_need_not_be_made_for_the_text(monkeypatch: pytest.MonkeyPatch) -> None:
    class Plain(Seller):
        _a: int = PrivateAttr(1)
        _b: list[int] = PrivateAttr(default_factory=list)
        _c: int

    class OfPlain(Plain):
        _d: dict[str, int] = PrivateAttr({})

    class Copied:
        def __deepcopy__(self, memo: object) -> Any:
            raise AssertionError

    class OfUsers(Seller):
        _a: Any = PrivateAttr(Copied())

    class Filled(Seller):
        _a: Any = PrivateAttr({"a": Copied()})

    class AfterOwn(Plain):
        def model_post_init(self, context: Any, /) -> None:
            self.name = "own"

    for cls in (Plain, OfPlain, list[OfPlain]):
        value = {"name": " é "} if cls in (Plain, OfPlain) else [{"name": " é "}]
        assert text_of(cls, value) is not None, cls
        assert models_of(cls, value) is NotImplemented, cls
    for cls in (OfUsers, Filled, AfterOwn):
        assert text_of(cls, {"name": " é "}) is None, cls
    encoder = AdapterEncoder(TypeAdapter(Plain), like_dump_json=True)
    assert encoder.encode_unvalidated({"name": "a"}) is not None
    with monkeypatch.context() as patches:
        patches.setattr(Plain, "model_post_init", lambda self, context: None)
        assert encoder.encode_unvalidated({"name": "a"}) is None
    assert encoder.encode_unvalidated({"name": "a"}) is not None
    assert TypeAdapter(Plain).validate_python(Plain(name="a"))._b == []


def test_values_of_no_type_are_written_only_if_scalar() -> None:
    class Holder(BaseModel):
        any: Any
        by_name: dict[str, int] = {}

    assert text_of(Holder, {"any": "é", "by_name": {"中": 1}}) is not None
    iterator = iter([1, 2])
    assert text_of(Holder, {"any": iterator}) is None
    assert list(iterator) == [1, 2]
    assert models_of(Holder, {"any": {"deep": [1]}}) is not NotImplemented


# ---- objects


@dataclasses.dataclass
class Plain:
    name: str
    rating: int = 2


@dataclasses.dataclass
class Slotted:
    __slots__ = ("name", "rating")
    name: str
    rating: int


class Counting:
    n_calls = 0
    name = "é"

    @property
    def rating(self) -> int:
        Counting.n_calls += 1
        return 4


class Dynamic:
    name = "é"

    def __getattr__(self, name: str) -> Any:
        if name == "rating":
            return 5
        raise AttributeError(name)


class Overridden:
    def __getattribute__(self, name: str) -> Any:
        return {"name": "é", "rating": 6}.get(name) or object.__getattribute__(self, name)


def test_objects_are_read_where_no_code_of_their_class_runs() -> None:
    assert text_of(list[Seller], [Plain("é"), Slotted("中", 4)]) is not None
    dynamic = Dynamic()
    dynamic.__dict__["rating"] = 3
    assert text_of(Seller, dynamic) is not None  # found before __getattr__ is asked
    for value in (Counting(), Dynamic(), Overridden(), collections.UserDict(name="é"), 5, object()):
        assert AdapterEncoder(TypeAdapter(Seller), like_dump_json=True).encode_unvalidated(value) is None
    assert Counting.n_calls == 0


class Replacing:
    """An object whose own attribute replaces what its class computes."""

    def name(self) -> str:
        raise AssertionError("called")

    @functools.cached_property
    def rating(self) -> int:
        return 4


def test_attributes_that_replace_those_of_the_class_are_read() -> None:
    row = Replacing()
    assert text_of(Seller, row) is None
    row.__dict__["name"] = "é"
    assert text_of(Seller, row) is None
    assert row.rating == 4
    assert text_of(Seller, row) == '{"name":"é","rating":4}'.encode()


class Bare:
    """An object with attributes of its own only."""

    def __init__(self, **attributes: Any) -> None:
        for name, value in attributes.items():
            setattr(self, name, value)


def test_objects_own_attributes_are_found_in_any_order() -> None:
    with_dict = Bare(rating=2, name="中")
    assert vars(with_dict)  # from Python 3.11 on the dict is made when somebody asks for it
    among_others = Bare()
    among_others.__dict__ = {"_state": object(), "name": "ñ", "more": 1, "rating": 4, "last": 2}
    values = [Bare(name="é", rating=1), Bare(rating=2, name="ж"), with_dict, among_others]
    assert text_of(list[Seller], values) is not None
    encoder = AdapterEncoder(TypeAdapter(Seller), like_dump_json=True)
    assert encoder.encode_unvalidated(Bare(name="é")) is None  # pydantic decides where one is absent
    for attributes in ({"name": "é"}, {"name": "é", "rating": 3, 1: 2}):
        among_others.__dict__ = attributes  # type: ignore[assignment]
        assert encoder.encode_unvalidated(among_others) is None


@pytest.mark.parametrize("n", [31, 32, 33, 70])
def test_models_of_many_fields(n: int) -> None:
    names = [f"field_{i}" for i in range(n)]
    declared = create_model("Many", **dict.fromkeys(names, (int, 7)))  # type: ignore[call-overload]
    whole = {name: i for i, name in enumerate(names)}
    backwards = dict(reversed(whole.items()))
    part = {name: whole[name] for name in names[5::2]}
    for value in (whole, backwards, part, {}):
        assert text_of(declared, value) is not None
        assert text_of(declared, value, exclude_unset=True) is not None
        assert models_of(declared, value) is not NotImplemented
    assert text_of(declared, Bare(**backwards)) is not None
    assert text_of(declared, {**whole, names[-1]: ""}) is None
    assert models_of(declared, {**backwards, names[-1]: ""}) is NotImplemented


def test_class_that_changes_is_looked_at_again() -> None:
    class Changing:
        def __init__(self) -> None:
            self.name, self.rating = "é", 1

    encoder = AdapterEncoder(TypeAdapter(Seller), like_dump_json=True)
    value = Changing()
    assert encoder.encode_unvalidated(value) == '{"name":"é","rating":1}'.encode()
    Changing.rating = property(lambda self: 8)  # type: ignore[assignment]
    assert encoder.encode_unvalidated(value) is None


def test_rows_of_sqlalchemy_are_read_while_they_are_loaded() -> None:
    pytest.importorskip("sqlalchemy", minversion="2")
    from sqlalchemy import Integer, String, create_engine
    from sqlalchemy.orm import DeclarativeBase, Session, mapped_column

    class Base(DeclarativeBase):
        pass

    class Row(Base):
        __tablename__ = "sellers"
        name = mapped_column(String, primary_key=True)
        rating = mapped_column(Integer)

    engine = create_engine("sqlite://")
    Base.metadata.create_all(engine)
    with Session(engine) as session:
        session.add_all([Row(name=f"名{i}", rating=i) for i in range(5)])
        session.commit()
        rows = session.query(Row).all()
        assert text_of(list[Seller], rows) is not None
        session.commit()  # expires them: the next access reads the database
        encoder = AdapterEncoder(TypeAdapter(list[Seller]), like_dump_json=True)
        assert encoder.encode_unvalidated(rows) is None
        assert text_of(list[Seller], rows) is None or rows[0].rating == 0
        assert encoder.encode(TypeAdapter(list[Seller]).validate_python(rows, from_attributes=True))
        assert encoder.encode_unvalidated(rows) is not None  # loaded again
    engine.dispose()


# ---- models


def test_made_models_behave_as_validated_ones() -> None:
    class Checked(BaseModel):
        model_config = ConfigDict(validate_assignment=True)
        n: int
        tags: list[str] = []

    acceptance = models_acceptance(TypeAdapter(Checked))
    assert acceptance is not None
    body = {"n": 1}
    made, other = acceptance.for_models(body), acceptance.for_models(body)
    validated = Checked(n=1)
    assert made == validated
    assert repr(made) == repr(validated)
    assert made.model_fields_set == {"n"}
    assert made.model_dump_json() == validated.model_dump_json()
    assert copy.deepcopy(made) == made.model_copy() == made
    made.tags.append("x")
    assert other.tags == Checked(n=1).tags == []
    seller = models_of(Seller, {"name": "é"})
    assert pickle.loads(pickle.dumps(seller)) == seller == Seller(name="é")
    made.n = 5
    assert made.model_fields_set == {"n"}
    with pytest.raises(ValidationError):
        made.n = "x"
    assert body == {"n": 1}


def test_containers_of_a_body_are_copied() -> None:
    body = {"id": 1, "title": "t", "price": 1.0, "made": MOMENT, "key": KEY, "tags": ["a"], "seller": {"name": "n"}}
    made = models_of(list[Item], [body])[0]
    body["tags"].append("b")
    assert made.tags == ["a"]


# ---- hostile


def test_nothing_is_leaked_and_nothing_held() -> None:
    before = None
    for _ in range(5):
        adapter = TypeAdapter(list[Item])
        encoder, acceptance = AdapterEncoder(adapter, like_dump_json=True), models_acceptance(adapter)
        assert acceptance is not None
        for change in WRONG:
            for values in ([item()], [item(), item(**dict([change]))]):
                encoder.encode_unvalidated(values)
                acceptance.for_models(values)
        del adapter, encoder, acceptance
        gc.collect()
        after = len(gc.get_objects())
        assert before is None or after <= before + 50
        before = after


def test_list_that_shrinks_while_it_is_read_is_left_to_pydantic() -> None:
    values: list[Any] = []

    def shrink(value: str) -> str:
        values.clear()
        return value

    inner = (Accepted(str, "call", validator=shrink),)
    acceptance = _core._Acceptance((Accepted(list, "items", inner=inner),))
    for purpose in (acceptance.for_text, acceptance.for_models):
        values[:] = ["a", "b", "c"]
        if _core.get_current_features()["free_threading"]:
            assert list(purpose(values)) == ["a", "b", "c"]  # it is read as it was at first
            continue
        assert purpose(values) is NotImplemented


def test_new_list_that_shrinks_while_it_is_filled_is_left_to_pydantic() -> None:
    mark = object()

    def shrink(value: str) -> Any:
        for found in gc.get_objects():
            if type(found) is list and found and found[0] is mark:
                found.clear()
        return mark

    inner = (Accepted(str, "call", validator=shrink),)
    acceptance = _core._Acceptance((Accepted(list, "items", inner=inner),))
    for purpose in (acceptance.for_text, acceptance.for_models):
        purpose(["a", "b", "c"])


def test_dict_that_shrinks_while_it_is_read_does_no_harm() -> None:
    values: dict[str, Any] = {}

    def shrink(value: str) -> str:
        values.clear()
        return value

    inner = (Accepted(str, "call", validator=shrink),)
    fields = tuple(AcceptedField(name, name, None, name, inner) for name in "abc")
    model = AcceptedModel(Seller, fields)
    for accepted in (Accepted(dict, "values", inner=inner), Accepted(dict, "model", model=model)):
        acceptance = _core._Acceptance((accepted,))
        for purpose in (acceptance.for_text, acceptance.for_models):
            values.update(dict.fromkeys("abc", "x"))
            purpose(values)


def test_exception_of_a_converter_that_is_no_exception_passes() -> None:
    def stop(value: str) -> str:
        raise KeyboardInterrupt

    def fail(value: str) -> str:
        raise ValueError

    assert _core._Acceptance((Accepted(str, "call", validator=fail),)).for_text("a") is NotImplemented
    with pytest.raises(KeyboardInterrupt):
        _core._Acceptance((Accepted(str, "call", validator=stop),)).for_text("a")


A_FIELD = AcceptedField("name", "name", None, "name", (Accepted(str),))


def test_type_object_is_any_but_those_of_the_other_alternatives() -> None:
    def fail(value: object) -> None:
        raise ValueError

    acceptance = _core._Acceptance(
        (Accepted(int, "int", 0, 9), Accepted(str, "call", validator=fail), Accepted(object))
    )
    for value in (5, None, 1.5, [1], object(), True):
        assert acceptance.for_text(value) is value
    assert acceptance.for_text(10) is acceptance.for_text("a") is NotImplemented


def accepted_by_way(way: Any) -> object:
    """What becomes of an object that is no model, whose attributes are read in a way."""

    class Row:
        def __init__(self) -> None:
            self.name = "é"

    model = AcceptedModel(Seller, (A_FIELD,), way_of=lambda cls: way)
    return _core._Acceptance((Accepted(dict, "model", model=model),)).for_text(Row())


@pytest.mark.parametrize("way", get_args(ReadingWay))
def test_core_knows_each_way_of_the_language(way: str) -> None:
    assert accepted_by_way(way) == (NotImplemented if way == "library" else {"name": "é"})


def test_core_refuses_a_way_that_has_another_name() -> None:
    with pytest.raises(ValueError, match="attributes are read in no way 'elsewhere'"):
        accepted_by_way("elsewhere")


def test_core_refuses_tuples_whose_fields_have_other_names() -> None:
    class Renamed(NamedTuple):
        exact_type: type
        test: str = "type"

    for other in ((str, "type"), Renamed(str), tuple(Accepted(str)), A_FIELD):
        with pytest.raises(TypeError, match=r"expected a named tuple with the fields exact_type, \.\.\., not "):
            _core._Acceptance((other,))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "description",
    [
        *(1, ("a",), ((int,),), (Accepted(int, "none"),), (Accepted(str, "int"),), (Accepted(int, "items"),)),  # type: ignore[arg-type]
        *((Accepted(str, "among", among=None),), (Accepted(str, "call"),), (Accepted(int, "int", "a"),)),  # type: ignore[arg-type]
        (Accepted(str, "among", among=frozenset([KEY])),),
        (Accepted(dict, "model"),),
        (Accepted(dict, "model", model=(1, 2, 3, 4, 5, 6)),),  # type: ignore[arg-type]
        (Accepted(dict, "model", model=AcceptedModel(Seller, (1,))),),  # type: ignore[arg-type]
        (Accepted(dict, "model", model=AcceptedModel(Seller, (AcceptedField("a", 1, None, None, ()),))),),  # type: ignore[arg-type]
        (Accepted(dict, "model", model=AcceptedModel(Seller, (AcceptedField("a", "a", None, "a", None),) * 2)),),
    ],
    ids=repr,
)
def test_wrong_description_raises(description: Any) -> None:
    with pytest.raises((TypeError, ValueError)):
        _core._Acceptance(description)


def test_description_that_is_nested_too_deep_raises() -> None:
    description: Any = (Accepted(int),)
    for _ in range(100):
        description = (Accepted(list, "items", inner=description),)
    with pytest.raises(ValueError, match="nested deeper"):
        _core._Acceptance(description)


@pytest.mark.parametrize(
    ("check", "cls", "texts", "n_calls"),
    [
        ("uuid", uuid.UUID, [str(uuid.UUID(int=7**i % 2**128)) for i in range(40, 60)], 1),
        ("date", datetime.date, ["2026-11-23", "0001-01-01", "2024-02-29", "9999-12-31"], 0),
        (
            "datetime",
            datetime.datetime,
            [
                *(
                    "2026-11-23T01:02:03Z",
                    "2025-11-23T01:02:03.000001Z",
                    "0001-01-01T00:00:00",
                    "9999-12-31T23:59:59.999999",
                ),
                *("2024-02-29T23:59:59+02:00", "0001-01-01T00:00:00+02:00", "2026-11-23T01:02:03.120000+02:00"),
            ],
            3,  # Z, no offset, +02:00
        ),
    ],
    ids=["uuid", "date", "datetime"],
)
def test_validators_of_standard_text_are_called_for_what_is_new(
    check: Any, cls: Any, texts: list[str], n_calls: int
) -> None:
    validate = TypeAdapter(cls).validate_python
    calls = []

    def counted(text: str) -> Any:
        calls.append(text)
        return validate(text)

    inner = (Accepted(str, check, validator=counted),)
    made = _core._Acceptance((Accepted(list, "items", inner=inner),)).for_models(texts)
    expected = [validate(text) for text in texts]
    assert made == expected
    assert [repr(value) for value in made] == [repr(value) for value in expected]
    assert pickle.loads(pickle.dumps(made)) == expected
    assert len(calls) == n_calls
