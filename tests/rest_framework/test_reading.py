"""Objects read by the core: the data, its types, the queries and the calls are those of REST framework."""

from __future__ import annotations

import collections
import copy
import datetime
import decimal
import functools
import inspect
import pickle
import uuid
from collections.abc import Iterator
from typing import Any

import pytest
from django.core.exceptions import ObjectDoesNotExist
from django.db.models import Prefetch
from django.test import override_settings
from django.utils import timezone, translation
from django.utils.functional import SimpleLazyObject, cached_property
from helpers import rest_reading
from helpers.rest_reading import note, same, same_call
from helpers.rest_shop import models
from helpers.threads import in_threads
from rest_framework import serializers
from rest_framework.fields import SkipField
from rest_framework.utils import field_mapping
from rest_framework.utils.serializer_helpers import ReturnDict, ReturnList

from ssrjson_web.rest_framework import disabled, setup, teardown
from ssrjson_web.rest_framework._reading import plan_to_read
from ssrjson_web.rest_framework._templates import known_of


@pytest.fixture(scope="module", autouse=True)
def shop(project: None) -> Iterator[None]:
    with rest_reading.project():
        yield


class Thing:
    """An object with the attributes that it is given."""

    def __init__(self, **attributes: Any) -> None:
        vars(self).update(attributes)


class Loud(Thing):
    def __getattribute__(self, name: str) -> Any:
        if not name.startswith("__"):
            note(name)
        return object.__getattribute__(self, name)


VALUES: list[Any] = [
    *("", "é", "5", "red", " 1.5 ", 0, 5, -3, 2**70, True, False, 1.5, float("nan"), None, b"x", [], [1, None], (1, 2)),
    *({}, {"a": 1, 2: None}, {1}, decimal.Decimal("1.5"), decimal.Decimal("12345.678"), decimal.Decimal("NaN")),
    *(decimal.Decimal("-0"), decimal.Decimal("1E+2"), uuid.UUID(int=5), datetime.date(2024, 2, 29)),
    *(datetime.datetime(2024, 2, 29, 1, 2, 3), datetime.datetime(2024, 7, 1, 1, tzinfo=datetime.timezone.utc)),
    *(datetime.time(1, 2), datetime.time(1, 2, 3, 4, tzinfo=datetime.timezone.utc), datetime.timedelta(1, 2, 3)),
    *(object, len, type("Text", (str,), {})("t")),
]
HAVE_DURATIONS_FORMATS = "format" in inspect.signature(serializers.DurationField).parameters  # REST framework 3.17
DURATION_FORMATS: list[Any] = [
    lambda: serializers.DurationField(format="iso-8601"),
    lambda: serializers.DurationField(format="django"),
    lambda: serializers.DurationField(format=None),
]
FIELDS: list[Any] = [
    lambda: serializers.CharField(),
    lambda: serializers.EmailField(allow_null=True),
    lambda: serializers.IPAddressField(),
    lambda: serializers.BooleanField(),
    lambda: serializers.BooleanField(allow_null=True),
    lambda: serializers.IntegerField(),
    lambda: serializers.FloatField(),
    lambda: serializers.DecimalField(8, 2),
    lambda: serializers.DecimalField(None, None),
    lambda: serializers.DecimalField(None, 1),
    lambda: serializers.DecimalField(4, 2, coerce_to_string=False),
    lambda: serializers.DecimalField(8, 2, localize=True),
    lambda: serializers.DecimalField(8, 3, normalize_output=True),
    lambda: serializers.DecimalField(8, 0, rounding=decimal.ROUND_UP),
    lambda: serializers.DateTimeField(),
    lambda: serializers.DateTimeField(format=None),
    lambda: serializers.DateTimeField(format="%Y"),
    lambda: serializers.DateTimeField(format="ISO-8601", default_timezone=datetime.timezone.utc),
    lambda: serializers.DateField(),
    lambda: serializers.DateField(format=None),
    lambda: serializers.TimeField(),
    lambda: serializers.TimeField(format="%H"),
    lambda: serializers.DurationField(),
    *(DURATION_FORMATS if HAVE_DURATIONS_FORMATS else ()),
    lambda: serializers.UUIDField(),
    lambda: serializers.UUIDField(format="hex"),
    lambda: serializers.ChoiceField([("red", "Red"), (5, "Five"), ("", "None"), (True, "Yes")]),
    lambda: serializers.ChoiceField([1, 2]),
    lambda: serializers.MultipleChoiceField(choices=["red", 5]),
    lambda: serializers.JSONField(),
    lambda: serializers.JSONField(binary=True),
    lambda: serializers.ReadOnlyField(),
    lambda: serializers.ListField(),
    lambda: serializers.ListField(child=serializers.IntegerField()),
    lambda: serializers.DictField(child=serializers.CharField()),
    lambda: serializers.DictField(),
    lambda: serializers.HiddenField(default=1),
    lambda: serializers.FileField(),
    lambda: serializers.StringRelatedField(),
    lambda: serializers.PrimaryKeyRelatedField(read_only=True),
    lambda: serializers.SlugRelatedField("name", read_only=True),
]


