"""What pydantic's calls give, in a form that ours can be compared by."""

from __future__ import annotations

import json
import warnings
from collections.abc import Callable
from typing import Any

from pydantic import TypeAdapter

from ssrjson_web._shared.surrogates import to_utf8


def outcome(call: Callable[[], Any]) -> tuple[str, Any]:
    """The result, or the type and text of the exception; for one of ours, the builtin type that it is of too."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of values that are not as declared: told by both
        try:
            return "value", call()
        except Exception as error:
            theirs = next(cls for cls in type(error).__mro__ if not cls.__module__.startswith("ssrjson_web"))
            return theirs.__name__, str(error)


def dumped(adapter: TypeAdapter[Any], value: Any, options: dict[str, Any]) -> bytes:
    """What Starlette's JSONResponse sends for dump_python, and for surrogates what ours does."""
    content = adapter.dump_python(value, mode="json", **options)
    return to_utf8(json.dumps(content, ensure_ascii=False, allow_nan=False, separators=(",", ":")))


def is_unclear(expected: tuple[str, Any]) -> bool:
    """Whether pydantic stumbles over a tag of a wrong type, asdict over a dict, FastAPI before 0.116 over a root that
    is a number, or two keys become one."""
    if expected[0] != "value":
        stumbles = ("unhashable", "must be callable", "cannot pickle", "argument of type")
        return any(text in expected[1] for text in stumbles)
    repeated = []

    def look(pairs: list[tuple[str, Any]]) -> None:
        repeated.append(len(dict(pairs)) < len(pairs))

    json.loads(expected[1], object_pairs_hook=look)
    return any(repeated)
