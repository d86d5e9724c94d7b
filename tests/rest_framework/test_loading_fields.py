"""Each class of field and each option: what serializers make of right, nearly right and wrong data."""

from __future__ import annotations

import datetime
import decimal
import enum
import uuid
from collections.abc import Iterator
from typing import Any

import pytest
from django.core import validators
from django.test import override_settings
from django.utils import timezone
from helpers.rest_validation import asked_fields, assert_same, validate
from rest_framework import serializers
from rest_framework.fields import empty

from ssrjson_web.rest_framework import setup, teardown

UTC = datetime.timezone.utc


@pytest.fixture(autouse=True, scope="module")
def plans() -> Iterator[None]:
    setup()
    yield
    teardown()


class Colour(enum.Enum):
    RED = "red"
    BLUE = "blue"


class Loud(str):
    pass


class Even:
    """A validator of the user's."""

    def __call__(self, value: Any) -> None:
        if len(str(value)) % 2:
            raise serializers.ValidationError(["odd", "really"], code="odd")


def without_vowels(value: Any) -> None:
    if "a" in str(value):
        raise serializers.ValidationError({"vowel": ["a"]})


F = serializers
TEXTS = [
    "a",
    "",
    " ",
    " ab ",
    "abcdefgh",
    "ab\0c",
    "\ud800",
    "é中\U0001f600",
    "\u3000x\u2003",
    5,
    1.5,
    True,
    None,
    b"a",
]
TEXTS += [[], {}, Loud("abc"), Loud(""), 10**30, decimal.Decimal(1)]
NUMBERS = [0, 1, -1, 7, 100, 2**31, 2**63, -(2**63), 2**64, 10**30, 10**400, 0.0, -0.0, 1.0, 1.5, 1e300, float("nan")]
NUMBERS += [float("inf"), "1", " 1 ", "1.0", "1.5", "1e3", "x", "", "1" * 1001, True, False, None, [], {}]
NUMBERS += [decimal.Decimal("1.5"), "१"]
DECIMALS = [*NUMBERS, "0.5", "-0.5", "-0", "-0.00", "12.34", "12.345", "123.4", "1234", "0012", ".5", "5.", "+1", "1_0"]
DECIMALS += [
    "99.99",
    "100",
    "0.001",
    "NaN",
    "sNaN",
    "Infinity",
    "-Infinity",
    12.34,
    12.345,
    1e-7,
    1e16,
    "1E+2",
    "\n1\n",
]
DATES = ["2024-02-29", "2023-02-29", "20240229", "2024-W09-4", "2024-2-9", "02/29/2024", "2024-02-29T00:00:00", "", "x"]
DATES += ["0001-01-01", "9999-12-31", "0000-01-01", "2024-02-29 ", "２０２４-02-29", None, 5, True, [], {}]
DATES += [datetime.date(2024, 2, 29), datetime.datetime(2024, 2, 29), datetime.datetime(2024, 2, 29, tzinfo=UTC)]
MOMENTS = [*DATES, "2024-02-29T10:11:12", "2024-02-29T10:11:12Z", "2024-02-29T10:11:12+00:00", "2024-02-29T10:11:12.5Z"]
MOMENTS += ["2024-02-29T10:11:12.123456Z", "2024-02-29 10:11:12Z", "2024-02-29T10:11:12+02:00", "2024-02-29T10:11"]
MOMENTS += ["2024-02-29T10:11:12-05:30", "2024-02-29T10:11:12+02", "2024-03-31T02:30:00", "2024-10-27T02:30:00"]
MOMENTS += ["0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59-14:00", "2024-02-29T24:00:00Z", "2024-02-29T10:11:12z"]
TIMES = [
    "10:11:12",
    "10:11",
    "10:11:12.5",
    "10:11:12Z",
    "10:11:12+02:00",
    "25:00",
    "",
    "x",
    None,
    5,
    [],
    datetime.time(1),
]
SPANS = ["1", "1 02:03:04", "02:03:04.5", "P1DT2H", "-1 00:00:00", "x", "", None, 5, 1.5, [], datetime.timedelta(1)]
SPANS += ["999999999999 00:00:00"]
UUIDS = [
    "0f8b2ed3-5c54-4a3c-8f8a-a4bfa1a26a9d",
    "0F8B2ED3-5C54-4A3C-8F8A-A4BFA1A26A9D",
    "0f8b2ed35c544a3c8f8aa4bfa1a26a9d",
]
UUIDS += [
    "{0f8b2ed3-5c54-4a3c-8f8a-a4bfa1a26a9d}",
    "urn:uuid:0f8b2ed3-5c54-4a3c-8f8a-a4bfa1a26a9d",
    "0f8b",
    "",
    None,
    5,
    -1,
]
UUIDS += [2**128, 1.5, True, [], uuid.UUID(int=5)]
MAILS = ["a@b.de", "A.b+c@x-y.example.com", "a@b", "a@localhost", "@b.de", "a@b.de\n", "a b@c.de", '"a"@b.de', "ö@b.de"]
MAILS += [
    "a@ö.de",
    "a@[127.0.0.1]",
    "a" * 65 + "@b.de",
    "a@" + "b" * 64 + ".de",
    "a@" + "b." * 200 + "de",
    "ſ@b.de",
    "a@b.c",
]
URLS = [
    "http://a.de/",
    "https://a.de:8000/x?y#z",
    "ftp://a.de",
    "a.de",
    "http://",
    "http://ö.de",
    "",
    " http://a.de ",
    None,
    5,
]
ADDRESSES = ["127.0.0.1", " 127.0.0.1 ", "256.0.0.1", "::1", "::ffff:1.2.3.4", "1::x", "", None, 5, "127.0.0.1\0"]
CHOICES = [
    "red",
    "blue",
    "RED",
    "",
    " ",
    1,
    "1",
    1.0,
    True,
    "True",
    None,
    [],
    {},
    Colour.RED,
    Loud("red"),
    "2",
    2,
    -3,
    "-3",
]
LISTS = [
    [],
    ["a"],
    ["a", "bc"],
    ["a", ""],
    ["a", 5],
    ["abc"],
    [None],
    [[]],
    ["a"] * 9,
    (),
    ("a",),
    {"a"},
    "a",
    {"a": 1},
    None,
]
LISTS += [5, [True], [empty], iter([]), [" a "], ["\ud800"]]
DICTS = [
    {},
    {"a": "b"},
    {"a": 1},
    {"a": None},
    {1: "b"},
    {None: "b"},
    {"a": []},
    {"a": "abc"},
    [],
    "a",
    None,
    5,
    {"a": {"b": 1}},
]
TREES = [
    *LISTS[:-3],
    *DICTS,
    float("nan"),
    [float("nan")],
    {"a": object()},
    [10**5000],
    10**5000,
    "\ud800",
    b"a",
    {("a",): 1},
]
TREES += [[{"a": [{"b": [1.5, None, True]}]}], Loud("a"), {1: 2}]
BOOLS = [
    True,
    False,
    1,
    0,
    1.0,
    0.0,
    2,
    "true",
    "True",
    "TRUE",
    "tRUE",
    "f",
    "no",
    "on",
    "null",
    "",
    " ",
    None,
    [],
    {},
    "x",
]


