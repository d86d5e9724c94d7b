"""Which settings and routes of a Django project the core serves, those of REST framework and Ninja included."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from typing import Any

from django.apps import apps
from django.conf import settings
from django.http import HttpResponse, HttpResponseBase
from django.urls import URLPattern, URLResolver, get_resolver
from django.views.generic.base import TemplateResponseMixin

from ssrjson_web._known.unknown import unknown_parts
from ssrjson_web._shared.endpoint_results import results_of
from ssrjson_web._shared.names import class_name_of, name_of
from ssrjson_web._shared.route_report import (
    ApplicationReport,
    PartReport,
    RouteReport,
    ValidationCount,
    sorted_methods,
    validation_count,
)

__all__ = ["application_report", "route_report", "settings_report"]

_OURS = "ssrjson_web."
SHORTCUT = "__ssrjson_shortcut__"
"""The attribute of Ninja's models that `ssrjson_web.ninja.setup` has replaced."""
_SERIALIZERS = (("json", "ssrjson_web.django.serializers.json"), ("jsonl", "ssrjson_web.django.serializers.jsonl"))
_REST_SETTINGS = (("DEFAULT_RENDERER_CLASSES", "SSRJSONRenderer"), ("DEFAULT_PARSER_CLASSES", "SSRJSONParser"))


def route_report() -> tuple[RouteReport, ...]:
    """The routes of the project whose settings are in force: whether the core serves each, and why.

    Known are views of Django REST framework and of Django Ninja. What an ordinary view returns is not known from
    outside, unless an annotation says it. No view is called. Raises what importing the URL configuration raises, and
    ImproperlyConfigured without settings.
    """
    # Ninja names a path once for each of its operations
    return tuple(dict.fromkeys(_routes(get_resolver().url_patterns, "")))


def settings_report() -> tuple[PartReport, ...]:
    """The settings that plug the core in, the JSON fields of models, and what rests on unknown functions.

    Raises ImproperlyConfigured without settings.
    """
    return (*_setting_parts(), *_cache_parts(), *_rest_framework_parts(), *_field_parts(), *unknown_parts())


def application_report() -> ApplicationReport:
    """Settings and routes. Raises what `route_report` raises."""
    return ApplicationReport(framework="Django", parts=settings_report(), routes=route_report())


def _part(name: str, is_served: bool, wired: str, missing: str) -> PartReport:
    return PartReport(name=name, is_served=is_served, reason=wired if is_served else missing)


def _setting_parts() -> Iterator[PartReport]:
    app, middleware, serializer = (
        _OURS + "django",
        _OURS + "django.SSRJSONMiddleware",
        _OURS + "django.SSRJSONSerializer",
    )
    installed = [str(entry) for entry in settings.INSTALLED_APPS]
    yield _part(
        "INSTALLED_APPS",
        any(entry == app or entry.startswith(f"{app}.apps.") for entry in installed),
        "system checks and the filter json_script of the core",
        f'add "{app}" for system checks and the template filter',
    )
    yield _part(
        "MIDDLEWARE",
        any(_is_our_path(entry) for entry in settings.MIDDLEWARE),
        "request.json is decoded by the core",
        f'add "{middleware}" for request.json; or call parse_json(request)',
    )
    yield _part(
        "SESSION_SERIALIZER",
        _is_our_path(settings.SESSION_SERIALIZER),
        "sessions are encoded and decoded by the core",
        f'it is "{settings.SESSION_SERIALIZER}": name "{serializer}"',
    )
    modules = getattr(settings, "SERIALIZATION_MODULES", {})
    for kind, path in _SERIALIZERS:
        yield _part(
            f'SERIALIZATION_MODULES["{kind}"]',
            _is_our_path(modules.get(kind)),
            "dumpdata, loaddata and fixtures",
            f'name "{path}" for dumpdata, loaddata and fixtures',
        )


