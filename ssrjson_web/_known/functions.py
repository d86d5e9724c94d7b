"""Whether a function that is found at run time is a library's own, as its file has it."""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable, Iterable, Iterator
from importlib.machinery import SourceFileLoader
from types import CodeType, FunctionType, MethodType, ModuleType
from typing import Any, NamedTuple

from ssrjson_web._core import _are_same, _Snapshot
from ssrjson_web._known.texts import UNREADABLE, functions_of_unknown_text, has_texts
from ssrjson_web._shared.switch import is_switched_off

__all__ = [
    "Code",
    "Seams",
    "are_texts_known",
    "declared",
    "decorates",
    "forget_files",
    "found_at",
    "functions_of",
    "has_source",
    "is_defined",
    "is_known",
    "is_of_file",
    "is_own",
    "is_stood_in_for",
    "is_text_known",
    "known_name",
    "known_or_none",
    "left_without",
    "stands_in_for",
    "unknown_texts",
]

_OBSERVERS = ("logfire", "ssrjson_web.monitor.observation")
"""Packages and modules whose wrappers call the function that they replace, its arguments and result unchanged."""

_MAX_LOADERS = 9
"""Loaders around each other: each tracer that is installed adds one."""

_CO_OPTIMIZED = 1
"""A flag of the code of functions, which that of classes and modules does not have."""

_seen: dict[tuple[str, bool], tuple[tuple[Any, ...], bool]] = {}
"""What was found under a name the last time, whether any text counts, and whether it is known."""


_declared: dict[str, tuple[dict[str, None], bool]] = {}
"""The functions of libraries that ours stand in for: what is left to stock without them, and if stock calls them."""


def stands_in_for(*names: str, left: str = "", is_still_called: bool = False) -> None:
    """Declare, beside what does their work, the functions of a library that are not called where they are known.

    It only declares: whether one is known is asked by `is_own`, `Seams`, `known_or_none` or `watch.Functions`. The name
    of a module stands for the texts of all its functions. A name that a release lacks does no harm. `left` says, after
    "left to stock:", what of ours is not done where one is not known. `is_still_called`: they are called, and only get
    and give other values than stock. Of these the text alone counts: a wrapper sees each call.
    """
    for name in names:
        before, _ = _declared.get(name, ({}, False))
        _declared[name] = {**before, left: None}, is_still_called


_decorators: dict[str, str] = {}
"""For a module the qualified name of the function that its own decorator puts around others."""


def decorates(module: str, qualname: str) -> None:
    """Declare that a library puts a function of its own around others of a module: they are its own with that, too."""
    _decorators[module] = qualname


def declared(library: str = "") -> tuple[str, ...]:
    """The functions of a library, or of all, that ours stand in for, as far as our modules are imported."""
    return tuple(name for name in _declared if name.startswith(f"{library}." if library else ""))


def left_without(name: str) -> str:
    """What of ours is left to stock where a declared function is not known."""
    return " and ".join(sorted(filter(None, _declared[name][0]))) or "what uses it"


def is_stood_in_for(function: object, name: str) -> bool:
    """Whether ours do the work of a declared function, of what is found under its name."""
    if isinstance(function, ModuleType):
        return are_texts_known(name)
    return is_text_known(name) if _declared[name][1] else is_own(function, name)


def are_texts_known(module: str) -> bool:
    """Whether each function of a module's file has a text that we know. True for a module that is not imported."""
    return module not in sys.modules or unknown_texts(module) == frozenset()


def unknown_texts(module: str) -> frozenset[str] | None:
    """The functions of a module's file whose texts we do not know; None where the file is not to be had."""
    file = _file_of(sys.modules[module], any_text=False)
    return None if file is None else file.unknown


def found_at(name: str) -> object:
    """What is under a dotted name now, as its class has it; None where nothing is, or a class of another module."""
    module = _module_of(name)
    if name in sys.modules:
        return module
    found: Any = module
    for part in name[len(module.__name__) + 1 :].split(".") if module is not None else ():
        is_elsewhere = module is not None and isinstance(found, type) and found.__module__ != module.__name__
        found = vars(found).get(part) if hasattr(found, "__dict__") and not is_elsewhere else None
    return found


_names: dict[FunctionType, tuple[CodeType, Any, Any, str]] = {}
"""The names of functions that are known, each with what it was like. Libraries hold their functions themselves."""


def is_known(function: object, name: str) -> bool:
    """Whether it is the library's own function of a dotted name, such as "marshmallow.fields.Field.serialize".

    A method as a class has it, a property, a classmethod and a staticmethod count as the functions that they hold.
    False for a function that anybody has replaced, wrapped or changed, before or after this package was imported, for
    one whose text is that of no release we know, and where the module's file is not to be had.
    """
    return _is_of_library(function, name, any_text=False)


