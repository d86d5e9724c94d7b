"""Types of the C core; tests/test_stubs.py holds them against the compiled module."""

import json
from collections.abc import Callable
from typing import Any, TypedDict, final

__version__: str

class JSONDecodeError(json.JSONDecodeError):
    """Malformed JSON, with the `msg`, `doc`, `pos`, `lineno` and `colno` that stdlib's json gives."""

@final
class Features(TypedDict):
    """What this build does on this machine; see `get_current_features`."""

    version: str
    compiler: str
    level: str
    levels: list[str]
    write_utf8_cache: bool
    free_threading: bool

@final
class HolderCaches(TypedDict):
    """UTF-8 copies in the strings that objects of one type hold."""

    bytes: int
    cached_strings: int

@final
class CacheReport(TypedDict):
    """UTF-8 copies under some objects; see `scan_utf8_cache`."""

    bytes: int
    """What the copies take, the terminating NUL of each included."""
    cached_strings: int
    """Strings that hold a copy."""
    strings: int
    """All strings that were met, each once however often it is referred to."""
    objects: int
    """Strings, and whatever else was looked into; numbers and the like are not counted."""
    by_holder: dict[str, HolderCaches]
    """By the type that holds the strings, `dict` or `app.models.Article`, the largest first."""

def dumps(
    obj: object,
    /,
    *,
    default: Callable[[Any], Any] | None = None,
    skipkeys: bool = False,
    ensure_ascii: bool = False,
    check_circular: bool = True,
    allow_nan: bool = True,
    indent: int | str | None = None,
    separators: tuple[str, str] | None = None,
    sort_keys: bool = False,
) -> str: ...
def dumps_to_bytes(
    obj: object,
    /,
    *,
    default: Callable[[Any], Any] | None = None,
    skipkeys: bool = False,
    ensure_ascii: bool = False,
    check_circular: bool = True,
    allow_nan: bool = True,
    indent: int | str | None = None,
    separators: tuple[str, str] | None = None,
    sort_keys: bool = False,
    is_write_cache: bool | None = None,
) -> bytes: ...
def loads(s: str | bytes | bytearray | memoryview, /) -> Any: ...
def write_utf8_cache(enabled: bool, /) -> None: ...
def utf8_cache_size(s: str, /) -> int: ...
def scan_utf8_cache(*roots: object) -> CacheReport: ...
def get_current_features() -> Features: ...
def _use_level(name: str, /) -> str: ...
