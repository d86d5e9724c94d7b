"""Django set up for these tests, whichever tests of the run set it up first."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("django", reason="Django is not installed")

HERE = str(Path(__file__).parent)
if HERE not in sys.path:  # the helpers beside this file, under --import-mode=importlib
    sys.path.append(HERE)

import django  # noqa: E402
from django.conf import settings  # noqa: E402
from django.test import override_settings  # noqa: E402

if not settings.configured:
    settings.configure(USE_TZ=True, SECRET_KEY="of the tests")
    django.setup()


@pytest.fixture(scope="module", autouse=True)
def project() -> Iterator[None]:
    """A project of the bookshop's models and our application."""
    with override_settings(
        ALLOWED_HOSTS=["*"],
        DEBUG=False,
        DEFAULT_CHARSET="utf-8",
        INSTALLED_APPS=["ssrjson_web.django", "django_bookshop"],
        MIDDLEWARE=[],
        ROOT_URLCONF="django_bookshop.urls",
        SECRET_KEY="of the tests",
        SSRJSON={},
        TEMPLATES=[{"BACKEND": "django.template.backends.django.DjangoTemplates", "APP_DIRS": True}],
    ):
        yield


@pytest.fixture
def settings_checks() -> Any:
    """Runs the system checks, of which ours are left."""
    from django.core import checks

    return lambda: [message for message in checks.run_checks() if (message.id or "").startswith("ssrjson_web.")]
