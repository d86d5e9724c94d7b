"""What plans rely on of libraries' classes: that their functions are the libraries' own, and that nothing changes."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterable, Mapping
from types import BuiltinFunctionType, FunctionType, GetSetDescriptorType, MemberDescriptorType, ModuleType
from typing import Any

from ssrjson_web._core import _Snapshot
from ssrjson_web._known.functions import are_texts_known, is_own, stands_in_for

__all__ = ["Classes", "Functions", "Watch", "owner_of"]

_OPEN = frozenset(["_creation_counter"])
"""Each field of REST framework counts itself there."""


def owner_of(cls: type, name: str) -> type | None:
    """The class from which a class has an attribute."""
    for base in cls.__mro__:
        if name in vars(base):
            return base
    return None


def _has_own_methods(instance: Any) -> bool:
    """Whether an object has an attribute that is called in place of a method of its class."""
    own = vars(instance).keys()
    of_both = [own & vars(base).keys() for base in type(instance).__mro__ if not own.isdisjoint(vars(base).keys())]
    return any(isinstance(getattr(type(instance), name), FunctionType) for names in of_both for name in names)


class Watch:
    """Classes and modules as they are now: attributes, the code of functions, what is in containers."""

    def __init__(self, watched: Iterable[type | ModuleType] = ()) -> None:
        dicts: dict[int, Any] = {}  # by their ids, because each module has the dict of the builtins
        sets: list[set[Any]] = []
        for one in watched:
            dicts[id(one)] = one if isinstance(one, type) else vars(one)
            dicts.update({id(value): value for value in vars(one).values() if type(value) is dict})
            sets += [value for value in vars(one).values() if type(value) is set]
        # tuples, because threads wait for each other where they read one list
        self._dicts, self._sets = tuple(dicts.values()), tuple(sets)
        self._copies = tuple(value.copy() for value in sets)
        self._snapshot = _Snapshot(self._dicts, (), _OPEN)

    def holds(self) -> bool:
        """Whether nothing has changed."""
        fits: bool = self._snapshot.fits(self._dicts)
        return fits and self._sets == self._copies


class Functions:
    """Functions of libraries that we stand in for, by the classes and modules that have or inherit them."""

    def __init__(self, holders: Mapping[Any, Iterable[str]], *, modules: Iterable[str] = (), left: str = "") -> None:
        """Of `modules` all texts must be known. A name that a release lacks does no harm.

        `left` is that of `stands_in_for`.
        """
        self._modules = tuple(modules)
        self._names = [(holder, name) for holder, names in holders.items() for name in names if hasattr(holder, name)]
        owners = [(_owner_of(holder, name), name) for holder, name in self._names]
        stands_in_for(*(f"{_path(owner)}.{name}" for owner, name in owners), *self._modules, left=left)
        lines = (holder.__mro__[:-1] if isinstance(holder, type) else (holder,) for holder in holders)
        self._watched = dict.fromkeys(base for line in lines for base in line)
        self._latest: tuple[Watch | None, bool] = None, False

    def are_known(self) -> bool:
        """Whether all are the libraries' own."""
        watch, are_known = self._latest
        if watch is None or not watch.holds():
            watch = Watch(self._watched)  # first: what changes while we look is seen at the next use
            are_known = all(map(are_texts_known, self._modules)) and all(
                _is_owners(holder, name) for holder, name in self._names
            )
            self._latest = watch, are_known
        return are_known

    @property
    def state(self) -> object:
        """Another object after anything has changed of what is watched."""
        return self._latest[0]


def _owner_of(holder: Any, name: str) -> Any:
    """The class or module that has a function which a class may inherit."""
    return owner_of(holder, name) if isinstance(holder, type) else holder


def _is_owners(holder: Any, name: str) -> bool:
    owner = _owner_of(holder, name)
    return owner is not None and _is_own_attribute(owner, name, vars(owner).get(name))


