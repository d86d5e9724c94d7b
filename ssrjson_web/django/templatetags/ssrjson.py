"""`{% load ssrjson %}`, or for all templates `"builtins": ["ssrjson_web.django.templatetags.ssrjson"]` in OPTIONS."""

from __future__ import annotations

from typing import Any

from django import template
from django.utils import html

from ssrjson_web.django._encoders import DjangoJSONEncoder

__all__ = ["json_script", "register"]

register: template.Library = template.Library()


@register.filter(is_safe=True)
def json_script(value: Any, element_id: str | None = None) -> str:
    """Django's filter `json_script` by the core: `{{ value|json_script:"an-id" }}`."""
    script: str = html.json_script(value, element_id, DjangoJSONEncoder)
    return script
