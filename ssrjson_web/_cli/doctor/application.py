"""The application that MODULE:OBJECT names, examined by the adapter of its framework."""

from __future__ import annotations

import dataclasses
import gc
import importlib
import inspect
import os
import sys
import types
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, cast

from ssrjson_web._cli.doctor.application_report import is_unserved
from ssrjson_web._cli.target import WrongTarget, load, user_code
from ssrjson_web._shared.application import applications_within
from ssrjson_web._shared.route_report import ApplicationReport

__all__ = ["examine_application"]

_DJANGO, _FASTAPI = "ssrjson_web.django._report", "ssrjson_web.fastapi._report"
_REPORTS = {
    "fastapi.applications.FastAPI": _FASTAPI,
    "starlette.applications.Starlette": "ssrjson_web.starlette._report",
    "flask.sansio.app.App": "ssrjson_web.flask._report",
    "django.core.handlers.base.BaseHandler": _DJANGO,
}
"""Class of an application to the module that reports on it. An object exists only if its framework is imported."""
_OURS = "ssrjson_web.starlette"
"""The module of all classes that serve routes of FastAPI: an application without it is served nothing."""
_KNOWN = "FastAPI, Starlette, Flask, Quart or Django"
_SETTINGS = ("INSTALLED_APPS", "ROOT_URLCONF")


def examine_application(target: str, *, is_called: bool = False) -> ApplicationReport:
    """What the core does for the application; with `is_called` for the one that the object returns.

    A module without OBJECT must be a module of Django's settings, or hold exactly one application. Raises TargetError,
    and its subclass WrongTarget if the object is not an application.
    """
    found = load(target, is_called=is_called)
    if isinstance(found, types.ModuleType):
        if any(hasattr(found, name) for name in _SETTINGS):
            return _examine_settings(found.__name__)
        found = _only_application(found)
    application, reporter = _reporter(found)
    if reporter is None:
        raise WrongTarget(_no_application(target, found))
    with user_code(f"examining {target} failed"), _no_collections():
        # FastAPI builds what a report reads of included routes, most of its time, again after a `setup`
        report = None if reporter != _FASTAPI or _OURS in sys.modules else _trial_report(application)
        if report is None:
            module = importlib.import_module(reporter)
            report = cast(
                ApplicationReport, module.application_report(*(() if reporter == _DJANGO else (application,)))
            )
            if reporter == _FASTAPI and is_unserved(report):
                report = _trial_report(application) or report
        return _with_schemas(report)


@contextmanager
def _no_collections() -> Iterator[None]:
    """No search for cycles in all that the application holds: a quarter of the time of a large one's report."""
    is_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if is_enabled:
            gc.enable()


def _trial_report(application: Any) -> ApplicationReport | None:
    trial = importlib.import_module("ssrjson_web.fastapi._trial")
    return cast(ApplicationReport | None, trial.trial_report(application))


def _with_schemas(report: ApplicationReport) -> ApplicationReport:
    """The report with the schemas of marshmallow that an application has imported."""
    if "marshmallow" not in sys.modules:
        return report
    schemas = importlib.import_module("ssrjson_web.marshmallow._report")
    return dataclasses.replace(report, parts=(*report.parts, *schemas.part_reports()))


def _examine_settings(name: str) -> ApplicationReport:
    os.environ["DJANGO_SETTINGS_MODULE"] = name
    with user_code(f"setting Django up with {name} failed"):
        import django

        django.setup()
        report = importlib.import_module(_DJANGO)
        return _with_schemas(cast(ApplicationReport, report.application_report()))


def _reporter(found: Any) -> tuple[Any, str | None]:
    """The application within its middlewares, and the module that reports on it; None if it is not an application."""
    for inner in applications_within(found):
        for base in type(inner).__mro__:
            reporter = _REPORTS.get(f"{base.__module__}.{base.__qualname__}")
            if reporter is not None:
                return inner, reporter
    return found, None


def _only_application(module: types.ModuleType) -> Any:
    applications: dict[object, str] = {}  # the WSGI and the ASGI application of a Django project are one
    for name, value in vars(module).items():
        application, reporter = _reporter(value)
        if reporter is not None and not name.startswith("_"):
            applications.setdefault(reporter if reporter == _DJANGO else id(application), name)
    if len(applications) == 1:
        return getattr(module, next(iter(applications.values())))
    if not applications:
        raise WrongTarget(
            f"{module.__name__} holds neither an application of {_KNOWN} nor Django's settings: "
            "write MODULE:OBJECT, as app.main:app"
        )
    choices = " or ".join(f"{module.__name__}:{name}" for name in applications.values())
    raise WrongTarget(f"{module.__name__} holds several applications: name one of them, {choices}")


def _no_application(target: str, found: Any) -> str:
    if inspect.isroutine(found):
        return f"{target} is a function: with --call the application that it returns is examined"
    if isinstance(found, type):
        return f"{target} is a class, not an application"
    return f"{target} is of type {type(found).__name__}, which is not an application of {_KNOWN}"
