"""The application configuration for `INSTALLED_APPS`."""

from __future__ import annotations

from django.apps import AppConfig

__all__ = ["SSRJSONRestConfig"]


class SSRJSONRestConfig(AppConfig):
    """The application `"ssrjson_web.rest_framework"` of `INSTALLED_APPS`. It calls `setup`."""

    name = "ssrjson_web.rest_framework"
    label = "ssrjson_web_rest_framework"  # the default label is that of REST framework itself
    verbose_name: str = "ssrjson_web for REST framework"

    def ready(self) -> None:
        from ssrjson_web.rest_framework._setup import setup

        setup()
