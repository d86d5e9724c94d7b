"""The functions of REST framework that plans stand in for: those of its fields, relations and serializers."""

from __future__ import annotations

from typing import Any

from rest_framework import fields, relations, serializers

from ssrjson_web._plans.known import functions_of, stands_in_for

__all__: list[str] = []


def _declare(module: Any) -> None:
    """Plans ask of a class whether all its functions are REST framework's own, and of the modules as well."""
    prefix = module.__name__
    for name, value in vars(module).items():
        if getattr(value, "__module__", None) != prefix:
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


for _module in (fields, relations, serializers):
    _declare(_module)
stands_in_for("rest_framework.generics.get_object_or_404", left="`get_object` of views")