LAZY: list[Any] = [lambda: "x", lambda: None, lambda: 5, lambda: datetime.date(2024, 1, 1)]


@pytest.mark.parametrize("number", range(len(FIELDS)))
def test_field_of_each_kind_gives_each_value_as_stock(number: int) -> None:
    cls = type("Each", (serializers.Serializer,), {"f": FIELDS[number]()})
    for value in VALUES:
        same(lambda value=value: cls(Thing(f=value)))
        same(lambda value=value: cls([{"f": value}] * 2, many=True))
    for make in LAZY:
        same(lambda make=make: cls(Thing(f=SimpleLazyObject(lambda: note(make())))))
    lists = type("Lists", (serializers.Serializer,), {"f": serializers.ListField(child=FIELDS[number]())})
    if not isinstance(lists().fields["f"].child, serializers.HiddenField):
        for value in VALUES:
            same(lambda value=value: lists(Thing(f=[value, None, value])))


class MakerSerializer(serializers.ModelSerializer):
    class Meta:
        model = models.Maker
        fields = "__all__"


def item_serializer(**attributes: Any) -> Any:
    from helpers.rest_shop.models import Item

    meta = type(
        "Meta", (), {"model": Item, "fields": attributes.pop("fields", "__all__"), **attributes.pop("meta", {})}
    )
    return type("ItemSerializer", (serializers.ModelSerializer,), {"Meta": meta, **attributes})


NAMES = ["id", "title", "price", "at", "day", "key", "state", "level", "rating", "is_new", "data", "maker", "before"]


@pytest.fixture
def items() -> Any:
    return models.Item.objects


def test_model_serializer_reads_all_by_the_core(items: Any) -> None:
    cls = item_serializer(fields=NAMES)
    assert same(lambda: cls(items.order_by("pk"), many=True))[0] == "returns"
    same(lambda: cls(items.first()))
    plan = plan_to_read(cls(), 1)
    assert plan is not None
    asked: list[int] = []
    row = items.exclude(price=None).exclude(at=None).first()

    def resolve(number: int) -> Any:
        asked.append(number)
        raise LookupError

    assert dict(plan.reader.read(row, resolve)) == cls(row).data
    assert asked == []


def test_result_is_of_stock_classes_with_plain_dicts(items: Any) -> None:
    cls = item_serializer(maker=MakerSerializer())
    many = cls(items.all(), many=True)
    one = cls(items.first())
    assert (type(many.data), type(one.data)) == (ReturnList, ReturnDict)
    assert {type(row) for row in many.data} == {dict}
    assert type(one.data["maker"]) in (dict, type(None))
    assert many.data.serializer is many
    assert one.data.serializer is one


