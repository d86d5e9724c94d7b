"""The application configuration for `INSTALLED_APPS`."""

from __future__ import annotations

from django.apps import AppConfig
from django.core import checks

from ssrjson_web._shared.switch import leaves_all_to_stock
from ssrjson_web.django._checks import check_known_functions, check_project

__all__ = ["SSRJSONConfig"]


class SSRJSONConfig(AppConfig):
    """The application `"ssrjson_web.django"` of `INSTALLED_APPS`. It adds system checks and the template filter."""

    name = "ssrjson_web.django"
    label = "ssrjson_web"  # the default label would be "django", which is ambiguous
    verbose_name: str = "ssrjson_web"

    def ready(self) -> None:
        if leaves_all_to_stock():
            return
        checks.register(check_project)
        checks.register(check_known_functions)
