"""marshmallow at the core's speed: call `setup()` once, and every schema dumps and loads as before, only faster.

`setup` replaces four methods of marshmallow's `Schema`: `_serialize`, `_deserialize`, `dumps` and `loads`. They make a
plan of a schema's fields, which the core runs. Values, errors, and the calls of your own code stay marshmallow's. A
schema class with `ssrjson = False` keeps marshmallow's own way.
"""

from ssrjson_web.marshmallow._report import SchemaReport, schema_report
from ssrjson_web.marshmallow._setup import disabled, setup, teardown

__all__ = ["SchemaReport", "disabled", "schema_report", "setup", "teardown"]
