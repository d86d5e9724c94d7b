"""Objects read by serializers with the core and by REST framework alone: values, errors, queries, calls."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

from django.db import connection, connections, reset_queries
from django.test.utils import CaptureQueriesContext

from helpers.django_project import project_settings
from helpers.rest_shop import models
from helpers.rest_validation import assert_same
from ssrjson_web.rest_framework import setup, teardown

__all__ = ["events", "note", "project", "same", "same_call"]

events: list[Any] = []
"""Calls of the user's code, in their order."""


def note(event: Any) -> Any:
    """Notes a call, and returns what it is given."""
    events.append(event)
    return event


def same_call(call: Callable[[], Any]) -> Any:
    """Assert that a call gives and does the same with the core; what it gives."""

    def observed() -> Any:
        events.clear()
        reset_queries()
        with CaptureQueriesContext(connection) as captured:
            try:
                found = call()
            except Exception as error:
                found = [type(error), str(error), type(error.__context__)]
        return [found, list(events), [query["sql"] for query in captured]]

    return assert_same(observed)


def same(make: Callable[[], Any]) -> Any:
    """Assert that the `data` of the serializer that `make` makes is the same with the core."""
    return same_call(lambda: make().data)


def _forget_connection() -> None:
    with suppress(AttributeError):
        del connections["default"]


@contextmanager
def project() -> Iterator[None]:
    """The tables with their rows, and serializers that read by the core."""
    stock = connections.settings
    with project_settings(
        DEFAULT_AUTO_FIELD="django.db.models.BigAutoField",
        INSTALLED_APPS=["rest_framework", "helpers.rest_shop.apps.ShopConfig"],
        ROOT_URLCONF="helpers.rest_framework_twins",
        REST_FRAMEWORK={"DEFAULT_AUTHENTICATION_CLASSES": [], "UNAUTHENTICATED_USER": None},
        TIME_ZONE="Europe/Berlin",
        USE_TZ=True,
    ):
        connections.settings = connections.configure_settings(
            {"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": ":memory:"}}
        )
        _forget_connection()
        setup()
        try:
            models.fill()
            yield
        finally:
            teardown()
            connections.close_all()
            connections.settings = stock
            _forget_connection()
