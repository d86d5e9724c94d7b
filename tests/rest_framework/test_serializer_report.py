"""What is said of serializers and fields that REST framework reads."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pytest
from django.conf import settings
from django.utils.functional import cached_property
from rest_framework import fields, relations, serializers
from rest_framework.decorators import action, api_view
from rest_framework.generics import ListAPIView
from rest_framework.response import Response
from rest_framework.views import APIView
from rest_framework.viewsets import ModelViewSet

from ssrjson_web.django._checks import check_known_functions
from ssrjson_web.django._report import _of_rest_view
from ssrjson_web.rest_framework import setup, teardown
from ssrjson_web.rest_framework._fields.describer import base_of, reading_of
from ssrjson_web.rest_framework._report import check_serializers, check_serializers_to_deploy, report_of


@pytest.fixture(scope="module", autouse=True)
def plans(project: None) -> Iterator[None]:
    setup()
    yield
    teardown()


class Plain(serializers.Serializer):
    a = serializers.CharField()


class Represents(Plain):
    def to_representation(self, instance: Any) -> Any:
        return super().to_representation(instance)


class OptedOut(Plain):
    ssrjson = False


class OwnFields(Plain):
    @property
    def fields(self) -> Any:
        return super().fields


class KeptFields(Plain):
    fields = cached_property(lambda serializer: serializers.Serializer.fields.__get__(serializer, type(serializer)))


class MadeFields(Plain):
    def get_fields(self) -> Any:
        return super().get_fields()


class NeedsMore(Plain):
    def get_fields(self) -> Any:
        return {self.context["request"]: serializers.CharField()}


class Shouting(serializers.CharField):
    def to_representation(self, value: Any) -> Any:
        return str(value).upper()


class Elsewhere(serializers.CharField):
    def get_attribute(self, instance: Any) -> Any:
        return 1


class Mixed(serializers.Serializer):
    shout = Shouting()
    other = Elsewhere()
    file = serializers.FileField()
    price = serializers.DecimalField(5, 2, localize=True)
    link = serializers.HyperlinkedIdentityField("view")
    nested = Represents(many=True)
    deep = type("Deep", (serializers.Serializer,), {"shout": Shouting(), "fine": serializers.IntegerField()})()
    texts = serializers.ListSerializer(child=serializers.CharField())
    lists = serializers.ListSerializer(child=serializers.ListSerializer(child=serializers.CharField()))
    fine = serializers.IntegerField()


@pytest.mark.parametrize(
    ("cls", "reason"),
    [
        (Plain, "is read by the core"),
        (Represents, "it overrides to_representation; what that gets from super() is read by the core"),
        (OptedOut, "it says ssrjson = False"),
        (OwnFields, "it has `fields` of its own"),
        (KeptFields, "is read by the core in lists of 16 objects or more"),
        (MadeFields, "is read by the core in lists of 16 objects or more"),
        (NeedsMore, "its fields cannot be made here (KeyError: "),
    ],
)
def test_reason_of_a_class(cls: Any, reason: str) -> None:
    assert reason in str(report_of(cls))


def test_nested_serializers_that_make_fields_themselves() -> None:
    """In a class that does so, too, both are read in lists only."""
    made = type("Outer", (serializers.Serializer,), {"nested": MadeFields(), "kept": KeptFields(many=True)})
    report = report_of(made)
    why = "it makes fields by code of its own, and the core reads it after 16 objects of a long list"
    assert report.fields == {"nested": f"MadeFields: {why}", "kept": f"KeptFields: {why}"}
    report = report_of(type("Making", (MadeFields, made), {"left": Shouting()}))
    assert report.fields == {"left": "Shouting overrides to_representation"}
    assert report.makes_fields


def test_list_serializer_of_the_user() -> None:
    class Filtering(serializers.ListSerializer):
        def to_representation(self, data: Any) -> Any:
            return super().to_representation(data[1:])

    report = report_of(type("Outer", (serializers.Serializer,), {"few": Filtering(child=Plain())}))
    why = "it overrides to_representation; what that gets from super() is read by the core"
    assert report.fields == {"few": f"Filtering: {why}"}


class CallableSettings:
    """As dynaconf's, which takes the place of Django's."""

    def __getattr__(self, name: str) -> Any:
        return getattr(settings, name)

    def __call__(self, name: str) -> Any:
        return getattr(settings, name)


def test_settings_of_dynaconf_are_data(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fields, "settings", CallableSettings())
    report = report_of(Plain)
    assert (report.reason, report.fields, report.input_reason, report.inputs) == ("", {}, "", {})


def test_what_somebody_has_replaced_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fields, "is_simple_callable", lambda value: False)
    assert report_of(Plain).reason == "somebody has replaced rest_framework.fields.is_simple_callable"


def test_reasons_of_fields() -> None:
    report = report_of(Mixed)
    assert report.reason == ""
    assert report.fields == {
        "shout": "Shouting overrides to_representation",
        "other": "Elsewhere overrides get_attribute",
        "price": "DecimalField with its options",
        "link": "HyperlinkedIdentityField",
        "nested": "Represents: it overrides to_representation; what that gets from super() is read by the core",
        "deep.shout": "Shouting overrides to_representation",
        "lists": "ListSerializer of a ListSerializer",
    }
    assert "but for shout (Shouting overrides to_representation), other (" in str(report)


def test_checks_name_them_and_methods_that_others_have_replaced(monkeypatch: pytest.MonkeyPatch) -> None:
    messages = [message for message in check_serializers_to_deploy() if __name__ in message.msg]
    assert {message.id for message in messages} == {"ssrjson_web.I003"}
    assert len(messages) == 7
    assert check_serializers() == []
    monkeypatch.setattr(serializers.Serializer, "to_representation", lambda self, instance: {})
    (warning,) = check_serializers()
    assert warning.id == "ssrjson_web.W005"
    assert f"Serializer.to_representation has been replaced by {__name__}" in warning.msg


def test_report_of_a_view_names_its_serializer() -> None:
    view = type("View", (ListAPIView,), {"serializer_class": Represents})
    assert "Represents is read by REST framework: it overrides" in _of_rest_view(view.as_view(), view, "x").reason


def reason_of_route(view: Any) -> str:
    return _of_rest_view(view, view.cls, "x").reason


class Chooses(ModelViewSet):
    serializer_class = Plain
    by_action = MappingProxyType({"create": OwnFields})

    def get_serializer_class(self) -> Any:
        if self.action == "list":
            return Represents
        return self.by_action.get(self.action) or super().get_serializer_class()

    @action(detail=False, serializer_class=OptedOut)
    def others(self, request: Any) -> Response:
        return Response([])


class Answers(APIView):
    def get(self, request: Any) -> Response:
        return Response(Represents({}).data)

    def post(self, request: Any) -> Response:
        return Response({})


@api_view(["GET"])
def shelf(request: Any) -> Response:
    return Response(Represents({}).data)


READ = {
    Plain: "Plain is read by the core",
    Represents: "Represents is read by REST framework: it overrides",
    OwnFields: "OwnFields is read by REST framework: it has `fields`",
    OptedOut: "OptedOut is read by REST framework: it says",
}


@pytest.mark.parametrize(
    ("view", "named"),
    [
        (Chooses.as_view({"get": "list"}), [Plain, Represents, OwnFields]),
        (Chooses.as_view({"get": "others"}, **Chooses.others.kwargs), [Represents, OwnFields, OptedOut]),
        (Answers.as_view(), [Represents]),
        (shelf, [Represents]),
        (type("View", (ListAPIView,), {"get_serializer_class": lambda self: None}).as_view(), []),
    ],
    ids=["get_serializer_class", "action", "APIView", "function", "unknown"],
)
def test_report_of_a_view_names_the_serializers_of_its_code(view: Any, named: list[Any]) -> None:
    reason = reason_of_route(view)
    assert [cls for cls, text in READ.items() if text in reason] == [cls for cls in READ if cls in named]
    assert named or "get_serializer_class names none" in reason


def test_report_of_a_function_view_has_the_name_of_the_function() -> None:
    assert _of_rest_view(shelf, shelf.cls, "x").endpoint == f"{__name__}.shelf"


def test_report_without_setup_says_what_to_add() -> None:
    teardown()
    try:
        assert 'add "ssrjson_web.rest_framework" to INSTALLED_APPS' in str(report_of(Plain))
        assert check_serializers() == check_serializers_to_deploy() == []
    finally:
        setup()


def test_functions_that_are_not_known_are_logged_and_warned_of(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    from django.db.models.query import QuerySet

    setup()
    assert caplog.messages == [] == check_known_functions()
    monkeypatch.setattr(serializers.CharField, "to_internal_value", lambda self, data: data)
    monkeypatch.setattr(QuerySet, "_fetch_all", lambda self: None)
    teardown()
    setup()
    (message,) = caplog.messages
    assert "left to stock: rest_framework.fields.CharField.to_internal_value (replaced by " in message
    texts = sorted(warning.msg for warning in check_known_functions())
    assert {warning.id for warning in check_known_functions()} == {"ssrjson_web.W006"}
    assert [text.partition(" (replaced by")[0].partition(": ")[2] for text in texts] == [
        "not known is django.db.models.query.QuerySet._fetch_all",
        "not known is rest_framework.fields.CharField.to_internal_value",
    ]
    assert texts[0].endswith("Left to stock: `get_object` of views and what serializers read of models.")
    assert "Left to stock: serializers and fields of the class CharField, and of those derived from it." in texts[1]


DOCS = Path(__file__).parents[2] / "docs" / "rest_framework.md"
READ_OTHERWISE = {
    "HiddenField",
    "ManyRelatedField",
    "PrimaryKeyRelatedField",
    "SerializerMethodField",
    "SlugRelatedField",
}
"""By no `reads=`: never, by a call of the method, or by the relation."""
NOT_VALIDATED = {"HiddenField", "ReadOnlyField", "SerializerMethodField", "StringRelatedField"}


@pytest.mark.parametrize(
    ("title", "ask", "unnamed", "in_some_cases"),
    [
        ("What REST framework reads", reading_of, READ_OTHERWISE, {"DecimalField"}),
        (
            *("What REST framework validates", base_of, {"ImageField", *NOT_VALIDATED}),
            {"DecimalField", "PrimaryKeyRelatedField", "SlugRelatedField"},
        ),
    ],
    ids=["read", "validated"],
)
def test_docs_name_the_fields_that_are_left_to_rest_framework(
    title: str, ask: Callable[[Any], object], unnamed: set[str], in_some_cases: set[str]
) -> None:
    classes = {one for one in vars(serializers).values() if isinstance(one, type) and issubclass(one, fields.Field)}
    classes -= {fields.Field, relations.RelatedField}
    public = [cls for cls in classes if cls.__name__.endswith("Field") and not cls.__name__.startswith(("_", "Hyper"))]
    left = {cls.__name__ for cls in public if ask(cls.__new__(cls)) is None}
    section = DOCS.read_text("utf-8").partition(f"\n### {title}\n")[2].partition("\n#")[0]
    assert set(re.findall(r"`(\w+Field)`", section)) == (left - unnamed) | in_some_cases
