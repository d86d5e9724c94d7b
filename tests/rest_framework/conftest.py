"""Django set up for these tests, whichever tests of the run set it up first."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

HERE = str(Path(__file__).parent)
if HERE not in sys.path:
    sys.path.append(HERE)

import django  # noqa: E402
from django.conf import settings  # noqa: E402
from django.test import override_settings  # noqa: E402

if not settings.configured:
    settings.configure(SECRET_KEY="of the tests", USE_TZ=True)
    django.setup()


@pytest.fixture(scope="module", autouse=True)
def project() -> Iterator[None]:
    with override_settings(
        ALLOWED_HOSTS=["*"],
        DEBUG=False,
        DEFAULT_CHARSET="utf-8",
        INSTALLED_APPS=["rest_framework"],
        MIDDLEWARE=[],
        ROOT_URLCONF="rest_twins",
        STATIC_URL="/static/",
        TEMPLATES=[{"BACKEND": "django.template.backends.django.DjangoTemplates", "APP_DIRS": True}],
        REST_FRAMEWORK={"DEFAULT_AUTHENTICATION_CLASSES": [], "UNAUTHENTICATED_USER": None},
    ):
        yield