RELATIONS: dict[str, Any] = {
    "nested": lambda: {"maker": MakerSerializer()},
    "nested, by another name": lambda: {"maker": MakerSerializer(read_only=True, source="before.maker", default=None)},
    "nested, of itself": lambda: {"more": item_serializer(fields=["title", "tags"])(source="*", read_only=True)},
    "many": lambda: {"tags": type("T", (serializers.Serializer,), {"word": serializers.CharField()})(many=True)},
    "reverse": lambda: {"after": serializers.PrimaryKeyRelatedField(read_only=True)},
    "string": lambda: {"maker": serializers.StringRelatedField()},
    "strings": lambda: {"tags": serializers.StringRelatedField(many=True)},
    "slug": lambda: {"maker": serializers.SlugRelatedField("name", read_only=True)},
    "slug of a property": lambda: {"maker": serializers.SlugRelatedField("shout", read_only=True)},
    "slug of a method": lambda: {"maker": serializers.SlugRelatedField("greet", read_only=True)},
    "slug of a relation": lambda: {"before": serializers.SlugRelatedField("maker__name", read_only=True)},
    "slugs": lambda: {"tags": serializers.SlugRelatedField("word", read_only=True, many=True)},
    "key with a field": lambda: {
        "maker": serializers.PrimaryKeyRelatedField(read_only=True, pk_field=serializers.CharField())
    },
    "keys with a field": lambda: {
        "tags": serializers.PrimaryKeyRelatedField(read_only=True, many=True, pk_field=serializers.CharField())
    },
    "dotted": lambda: {"of": serializers.CharField(source="maker.name", default="none")},
    "dotted, not required": lambda: {"of": serializers.CharField(source="maker.name", required=False)},
    "dotted, null": lambda: {"of": serializers.CharField(source="before.maker.shout", allow_null=True)},
    "method": lambda: {"of": serializers.CharField(source="maker.greet", default="-")},
    "broken property": lambda: {"of": serializers.CharField(source="broken")},
    "broken property with a default": lambda: {"of": serializers.CharField(source="broken", default=lambda: note("d"))},
    "no such": lambda: {"of": serializers.CharField(source="maker.no")},
    "built-in": lambda: {"of": serializers.CharField(source="title.upper")},
    "identity": lambda: {"url": serializers.HyperlinkedIdentityField(view_name="none")},
    "column": lambda: {"maker_id": serializers.IntegerField(), "pk": serializers.ReadOnlyField()},
}


@pytest.mark.parametrize("name", RELATIONS)
@pytest.mark.parametrize("loading", ["cold", "loaded", "deferred", "attribute"])
def test_relation_is_read_with_the_queries_of_stock(items: Any, name: str, loading: str) -> None:
    attributes = RELATIONS[name]()
    cls = item_serializer(fields=[*NAMES, "tags", *(one for one in attributes if one not in NAMES)], **attributes)
    if loading == "loaded":
        rows = items.select_related("maker", "before__maker").prefetch_related("tags", "before__tags")
    elif loading == "deferred":
        rows = items.only("title", "tags")
    elif loading == "attribute":
        rows = items.prefetch_related(Prefetch("tags", models.Tag.objects.filter(word="x")))
    else:
        rows = items.order_by("-pk")
    same(lambda: cls(rows.all(), many=True))
    same(lambda: cls(rows.last()))
    same(
        lambda: cls(
            [
                models.SmallItem.objects.first(),
                models.SpecialItem.objects.first(),
                items.model(title="new", key=uuid.UUID(int=3)),
            ],
            many=True,
        )
    )
    same(lambda: cls(list(rows.all())[:3], many=True, context={"a": 1}))
    same(lambda: cls([{"title": "x", "maker": Thing(pk=4, name="n")}, Thing(id=2)], many=True))


def test_prefetched_objects_without_a_key_are_no_objects(items: Any) -> None:
    cls = item_serializer(fields=["tags"])
    nested = item_serializer(
        fields=["tags"], tags=type("T", (serializers.Serializer,), {"word": serializers.CharField()})(many=True)
    )

    def without_key() -> Any:
        item = items.prefetch_related("tags").get(title="题3")
        item.pk = None
        return item

    assert (
        same(lambda: cls(without_key()))[1] == ("list", [("ReturnDict", [("tags", ("list", []))]), *[("list", [])]])
        or 1
    )
    same(lambda: cls([without_key()], many=True))
    same(lambda: nested([without_key()] * 9, many=True))


def test_objects_that_prefetch_stored_in_an_attribute(items: Any) -> None:
    cls = item_serializer(
        fields=["found", "more"],
        found=serializers.PrimaryKeyRelatedField(source="few", many=True, read_only=True),
        more=type("T", (serializers.Serializer,), {"word": serializers.CharField()})(many=True, source="few"),
    )
    rows = items.prefetch_related(Prefetch("tags", models.Tag.objects.exclude(word="x"), to_attr="few"))
    same(lambda: cls(rows.all(), many=True))
    same(lambda: cls(items.all(), many=True))


# ---- the user's code ----------------------------------------------------------------------------


class Called(serializers.Serializer):
    a = serializers.CharField()
    b = serializers.SerializerMethodField()
    c = serializers.SerializerMethodField(method_name="other")
    d = serializers.ReadOnlyField(source="method")

    def get_b(self, thing: Any) -> Any:
        return note(("b", type(thing), sorted(self.context), self.parent is None))

    def other(self, thing: Any) -> Any:
        if thing is None or getattr(thing, "raises", False):
            raise SkipField
        return note("c")


class Own(serializers.CharField):
    def to_representation(self, value: Any) -> Any:
        return note(f"{self.field_name} {value} {sorted(self.context)}")


