"""Fields that are cloned: what REST framework builds for each instance, and no part that two instances share."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest
from django.core.validators import RegexValidator
from django.db.models import Manager, Model
from django.db.models.query import QuerySet
from django.test import override_settings
from django.utils import translation
from django.utils.functional import Promise, lazy
from django.utils.translation import gettext_lazy
from helpers import rest_reading
from helpers.builds import CLASSES_ARE_IMMORTAL
from helpers.rest_shop import models
from rest_framework import serializers
from rest_framework.fields import Field
from rest_framework.utils.formatting import lazy_format

from ssrjson_web.rest_framework import disabled
from ssrjson_web.rest_framework._templates import Known, known_of


@pytest.fixture(scope="module", autouse=True)
def shop(project: None) -> Iterator[None]:
    with rest_reading.project():
        yield


calls: list[str] = []


class Own(serializers.CharField):
    """A field of the user's that is made by code of its own."""

    def __init__(self, **options: Any) -> None:
        calls.append("init")
        super().__init__(**options)


class Maker(serializers.ModelSerializer):
    class Meta:
        model = models.Maker
        fields = "__all__"


class Everything(serializers.ModelSerializer):
    text = serializers.CharField(max_length=3, min_length=1, validators=[RegexValidator("a")], style={"a": [1, {}]})
    email = serializers.EmailField(error_messages={"invalid": gettext_lazy("Yes")}, initial=list)
    regex = serializers.RegexField(re.compile("a"), default=["x"])
    slug = serializers.SlugField(allow_unicode=True, help_text=gettext_lazy("No"))
    web = serializers.URLField(required=False)
    ip = serializers.IPAddressField("ipv4")
    number = serializers.IntegerField(min_value=1, max_value=9)
    choice = serializers.ChoiceField([("A", [(1, "one"), (2, "two")]), (3, gettext_lazy("Yes"))])
    choices = serializers.MultipleChoiceField(choices=["a", "b"])
    texts = serializers.ListField(child=serializers.CharField(max_length=2), min_length=1)
    any = serializers.ListField()
    pairs = serializers.DictField(child=serializers.IntegerField(), allow_empty=False)
    store = serializers.HStoreField()
    maker = Maker(read_only=True)
    makers = Maker(many=True, source="x", context={"a": 1})
    one = serializers.PrimaryKeyRelatedField(queryset=models.Maker.objects.filter(name="a"), source="y")
    two = serializers.PrimaryKeyRelatedField(queryset=models.Maker.objects, pk_field=serializers.IntegerField())
    many = serializers.SlugRelatedField("name", queryset=models.Maker.objects.all(), many=True, allow_empty=False)
    link = serializers.HyperlinkedRelatedField("view", read_only=True, lookup_field="name")
    method = serializers.SerializerMethodField()
    hidden = serializers.HiddenField(default=serializers.CreateOnlyDefault(1))
    own = Own(max_length=4)

    class Meta:
        model = models.Item
        fields = "__all__"
        extra_kwargs = {  # noqa: RUF012
            "title": {"validators": [], "style": {"b": 1}},
            "rating": {"default": ["of each"]},
            "price": {"required": False, "validators": [RegexValidator("b")]},
        }
        read_only_fields = ("day",)


def parts(value: Any, seen: dict[int, int]) -> Any:
    """A value in all its parts, in which the objects that occur more than once have numbers."""
    if isinstance(value, (str, int, float, type(None), type, re.Pattern)) or (
        callable(value) and not isinstance(value, (Field, Model)) and not hasattr(value, "__dict__")
    ):
        return repr(value)
    if type(value) is tuple and not value:
        return "()"  # it may be the same object anywhere
    if id(value) in seen:
        return f"as {seen[id(value)]}"
    seen[id(value)] = len(seen)
    if isinstance(value, Promise):
        return ("lazy", str(value))
    if isinstance(value, lazy_format):
        return ("format", [parts(getattr(value, name), seen) for name in lazy_format.__slots__])
    if isinstance(value, dict):
        return [(parts(key, seen), parts(one, seen)) for key, one in value.items()]
    if isinstance(value, (list, tuple)):
        return [type(value).__name__, *(parts(one, seen) for one in value)]
    if isinstance(value, QuerySet):
        return (type(value).__name__, str(value.query), value._result_cache)
    if isinstance(value, Manager):
        return (type(value).__name__, value.model.__name__)
    if hasattr(value, "_meta") or value.__class__.__module__.startswith("django.db.models"):
        return repr(value)
    names = sorted(name for name in vars(value) if name not in ("_creation_counter", "parent"))
    return (type(value).__name__, [(name, parts(vars(value)[name], seen)) for name in names])


