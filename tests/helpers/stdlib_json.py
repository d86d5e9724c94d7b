"""stdlib's json with the core's defaults: raw non-ASCII text, compact separators."""

from __future__ import annotations

import json
from typing import Any


def dumps(obj: object, **options: Any) -> str:
    """What `ssrjson_web.dumps` must give for the same options."""
    options.setdefault("ensure_ascii", False)
    if options.get("separators") is None:
        options["separators"] = (",", ":" if options.get("indent") is None else ": ")
    return json.dumps(obj, **options)


def dumps_to_bytes(obj: object, **options: Any) -> bytes:
    """What `ssrjson_web.dumps_to_bytes` must give for the same options, UnicodeEncodeError included."""
    return dumps(obj, **options).encode()


def loads(document: str | bytes | bytearray | memoryview, **options: Any) -> Any:
    """What `ssrjson_web.loads` must give for the same options. The core takes memoryviews, stdlib does not."""
    return json.loads(bytes(document) if isinstance(document, memoryview) else document, **options)
