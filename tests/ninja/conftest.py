"""The Django project of these tests."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from helpers.django_project import project_settings


@pytest.fixture(scope="module", autouse=True)
def project() -> Iterator[None]:
    with project_settings(INSTALLED_APPS=["ninja"], ROOT_URLCONF="helpers.ninja_apis", STATIC_URL="/static/"):
        yield
