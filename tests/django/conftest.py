"""The Django project of these tests."""

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

from django_settings import project_settings  # noqa: E402


@pytest.fixture(scope="module", autouse=True)
def project() -> Iterator[None]:
    """A project of the bookshop's models and our application."""
    with project_settings(
        INSTALLED_APPS=["ssrjson_web.django", "django_bookshop"], ROOT_URLCONF="django_bookshop.urls"
    ):
        yield


@pytest.fixture
def settings_checks() -> Any:
    """Runs the system checks, of which ours are left."""
    from django.core import checks

    return lambda: [message for message in checks.run_checks() if (message.id or "").startswith("ssrjson_web.")]
