"""Django set up once in a run, whichever tests do it first, with settings of each folder's own while its tests run."""

from __future__ import annotations

from typing import Any

import django
from django.conf import settings
from django.test import override_settings

__all__ = ["project_settings"]

if not settings.configured:
    settings.configure(USE_TZ=True, SECRET_KEY="of the tests")
    django.setup()


def project_settings(**own: Any) -> override_settings:
    """The settings that all these projects have, and a project's own, as a context."""
    return override_settings(
        ALLOWED_HOSTS=["*"],
        DEBUG=False,
        DEFAULT_CHARSET="utf-8",
        MIDDLEWARE=[],
        SECRET_KEY="of the tests",
        SSRJSON={},
        TEMPLATES=[{"BACKEND": "django.template.backends.django.DjangoTemplates", "APP_DIRS": True}],
        **own,
    )
