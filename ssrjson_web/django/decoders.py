"""A decoder for each `decoder=` that Django takes."""

from __future__ import annotations

import ssrjson_web.json

__all__ = ["JSONDecoder"]


class JSONDecoder(ssrjson_web.json.JSONDecoder):
    """stdlib's `JSONDecoder` with the core behind it, for `JSONField(decoder=)` and `json.loads(cls=)`.

    Values and exceptions are those of stdlib. Where it differs: documents may be nested as deep as memory allows.
    """

    __module__ = "ssrjson_web.django"  # migrations write it down, and are to outlive this file's name
