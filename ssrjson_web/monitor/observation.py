"""Timed calls of other JSON libraries, in the way in which the core times its own: what a switch would save.

Functions are replaced in the modules and classes of the libraries, until `Observation.remove`. Calls such as
`orjson.dumps(...)` are seen. Not seen are

- functions that were imported by name before, as by `from orjson import dumps`; those of stdlib's `json`,
  `pydantic.BaseModel` and `TypeAdapter` are seen, because methods of their classes are replaced;
- `json.dump` and `JSONEncoder.iterencode`, whose chunks the caller iterates;
- `msgspec.json.Encoder` and `Decoder` objects, `pydantic_core.SchemaSerializer` and `SchemaValidator`: classes in C.
"""

from __future__ import annotations

import functools
import importlib
import threading
from collections.abc import Callable
from dataclasses import dataclass
from time import perf_counter_ns
from types import TracebackType
from typing import Any, Literal, TypeAlias, get_args

from ssrjson_web._core import current_recorder

__all__ = ["LIBRARIES", "Library", "Observation", "import_error", "observe"]

Library: TypeAlias = Literal["json", "orjson", "msgspec", "pydantic"]
"""The name of a library whose calls can be observed."""
LIBRARIES: tuple[Library, ...] = get_args(Library)


@dataclass(frozen=True, kw_only=True)
class _Target:
    """A function that is timed."""

    module: str
    path: str
    """Its name in the module: `dumps`, `BaseModel.model_dump_json`."""
    direction: Literal["encode", "decode"]
    document: str = ""
    """The parameter with the text that is decoded."""


def _encodes(module: str, *paths: str) -> tuple[_Target, ...]:
    return tuple(_Target(module=module, path=path, direction="encode") for path in paths)


def _decodes(module: str, **documents: str) -> tuple[_Target, ...]:
    return tuple(
        _Target(module=module, path=path.replace("__", "."), direction="decode", document=document)
        for path, document in documents.items()
    )


_TARGETS: dict[Library, tuple[_Target, ...]] = {
    "json": (
        *_encodes("json", "dumps", "JSONEncoder.encode"),
        *_decodes("json", loads="s", JSONDecoder__decode="s"),
    ),
    "orjson": (*_encodes("orjson", "dumps"), *_decodes("orjson", loads="obj")),
    "msgspec": (*_encodes("msgspec.json", "encode"), *_decodes("msgspec.json", decode="buf")),
    "pydantic": (
        *_encodes("pydantic", "BaseModel.model_dump_json", "TypeAdapter.dump_json"),
        *_encodes("pydantic_core", "to_json"),
        *_decodes("pydantic", BaseModel__model_validate_json="json_data", TypeAdapter__validate_json="data"),
        *_decodes("pydantic_core", from_json="data"),
    ),
}


@dataclass(frozen=True)
class _Replacement:
    """A replaced attribute of a module or a class, and its original value."""

    owner: Any
    name: str
    original: Any
    timed: Any

    def undo(self) -> None:
        """Restore the original, unless other code has replaced our function since."""
        if vars(self.owner).get(self.name) is self.timed:
            setattr(self.owner, self.name, self.original)


def _size(text: object) -> int:
    """The number of bytes, or of characters of a str."""
    if isinstance(text, (bytes, bytearray, str)):
        return len(text)
    return text.nbytes if isinstance(text, memoryview) else 0


def _timed(function: Callable[..., Any], library: str, target: _Target) -> Callable[..., Any]:
    """A function that calls the given one, and adds its time to the recorder of the context."""
    direction, document = target.direction, target.document
    position = 1 if "." in target.path else 0  # after self or cls

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        recorder = current_recorder.get(None)
        if recorder is None or not recorder.begin():
            return function(*args, **kwargs)
        size = 0
        started_ns = perf_counter_ns()
        try:
            result = function(*args, **kwargs)
            if direction == "encode":
                size = _size(result)
            return result
        finally:
            elapsed_ns = perf_counter_ns() - started_ns
            if direction == "decode":
                size = _size(args[position] if len(args) > position else kwargs.get(document))
            recorder.end(library, direction, elapsed_ns, 1, size)

    return call


def _replace(library: str, target: _Target) -> _Replacement | None:
    """Replace the function by a timed one; None if this release of the library does not have it."""
    owner: Any = importlib.import_module(target.module)
    *classes, name = target.path.split(".")
    for part in classes:
        owner = getattr(owner, part, None)
    original = None if owner is None else vars(owner).get(name)
    if original is None:
        return None
    timed: Any
    if isinstance(original, classmethod):
        timed = classmethod(_timed(original.__func__, library, target))
    else:
        timed = _timed(original, library, target)
    setattr(owner, name, timed)
    return _Replacement(owner, name, original, timed)


def import_error(library: Library) -> Exception | None:
    """What importing a library raises: an ImportError where it is not installed. None where it can be observed."""
    try:
        for target in _TARGETS[library]:
            importlib.import_module(target.module)
    except Exception as error:  # a library that is installed and broken may raise any
        return error
    return None


def _install(library: Library) -> list[_Replacement]:
    found = [_replace(library, target) for target in _TARGETS[library]]
    return [replacement for replacement in found if replacement is not None]


_lock = threading.Lock()
_installed: dict[Library, list[_Replacement]] = {}
_n_observations: dict[Library, int] = {}


class Observation:
    """Libraries that are observed until `remove`, or until the end of a `with` block."""

    def __init__(self, libraries: tuple[Library, ...]) -> None:
        self.libraries: tuple[Library, ...] = libraries
        self._is_removed = False

    def remove(self) -> None:
        """Restore the functions of the libraries, unless another observation needs them; may be called twice."""
        with _lock:
            if self._is_removed:
                return
            self._is_removed = True
            for library in self.libraries:
                _n_observations[library] -= 1
                if _n_observations[library] == 0:
                    for replacement in reversed(_installed.pop(library)):
                        replacement.undo()

    def __enter__(self) -> Observation:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.remove()


def observe(*libraries: Library) -> Observation:
    """Time the calls of these libraries into `Recorder.observed`, in every context that has a recorder.

    In other contexts a call takes a fraction of a microsecond longer. Raises ValueError for a library that is not one
    of LIBRARIES, or that cannot be imported.
    """
    for library in libraries:
        if library not in _TARGETS:
            raise ValueError(f"observe: {library!r} is not one of {', '.join(LIBRARIES)}")
        error = import_error(library)
        if error is not None:
            raise ValueError(f"observe: {library} cannot be imported: {error}") from error
    chosen = tuple(dict.fromkeys(libraries))
    with _lock:
        for library in chosen:
            if library not in _installed:
                _installed[library] = _install(library)
            _n_observations[library] = _n_observations.get(library, 0) + 1
    return Observation(chosen)