def nested_list(depth: int) -> Any:
    made: Any = []
    for _ in range(depth):
        made = [made]
    return made


CASES: dict[str, tuple[Any, list[Any]]] = {
    "CharField": (lambda: F.CharField(), TEXTS),
    "CharField, max_length": (lambda: F.CharField(max_length=3), TEXTS),
    "CharField, min_length": (lambda: F.CharField(min_length=2), TEXTS),
    "CharField, both": (lambda: F.CharField(min_length=2, max_length=2), TEXTS),
    "CharField, impossible": (lambda: F.CharField(min_length=5, max_length=2), TEXTS),
    "CharField, allow_blank": (lambda: F.CharField(allow_blank=True), TEXTS),
    "CharField, allow_blank, min_length": (lambda: F.CharField(allow_blank=True, min_length=2), TEXTS),
    "CharField, not trimmed": (lambda: F.CharField(trim_whitespace=False), TEXTS),
    "CharField, not trimmed, blank": (
        lambda: F.CharField(trim_whitespace=False, allow_blank=True, max_length=2),
        TEXTS,
    ),
    "CharField, allow_null": (lambda: F.CharField(allow_null=True), TEXTS),
    "CharField, user's validator": (lambda: F.CharField(validators=[Even()], max_length=4), TEXTS),
    "CharField, user's validators": (lambda: F.CharField(validators=[without_vowels, Even()], allow_blank=True), TEXTS),
    "CharField, appended": (lambda: F.CharField(validators=[validators.MaxLengthValidator(lambda: 2)]), TEXTS),
    "CharField, Django's": (
        lambda: F.CharField(validators=[validators.validate_slug, validators.MaxLengthValidator(2)]),
        TEXTS,
    ),
    "EmailField": (lambda: F.EmailField(), [*TEXTS, *MAILS]),
    "EmailField, max_length": (lambda: F.EmailField(max_length=10, error_messages={"invalid": "no"}), [*TEXTS, *MAILS]),
    "RegexField": (lambda: F.RegexField(r"^[a-z]+$"), TEXTS),
    "RegexField, inverse": (
        lambda: F.CharField(validators=[validators.RegexValidator("b", inverse_match=True)]),
        TEXTS,
    ),
    "SlugField": (lambda: F.SlugField(), [*TEXTS, "a-b", "a b", "a\n"]),
    "SlugField, unicode": (lambda: F.SlugField(allow_unicode=True), [*TEXTS, "a-b", "é"]),
    "URLField": (lambda: F.URLField(), URLS),
    "IPAddressField": (lambda: F.IPAddressField(), ADDRESSES),
    "IPAddressField, ipv4": (lambda: F.IPAddressField(protocol="ipv4"), ADDRESSES),
    "IPAddressField, ipv6": (lambda: F.IPAddressField(protocol="ipv6"), ADDRESSES),
    "UUIDField": (lambda: F.UUIDField(), UUIDS),
    "UUIDField, allow_null, hex": (lambda: F.UUIDField(allow_null=True, format="hex"), UUIDS),
    "IntegerField": (lambda: F.IntegerField(), NUMBERS),
    "IntegerField, bounds": (lambda: F.IntegerField(min_value=1, max_value=7), NUMBERS),
    "IntegerField, float bounds": (lambda: F.IntegerField(min_value=0.5, max_value=decimal.Decimal("7.5")), NUMBERS),
    "IntegerField, huge bound": (lambda: F.IntegerField(max_value=10**40), NUMBERS),
    "IntegerField, user's": (lambda: F.IntegerField(validators=[Even(), validators.StepValueValidator(7)]), NUMBERS),
    "FloatField": (lambda: F.FloatField(), NUMBERS),
    "FloatField, bounds": (lambda: F.FloatField(min_value=0.5, max_value=100, allow_null=True), NUMBERS),
    "FloatField, large bound": (lambda: F.FloatField(max_value=2**53 + 1), NUMBERS),
    "DecimalField": (lambda: F.DecimalField(max_digits=4, decimal_places=2), DECIMALS),
    "DecimalField, no whole digits": (lambda: F.DecimalField(max_digits=2, decimal_places=2), DECIMALS),
    "DecimalField, no places": (lambda: F.DecimalField(max_digits=3, decimal_places=0, allow_null=True), DECIMALS),
    "DecimalField, any": (lambda: F.DecimalField(max_digits=None, decimal_places=None), DECIMALS),
    "DecimalField, any digits": (lambda: F.DecimalField(max_digits=None, decimal_places=2), DECIMALS),
    "DecimalField, rounding": (lambda: F.DecimalField(max_digits=4, decimal_places=1, rounding="ROUND_UP"), DECIMALS),
    "DecimalField, bounds": (
        lambda: F.DecimalField(max_digits=6, decimal_places=2, min_value=1, max_value=12),
        DECIMALS,
    ),
    "DecimalField, localized": (lambda: F.DecimalField(max_digits=4, decimal_places=2, localize=True), DECIMALS),
    "DecimalField, long": (lambda: F.DecimalField(max_digits=60, decimal_places=30), DECIMALS),
    "DateField": (lambda: F.DateField(), DATES),
    "DateField, formats": (lambda: F.DateField(input_formats=["%m/%d/%Y", "iso-8601"]), DATES),
    "DateField, bounds": (
        lambda: F.DateField(validators=[validators.MinValueValidator(datetime.date(2000, 1, 1))]),
        DATES,
    ),
    "DateTimeField": (lambda: F.DateTimeField(), MOMENTS),
    "DateTimeField, no zone": (lambda: F.DateTimeField(default_timezone=UTC, allow_null=True), MOMENTS),
    "DateTimeField, bounds": (
        lambda: F.DateTimeField(validators=[validators.MaxValueValidator(datetime.datetime(2024, 1, 1, tzinfo=UTC))]),
        MOMENTS,
    ),
    "TimeField": (lambda: F.TimeField(), TIMES),
    "DurationField": (lambda: F.DurationField(), SPANS),
    "DurationField, bounds": (lambda: F.DurationField(max_value=datetime.timedelta(1)), SPANS),
    "BooleanField": (lambda: F.BooleanField(), BOOLS),
    "BooleanField, allow_null": (lambda: F.BooleanField(allow_null=True), BOOLS),
    "ChoiceField": (lambda: F.ChoiceField(choices=["red", ("blue", "Blue"), 1, ("More", [(-3, "x"), "2"])]), CHOICES),
    "ChoiceField, blank": (lambda: F.ChoiceField(choices=["red"], allow_blank=True, allow_null=True), CHOICES),
    "ChoiceField, enum": (lambda: F.ChoiceField(choices=[(Colour.RED, "r"), (None, "-"), (True, "t")]), CHOICES),
    "ChoiceField, objects": (lambda: F.ChoiceField(choices=[(("a",), "r"), ("red", "b")]), CHOICES),
    "MultipleChoiceField": (
        lambda: F.MultipleChoiceField(choices=["red", "blue", 1]),
        [*LISTS, ["red", "red", 1], ["1"]],
    ),
    "MultipleChoiceField, empty": (lambda: F.MultipleChoiceField(choices=["a"], allow_empty=False), LISTS),
    "ListField": (lambda: F.ListField(), TREES),
    "ListField, child": (lambda: F.ListField(child=F.CharField(max_length=2)), LISTS),
    "ListField, bounds": (
        lambda: F.ListField(child=F.CharField(), min_length=1, max_length=2, allow_empty=False),
        LISTS,
    ),
    "ListField, user's child": (lambda: F.ListField(child=F.CharField(validators=[Even()])), LISTS),
    "ListField, nested": (
        lambda: F.ListField(child=F.ListField(child=F.IntegerField(), allow_null=True)),
        [[[1]], [["x"]], [None]],
    ),
    "DictField": (lambda: F.DictField(), TREES),
    "DictField, child": (
        lambda: F.DictField(child=F.CharField(max_length=2, allow_null=True), allow_empty=False),
        DICTS,
    ),
    "HStoreField": (lambda: F.HStoreField(), DICTS),
    "JSONField": (lambda: F.JSONField(), [*TREES, nested_list(20)]),
    "JSONField, binary": (lambda: F.JSONField(binary=True, allow_null=True), [*TREES, '{"a": 1}', b"[1]"]),
    "ReadOnlyField": (lambda: F.ReadOnlyField(), TEXTS),
    "HiddenField": (lambda: F.HiddenField(default="h"), TEXTS),
    "FileField": (lambda: F.FileField(), TEXTS),
}


