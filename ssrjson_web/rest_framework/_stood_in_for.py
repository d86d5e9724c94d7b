"""The functions of REST framework that plans stand in for: those of its fields, relations and serializers."""

from __future__ import annotations

from typing import Any

from rest_framework import fields, relations, serializers
from rest_framework.utils import html, model_meta

from ssrjson_web._known.functions import functions_of, stands_in_for
from ssrjson_web.rest_framework._basis import HELPING_CLASSES, OF_MAPPING, VALIDATORS

__all__: list[str] = []


def _declare(module: Any) -> None:
    """Plans ask of a class whether all its functions are REST framework's own, and of the modules as well."""
    prefix = module.__name__
    for name, value in vars(module).items():
        is_tuple = isinstance(value, type) and issubclass(value, tuple)  # whose methods namedtuple() makes
        if getattr(value, "__module__", None) != prefix or is_tuple:
            continue
        if isinstance(value, type):
            # a property may be made of functions of other names, which are the class's, too
            names = [
                one for one, found in vars(value).items() if functions_of(found) and not isinstance(found, property)
            ]
            left = f"serializers and fields of the class {name}, and of those derived from it"
            stands_in_for(*(f"{prefix}.{name}.{one}" for one in names), left=left)
        elif functions_of(value):
            stands_in_for(f"{prefix}.{name}", left="all serializers")


for _module in (fields, relations, serializers, html, model_meta):
    _declare(_module)
stands_in_for("rest_framework.generics.get_object_or_404", left="`get_object` of views")
stands_in_for(
    *(f"rest_framework.utils.field_mapping.{name}" for name in OF_MAPPING), left="the fields of model serializers"
)
for _cls in HELPING_CLASSES:
    _methods = [name for name, value in vars(_cls).items() if functions_of(value)]
    stands_in_for(*(f"{_cls.__module__}.{_cls.__qualname__}.{name}" for name in _methods), left="all serializers")
stands_in_for(*(f"django.core.validators.{cls.__name__}.__init__" for cls in VALIDATORS), left="all serializers")
stands_in_for("django.utils.timezone.is_aware", left="all serializers")
# a wrapper with the name of that of json: its text alone counts
stands_in_for("rest_framework.utils.json.dumps", left="all serializers", is_still_called=True)