class Skipping(serializers.CharField):
    def get_attribute(self, instance: Any) -> Any:
        if note(getattr(instance, "a", "")) == "skip":
            raise SkipField
        return super().get_attribute(instance)


class Mixed(serializers.Serializer):
    a = Skipping()
    own = Own(source="a")
    called = Called(source="*")
    many = Called(many=True, source="things", default=())

    def to_representation(self, instance: Any) -> Any:
        return {**super().to_representation(instance), "more": note("more")}


def needs_an_argument(required: Any) -> Any:
    return required


def things() -> list[Any]:
    return [
        Loud(a="x", method=lambda: note("method"), things=[Thing(a=1, method=2)]),
        Thing(a="skip", method=lambda: note("method"), things=(Loud(a=1, method=2),)),
        Thing(a=None, method=needs_an_argument),
        collections.OrderedDict(a="y", method=len),
        {"a": "z", "method": "m", "things": [{"a": 1, "method": 2}]},
    ]


@pytest.mark.parametrize("cls", [Called, Mixed])
def test_code_of_the_user_is_called_once_and_in_order(cls: Any) -> None:
    for thing in things():
        same(lambda thing=thing: cls(thing, context={"k": 1}))
    same(lambda: cls(things()[:2] * 5, many=True, context={"k": 1}))
    same(lambda: cls((thing for thing in things()[:3]), many=True))
    same(lambda: cls(tuple(things()), many=True))


class Raises:
    def __init__(self, error: Exception) -> None:
        self.error = error

    @property
    def f(self) -> Any:
        note("property")
        raise type(self.error)(*self.error.args)


@pytest.mark.parametrize(
    "error", [AttributeError("a"), KeyError("k"), ValueError("v"), ObjectDoesNotExist("o"), SkipField()]
)
@pytest.mark.parametrize("options", [{}, {"default": 7}, {"allow_null": True}, {"required": False}], ids=str)
@pytest.mark.parametrize("source", ["f", "g.f", "g.f.h"])
def test_errors_of_properties_are_those_of_stock(error: Exception, options: Any, source: str) -> None:
    fields = {
        "f": serializers.CharField(source=source if source != "f" else None, **options),
        "k": serializers.PrimaryKeyRelatedField(source=source, read_only=True),
    }
    for name, field in fields.items():
        cls = type("Failing", (serializers.Serializer,), {name: field})
        thing: Any = Raises(error)
        same(lambda cls=cls, thing=thing: cls(Thing(g=thing) if "g" in source else thing))


def test_method_that_raises_after_others_have_been_called() -> None:
    class Late(Called):
        def other(self, thing: Any) -> Any:
            raise KeyError(note("late"))

    same(lambda: Late(things()[1]))
    same(lambda: Late([things()[1]] * 9, many=True))


class Dynamic(serializers.Serializer):
    """The pattern of REST framework's documentation."""

    a = serializers.CharField()
    b = serializers.IntegerField()
    c = Called(source="*")

    def __init__(self, *args: Any, only: Any = None, **options: Any) -> None:
        super().__init__(*args, **options)
        for name in set(self.fields) - set(only or self.fields):
            self.fields.pop(name)


def test_fields_that_an_instance_changes() -> None:
    things = [Thing(a=1, b=2, method="m")] * 9
    for only in (None, ["a"], ["b", "c"]):
        same(lambda only=only: Dynamic(things, many=True, only=only))
        same(lambda only=only: Dynamic(things[0], only=only))

    def changed(change: Any) -> Any:
        serializer = Dynamic(things, many=True)
        change(serializer.child.fields)
        return serializer

    same(lambda: changed(lambda fields: fields.update(d=serializers.CharField(source="b"))))
    same(lambda: changed(lambda fields: setattr(fields["a"], "write_only", True)))
    same(lambda: changed(lambda fields: setattr(fields["b"], "to_representation", lambda value: note(value))))
    same(lambda: changed(lambda fields: fields["c"].fields.pop("b")))

    def twice() -> Any:
        serializer = Called(things[0])
        first = serializer.to_representation(things[0])
        serializer.fields.pop("a")
        return [first, serializer.to_representation(things[0])]

    same_call(twice)


