"""System checks: a project's settings, as far as they are about JSON."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from django.conf import settings
from django.core.checks import CheckMessage, Error, Info, Warning
from django.utils.module_loading import import_string

from ssrjson_web.django._rendering import is_utf8
from ssrjson_web.django._settings import problems_of

__all__ = ["check_project"]

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
    """What is wrong, or only half done, in a project's settings."""
    return [*_check_own_setting(), *_check_charset(), *_check_rest_framework()]


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
            f"DEFAULT_CHARSET is {charset!r}, and JSON is in UTF-8.",
            hint="Responses escape all that is not ASCII as long as it is, or name a charset of their own.",
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
                f"{key} names {our_name} and {stock_path} too: one of them is never used for application/json.",
                hint=f"Leave {stock_path} out.",
                id="ssrjson_web.W002",
            )
    yield from _check_rest_framework_is_whole(configured)
    parsers = classes_of["DEFAULT_PARSER_CLASSES"]
    if parsers and not hasattr(parsers[0], "renderer_class"):
        yield Warning(
            f"{parsers[0].__qualname__}, the first of DEFAULT_PARSER_CLASSES, has no renderer_class.",
            hint="The browsable API writes its raw data form by the first parser's renderer_class.",
            id="ssrjson_web.W003",
        )


def _check_rest_framework_is_whole(configured: Any) -> Iterator[CheckMessage]:
    """What a list that names ours has lost: it replaces stock's own list, and is not added to it."""
    for key, stock_path, media_type, what in _REST_STOCK_CLASSES:
        classes = _classes(configured.get(key))
        if any(map(_is_ours, classes)) and not any(_takes(cls, media_type) for cls in classes):
            yield Warning(
                f"{key} names ours, but not {stock_path} of REST framework's own list: {what}.",
                hint=f'Add "{stock_path}" behind ours; or SILENCED_SYSTEM_CHECKS = ["ssrjson_web.W004"] '
                "where it is left out on purpose.",
                id="ssrjson_web.W004",
            )


def _takes(cls: type, media_type: str) -> bool:
    """Whether a renderer or a parser is for the media type; renderers may have parameters behind it."""
    own = str(getattr(cls, "media_type", None)).partition(";")[0].strip()
    return own in (media_type, "*/*")


def _classes(configured: Any) -> list[type]:
    """The classes that a setting of the REST framework names; one that cannot be imported it reports itself."""
    classes = []
    for entry in configured or ():
        try:
            classes.append(import_string(entry) if isinstance(entry, str) else entry)
        except ImportError:
            continue
    return classes


def _is_ours(cls: type) -> bool:
    return any(f"{base.__module__}.".startswith(f"{_REST_FRAMEWORK}.") for base in cls.__mro__)
