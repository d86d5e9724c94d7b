"""The Django project of these tests."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

HERE = str(Path(__file__).parent)
if HERE not in sys.path:
    sys.path.append(HERE)

from django_settings import project_settings  # noqa: E402


@pytest.fixture(scope="module", autouse=True)
def project() -> Iterator[None]:
    with project_settings(
        INSTALLED_APPS=["rest_framework"],
        ROOT_URLCONF="rest_twins",
        STATIC_URL="/static/",
        REST_FRAMEWORK={"DEFAULT_AUTHENTICATION_CLASSES": [], "UNAUTHENTICATED_USER": None},
    ):
        yield