def test_class_that_changes_is_read_anew() -> None:
    class Changing(serializers.Serializer):
        a = serializers.CharField()

        def get_b(self, thing: Any) -> Any:
            return note("b")

    thing = Thing(a=1, b=datetime.date(2024, 1, 1))
    same(lambda: Changing(thing))
    Changing._declared_fields["b"] = serializers.SerializerMethodField()
    same(lambda: Changing(thing))
    Changing._declared_fields["b"] = serializers.DateField()
    same(lambda: Changing([thing] * 9, many=True))
    original = serializers.DateField.to_representation
    serializers.DateField.to_representation = lambda self, value: note("patched")
    try:
        same(lambda: Changing([thing] * 9, many=True))
        same(lambda: Changing(thing))
    finally:
        serializers.DateField.to_representation = original
    same(lambda: Changing(thing))
    Changing.to_representation = lambda self, value: note("own")  # type: ignore[method-assign, assignment]
    same(lambda: Changing([thing] * 9, many=True))


def test_serializer_in_itself() -> None:
    class Tree(serializers.Serializer):
        a = serializers.CharField()

        def get_fields(self) -> Any:
            note("get_fields")
            return {**super().get_fields(), "below": Tree(many=True, required=False)}

    class Declared(serializers.Serializer):
        a = serializers.CharField()

    Declared._declared_fields["below"] = Declared(many=True, required=False)
    thing = Thing(a=1, below=[Thing(a=2, below=[]), Thing(a=3, below=[Thing(a=4)])])
    for cls in (Tree, Declared):
        same(lambda cls=cls: cls(thing))
        same(lambda cls=cls: cls([thing] * 9, many=True))


def test_list_serializer_of_the_user() -> None:
    class Even(serializers.ListSerializer):
        def to_representation(self, data: Any) -> Any:
            return super().to_representation([note(one) for one in data][::2])

    class Row(serializers.Serializer):
        a = serializers.CharField()

        class Meta:
            list_serializer_class = Even

    rows = [{"a": number} for number in range(20)]
    assert same(lambda: Row(rows, many=True))[0] == "returns"
    same(lambda: type("Outer", (serializers.Serializer,), {"rows": Row(many=True)})({"rows": rows}))


@pytest.mark.parametrize(
    ("cls", "name", "value"),
    [
        (serializers.DateTimeField, "format", "%Y"),
        (serializers.DateField, "format", "%Y"),
        (serializers.DecimalField, "coerce_to_string", False),
        (serializers.DecimalField, "quantize", lambda self, value: value * 2),
        (serializers.BooleanField, "TRUE_VALUES", {"yes"}),
    ],
    ids=lambda value: getattr(value, "__name__", str(value)),
)
def test_attribute_of_a_field_class_that_changes(
    monkeypatch: pytest.MonkeyPatch, cls: Any, name: str, value: Any
) -> None:
    class Row(serializers.Serializer):
        at = serializers.DateTimeField()
        day = serializers.DateField()
        price = serializers.DecimalField(max_digits=5, decimal_places=2)
        is_new = serializers.BooleanField()

    def data() -> Any:
        at = datetime.datetime(2026, 11, 27, tzinfo=datetime.timezone.utc)
        row = {"at": at, "day": at.date(), "price": decimal.Decimal("1.5"), "is_new": True}
        return Row([row] * 9, many=True)

    before = same(data)
    monkeypatch.setattr(cls, name, value, raising=False)
    changed = same(data)
    assert changed != before or name == "TRUE_VALUES"
    monkeypatch.undo()
    assert same(data) == before


def test_field_whose_making_empties_the_list() -> None:
    rows: list[Any] = []

    class Emptying(serializers.CharField):
        def __init__(self, **options: Any) -> None:
            super().__init__(**options)
            del rows[1:]
            rows[:1] = []

    class Row(serializers.Serializer):
        a = Emptying()

    def data() -> Any:
        rows[:] = [{"a": number} for number in range(20)]
        return Row(rows, many=True)

    assert same(data)[0] == "returns"


def test_validated_data_and_initial_data() -> None:
    def validated(**options: Any) -> Any:
        serializer = type("Row", (serializers.Serializer,), {"a": serializers.DateField(), "b": Own(required=False)})(
            data={"a": "2024-02-29"}, **options
        )
        assert serializer.is_valid()
        return serializer

    same(validated)
    same(lambda: Called())


# ---- settings, time zones, languages ------------------------------------------------------------


