"""How stock fields read and load: what each kind of field is told by, and of which class a field is."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple, TypeAlias

from rest_framework.fields import Field
from rest_framework.settings import DEFAULTS, api_settings

from ssrjson_web._known.functions import stands_in_for
from ssrjson_web._known.watch import Watch, owner_of
from ssrjson_web._models.language import Acceptance, Accepted
from ssrjson_web.rest_framework._basis import acts_as_stock, generation, is_same_zone, zone_in_use

__all__ = ["NOTHING", "NULL", "Describer", "base_of", "loading_of", "reading_of", "stock"]

NOTHING: tuple[Accepted, ...] = ()
"""No value is accepted: the field does the work itself."""

NULL = Accepted(type(None))


class Describer:
    """Describes fields, and notes what decides beyond them: their classes, settings, and the time zone."""

    def __init__(self, classes: Iterable[type]) -> None:
        """`classes` are the user's: of the fields, and what else a plan depends on."""
        self._generation = generation()
        self._classes = Watch(classes)
        self._settings: dict[str, Any] = {}
        self._zone: tuple[Any, ...] = ()

    def __reduce__(self) -> tuple[Any, ...]:
        return (type(None), ())  # a serializer that is pickled or copied goes without its plan

    def setting(self, name: str) -> Any:
        """A setting of REST framework; None where this version has none of that name."""
        self._settings[name] = _setting(name)
        return self._settings[name]

    def zone(self) -> Any:
        """The time zone of the datetimes of fields that have no zone of their own; None: they are naive."""
        self._zone = (zone_in_use(),)
        return self._zone[0]

    def holds(self) -> bool:
        """Whether all that decided is as it was, as far as `notice_changes` has seen."""
        if self._generation != generation() or not self._classes.holds():
            return False
        if self._zone and not is_same_zone(self._zone[0], zone_in_use()):
            return False
        return all(_setting(name) == value for name, value in self._settings.items())

    def value_of(self, field: Any) -> Acceptance:
        """What becomes of the values of a field within another one, None included. Empty: it does the work itself."""
        raise NotImplementedError

    def single(self, names: tuple[str, ...]) -> Accepted:
        """What `attrgetter` finds in an object that is read."""
        raise NotImplementedError


def _setting(name: str) -> Any:
    value = getattr(api_settings, name) if name in DEFAULTS else None
    return tuple(value) if isinstance(value, list) else value  # a list may be changed


# ---- what is known of classes -------------------------------------------------------------------

Described: TypeAlias = "Callable[[Any, Describer], Acceptance]"


class Reading(NamedTuple):
    """How the values of a field class become representations."""

    describe: Described
    """Which values that are not None the core represents. For others there is the field's own `to_representation`."""
    function: Callable[[Any], Any] | None = None
    """What that calls, if it needs nothing of the field."""
    converter: Callable[[Any], Callable[[Any], Any]] | None = None
    """What makes of a field a function that does the same for one list."""


_READING: dict[Any, Reading] = {}
"""By the class that has the `to_representation`."""
_LOADING: dict[type, Described] = {}


def stock(
    *classes: type,
    reads: Described | None = None,
    function: Callable[[Any], Any] | None = None,
    converter: Callable[[Any], Callable[[Any], Any]] | None = None,
    loads: Described | None = None,
) -> None:
    """Say how classes of REST framework read and load. What they define is noted as what ours stands in for."""
    for cls in classes:
        if reads is not None:
            _READING[cls] = Reading(reads, function, converter)
        if loads is not None:
            _LOADING[cls] = loads
        stands_in_for(*(f"{cls.__module__}.{cls.__qualname__}.{name}" for name in _METHODS if name in vars(cls)))


_METHODS = ("get_attribute", "run_validation", "to_internal_value", "to_representation", "validate_empty_values")
stands_in_for(*(f"rest_framework.fields.Field.{name}" for name in (*vars(Field), "get_attribute") if name in _METHODS))


def reading_of(field: Any) -> Reading | None:
    """How a field's values become representations. None: by its own `to_representation`."""
    if not acts_as_stock(field):
        return None
    return _READING.get(owner_of(type(field), "to_representation"))


_HARMLESS = frozenset(
    [
        *("__annotations__", "__doc__", "__firstlineno__", "__init__", "__module__", "__qualname__"),
        *("__static_attributes__", "bind", "display_value", "default_error_messages", "get_attribute", "get_initial"),
        *("initial", "queryset", "to_representation", "use_pk_only_optimization"),
    ]
)
"""What a subclass of a stock field may define, and its values are still validated as the stock field's."""


def base_of(field: Any) -> type | None:
    """The stock class by whose methods a field validates; None: its own, or those of nobody that is known."""
    if not acts_as_stock(field):
        return None
    for cls in type(field).__mro__:
        if cls in _LOADING:
            return cls
        if not _HARMLESS.issuperset(vars(cls)):
            return None
    return None


def loading_of(field: Any, describer: Describer) -> Acceptance:
    """Which values a field takes, if its validators that are not pure let them pass. Empty: none is known.

    Such validators are called for no null, and for no blank text.
    """
    base = base_of(field)
    if base is None or field.read_only:
        return NOTHING
    accepted = _LOADING[base](field, describer) or ()
    if not accepted or not field.allow_null or any(one.exact_type is type(None) for one in accepted):
        return accepted
    return (*accepted, NULL)