def _cache_parts() -> Iterator[PartReport]:
    for name, cache in settings.CACHES.items():
        if "redis" in str(cache.get("BACKEND", "")).lower():
            yield _part(
                f'CACHES["{name}"]',
                _is_our_path((cache.get("OPTIONS") or {}).get("serializer")),
                "values are kept as JSON of the core",
                'values are pickled; for JSON set OPTIONS["serializer"] = "ssrjson_web.django.SSRJSONCacheSerializer"',
            )


def _rest_framework_parts() -> Iterator[PartReport]:
    if not any(str(app).partition(".")[0] == "rest_framework" for app in settings.INSTALLED_APPS):
        return
    app = _OURS + "rest_framework"
    yield _part(
        f'INSTALLED_APPS["{app}"]',
        any(str(entry) == app or str(entry).startswith(f"{app}.apps.") for entry in settings.INSTALLED_APPS),
        "serializers read and validate by the core",
        f'add "{app}": serializers then read and validate by the core',
    )
    configured = getattr(settings, "REST_FRAMEWORK", None) or {}
    for key, name in _REST_SETTINGS:
        yield _part(
            f'REST_FRAMEWORK["{key}"]',
            any(_is_our_path(entry) for entry in configured.get(key) or ()),
            f"{name} of the core",
            f'name "ssrjson_web.rest_framework.{name}" first',
        )


def _field_parts() -> Iterator[PartReport]:
    from django.db.models import JSONField  # takes a while, and is seldom needed

    for model in apps.get_models():
        for field in model._meta.get_fields():
            if isinstance(field, JSONField) and not _is_our_path(model.__module__):
                missing = [name for name in ("encoder", "decoder") if not _is_ours(getattr(field, name))]
                yield _part(
                    f"{model.__name__}.{field.name}",
                    not missing,
                    "the core encodes and decodes the field",
                    f"no {' and no '.join(missing)} of ours: "
                    "JSONField(encoder=DjangoJSONEncoder, decoder=JSONDecoder) of ssrjson_web.django",
                )


def _is_our_path(entry: object) -> bool:
    return entry.startswith(_OURS) if isinstance(entry, str) else _is_ours(entry)


def _is_ours(cls: object) -> bool:
    """Whether a class, or one that it derives from, is of this package."""
    return any(f"{base.__module__}.".startswith(_OURS) for base in getattr(cls, "__mro__", ()))


def _routes(patterns: Iterable[Any], prefix: str) -> Iterator[RouteReport]:
    for pattern in patterns:
        path = prefix + str(pattern.pattern)
        if isinstance(pattern, URLResolver):
            if pattern.app_name == "admin":
                yield _row(path, (), "django.contrib.admin", False, "pages of Django's admin are HTML", decodes=False)
            else:
                yield from _routes(pattern.url_patterns, path)
        elif isinstance(pattern, URLPattern):
            yield from _of_view(pattern.callback, path)


def _row(
    path: str,
    methods: tuple[str, ...],
    endpoint: str,
    encodes: bool | None,
    reason: str,
    *,
    decodes: bool | None,
    **counts: Any,
) -> RouteReport:
    return RouteReport(
        path=f"/{path}", methods=methods, endpoint=endpoint, encodes=encodes, decodes=decodes, reason=reason, **counts
    )


def _of_view(view: Any, path: str) -> Iterator[RouteReport]:
    cls = getattr(view, "cls", None)
    if hasattr(cls, "renderer_classes"):
        yield _of_rest_view(view, cls, path)
        return
    operations = _ninja_operations(view)
    if operations:
        for operation in operations:
            yield _of_ninja(operation, path)
        return
    view_class = getattr(view, "view_class", None)
    encodes, reason = _of_ordinary(view_class or view)
    yield _row(path, (), name_of(view_class or view), encodes, reason, decodes=None)


