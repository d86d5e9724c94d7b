"""pydantic models and dataclasses: plans from their core schemas, for the C core to write what `dump_json` would.

A rule admits a value only where its own type says all about its text. Whatever a schema says beyond that (a
serializer of its own, a config for formats, a type that is not listed below) is converted by pydantic's
`dump_python(mode="json")`, which leaves no UTF-8 copy in values.
"""

from ssrjson_web._models.pydantic.plans import dumped_plan_of, is_base_model, plan_of

__all__ = ["dumped_plan_of", "is_base_model", "plan_of"]
