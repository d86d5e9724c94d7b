"""Fields of files, which are written as addresses."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rest_framework import fields
from rest_framework.settings import api_settings

from ssrjson_web._models.language import Acceptance
from ssrjson_web.rest_framework._basis import keeps
from ssrjson_web.rest_framework._fields.describer import NOTHING, Describer, stock

__all__: list[str] = []


def _read_file(field: Any, describer: Describer) -> Acceptance:
    describer.setting("UPLOADED_FILES_USE_URL")
    return NOTHING


def _representing(field: Any) -> Callable[[Any], Any]:
    """A `to_representation` that looks for the root of the field once. The context, file and storage are asked each
    time."""
    if not keeps(type(field), fields.Field, "context", "root"):
        return field.to_representation  # type: ignore[no-any-return]
    uses_url = getattr(field, "use_url", api_settings.UPLOADED_FILES_USE_URL)
    root = field.root

    def represent(value: Any) -> Any:
        if not value:
            return None
        if not uses_url:
            return value.name
        try:
            url = value.url
        except AttributeError:
            return None
        request = getattr(root, "_context", {}).get("request", None)
        return url if request is None else request.build_absolute_uri(url)

    return represent


stock(fields.FileField, reads=_read_file, converter=_representing)
