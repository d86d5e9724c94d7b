"""The Django project of these tests."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from helpers.django_project import project_settings


@pytest.fixture(scope="module", autouse=True)
def project() -> Iterator[None]:
    with project_settings(
        INSTALLED_APPS=["rest_framework"],
        ROOT_URLCONF="helpers.rest_framework_twins",
        STATIC_URL="/static/",
        REST_FRAMEWORK={"DEFAULT_AUTHENTICATION_CLASSES": [], "UNAUTHENTICATED_USER": None},
    ):
        from ssrjson_web.rest_framework import _templates

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(_templates, "MIN_USES", 1)  # each class is used three times
            yield