def test_time_zone_and_language_in_use(items: Any) -> None:
    cls = item_serializer(
        fields=["at", "price"], price=serializers.DecimalField(8, 2, localize=True), meta={"read_only_fields": ["at"]}
    )
    rows = list(items.all())
    found = set()
    for zone in ("UTC", "Asia/Tokyo", "Europe/Berlin"):
        with timezone.override(zone):
            found.add(str(same(lambda: cls(rows, many=True))))
            same(lambda: cls(rows[1]))
    for language in ("en", "de"):
        with translation.override(language), override_settings(USE_THOUSAND_SEPARATOR=True):
            found.add(str(same(lambda: cls(rows, many=True))))
    assert len(found) > 3


@pytest.mark.parametrize(
    "changed",
    [
        {"USE_TZ": False},
        {"TIME_ZONE": "Asia/Tokyo"},
        {"REST_FRAMEWORK": {"COERCE_DECIMAL_TO_STRING": False}},
        {"REST_FRAMEWORK": {"DATETIME_FORMAT": "%Y", "DATE_FORMAT": None}},
        {"REST_FRAMEWORK": {"URL_FIELD_NAME": "link", "UPLOADED_FILES_USE_URL": False}},
        *([{"REST_FRAMEWORK": {"DURATION_FORMAT": "iso-8601"}}] if HAVE_DURATIONS_FORMATS else []),
    ],
    ids=str,
)
def test_settings_that_change(items: Any, changed: dict[str, Any]) -> None:
    cls = item_serializer(fields=[*NAMES, "paper", "span"])
    naive = [Thing(**{**dict.fromkeys([*NAMES, "paper", "span"]), "at": datetime.datetime(2024, 1, 1)})]
    before = str(same(lambda: cls(items.all(), many=True)))
    with override_settings(**changed):
        assert str(same(lambda: cls(items.all(), many=True))) != before
        same(lambda: cls(naive, many=True))
        same(lambda: cls(items.first()))
    assert str(same(lambda: cls(items.all(), many=True))) == before


# ---- switches -----------------------------------------------------------------------------------


def test_disabled_and_opted_out_and_taken_back() -> None:
    class Row(serializers.Serializer):
        a = serializers.CharField()

    class Out(Row):
        ssrjson = False

    rows = [{"a": 1}] * 9
    assert Row(rows, many=True).data == Out(rows, many=True).data
    assert plan_to_read(Row(), 9) is not None
    assert plan_to_read(Out(), 9) is None
    with disabled():
        assert plan_to_read(Row(), 9) is None

    @disabled()
    def read() -> Any:
        return plan_to_read(Row(), 9)

    assert read() is None
    stock = serializers.Serializer.to_representation.__wrapped__
    setup()
    assert serializers.Serializer.to_representation.__wrapped__ is stock
    assert serializers.Serializer.to_representation.__doc__ == stock.__doc__
    assert serializers.Serializer.to_representation.__qualname__ == "Serializer.to_representation"
    teardown()
    try:
        assert serializers.Serializer.to_representation is stock
        assert Row(rows, many=True).data == [{"a": "1"}] * 9
    finally:
        setup()


def test_disabled_in_async_functions() -> None:
    import asyncio

    class Row(serializers.Serializer):
        a = serializers.CharField()

    Row([{"a": 1}] * 9, many=True).data  # noqa: B018

    @disabled()
    async def without() -> Any:
        await asyncio.sleep(0)
        return plan_to_read(Row(), 9)

    async def both() -> Any:
        task = asyncio.ensure_future(without())
        await asyncio.sleep(0)
        return plan_to_read(Row(), 9), await task

    beside, within = asyncio.run(both())
    assert beside is not None
    assert within is None


def test_nested_serializer_whose_fields_cannot_be_made_fails_only_when_it_is_needed() -> None:
    wrong = item_serializer(fields=["title"], meta={"extra_kwargs": {"title": {"source": "title"}}})
    cls = type("Outer", (serializers.Serializer,), {"n": wrong(required=False), "many": wrong(many=True, default=())})
    for things in ([{}], [{}] * 9, [{"n": {"title": "x"}}], [{"n": {"title": "x"}}] * 9):
        same(lambda things=things: cls(things, many=True))
    same(lambda: wrong({"title": "x"}))
    same(lambda: wrong([{"title": "x"}] * 9, many=True))


def test_class_that_holds_a_serializer_is_described_once() -> None:
    class Line(serializers.Serializer):
        n = serializers.IntegerField()

    class Order(serializers.Serializer):
        lines = Line(many=True)

    rows = [{"lines": [{"n": 1}]}] * 9
    readings = []
    for _ in range(3):
        assert Order(rows, many=True).data == rows
        template = known_of(Order).now().template(at_once=True)
        assert template is not None
        readings.append(template.reading.latest)
    assert readings[0] is not None
    assert readings == [readings[0]] * 3
    Line._declared_fields["n"] = serializers.CharField()
    assert Order(rows, many=True).data == [{"lines": [{"n": "1"}]}] * 9