class Classes:
    """Classes and modules of libraries. Whoever asks whether they are as their files have them relies on them."""

    def __init__(self, libraries: Iterable[str], is_ours: Callable[[Any, type, str], bool]) -> None:
        """`is_ours` tells of a value, its class and its name whether we have put it there."""
        self._libraries = frozenset(libraries)
        self._is_ours = is_ours
        self._lock = threading.Lock()
        self._own: dict[tuple[Any, tuple[str, ...]], bool] = {}
        self._lines: dict[type, tuple[bool, frozenset[str]]] = {}
        """Of classes of the libraries: whether they are own with all that they derive from, and their methods."""
        self._watch = Watch()

    def hold(self) -> bool:
        """Whether nothing has changed of what is relied on."""
        return self._watch.holds()

    def forget(self) -> None:
        """Rely on nothing any more."""
        with self._lock:
            self._own, self._lines, self._watch = {}, {}, Watch()

    def has(self, cls: type) -> bool:
        """Whether a class is a library's: one that `type()` makes may only have the name of its module."""
        if cls.__module__.partition(".")[0] not in self._libraries:
            return False
        module = sys.modules.get(cls.__module__)
        return module is not None and vars(module).get(cls.__qualname__) is cls

    def replaced(self) -> list[str]:
        """What was found that is not as its library's file has it: `rest_framework.fields.Field.run_validators`."""
        asked = [(one, names or (*vars(one),)) for (one, names), is_own in self._own.items() if not is_own]
        return [
            f"{_path(one)}.{name}"
            for one, names in asked
            for name in names
            if not self._is_own_value(one, name, vars(one).get(name))
        ]

    def are_own(self, cls: type) -> bool:
        """Whether all that a class has of libraries' classes is as their files have it."""
        lines = self._lines
        if cls in lines:
            return lines[cls][0]
        are_own = all(self._is_own(base) for base in cls.__mro__ if self.has(base))
        if self.has(cls) and self._watch.holds():  # a class of the user's may be forgotten before anything changes
            names = [name for base in cls.__mro__ for name in vars(base)]
            methods = frozenset(name for name in names if isinstance(getattr(cls, name, None), FunctionType))
            lines[cls] = are_own, methods
        return are_own

    def acts_as_own(self, instance: Any) -> bool:
        """Whether that holds of an object's class, and the object has no methods of its own."""
        cls = type(instance)
        if not self.are_own(cls):
            return False
        line = self._lines.get(cls)
        return not _has_own_methods(instance) if line is None else vars(instance).keys().isdisjoint(line[1])

    def is_own_module(self, module: ModuleType) -> bool:
        """Whether a library's module has nobody else's functions and classes under its names."""
        return self._is_own(module)

    def has_own(self, holder: type | ModuleType, *names: str) -> bool:
        """Whether some attributes of a library's class or module are as its file has them."""
        return self._is_own(holder, names)

    def _is_own(self, one: type | ModuleType, names: tuple[str, ...] = ()) -> bool:
        found = self._own.get((one, names))
        return self._add(one, names) if found is None else found

    def _add(self, one: type | ModuleType, names: tuple[str, ...]) -> bool:
        with self._lock:
            if not self._watch.holds():
                return False  # what was decided before no longer counts, and is asked again at the next use
            self._watch = Watch({other: None for other, _ in (*self._own, (one, names))})
            found = vars(one).copy()
            is_own = all(self._is_own_value(one, name, found.get(name)) for name in names or found)
            self._own = {**self._own, (one, names): is_own}
            return is_own

    def _is_own_value(self, holder: type | ModuleType, name: str, value: Any) -> bool:
        if isinstance(holder, ModuleType):
            return name in _NO_FUNCTIONS or name.startswith("__") or _is_own_global(name, value, self._libraries)
        return self._is_ours(value, holder, name) or _is_own_attribute(holder, name, value)


_NO_FUNCTIONS = ("_", "settings")
"""Translations, and Django's settings, in whose place dynaconf puts an object that can be called."""
_PLAIN = (GetSetDescriptorType, MemberDescriptorType)
_OF_DECORATORS = ("__new__", "deconstruct")
"""What Django's `deconstructible` puts in validators."""
_CLASSES = ("default_empty_html", "datetime_parser")
"""Attributes that are data, though they can be called; beside those that begin with `serializer_`."""


def _path(holder: Any) -> str:
    """The dotted name of a class or module."""
    return holder.__name__ if isinstance(holder, ModuleType) else f"{holder.__module__}.{holder.__qualname__}"


def _is_own_attribute(holder: Any, name: str, value: Any) -> bool:
    """Whether a class or module has under a name what its file has there, or data."""
    prefix = _path(holder)
    if type(value) is property:
        parts = [part for part in (value.fget, value.fset, value.fdel) if part is not None]
        names = [getattr(part, "__name__", "") for part in parts]
        return all(
            (one == name or vars(holder).get(one) is part) and is_own(part, f"{prefix}.{one}")
            for one, part in zip(names, parts, strict=True)
        )
    if isinstance(value, type) or type(value) is BuiltinFunctionType:
        is_within = getattr(value, "__qualname__", "") == f"{getattr(holder, '__qualname__', '')}.{name}"
        return is_within or name in _CLASSES or name.startswith("serializer_")
    if type(value) in _PLAIN or not (callable(value) or hasattr(type(value), "__get__")):
        return True
    if name in _OF_DECORATORS and holder.__module__ == "django.core.validators":
        return True
    return is_own(value, f"{prefix}.{name}")


def _is_own_global(name: str, value: Any, libraries: frozenset[str]) -> bool:
    """Whether a module has under a name data, a class of the libraries or Python, or such a function of that name."""
    if not callable(value) or type(value) is BuiltinFunctionType:
        return True
    origin, qualname = getattr(value, "__module__", None) or "", getattr(value, "__qualname__", "")
    if origin.partition(".")[0] not in libraries and origin.partition(".")[0] not in sys.stdlib_module_names:
        return False
    if type(value) is FunctionType:
        return qualname == name and is_own(value, f"{origin}.{name}")
    return isinstance(value, type) and getattr(sys.modules.get(origin), qualname, None) is value
