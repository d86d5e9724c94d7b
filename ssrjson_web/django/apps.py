"""The application for `INSTALLED_APPS`."""

from __future__ import annotations

from django.apps import AppConfig
from django.core import checks

from ssrjson_web.django.checks import check_project

__all__ = ["SSRJSONConfig"]


class SSRJSONConfig(AppConfig):
    """`"ssrjson_web.django"` in `INSTALLED_APPS`: system checks and the template filter."""

    name = "ssrjson_web.django"
    label = "ssrjson_web"  # "django" would be the first to be taken for something else
    verbose_name: str = "ssrjson_web"

    def ready(self) -> None:
        checks.register(check_project)
