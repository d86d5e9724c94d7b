"""marshmallow's fields: how each kind dumps, beside how it loads."""

from ssrjson_web.marshmallow._fields import choice, container, function, moment, number, relation, text

__all__ = ["choice", "container", "function", "moment", "number", "relation", "text"]
