"""The libraries whose functions ours stand in for, each with its adapter, imported in a process of its own."""

from __future__ import annotations

import importlib
import importlib.util
from typing import Any

from ssrjson_web._known.unknown import unknown_functions

__all__ = ["ADAPTERS", "import_adapter", "is_installed", "unknown_of"]

ADAPTERS = {
    "fastapi": ("ssrjson_web.fastapi",),
    "starlette": ("ssrjson_web.starlette",),
    "pydantic": ("ssrjson_web._models.adapter",),
    "rest_framework": ("ssrjson_web.rest_framework._setup",),
    "marshmallow": ("ssrjson_web.marshmallow",),
    "ninja": ("ssrjson_web.ninja",),
    "django": ("ssrjson_web.django",),
    "flask": ("ssrjson_web.flask",),
}
"""The modules that declare what they stand in for, by the name of the library's module."""
_OF_DJANGO = ("rest_framework", "ninja", "django")


def is_installed(library: str) -> bool:
    """Whether the library can be found, without an import."""
    try:
        return importlib.util.find_spec(library) is not None
    except (ImportError, ValueError):  # half of it is there
        return False


def import_adapter(library: str) -> None:
    """Import the adapter, with settings of Django where it needs some. Raises what that raises."""
    if library in _OF_DJANGO:
        import django
        from django.conf import settings

        if not settings.configured:
            apps = ["django.contrib.contenttypes", "django.contrib.auth", "rest_framework"]
            settings.configure(
                INSTALLED_APPS=apps if library == "rest_framework" else [],
                SSRJSON={"ASCII": True, "COMPACT": False},  # the layout of Django and Ninja
                SECRET_KEY="none",
                USE_TZ=True,
                ALLOWED_HOSTS=["*"],
            )
            django.setup()
    for module in ADAPTERS[library]:
        importlib.import_module(module)


def unknown_of(library: str) -> list[dict[str, Any]]:
    """The unknown functions of what the adapter of a library stands in for."""
    import_adapter(library)
    return [one._asdict() for one in unknown_functions()]
