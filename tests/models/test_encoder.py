"""Encoder(models=True): objects of every model library, outside any framework."""

from __future__ import annotations

import contextlib
import dataclasses
import datetime
import json
from typing import Any

import pytest
from models import samples as model_samples
from pydantic import BaseModel, TypeAdapter
from pydantic_core import PydanticSerializationError

from ssrjson_web import Encoder, dumps, orjson, utf8_cache_size

pytestmark = pytest.mark.usefixtures("isa")

UTC = datetime.timezone.utc
COVERED = [name for name in model_samples.VALUES if not name.startswith(("surrogate", "invalid", "unknown"))]


@pytest.mark.filterwarnings("ignore:Pydantic serializer warnings")
@pytest.mark.parametrize("name", COVERED)
@pytest.mark.parametrize("by_alias", [True, False])
def test_models_are_written_as_pydantic_writes_them(name: str, by_alias: bool) -> None:
    value = model_samples.VALUES[name][1]
    encoder = Encoder(models=True, by_alias=by_alias)
    expected = TypeAdapter(Any).dump_json(value, by_alias=by_alias)
    assert encoder.encode(value) == expected
    assert encoder.encode_str([value]) == f"[{expected.decode()}]"
    assert b"".join(encoder.iterencode([value, value], chunk_size=20)) == encoder.encode([value, value])


def test_models_exclude_what_the_options_say() -> None:
    model = model_samples.Choices(number=None, literal="b")
    for options in ({"exclude_none": True}, {"exclude_unset": True}, {"exclude_defaults": True}):
        assert Encoder(models=True, **options).encode(model) == model.model_dump_json(**options).encode()


def test_models_are_off_by_default() -> None:
    for options in ({}, {"natives": True}, {"dataclass": True}):
        with pytest.raises(TypeError, match="Object of type Leaf is not JSON serializable"):
            dumps(model_samples.Leaf(), **options)  # type: ignore[call-overload]


def test_models_formats_can_be_changed_for_what_is_no_field_of_pydantic() -> None:
    at = datetime.datetime(2020, 1, 2, tzinfo=UTC)

    class Timed(BaseModel):
        at: datetime.datetime

    value = [at, Timed(at=at)]
    assert Encoder(models=True).encode(value) == b'["2020-01-02T00:00:00Z",{"at":"2020-01-02T00:00:00Z"}]'
    assert Encoder(models=True, utc="+00:00").encode(value) == (
        b'["2020-01-02T00:00:00+00:00",{"at":"2020-01-02T00:00:00Z"}]'
    )


def test_models_of_dataclasses_are_objects_of_their_fields() -> None:
    @dataclasses.dataclass
    class Plain:
        b: Any
        a: Any = 1

    value = Plain([Plain("é")], datetime.date(2020, 1, 2))
    assert Encoder(models=True).encode_str(value) == '{"b":[{"b":"é","a":1}],"a":"2020-01-02"}'


def test_models_pydantic_only_leaves_the_rest_to_default() -> None:
    attrs = pytest.importorskip("attrs", reason="attrs is not installed")

    @attrs.define
    class Defined:
        n: int

    encoder = Encoder(models="pydantic", default=lambda value: f"<{type(value).__name__}>")
    value = [model_samples.Leaf(), model_samples.Plain(1), Defined(1), datetime.date(2020, 1, 1)]
    assert encoder.encode_str(value) == (
        '[{"n":1,"text":"中文"},{"n":1,"at":"<datetime>","leaf":{"n":1,"text":"中文"}},"<Defined>","<date>"]'
    )


def test_models_pydantic_only_keeps_pydantics_formats_in_fields() -> None:
    text = Encoder(models="pydantic").encode(model_samples.Formats())
    assert text == model_samples.Formats().model_dump_json().encode()


def test_attrs_classes_are_objects_of_their_fields() -> None:
    attrs = pytest.importorskip("attrs", reason="attrs is not installed")

    @attrs.define
    class Slotted:
        first: Any
        _private: Any = attrs.field(default=2, alias="private")

    @attrs.define(slots=False)
    class Open:
        inner: Any
        at: Any = datetime.date(2020, 1, 2)

    class Child(Slotted):
        pass

    value = Open([Slotted("é"), Child(None)])
    expected = '{"inner":[{"first":"é","_private":2},{"first":null,"_private":2}],"at":"2020-01-02"}'
    assert Encoder(models=True).encode_str(value) == expected
    assert json.loads(expected)["inner"][0] == attrs.asdict(value)["inner"][0]


