"""System checks of a project's JSON settings."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from django.apps import apps
from django.conf import settings
from django.core.checks import CheckMessage, Error, Info, Warning
from django.utils.module_loading import import_string

from ssrjson_web._known.unknown import sentences, unknown_functions
from ssrjson_web.django._rendering import is_utf8
from ssrjson_web.django._settings import problems_of

__all__ = ["check_known_functions", "check_project", "check_rest_framework_is_whole"]

_REST_FRAMEWORK = "ssrjson_web.rest_framework"
# setting, its stock class, ours
_REST_CLASSES = (
    ("DEFAULT_RENDERER_CLASSES", "rest_framework.renderers.JSONRenderer", "SSRJSONRenderer"),
    ("DEFAULT_PARSER_CLASSES", "rest_framework.parsers.JSONParser", "SSRJSONParser"),
)
# setting, a class of stock's own list, its media type, and what is lost where no class takes that type
_REST_STOCK_CLASSES = (
    (
        "DEFAULT_RENDERER_CLASSES",
        "rest_framework.renderers.BrowsableAPIRenderer",
        "text/html",
        "browsers get JSON instead of the browsable API",
    ),
    (
        "DEFAULT_PARSER_CLASSES",
        "rest_framework.parsers.FormParser",
        "application/x-www-form-urlencoded",
        "forms are answered with 415",
    ),
    (
        "DEFAULT_PARSER_CLASSES",
        "rest_framework.parsers.MultiPartParser",
        "multipart/form-data",
        "uploads are answered with 415",
    ),
    (
        "TEST_REQUEST_RENDERER_CLASSES",
        "rest_framework.renderers.MultiPartRenderer",
        "multipart/form-data",
        'the test client refuses format="multipart", which is its default',
    ),
)


def check_project(**_: Any) -> list[CheckMessage]:
    """Messages about JSON settings that are wrong or incomplete."""
    return [*_check_own_setting(), *_check_charset(), *_check_rest_framework()]


def check_known_functions(**_: Any) -> list[CheckMessage]:
    """Warnings of functions of libraries that are not those of a release we know: what uses them is left to stock."""
    hint = "Upgrade ssrjson_web, or remove what replaces them; `python -m ssrjson_web verify` compares a new release."
    return [Warning(text, hint=hint, id="ssrjson_web.W006") for text in sentences(unknown_functions())]


def check_rest_framework_is_whole(**_: Any) -> list[CheckMessage]:
    """W004 alone, for projects without the app of Django, whose check of the project has it."""
    if apps.is_installed("ssrjson_web.django"):
        return []
    return [*_lists_that_lack_classes(getattr(settings, "REST_FRAMEWORK", None) or {})]


def _check_own_setting() -> Iterator[CheckMessage]:
    for problem in problems_of(getattr(settings, "SSRJSON", {})):
        yield Error(problem, id="ssrjson_web.E001")


def _check_charset() -> Iterator[CheckMessage]:
    charset = settings.DEFAULT_CHARSET
    try:
        is_json = is_utf8(charset)
    except (LookupError, TypeError):
        is_json = False
    if not is_json:
        yield Warning(
            f"DEFAULT_CHARSET is {charset!r}, but JSON is UTF-8.",
            hint="Set it to 'utf-8'. Otherwise responses without a charset of their own escape all characters beyond "
            "ASCII.",
            id="ssrjson_web.W001",
        )


def _check_rest_framework() -> Iterator[CheckMessage]:
    if not any(app.partition(".")[0] == "rest_framework" for app in settings.INSTALLED_APPS):
        return
    configured = getattr(settings, "REST_FRAMEWORK", None) or {}
    classes_of = {key: _classes(configured.get(key)) for key, _, _ in _REST_CLASSES}
    for key, stock_path, our_name in _REST_CLASSES:
        classes = classes_of[key]
        is_wired = any(_is_ours(cls) for cls in classes)
        if not is_wired:
            yield Info(
                f"rest_framework is installed, and {key} names no {our_name}.",
                hint=f'REST_FRAMEWORK = {{"{key}": ["{_REST_FRAMEWORK}.{our_name}", ...]}}',
                id="ssrjson_web.I001",
            )
        elif any(f"{cls.__module__}.{cls.__qualname__}" == stock_path for cls in classes):
            yield Warning(
                f"{key} names both {our_name} and {stock_path}: one of them is never used for application/json.",
                hint=f"Remove {stock_path}.",
                id="ssrjson_web.W002",
            )
    yield from _lists_that_lack_classes(configured)
    parsers = classes_of["DEFAULT_PARSER_CLASSES"]
    if parsers and not hasattr(parsers[0], "renderer_class"):
        yield Warning(
            f"{parsers[0].__qualname__}, the first of DEFAULT_PARSER_CLASSES, has no renderer_class.",
            hint="The browsable API needs the renderer_class of the first parser for its raw data form.",
            id="ssrjson_web.W003",
        )


def _lists_that_lack_classes(configured: Any) -> Iterator[CheckMessage]:
    """Warnings about lists that name our class but lack a stock class. Such a list replaces the stock list."""
    for key, stock_path, media_type, what in _REST_STOCK_CLASSES:
        classes = _classes(configured.get(key))
        if any(map(_is_ours, classes)) and not any(_takes(cls, media_type) for cls in classes):
            yield Warning(
                f"{key} names our class, but not {stock_path} of REST framework's default list: {what}.",
                hint=f'Add "{stock_path}" after our class, or set SILENCED_SYSTEM_CHECKS = ["ssrjson_web.W004"] '
                "if it is left out on purpose.",
                id="ssrjson_web.W004",
            )


def _takes(cls: type, media_type: str) -> bool:
    """Whether a renderer or a parser is for the media type. Parameters after it are ignored."""
    own = str(getattr(cls, "media_type", None)).partition(";")[0].strip()
    return own in (media_type, "*/*")


def _classes(configured: Any) -> list[type]:
    """The classes that a setting of REST framework names. REST framework itself reports a failed import."""
    classes = []
    for entry in configured or ():
        try:
            classes.append(import_string(entry) if isinstance(entry, str) else entry)
        except ImportError:
            continue
    return classes


def _is_ours(cls: type) -> bool:
    return any(f"{base.__module__}.".startswith(f"{_REST_FRAMEWORK}.") for base in cls.__mro__)