def serializer_of(field: Any, **options: Any) -> Any:
    return type("Made", (serializers.Serializer,), {"a": field, "z": serializers.IntegerField(), **options})


@pytest.mark.parametrize("name", CASES)
def test_field_makes_what_stock_makes_of_each_value(name: str) -> None:
    make, values = CASES[name]
    cls = serializer_of(make())
    for value in values:
        assert_same(lambda value=value: validate(cls(data={"a": value, "z": 1})))
    rows = [{"a": value, "z": 1} for value in values]
    assert_same(lambda: validate(cls(data=rows, many=True)))


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("partial", [False, True])
def test_absent_field_is_treated_as_by_stock(name: str, partial: bool) -> None:
    make, _ = CASES[name]
    cls = serializer_of(make())
    assert_same(lambda: validate(cls(data={"z": 1}, partial=partial)))
    assert_same(lambda: validate(cls(data=[{"z": 1}, {}, {"a": None}], many=True, partial=partial)))


DEFAULTS: dict[str, Any] = {
    "int": 5,
    "None": None,
    "str": "x",
    "list": [],
    "dict": {},
    "class": list,
    "function": lambda: 7,
    "CreateOnlyDefault": serializers.CreateOnlyDefault(5),
    "CreateOnlyDefault of a class": serializers.CreateOnlyDefault(list),
}


