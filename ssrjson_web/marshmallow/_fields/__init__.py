"""marshmallow's fields: how each kind dumps, beside how it loads."""

from ssrjson_web.marshmallow._fields import choice, container, function, moment, nested, number, text

__all__ = ["choice", "container", "function", "moment", "nested", "number", "text"]
