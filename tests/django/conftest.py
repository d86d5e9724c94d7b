"""The Django project of these tests."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

pytest.importorskip("django", reason="Django is not installed")

from helpers.django_project import project_settings


@pytest.fixture(scope="module", autouse=True)
def project() -> Iterator[None]:
    """A project with the models of the bookshop and our application."""
    with project_settings(
        INSTALLED_APPS=["ssrjson_web.django", "helpers.django_bookshop"], ROOT_URLCONF="helpers.django_bookshop.urls"
    ):
        yield


@pytest.fixture
def settings_checks() -> Any:
    """Runs the system checks and returns the messages of ours."""
    from django.core import checks

    return lambda: [message for message in checks.run_checks() if (message.id or "").startswith("ssrjson_web.")]