@pytest.mark.parametrize("name", DEFAULTS)
@pytest.mark.parametrize("partial", [False, True])
def test_default_is_that_of_stock(name: str, partial: bool) -> None:
    cls = serializer_of(serializers.IntegerField(default=DEFAULTS[name]))
    for instance in (None, object()):
        assert_same(lambda instance=instance: validate(cls(instance, data={"z": 1}, partial=partial)))
        assert_same(lambda: validate(cls(data=[{"z": 1}, {"a": 2, "z": 1}, {}], many=True, partial=partial)))


def test_mutable_default_is_not_shared_by_serializers() -> None:
    cls = serializer_of(serializers.ListField(default=[]))
    made = [cls(data={"z": 1}) for _ in range(3)]
    for serializer in made:
        assert serializer.is_valid()
        serializer.validated_data["a"].append(1)
    assert [serializer.validated_data["a"] for serializer in made] == [[1], [1], [1]]


def test_containers_are_copied() -> None:
    cls = serializer_of(serializers.ListField())
    for _ in range(3):
        data = {"a": [1], "z": 1}
        serializer = cls(data=data)
        assert serializer.is_valid()
        assert serializer.validated_data["a"] is not data["a"]


RIGHT = {
    "CharField": "a",
    "CharField, max_length": "abc",
    "CharField, allow_blank": "",
    "CharField, user's validator": "ab",
    "EmailField": "a@b.de",
    "SlugField": "a-b",
    "URLField": "http://a.de/",
    "IPAddressField": "127.0.0.1",
    "UUIDField": UUIDS[0],
    "IntegerField, bounds": 7,
    "FloatField": 1.5,
    "DecimalField, bounds": "1.50",
    "DateField": "2024-02-29",
    "DateTimeField": "2024-02-29T10:11:12Z",
    "TimeField": "10:11:12",
    "DurationField": "1 02:03:04",
    "BooleanField": True,
    "ChoiceField": "red",
    "MultipleChoiceField": ["red"],
    "ListField, child": ["a"],
    "DictField, child": {"a": "b"},
    "HStoreField": {"a": "b"},
    "JSONField": {"a": [1, None]},
}