def mutable(value: Any, found: dict[int, Any]) -> dict[int, Any]:
    """The lists, dicts, fields and validators that a field has."""
    if isinstance(value, (list, dict, Field)) or "alidator" in type(value).__name__:
        if id(value) in found:
            return found
        found[id(value)] = value
        within = value if isinstance(value, (list, dict)) else vars(value)
        for one in within.values() if isinstance(within, dict) else within:
            mutable(one, found)
    return found


def fields_of(cls: Any) -> dict[str, Field]:
    return dict(cls().get_fields())


@pytest.mark.parametrize("cls", [Everything, Maker], ids=lambda cls: cls.__name__)
def test_clones_have_all_that_stock_gives(cls: Any) -> None:
    def described() -> list[Any]:
        return [(name, type(field), str(parts(field, {})), repr(field)) for name, field in fields_of(cls).items()]

    with disabled():
        expected = described()
    for _ in range(3):
        for one, of_stock in zip(described(), expected, strict=True):
            assert one == of_stock
    assert known_of(cls).now().template() is not None


def test_clones_share_no_more_than_stock_ones() -> None:
    with disabled():
        first, second = fields_of(Everything), fields_of(Everything)
        shared_by_stock = {
            name: len(mutable(first[name], {}).keys() & mutable(second[name], {}).keys()) for name in first
        }
    fields_of(Everything)
    mine, yours = fields_of(Everything), fields_of(Everything)
    for name, field in mine.items():
        assert field is not yours[name]
        assert len(mutable(field, {}).keys() & mutable(yours[name], {}).keys()) == shared_by_stock[name], name
    mine["texts"].child.max_length = 99
    mine["text"].style["a"].append(2)
    mine["regex"].default.append("y")
    mine["text"].error_messages["blank"] = "changed"
    mine["text"].validators.clear()
    fresh = fields_of(Everything)
    for name in ("texts", "text", "regex"):
        assert parts(fresh[name], {}) == parts(yours[name], {})


def test_fields_are_bound_to_their_serializers() -> None:
    for serializer in (Everything(), Everything(), Everything()):
        for name, field in serializer.fields.items():
            assert (field.parent, field.field_name, field.root) == (serializer, name, serializer)
        assert serializer.fields["texts"].child.parent is serializer.fields["texts"]
        assert serializer.fields["many"].child_relation.parent is serializer.fields["many"]
        assert serializer.fields["makers"].child.parent is serializer.fields["makers"]
        assert serializer.fields["maker"].context is serializer.context


def test_creation_counter_goes_on_as_in_stock() -> None:
    fields_of(Maker)
    fields_of(Maker)
    serializer = Maker()
    before = Field._creation_counter
    fields = serializer.get_fields()
    assert sorted(field._creation_counter for field in fields.values()) == list(range(before, before + len(fields)))


def test_templates_of_conditions_that_take_turns_are_kept_until_they_are_forgotten() -> None:
    known = Known(Maker)
    first, second = known.template_for(("a",)), known.template_for(("b",))
    assert first is not None
    assert first is not second
    assert [known.template_for((name,)) for name in "aabbab"] == [first, first, second, second, first, second]
    known.templates = {}
    renewed = known.template_for(("b",))
    assert renewed not in (None, second)
    assert known.template_for(("b",)) is renewed


def test_field_of_the_users_is_made_by_its_class_once_an_instance() -> None:
    with disabled():
        calls.clear()
        fields_of(Everything)
        expected = list(calls)
    for _ in range(3):
        calls.clear()
        fields_of(Everything)
        assert calls == expected


def test_errors_are_in_the_active_language() -> None:
    serializer_class = type("Of", (serializers.Serializer,), {"a": serializers.CharField(max_length=1)})
    texts = set()
    for language in ("en", "de", "fr", "de"):
        with translation.override(language):
            for data in ({}, {"a": "xx"}):
                serializer = serializer_class(data=data)
                serializer.is_valid()
                with disabled():
                    stock = serializer_class(data=data)
                    stock.is_valid()
                assert serializer.errors == stock.errors
                texts.add(str(serializer.errors))
    assert len(texts) == 6