def _of_ordinary(view: Any) -> tuple[bool | None, str]:
    """What is known of a view of Django's own kinds."""
    if isinstance(view, type) and issubclass(view, TemplateResponseMixin):
        return False, "a view that renders a template"
    results = results_of(view, HttpResponseBase)
    if results.annotated and results.is_annotated_whole:
        names = " or ".join(map(class_name_of, results.annotated))
        if all(map(_is_ours, results.annotated)):
            return True, f"it returns {names}"
        # our class derives from these, and they may hold bytes of the core
        if not any(one in (HttpResponse, HttpResponseBase) or _is_ours(one) for one in results.annotated):
            return False, f"it returns {names}, which is not ours"
    ours = results.names(_is_ours)
    others = results.names(lambda named: named is not HttpResponse and not _is_ours(named))
    if ours and not others:
        return True, f"it names {ours}"
    if others and not ours and HttpResponse not in results.named:
        return False, f"it names {others}, which is not ours: return SSRJSONResponse"
    return None, "an ordinary view: the core encodes if it returns SSRJSONResponse"


def _of_rest_view(view: Any, cls: Any, path: str) -> RouteReport:
    given = getattr(view, "initkwargs", {})
    renderers = [c for c in given.get("renderer_classes", cls.renderer_classes) if _is_for_json(c)]
    parsers = [c for c in given.get("parser_classes", cls.parser_classes) if _is_for_json(c)]
    actions = getattr(view, "actions", None) or {name: name for name in cls.http_method_names if hasattr(cls, name)}
    encodes = bool(renderers) and _is_ours(renderers[0])
    decodes = bool(parsers) and _is_ours(parsers[0])
    if not renderers:
        reason = "its renderer_classes has none for JSON"
    elif encodes:
        reason = f"rendered by {class_name_of(renderers[0])}"
    else:
        reason = (
            f"rendered by {class_name_of(renderers[0])}: name SSRJSONRenderer in REST_FRAMEWORK or in renderer_classes"
        )
    if parsers and not decodes:
        reason += f"; parsed by {class_name_of(parsers[0])}: name SSRJSONParser"
    serializers = sys.modules.get(f"{_OURS}rest_framework._report")  # where its application is installed
    if serializers is not None:
        reason = "; ".join(filter(None, (reason, serializers.reason_of_view(cls, actions.values(), given))))
    methods = sorted_methods(name.upper() for name in actions if name != "options")
    return _row(path, methods, _name_of_rest_view(cls), encodes, reason, decodes=decodes)


def _name_of_rest_view(cls: Any) -> str:
    """Its name; of a view that `api_view` made that of the function: the class has another `__qualname__` than name."""
    return name_of(cls) if cls.__qualname__.endswith(cls.__name__) else f"{cls.__module__}.{cls.__name__}"


def _is_for_json(cls: Any) -> bool:
    return str(getattr(cls, "media_type", "")).partition(";")[0].strip() == "application/json"


def _ninja_operations(view: Any) -> list[Any]:
    """The operations of a path of Ninja's: what holds them is within the closure of its view, or its `self`."""
    cells = (cell.cell_contents for cell in getattr(view, "__closure__", None) or ())
    for holder in (getattr(view, "__self__", None), *cells):
        if any(base.__module__ == "ninja.operation" for base in type(holder).__mro__):
            return list(getattr(holder, "operations", ()))
    return []


def _of_ninja(operation: Any, path: str) -> RouteReport:
    renderer, parser = operation.api.renderer, operation.api.parser
    encodes, decodes = _is_ours(type(renderer)), _is_ours(type(parser))
    reason = f"rendered by {class_name_of(type(renderer))}"
    if not encodes:
        reason += ": setup(api) of ssrjson_web.ninja"
    elif not decodes:
        reason += f", parsed by {class_name_of(type(parser))}: setup(api)"
    return _row(
        path,
        sorted_methods(operation.methods),
        name_of(operation.view_func),
        encodes,
        reason,
        decodes=decodes,
        answers=_count(operation.response_models.values()),
        bodies=_count(operation.models),
    )


def _count(models: Iterable[Any]) -> ValidationCount | None:
    """How many values bypassed the validation of models that `ssrjson_web.ninja.setup` has replaced."""
    shortcuts = (getattr(model, SHORTCUT, None) for model in models)
    return validation_count(shortcut.counter for shortcut in shortcuts if shortcut is not None)