def is_own(function: object, name: str) -> bool:
    """Whether nobody has replaced a function of a library, and, of a library whose texts we know, its text is known."""
    module = _module_of(name)
    return _is_of_library(function, name, any_text=module is not None and not has_texts(module.__name__))


def is_of_file(function: object, name: str) -> bool:
    """Whether nobody has replaced a function of a library, whatever its text is."""
    return _is_of_library(function, name, any_text=True)


def has_source(name: str) -> bool:
    """Whether the file is to be had of the module that a dotted name begins with."""
    module = _module_of(name)
    return module is not None and _file_of(module, any_text=True) is not None


def _is_of_library(function: object, name: str, *, any_text: bool) -> bool:
    functions = _with_decorated(functions_of(function))
    if not functions or is_switched_off():
        return False
    if _is_of_observer(functions[0]):
        return _has_text(name, any_text)
    state = (function, *(part for one in functions for part in (one.__code__, one.__defaults__, one.__kwdefaults__)))
    known = _seen.get((name, any_text))
    if known is None or len(known[0]) != len(state) or any(a is not b for a, b in zip(state, known[0], strict=True)):
        known = _seen[name, any_text] = state, all(_is_of_file(one, name, any_text) for one in functions)
    return known[1]


def known_or_none(function: Any, name: str, *, left: str = "") -> Any:
    """A function that ours stand in for, if it is the library's own; None: ours must not. Arguments as for `Seams`.

    To look for it again by `is` costs no call, as it may be replaced at any time.
    """
    stands_in_for(name, left=left)
    return function if is_own(function, name) else None


def is_defined(name: str) -> bool:
    """Whether a library's file defines a function, by any text: a module may also have it of another module."""
    return _has_text(name, any_text=True)


def is_text_known(name: str) -> bool:
    """Whether a library's file has a text that we know for a function, whoever has replaced that since."""
    module = _module_of(name)
    return module is not None and _has_text(name, not has_texts(module.__name__))


def _has_text(name: str, any_text: bool) -> bool:
    module = None if is_switched_off() else _module_of(name)
    return module is not None and bool(_codes_of(module, any_text, name[len(module.__name__) + 1 :]))


def _is_of_observer(function: FunctionType) -> bool:
    # by globals and not by __module__, which functools.wraps copies
    name = function.__globals__.get("__name__")
    return type(name) is str and (name in _OBSERVERS or name.partition(".")[0] in _OBSERVERS)


class Seams:
    """Functions of a library that ours stand in for at each call, wherever they are found at that moment."""

    def __init__(self, find: Callable[[], tuple[object, ...]], *names: str, left: str = "") -> None:
        """`find` returns what is there now of each name. `left` is that of `stands_in_for`."""
        stands_in_for(*names, left=left)
        self._find = find
        self._names = names
        # one attribute for all, because threads share it
        self._last: tuple[tuple[object, ...], bool, Code] = ((), False, Code(()))

    def are_known(self) -> bool:
        """Whether all of them are the library's own."""
        found = self._find()
        last, are_known, code = self._last
        if not _are_same(found, last) or not code.fits():
            are_known = all(map(is_own, found, self._names))
            self._last = (found, are_known, Code(found))
        return are_known


class Code:
    """The code that functions have now: `__code__` can be replaced."""

    def __init__(self, found: Iterable[object]) -> None:
        """What is no function has none."""
        functions = [function for one in found for function in _with_decorated(functions_of(one))]
        # a dict of them, because the core compares what those of a dict have
        self.dict = {str(n): function for n, function in enumerate(dict.fromkeys(functions))}
        self._dicts = (self.dict,)
        self._snapshot = _Snapshot(self._dicts, (), frozenset())

    def fits(self) -> bool:
        """Whether they still have it."""
        fits: bool = self._snapshot.fits(self._dicts)
        return fits


def known_name(function: object, library: str) -> str:
    """The dotted name of a function of a library; empty for any other, of which `is_known` says more."""
    if type(function) is FunctionType and function in _names:
        code, defaults, keyword_defaults, name = _names[function]
        if code is function.__code__ and defaults is function.__defaults__:
            return name if keyword_defaults is function.__kwdefaults__ and name.startswith(f"{library}.") else ""
    functions = functions_of(function)
    name = f"{functions[0].__module__}.{functions[0].__qualname__}" if functions else ""
    if not name.startswith(f"{library}.") or not is_known(function, name):
        return ""
    if type(function) is FunctionType:
        _names[function] = function.__code__, function.__defaults__, function.__kwdefaults__, name
    return name


