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
    """Fake modules of REST framework and of our classes for it. The checks use settings and names of classes only."""

    def module(name: str, **classes: type) -> None:
        made = types.ModuleType(name)
        for cls in classes.values():
            cls.__module__ = name
        vars(made).update(classes)
        monkeypatch.setitem(sys.modules, name, made)

    def stock(name: str, media_type: str, **attributes: Any) -> type:
        return type(name, (), {"media_type": media_type, **attributes})

    renderer = stock("JSONRenderer", "application/json")
    parser = stock("JSONParser", "application/json", renderer_class=renderer)
    module("rest_framework")
    module(
        "rest_framework.renderers",
        JSONRenderer=renderer,
        BrowsableAPIRenderer=stock("BrowsableAPIRenderer", "text/html"),
        TemplateHTMLRenderer=stock("TemplateHTMLRenderer", "text/html"),
        MultiPartRenderer=stock("MultiPartRenderer", "multipart/form-data; boundary=BoUnDaRy"),
    )
    module(
        "rest_framework.parsers",
        JSONParser=parser,
        FormParser=stock("FormParser", "application/x-www-form-urlencoded"),
        MultiPartParser=stock("MultiPartParser", "multipart/form-data"),
        FileUploadParser=stock("FileUploadParser", "*/*"),
    )
    module(
        "ssrjson_web.rest_framework",
        SSRJSONRenderer=type("SSRJSONRenderer", (renderer,), {}),
        SSRJSONParser=type("SSRJSONParser", (parser,), {}),
    )


RENDERER = "ssrjson_web.rest_framework.SSRJSONRenderer"
PARSER = "ssrjson_web.rest_framework.SSRJSONParser"
PAGES, TEMPLATES = "rest_framework.renderers.BrowsableAPIRenderer", "rest_framework.renderers.TemplateHTMLRenderer"
MULTIPART = "rest_framework.renderers.MultiPartRenderer"
FORMS, UPLOADS = "rest_framework.parsers.FormParser", "rest_framework.parsers.MultiPartParser"
OURS = {"DEFAULT_RENDERER_CLASSES": [RENDERER, PAGES], "DEFAULT_PARSER_CLASSES": [PARSER, FORMS, UPLOADS]}
I001, W002, W003, W004 = (f"ssrjson_web.{name}" for name in ("I001", "W002", "W003", "W004"))


@pytest.mark.parametrize(
    ("rest", "expected"),
    [
        (OURS, []),
        (None, [I001, I001]),
        ({}, [I001, I001]),
        ({"DEFAULT_RENDERER_CLASSES": [RENDERER, PAGES]}, [I001]),
        ({**OURS, "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer", RENDERER, PAGES]}, [W002]),
        ({**OURS, "DEFAULT_PARSER_CLASSES": [PARSER, "rest_framework.parsers.JSONParser", FORMS, UPLOADS]}, [W002]),
        ({**OURS, "DEFAULT_PARSER_CLASSES": [FORMS, PARSER, UPLOADS]}, [W003]),
        ({**OURS, "DEFAULT_PARSER_CLASSES": ["no.such.Parser", PARSER, UPLOADS, FORMS]}, []),
        ({**OURS, "DEFAULT_RENDERER_CLASSES": [RENDERER]}, [W004]),
        ({**OURS, "DEFAULT_RENDERER_CLASSES": (RENDERER, TEMPLATES)}, []),
        ({**OURS, "DEFAULT_PARSER_CLASSES": [PARSER]}, [W004, W004]),
        ({**OURS, "DEFAULT_PARSER_CLASSES": [PARSER, FORMS]}, [W004]),
        ({**OURS, "DEFAULT_PARSER_CLASSES": [PARSER, UPLOADS]}, [W004]),
        ({**OURS, "DEFAULT_PARSER_CLASSES": [PARSER, "rest_framework.parsers.FileUploadParser"]}, []),
        ({"DEFAULT_RENDERER_CLASSES": [PAGES], "DEFAULT_PARSER_CLASSES": [FORMS]}, [I001, I001, W003]),
        ({**OURS, "TEST_REQUEST_RENDERER_CLASSES": [RENDERER]}, [W004]),
        ({**OURS, "TEST_REQUEST_RENDERER_CLASSES": [MULTIPART, RENDERER]}, []),
        ({**OURS, "TEST_REQUEST_RENDERER_CLASSES": [MULTIPART]}, []),
    ],
)
@pytest.mark.usefixtures("rest_framework")
def test_checks_tell_how_the_rest_framework_is_wired(rest: Any, expected: list[str]) -> None:
    from django.conf import settings

    from ssrjson_web.django._checks import check_project

    installed = [*settings.INSTALLED_APPS, "rest_framework"]
    with pytest.MonkeyPatch.context() as patch:  # the setting only: the fake module is no application
        patch.setattr(settings, "INSTALLED_APPS", installed)
        patch.setattr(settings, "REST_FRAMEWORK", rest, raising=False)
        found = check_project()
        assert [message.id for message in found] == expected
        for message in found:
            assert message.hint
            if message.id == W004:
                lost = next(path for path in (PAGES, FORMS, UPLOADS, MULTIPART) if path in message.msg)
                assert f'Add "{lost}"' in message.hint
                assert "SILENCED_SYSTEM_CHECKS" in message.hint


def test_checks_take_a_class_that_is_derived_from_ours(rest_framework: None) -> None:
    from django.conf import settings

    from ssrjson_web.django._checks import check_project

    ours = sys.modules["ssrjson_web.rest_framework"]
    rest = {
        "DEFAULT_RENDERER_CLASSES": [type("Own", (ours.SSRJSONRenderer,), {}), PAGES],
        "DEFAULT_PARSER_CLASSES": (type("Own", (ours.SSRJSONParser,), {}), FORMS, UPLOADS),
    }
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(settings, "INSTALLED_APPS", ["rest_framework.apps.RestFrameworkConfig"])
        patch.setattr(settings, "REST_FRAMEWORK", rest, raising=False)
        assert check_project() == []
