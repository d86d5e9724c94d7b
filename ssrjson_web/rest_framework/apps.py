"""The application configuration for `INSTALLED_APPS`."""

from __future__ import annotations

from django.apps import AppConfig
from django.core import checks

from ssrjson_web._shared.switch import leaves_all_to_stock

__all__ = ["SSRJSONRestConfig"]


class SSRJSONRestConfig(AppConfig):
    """The application `"ssrjson_web.rest_framework"` of `INSTALLED_APPS`. It calls `setup`, and adds system checks."""

    name = "ssrjson_web.rest_framework"
    label = "ssrjson_web_rest_framework"  # the default label is that of REST framework itself
    verbose_name: str = "ssrjson_web for REST framework"

    def ready(self) -> None:
        if leaves_all_to_stock():
            return
        from ssrjson_web.django._checks import check_known_functions, check_rest_framework_is_whole
        from ssrjson_web.rest_framework import setup
        from ssrjson_web.rest_framework._report import check_serializers, check_serializers_to_deploy

        setup()
        checks.register(check_serializers)
        checks.register(check_known_functions)
        checks.register(check_rest_framework_is_whole)
        checks.register(check_serializers_to_deploy, deploy=True)