@pytest.mark.parametrize("name", RIGHT)
def test_right_value_is_accepted_without_the_field(name: str) -> None:
    cls = serializer_of(CASES[name][0]())
    for _ in range(2):
        assert cls(data={"a": RIGHT[name], "z": 1}).is_valid()
    with asked_fields() as names:
        assert cls(data={"a": RIGHT[name], "z": 1}).is_valid()
        assert cls(data=[{"a": RIGHT[name], "z": 1}] * 3, many=True).is_valid()
    assert not names


@pytest.mark.parametrize("zone", ["UTC", "Europe/Berlin", "America/Chicago"])
@pytest.mark.parametrize("use_tz", [True, False])
def test_datetimes_are_in_the_zone_in_use(zone: str, use_tz: bool) -> None:
    cls = serializer_of(serializers.DateTimeField())
    with override_settings(USE_TZ=use_tz, TIME_ZONE=zone):
        for text in MOMENTS:
            assert_same(lambda text=text: validate(cls(data={"a": text, "z": 1})))
        with timezone.override("Asia/Kolkata"):
            assert_same(lambda: validate(cls(data=[{"a": text, "z": 1} for text in MOMENTS], many=True)))
        assert_same(lambda: validate(cls(data=[{"a": text, "z": 1} for text in MOMENTS], many=True)))


