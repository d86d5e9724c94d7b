"""The `SSRJSON` setting of a project."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from typing import Any

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.core.signals import setting_changed

__all__ = ["Settings", "current_settings"]


@dataclass(frozen=True)
class Settings:
    """The values of `SSRJSON = {"ASCII": ..., ...}`. A field is the lower-case name of a key and has its default."""

    ascii: bool = False
    """Whether responses escape all characters beyond ASCII, as stock does."""
    compact: bool = True
    """Whether responses have no space after `,` and `:`. Stock responses have one."""
    nan: str = "literal"
    """How responses write NaN and infinities: `literal` as in stock, `null`, or `error`, which raises ValueError."""
    max_depth: int | None = 1000
    """Maximum levels of nested JSON in a request. `None` is no limit."""
    compare: float = 0
    """Which share of requests REST framework and the core both answer, to compare them."""
    serve: str = "stock"
    """Whose answers are sent where requests are compared: `stock` or `core`."""
    mask: bool = True
    """Whether letters and digits of what differs are hidden in the log and in figures."""


def _is_bool(value: object) -> bool:
    return isinstance(value, bool)


def _is_depth(value: object) -> bool:
    return value is None or (isinstance(value, int) and not isinstance(value, bool) and value >= 1)


def _is_share(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and 0 <= value <= 1


# a test, and a description of the values that pass it
_RULES: Mapping[str, tuple[Callable[[Any], bool], str]] = {
    "ascii": (_is_bool, "True or False"),
    "compact": (_is_bool, "True or False"),
    "nan": (("literal", "null", "error").__contains__, "'literal', 'null' or 'error'"),
    "max_depth": (_is_depth, "None or an int of 1 or more"),
    "compare": (_is_share, "a share of requests, a number from 0 to 1"),
    "serve": (("stock", "core").__contains__, "'stock' or 'core'"),
    "mask": (_is_bool, "True or False"),
}
KEYS = tuple(field.name.upper() for field in fields(Settings))


def problems_of(configured: object) -> list[str]:
    """The problems of a value of the `SSRJSON` setting, one sentence each."""
    if not isinstance(configured, Mapping):
        return [f"SSRJSON must be a dict, not {configured!r}."]
    problems = []
    for key, value in configured.items():
        if key not in KEYS:
            problems.append(f"SSRJSON has no key {key!r}: its keys are {', '.join(KEYS)}.")
            continue
        is_right, what_is = _RULES[key.lower()]
        if not is_right(value):
            problems.append(f"SSRJSON[{key!r}] must be {what_is}, not {value!r}.")
    return problems


@functools.lru_cache(maxsize=1)
def current_settings() -> Settings:
    """The current settings. Raises ImproperlyConfigured for an unknown key or a wrong value."""
    configured = getattr(settings, "SSRJSON", {})
    problems = problems_of(configured)
    if problems:
        raise ImproperlyConfigured(" ".join(problems))
    return Settings(**{key.lower(): value for key, value in configured.items()})


def _forget(*, setting: str, **_: object) -> None:
    if setting == "SSRJSON":
        current_settings.cache_clear()


# override_settings and the like
setting_changed.connect(_forget, dispatch_uid="ssrjson_web.django._settings")