@pytest.mark.parametrize(
    ("change", "value"),
    [
        ("fields", ["title", "price"]),
        ("fields", ["title"]),
        ("extra_kwargs", {"title": {"label": "other"}}),
        ("read_only_fields", ["title"]),
        ("depth", 1),
    ],
)
def test_changes_of_meta_are_noticed(change: str, value: Any) -> None:
    class Changing(serializers.ModelSerializer):
        class Meta:
            model = models.Item
            fields = ("title", "maker", "price")

    def described() -> list[Any]:
        return [(name, repr(field)) for name, field in Changing().fields.items()]

    for _ in range(3):
        before = described()
    setattr(Changing.Meta, change, value)
    with disabled():
        expected = described()
    assert described() == described() == expected != before


def test_fields_that_are_made_late_see_a_later_meta() -> None:
    class Meta:
        model = models.Item
        fields = ("title", "price")

    data = {"title": "a", "price": "1.5", "rating": 2.5}

    def seen(cls: Any) -> list[Any]:
        early = [cls(models.Item(**data)), cls(data=data), cls([models.Item(**data)], many=True)]
        late = cls(data=data)
        assert early[1].is_valid()
        cls.Meta.fields = ("price", "rating")
        assert late.is_valid()
        found = [one.data for one in early] + [early[1].validated_data, late.data, late.validated_data]
        cls.Meta.fields = Meta.fields
        return found

    for use in range(12):
        made = [type("Of", (serializers.ModelSerializer,), {"Meta": type("Meta", (Meta,), {})}) for _ in range(2)]
        for _ in range(use):
            made[0](data=data).is_valid()
        ours = seen(made[0])
        with disabled():
            assert ours == seen(made[1])
        assert set(ours[0]) == {"price", "rating"} == set(ours[-1])
        assert set(ours[3]) == {"title", "price"}


def test_changed_choices_of_a_model_and_settings_are_noticed() -> None:
    cls = type(
        "Of", (serializers.ModelSerializer,), {"Meta": type("Meta", (), {"model": models.Item, "fields": ["state"]})}
    )
    for _ in range(3):
        assert list(cls().fields["state"].choices) == ["a", "b"]
    field = models.Item._meta.get_field("state")
    before = field.choices
    field.choices = [("c", "C")]
    try:
        assert list(cls().fields["state"].choices) == ["c"]
    finally:
        field.choices = before
    with override_settings(REST_FRAMEWORK={"HTML_SELECT_CUTOFF": 7}):
        assert Everything().fields["many"].html_cutoff == 7


def test_choices_that_give_others_each_time_are_read_for_each_serializer() -> None:
    current = [(1, "A")]

    class Choices:
        def __iter__(self) -> Iterator[Any]:
            return iter(list(current))

    for choices in (Choices(), lazy(lambda: list(current), list)()):
        current[:] = [(1, "A")]
        fields = {"one": serializers.ChoiceField(choices), "more": serializers.MultipleChoiceField(choices=choices)}
        cls = type("Of", (serializers.Serializer,), fields)
        for number in (1, 2):
            current[:] = [(number, "A")]
            for _ in range(12):
                for text in ("1", "2"):
                    data = {"one": text, "more": [text]}
                    serializer = cls(data=data)
                    assert serializer.is_valid() == (text == str(number))
                    assert cls([data] * 20, many=True).data[0]["one"] == (number if text == str(number) else text)


@pytest.mark.skipif(CLASSES_ARE_IMMORTAL, reason="this CPython never frees classes")
def test_classes_are_forgotten_with_what_is_known_of_them() -> None:
    import gc
    import weakref

    def read() -> Any:
        cls = type("Passing", (serializers.Serializer,), {"a": serializers.CharField(), "b": Maker(source="*")})
        for _ in range(3):
            cls({"a": 1, "name": "n", "since": None, "id": 1}).data  # noqa: B018
            cls(data={"a": "x"}).is_valid()
        template = known_of(cls).now().template()
        assert template is not None
        assert template.reading.latest is not None
        return weakref.ref(cls)

    passing = read()
    gc.collect()
    assert passing() is None


def test_default_with_a_state_is_each_instances_own() -> None:
    class Default:
        def __init__(self) -> None:
            self.values: list[Any] = []

        def __call__(self) -> list[Any]:
            return self.values

    class Row(serializers.Serializer):
        hidden = serializers.HiddenField(default=Default())
        shown = serializers.CharField(default=Default())

    made = [Row(data={}) for _ in range(6)]
    assert all(row.is_valid() for row in made)
    for name in ("hidden", "shown"):
        assert len({id(row.validated_data[name]) for row in made}) == len(made)