def test_more_zones_than_plans() -> None:
    cls = serializer_of(serializers.DateTimeField())
    for hours in range(14):
        with timezone.override(datetime.timezone(datetime.timedelta(hours=hours))):
            assert_same(lambda: validate(cls(data={"a": "2024-02-29T10:11:12Z", "z": 1})))


def test_input_formats_of_settings_are_noticed() -> None:
    cls = serializer_of(serializers.DateField())
    for formats in (["iso-8601"], ["%d.%m.%Y"], ["%d.%m.%Y", "iso-8601"], []):
        with override_settings(REST_FRAMEWORK={"DATE_INPUT_FORMATS": formats}):
            for text in ("2024-02-29", "29.02.2024"):
                assert_same(lambda text=text: validate(cls(data={"a": text, "z": 1})))


class Shouting(serializers.CharField):
    def to_internal_value(self, data: Any) -> Any:
        return super().to_internal_value(data).upper()


class Elsewhere(serializers.CharField):
    def get_value(self, dictionary: Any) -> Any:
        return dictionary.get("b", empty)


class Refusing(serializers.CharField):
    def get_value(self, dictionary: Any) -> Any:
        raise serializers.ValidationError("not here", code="away")


class OnlyShown(serializers.CharField):
    def to_representation(self, value: Any) -> Any:
        return "shown"


class Seven(serializers.IntegerField):
    def validate_empty_values(self, data: Any) -> Any:
        return (True, 7)


@pytest.mark.parametrize("cls", [Shouting, Elsewhere, Refusing, OnlyShown, Seven], ids=lambda cls: cls.__name__)
def test_subclass_of_a_field(cls: Any) -> None:
    made = serializer_of(cls(required=False))
    for data in ({"a": "x", "z": 1}, {"z": 1}, {"b": "y", "z": 1}, {"a": [], "z": 1}, {"a": None}):
        assert_same(lambda data=data: validate(made(data=data)))
    assert_same(lambda: validate(made(data=[{"a": "x", "z": 1}, {"b": "y"}, {"a": 5, "z": 2}] * 2, many=True)))


def test_validators_of_a_child_are_asked_for_when_there_is_an_item() -> None:
    asked: list[int] = []

    class Asked(serializers.CharField):
        def get_validators(self) -> Any:
            asked.append(1)
            return super().get_validators()

    made = serializer_of(serializers.DictField(child=Asked()))

    def count(value: Any) -> Any:
        asked.clear()
        return validate(made(data={"a": value, "z": 1})), len(asked)

    for value in ({}, {"a": "b"}, {"a": "b", "c": "d"}):
        assert_same(lambda value=value: count(value))
