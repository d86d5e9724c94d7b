"""The application that the tables belong to."""

from __future__ import annotations

from django.apps import AppConfig


class ShopConfig(AppConfig):
    """The tables of `helpers.rest_shop.models`."""

    name = "helpers.rest_shop"
    label = "rest_shop"
    default_auto_field = "django.db.models.BigAutoField"
