"""What plans depend on beyond the user's classes: settings, the language, the time zone, REST framework itself."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from operator import attrgetter
from typing import Any

from django.conf import settings
from django.core.signals import setting_changed
from django.utils import timezone
from django.utils.translation import get_language
from rest_framework.settings import DEFAULTS, api_settings

from ssrjson_web.rest_framework._stock import library

__all__ = ["field_conditions", "generation", "getter_of_settings", "input_formats", "notice_changes", "zone_in_use"]

_generation = 0


def generation() -> int:
    """A number that is another one after a setting has changed, with `override_settings` or its signal alone; or after
    `notice_changes` has found that somebody has replaced something of a library."""
    return _generation


def notice_changes() -> None:
    """Look whether somebody has replaced something of a library that plans rely on. It comes before each use of one."""
    if not library.hold():
        library.forget()
        _count()


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


_formats_in_use = getter_of_settings(("DATE_INPUT_FORMATS", "DATETIME_INPUT_FORMATS", "TIME_INPUT_FORMATS"))


def input_formats() -> list[Any]:
    """The settings of how fields parse dates and times, which do not change with the lists that they are."""
    return [tuple(one) if isinstance(one, list) else one for one in _formats_in_use()]
