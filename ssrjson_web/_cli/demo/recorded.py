"""Results read back from the JSON file of an earlier run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any, cast, get_args, get_origin, get_type_hints

from ssrjson_web._cli.demo.results import Results

__all__ = ["results_from_json"]


def results_from_json(document: Mapping[str, Any]) -> Results:
    """What `write_json` wrote; fields that this version does not know are left out.

    Raises TypeError where a figure is missing, and ValueError for files in which our engine has its former name,
    `ssrjson`, which is another library's.
    """
    if any(run.get("engine") == "ssrjson" for part in ("runs", "control", "preload") for run in document[part]):
        raise ValueError("they call our engine ssrjson, not ssrjson_web: run the demo again")
    return cast("Results", _made(Results, document))


def _made(kind: Any, value: Any) -> Any:
    if isinstance(kind, type) and is_dataclass(kind):
        hints = get_type_hints(kind, localns={"CacheReport": dict})  # a name of the type stubs alone
        names = [field.name for field in fields(kind) if field.name in value]
        return kind(**{name: _made(hints[name], value[name]) for name in names})
    if get_origin(kind) is tuple:
        return tuple(_made(get_args(kind)[0], each) for each in value)
    return Path(value) if kind is Path else value
