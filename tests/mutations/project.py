"""A Django project for a corpus."""

from __future__ import annotations

import types

import django
from django.conf import settings

__all__ = ["configure", "urls"]

urls = types.ModuleType("urls_of_the_project")
urls.urlpatterns = []  # type: ignore[attr-defined]


def configure(apps: tuple[str, ...]) -> None:
    """Configure Django for a corpus that uses these applications. Ours write as Django does."""
    settings.configure(
        USE_TZ=True,
        SECRET_KEY="of the tests",
        ALLOWED_HOSTS=["*"],
        INSTALLED_APPS=["django.contrib.contenttypes", *apps, "ssrjson_web.django"],
        ROOT_URLCONF=urls,
        DATABASES={"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": ":memory:"}},
        SSRJSON={"ASCII": True, "COMPACT": False},
    )
    django.setup()
