"""What plans depend on beyond classes: settings, the language, the time zone."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from operator import attrgetter
from typing import Any

from django.conf import settings
from django.core.signals import setting_changed
from django.utils import timezone
from django.utils.translation import get_language
from rest_framework.settings import DEFAULTS, api_settings

__all__ = ["field_conditions", "generation", "getter_of_settings", "zone_in_use"]

_generation = 0


def generation() -> int:
    """A number that is another one after a setting has changed: with `override_settings`, or its signal alone."""
    return _generation


def _count(**_: Any) -> None:
    global _generation
    _generation += 1


setting_changed.connect(_count, dispatch_uid="ssrjson_web.rest_framework")


def getter_of_settings(names: Iterable[str]) -> Callable[[], tuple[Any, ...]]:
    """A function that returns REST framework's settings of these names. Older versions lack some; they get None."""
    known = [name for name in names if name in DEFAULTS]
    if len(known) < 2:
        return lambda: tuple(getattr(api_settings, name) for name in known)
    get = attrgetter(*known)
    return lambda: get(api_settings)


_settings_of_fields = getter_of_settings(("URL_FIELD_NAME", "HTML_SELECT_CUTOFF", "HTML_SELECT_CUTOFF_TEXT"))


def field_conditions() -> tuple[Any, ...]:
    """What stock reads when it makes fields: labels, for example, are chosen by the language."""
    return (_generation, get_language(), _settings_of_fields())


def zone_in_use() -> Any:
    """The time zone of the datetimes of fields that have no zone of their own; None: they are naive."""
    return timezone.get_current_timezone() if settings.USE_TZ else None
