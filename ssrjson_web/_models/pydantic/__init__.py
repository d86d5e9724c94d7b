"""Plans of pydantic models and dataclasses, by which the C core writes the bytes of `dump_json`.

The plans are read from core schemas. A rule admits a value only where its type alone decides its text. All other
values (those with a serializer, a config of formats, or a type without a rule) are converted by pydantic's
`dump_python(mode="json")`, which leaves no UTF-8 cache in strings.
"""

from ssrjson_web._models.pydantic.plans import dumped_plan_of, is_base_model, plan_of

__all__ = ["dumped_plan_of", "is_base_model", "plan_of"]