def test_models_leave_no_utf8_cache() -> None:
    msgspec = pytest.importorskip("msgspec", reason="msgspec is not installed")

    class Struct(msgspec.Struct):
        text: str

    texts = [chr(0x4E00 + i) * 40 for i in range(3)]
    Encoder(models=True).encode(
        [model_samples.Leaf(text=texts[0]), Struct(texts[1]), model_samples.Renamed(firstName=texts[2])]
    )
    assert [utf8_cache_size(text) for text in texts] == [0, 0, 0]


@pytest.mark.parametrize("offset", ["Z", "+00:00", "-00:01", "+05:45", "+23:59", "-23:59", "-08:00"])
def test_offsets_that_pydantic_has_parsed(offset: str, monkeypatch: pytest.MonkeyPatch) -> None:
    moments = TypeAdapter(list[datetime.datetime]).validate_json(f'["2026-11-23T01:02:03{offset}"]'.encode())
    times = TypeAdapter(list[datetime.time]).validate_json(f'["01:02:03{offset}"]'.encode())
    expected = TypeAdapter(Any).dump_json(moments + times)
    assert Encoder(models=True).encode(moments + times) == expected
    zone = type(moments[0].tzinfo)
    monkeypatch.setattr(zone, "utcoffset", lambda self, moment: datetime.timedelta(hours=1))
    assert dumps(moments, natives=True) == f'["{moments[0].isoformat()}"]' == '["2026-11-23T01:02:03+01:00"]'


def test_class_that_changes_gets_a_new_plan() -> None:
    @dataclasses.dataclass
    class Growing:
        a: int = 1

    encoder = Encoder(models=True)
    assert encoder.encode(Growing()) == b'{"a":1}'
    Growing.b = 2  # type: ignore[attr-defined]
    Growing.__annotations__["b"] = int
    dataclasses.dataclass(Growing)
    assert encoder.encode(Growing()) == b'{"a":1,"b":2}'


@pytest.mark.parametrize("value", [1, "all", None, "Pydantic"])
def test_models_option_of_another_kind_is_a_type_error(value: Any) -> None:
    with pytest.raises(TypeError, match="models must be True, False, 'python' or 'pydantic'"):
        Encoder(models=value)


def test_own_plan_that_is_malformed_is_an_error_and_no_crash() -> None:
    from ssrjson_web._models.language import Accepted, Rule
    from ssrjson_web._models.plan import Plan, PlanField

    bad_rules: list[Any] = [
        5,
        (5,),
        (Accepted(5),),  # type: ignore[arg-type]
        (Accepted(str, "nothing"),),  # type: ignore[arg-type]
        (Accepted(str, "among"),),
        (Accepted(list, "items", inner=5),),  # type: ignore[arg-type]
        (Accepted(tuple, "places"),),
        (Accepted(dict, "fields", mapping={"a": 0}),),
    ]
    nested: Rule = (Accepted(str),)
    for _ in range(50):
        nested = (Accepted(list, "items", inner=nested),)
    plans: list[Any] = [
        7,
        (),
        ("dict",),
        Plan("nothing", convert=len),  # type: ignore[arg-type]
        Plan("opaque"),
        Plan("opaque", convert=5),  # type: ignore[arg-type]
        Plan("dict", (5,), convert=len),  # type: ignore[arg-type]
        Plan("dict", (PlanField(1, "a", "a"),), convert=len),  # type: ignore[arg-type]
        *(Plan("dict", (PlanField("a", "a", "a", rule),), convert=len) for rule in [*bad_rules, nested]),
    ]
    for plan in plans:
        cls = type("Own", (), {"__ssrjson_plan__": plan})
        with pytest.raises((TypeError, ValueError)):
            Encoder(models=True).encode(cls())


def test_object_of_an_unknown_type_is_asked_for_its_attributes_as_often_as_by_pydantic() -> None:
    asked: list[str] = []

    class Unknown:
        def __getattr__(self, name: str) -> Any:
            asked.append(name)
            raise AttributeError(name)

    class Holder(BaseModel):
        x: Any
        y: list[Any] = []

    for value in (Holder(x=Unknown()), Holder(x=[Unknown()]), Holder(x=1, y=[1, Unknown()])):
        asked.clear()
        with pytest.raises(PydanticSerializationError):
            value.model_dump_json()
        by_pydantic = asked[:]
        for encoder in (Encoder(models=True), Encoder(models=True, default=lambda one: "u")):
            asked.clear()
            with contextlib.suppress(TypeError):
                encoder.encode(value)
            assert asked == by_pydantic
    for encode in (Encoder(natives=True).encode, orjson.dumps, dumps):
        asked.clear()
        with pytest.raises(TypeError):
            encode([Unknown()])
        assert asked == []