def test_fields_of_odd_kinds() -> None:
    class Unbound(serializers.CharField):
        def bind(self, field_name: str, parent: Any) -> None:
            self.field_name, self.parent = field_name, parent

        def get_attribute(self, instance: Any) -> Any:
            return note("got")

    class Name(str):
        pass

    class Odd(serializers.Serializer):
        a = serializers.CharField()

        def get_fields(self) -> Any:
            return {Name("b"): serializers.CharField(source="a"), **super().get_fields()}

    for cls in (type("Row", (serializers.Serializer,), {"a": Unbound()}), Odd):
        same(lambda cls=cls: cls([{"a": 1}] * 9, many=True))
        same(lambda cls=cls: cls({"a": 1}))
    zone = type("Zone", (datetime.tzinfo,), {"utcoffset": lambda self, at: datetime.timedelta(0), "__hash__": None})()
    with timezone.override(zone):
        row = {"a": datetime.datetime(2024, 1, 1, tzinfo=datetime.timezone.utc)}
        cls = type("Row", (serializers.Serializer,), {"a": serializers.DateTimeField()})
        same(lambda: cls([row] * 9, many=True))
        same(lambda: cls(row))


def test_serializers_are_pickled_and_copied_as_ever() -> None:
    for serializer in [Called({"a": 1, "method": 2}) for _ in range(3)]:
        data = serializer.data
        for other in (pickle.loads(pickle.dumps(serializer)), copy.copy(serializer), copy.deepcopy(serializer)):
            assert type(other) is Called
        again = pickle.loads(pickle.dumps(serializer))
        assert again.data == data
        assert again.to_representation({"a": 1, "method": 2}) == data


def test_serializers_in_threads() -> None:
    rows = [{"a": number, "method": number} for number in range(50)]
    expected = [{"a": str(row["a"]), "d": row["method"]} for row in rows]

    def read(number: int) -> None:
        for _ in range(20):
            cls = classes[number % len(classes)]
            assert cls(rows, many=True).data == expected
            assert cls(rows[3]).data == expected[3]

    classes = [
        type(
            f"Row{number}",
            (serializers.Serializer,),
            {"a": serializers.CharField(), "d": serializers.ReadOnlyField(source="method")},
        )
        for number in range(3)
    ]
    in_threads(read, range(6))


# ---- files, lists of fields, and fields that a class makes itself ---------------------------------


class File:
    """What a FileField reads: a storage may run any code for it."""

    def __init__(self, name: Any, url: Any = None) -> None:
        self.name = name
        self._url = url

    def __bool__(self) -> bool:
        return bool(note(self.name))

    @property
    def url(self) -> Any:
        note("url")
        if isinstance(self._url, Exception):
            raise self._url
        return f"/media/{self.name}" if self._url is None else self._url


class Request:
    def __init__(self, host: str) -> None:
        self.host = host

    def build_absolute_uri(self, url: Any) -> str:
        return f"https://{note(self.host)}{url}"


FILES = [
    *(None, "", "text", 5, File(""), File("a.png"), File("é", "/x"), File("b", AttributeError("b")), File("c", "")),
    *(File("d", None), File("e", ["no text"])),
]


@pytest.mark.parametrize("field", [serializers.FileField, serializers.ImageField])
@pytest.mark.parametrize("options", [{}, {"use_url": False}, {"use_url": True}, {"source": "inner.f"}])
@pytest.mark.parametrize("context", [{}, {"request": None}, {"request": Request("h")}])
def test_file_is_represented_as_by_stock(field: Any, options: Any, context: Any) -> None:
    class Row(serializers.Serializer):
        before = serializers.SerializerMethodField()
        f = field(**options)

        def get_before(self, thing: Any) -> Any:
            if self.context.get("request") is not None and thing.last:  # the context counts as it is then
                self.context["request"] = Request("other")
            return note("before")

    rows = [Thing(f=file, inner=Thing(f=file), last=number > 6) for number, file in enumerate(FILES)]
    for many in (rows, rows * 2):
        same(lambda many=many: Row(many, many=True, context=dict(context)))
    for row in rows:
        same(lambda row=row: Row(row, context=dict(context)))
        same(lambda row=row: type("Outer", (serializers.Serializer,), {"row": Row()})({"row": row}, context=context))
    with override_settings(REST_FRAMEWORK={"UPLOADED_FILES_USE_URL": False}):
        same(lambda: Row(rows * 2, many=True, context=dict(context)))
    for error in (ValueError("no file"), OSError(), KeyError("storage")):
        failing = [*rows, Thing(f=File("x", error), inner=Thing(f=File("x", error)), last=False), *rows]
        same(lambda failing=failing: Row(failing, many=True, context=dict(context)))


