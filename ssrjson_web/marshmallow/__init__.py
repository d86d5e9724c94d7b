"""marshmallow at the core's speed: `setup()` once, and every schema dumps and loads as before, only faster."""

from ssrjson_web.marshmallow._setup import disabled, setup, teardown

__all__ = ["disabled", "setup", "teardown"]
