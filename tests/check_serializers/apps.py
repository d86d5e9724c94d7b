"""The application that the tables belong to: relations are known only between tables of installed ones."""

from __future__ import annotations

from django.apps import AppConfig


class CheckConfig(AppConfig):
    """The tables of `check_serializers.tables`."""

    name = "check_serializers"
    label = "check"