def test_file_fields_of_the_user() -> None:
    class Elsewhere(serializers.FileField):
        @property
        def context(self) -> Any:
            return {"request": Request(note("own"))}

    class Shouting(serializers.ImageField):
        def to_representation(self, value: Any) -> Any:
            return str(super().to_representation(value)).upper()

    class Row(serializers.Serializer):
        a = Elsewhere()
        b = Shouting()

    rows = [Thing(a=file, b=file) for file in FILES]
    same(lambda: Row(rows * 2, many=True, context={"request": Request("h")}))
    same(lambda: Row(rows[5], context={"request": Request("h")}))


@pytest.mark.parametrize("number", range(len(FIELDS)))
def test_list_serializer_of_fields_gives_what_stock_gives(number: int) -> None:
    class Row(serializers.Serializer):
        list = serializers.ListSerializer(child=FIELDS[number]())

    values = [*([value] for value in VALUES), VALUES[:3], [5, None], [None], (), (5,), {5}, "ab", None, 7]
    for value in values:
        same(lambda value=value: Row([{"list": value}] * 2, many=True))
    same(lambda: Row([{"list": [1, 5]}] * 20, many=True))


def _only(serializer: Any) -> Any:
    fields = serializers.Serializer.fields.__get__(serializer, type(serializer))
    for name in set(fields) - set(serializer.only):
        fields.pop(name)
    return note(fields)


def _odd(serializer: Any) -> Any:
    class Odd(dict):  # type: ignore[type-arg]
        def values(self) -> Any:
            note("values")
            return super().values()

    return Odd(_only(serializer))


@pytest.mark.parametrize("make", [_only, _odd, lambda serializer: dict(_only(serializer)), lambda serializer: 1 / 0])
@pytest.mark.parametrize("kind", [functools.cached_property, cached_property, property])
def test_fields_that_a_class_makes_itself(kind: Any, make: Any) -> None:
    made = kind(lambda serializer: make(serializer))

    class Row(serializers.Serializer):
        a = serializers.CharField()
        b = serializers.SerializerMethodField()
        c = serializers.IntegerField(required=False)
        only = ("a", "b")

        def get_b(self, thing: Any) -> Any:
            return note(("b", sorted(self.fields)))

        fields = made

    if isinstance(made, (functools.cached_property, cached_property)):
        made.__set_name__(Row, "fields")
    rows = [Thing(a=number, c=number) for number in range(20)]
    for many in (rows, rows[:3]):
        same(lambda many=many: Row(many, many=True))
        same(lambda many=many: type("Outer", (serializers.Serializer,), {"rows": Row(many=True)})({"rows": many}))
    same(lambda: Row(rows[0]))


def test_list_is_read_by_fields_that_a_class_makes_itself() -> None:
    class Row(serializers.Serializer):
        a = serializers.CharField()
        only = ("a",)
        fields = functools.cached_property(_only)

    class Asked(Row):
        fields = property(_only)

    assert plan_to_read(Row(), 20) is not None
    assert plan_to_read(Asked(), 20) is None


def test_function_that_says_which_fields_a_model_has_may_be_replaced(items: Any, monkeypatch: Any) -> None:
    """As NetBox does it. Fields are made by it, each time; what does not make fields of a model does not need it."""

    class Row(serializers.ModelSerializer):
        class Meta:
            model = models.Item
            fields = ("id", "title", "before")

    class Plain(serializers.Serializer):
        a = serializers.CharField()

    same(lambda: Row(items, many=True))
    stock = field_mapping.get_unique_validators
    monkeypatch.setattr(field_mapping, "get_unique_validators", lambda *given: note([*stock(*given), str(given)])[:-1])
    rows = [*items.all()] * 20
    for some in (items, rows, rows[:1]):
        same(lambda some=some: Row(some, many=True))
    same(lambda: repr(Row().fields) and Row(rows[0]))
    assert plan_to_read(Plain(), 20) is not None
    assert plan_to_read(Row(), 20) is not None
    assert plan_to_read(Row(), 1) is None
