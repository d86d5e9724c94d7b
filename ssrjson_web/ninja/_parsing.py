"""The parser of request bodies."""

from __future__ import annotations

import json
from typing import Any, cast

from django.http import HttpRequest
from ninja.parser import Parser

from ssrjson_web._known.functions import Seams
from ssrjson_web._shared.stdlib_decoding import decode

__all__ = ["SSRJSONParser"]

_PARSER = Seams(
    lambda: (Parser.parse_body, json.loads),
    *("ninja.parser.Parser.parse_body", "json.loads"),
    left="the decoding of bodies",
)


class SSRJSONParser(Parser):
    """Ninja's `Parser` with the same values and the same errors."""

    def parse_body(self, request: HttpRequest) -> dict[str, Any]:
        """The value of the body. Raises the errors of `json.loads`, which Ninja answers with status 400."""
        if not _PARSER.are_known():
            return super().parse_body(request)
        return cast(dict[str, Any], decode(request.body))
