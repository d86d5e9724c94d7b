"""The system checks."""

from __future__ import annotations

import sys
import types
from typing import Any

import pytest
from django.apps import apps
from django.core import checks
from django.test import override_settings


def test_application_has_a_label_of_its_own() -> None:
    assert apps.get_app_config("ssrjson_web").name == "ssrjson_web.django"


def test_checks_of_a_project_that_is_right_find_nothing(settings_checks: Any) -> None:
    assert settings_checks() == []


@pytest.mark.parametrize("charset", ["latin-1", "no such charset"])
def test_checks_warn_of_a_charset_that_json_is_not_in(charset: str, settings_checks: Any) -> None:
    with override_settings(DEFAULT_CHARSET=charset):
        assert [(message.id, message.level) for message in settings_checks()] == [("ssrjson_web.W001", checks.WARNING)]
    with override_settings(DEFAULT_CHARSET="UTF8"):
        assert settings_checks() == []


@pytest.fixture
def rest_framework(monkeypatch: pytest.MonkeyPatch) -> None:
    """Stand-ins for the REST framework and our classes for it: the checks go by settings and names of classes."""

    def module(name: str, **classes: type) -> None:
        made = types.ModuleType(name)
        for cls in classes.values():
            cls.__module__ = name
        vars(made).update(classes)
        monkeypatch.setitem(sys.modules, name, made)

    renderer = type("JSONRenderer", (), {})
    parser = type("JSONParser", (), {"renderer_class": renderer})
    form_parser = type("FormParser", (), {})
    module("rest_framework")
    module("rest_framework.renderers", JSONRenderer=renderer)
    module("rest_framework.parsers", JSONParser=parser, FormParser=form_parser)
    module(
        "ssrjson_web.rest_framework",
        SSRJSONRenderer=type("SSRJSONRenderer", (renderer,), {}),
        SSRJSONParser=type("SSRJSONParser", (parser,), {}),
    )


RENDERER = "ssrjson_web.rest_framework.SSRJSONRenderer"
PARSER = "ssrjson_web.rest_framework.SSRJSONParser"
OURS = {"DEFAULT_RENDERER_CLASSES": [RENDERER], "DEFAULT_PARSER_CLASSES": [PARSER]}
I001, W002, W003 = "ssrjson_web.I001", "ssrjson_web.W002", "ssrjson_web.W003"


@pytest.mark.parametrize(
    ("rest", "expected"),
    [
        (OURS, []),
        (None, [I001, I001]),
        ({}, [I001, I001]),
        ({"DEFAULT_RENDERER_CLASSES": [RENDERER]}, [I001]),
        ({**OURS, "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer", RENDERER]}, [W002]),
        ({**OURS, "DEFAULT_PARSER_CLASSES": [PARSER, "rest_framework.parsers.JSONParser"]}, [W002]),
        ({**OURS, "DEFAULT_PARSER_CLASSES": ["rest_framework.parsers.FormParser", PARSER]}, [W003]),
        ({**OURS, "DEFAULT_PARSER_CLASSES": ["no.such.Parser", PARSER]}, []),
    ],
)
@pytest.mark.usefixtures("rest_framework")
def test_checks_tell_how_the_rest_framework_is_wired(rest: Any, expected: list[str]) -> None:
    from django.conf import settings

    from ssrjson_web.django.checks import check_project

    installed = [*settings.INSTALLED_APPS, "rest_framework"]
    with pytest.MonkeyPatch.context() as patch:  # the setting only: the stand-in is no application
        patch.setattr(settings, "INSTALLED_APPS", installed)
        patch.setattr(settings, "REST_FRAMEWORK", rest, raising=False)
        assert [message.id for message in check_project()] == expected


def test_checks_take_a_class_that_is_derived_from_ours(rest_framework: None) -> None:
    from django.conf import settings

    from ssrjson_web.django.checks import check_project

    ours = sys.modules["ssrjson_web.rest_framework"]
    rest = {
        "DEFAULT_RENDERER_CLASSES": [type("Own", (ours.SSRJSONRenderer,), {})],
        "DEFAULT_PARSER_CLASSES": (type("Own", (ours.SSRJSONParser,), {}),),
    }
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(settings, "INSTALLED_APPS", ["rest_framework.apps.RestFrameworkConfig"])
        patch.setattr(settings, "REST_FRAMEWORK", rest, raising=False)
        assert check_project() == []