def functions_of(thing: Any) -> tuple[FunctionType, ...]:
    """The plain functions that it holds; none where it is anything else."""
    if isinstance(thing, (staticmethod, classmethod, MethodType)):
        thing = thing.__func__
    if type(thing) is functools._lru_cache_wrapper:  # marshmallow 3.20 has one, and results are the function's
        thing = thing.__wrapped__
    parts: tuple[Any, ...] = (thing,)
    if type(thing) is property:
        parts = tuple(filter(None, (thing.fget, thing.fset, thing.fdel)))
    elif type(thing) in _cached_properties():
        parts = (thing.func,)
    return parts if all(type(part) is FunctionType for part in parts) else ()


def _cached_properties() -> tuple[type, ...]:
    django = sys.modules.get("django.utils.functional")
    return (functools.cached_property,) if django is None else (functools.cached_property, django.cached_property)


def _with_decorated(functions: tuple[FunctionType, ...]) -> tuple[FunctionType, ...]:
    """With the functions that a library's own decorator is around."""
    within = [vars(one).get("__wrapped__") for one in functions if one.__module__ in _decorators]
    return (*functions, *(one for one in within if type(one) is FunctionType))


def _is_of_file(function: FunctionType, name: str, any_text: bool) -> bool:
    module = _module_of(name)
    if module is None:
        return False
    qualname = name[len(module.__name__) + 1 :]
    if (function.__module__, function.__qualname__) != (module.__name__, qualname):
        return False
    if function.__globals__ is not vars(module):
        return False
    if hasattr(function, "__wrapped__"):
        qualname = _decorators.get(module.__name__, "")
        if not _calls_only(function, function.__wrapped__):
            return False
    return any(function.__code__ == code for code in _codes_of(module, any_text, qualname))


def _calls_only(decorator: FunctionType, function: object) -> bool:
    """Whether a function is all that a decorator's closure holds, but for numbers."""
    try:
        held = [cell.cell_contents for cell in decorator.__closure__ or ()]
    except ValueError:  # a cell is empty
        return False
    return any(one is function for one in held) and all(one is function or type(one) is int for one in held)


def _module_of(name: str) -> ModuleType | None:
    """The imported module that a dotted name begins with."""
    while name:
        if name in sys.modules:
            return sys.modules[name]
        name = name.rpartition(".")[0]
    return None


class _File(NamedTuple):
    """A module's file, as this Python compiles it now."""

    code: CodeType
    unknown: frozenset[str]
    """The functions whose texts are not known."""


class _UncachedLoader(SourceFileLoader):
    """Compiles the text itself: compiled files may be those of a loader that changes it."""

    def path_stats(self, path: Any) -> Any:
        raise OSError  # so that no compiled file is read or written


def _source_loader(loader: Any) -> SourceFileLoader | None:
    """Python's loader of files, also below those of tracers such as ddtrace, or in place of one that derives from it.

    Such a one, of beartype or typeguard, changes the text of some modules: their functions have other code.
    """
    for _ in range(_MAX_LOADERS):
        if type(loader) is SourceFileLoader:
            return loader
        if isinstance(loader, SourceFileLoader):
            return _UncachedLoader(loader.name, loader.path)
        loader = getattr(loader, "loader", None)
    return None


@functools.lru_cache(maxsize=1)  # the functions of a module are asked for together
def _file_of(module: ModuleType, any_text: bool) -> _File | None:
    """The file of a module whose texts we know, or of which any text counts; None of another one."""
    spec = getattr(module, "__spec__", None)
    loader = _source_loader(getattr(spec, "loader", None))
    if spec is None or loader is None or spec.origin is None:
        return None
    try:
        text = loader.get_data(spec.origin)
        unknown = frozenset() if any_text else functions_of_unknown_text(module.__name__, text)
        code = loader.get_code(module.__name__) if unknown is not None else None
    except (OSError, ImportError, *UNREADABLE):
        return None
    return None if code is None or unknown is None else _File(code, unknown)


def forget_files() -> None:
    """Free the code of the file that was read last, which may be a megabyte. It is read again where it is needed."""
    _file_of.cache_clear()


def _codes_of(module: ModuleType, any_text: bool, qualname: str) -> list[CodeType]:
    """The code of each function of a module's file that has a qualified name; none where its text is not known."""
    file = _file_of(module, any_text)
    if file is None or qualname.partition(".<locals>.")[0] in file.unknown:
        return []
    return [*_within(file.code, qualname.split("."))]


def _within(code: CodeType, path: list[str]) -> Iterator[CodeType]:
    for inner in code.co_consts:
        if isinstance(inner, CodeType) and inner.co_name == path[0]:
            is_function = bool(inner.co_flags & _CO_OPTIMIZED)
            if len(path) == 1 and is_function:
                yield inner
            elif len(path) > 1 and is_function == (path[1] == "<locals>"):
                yield from _within(inner, path[1 + is_function :])
