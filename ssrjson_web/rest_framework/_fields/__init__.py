"""REST framework's fields: how each kind reads, beside how it loads."""

from ssrjson_web.rest_framework._fields import choice, container, file, moment, number, relation, text

__all__ = ["choice", "container", "file", "moment", "number", "relation", "text"]
