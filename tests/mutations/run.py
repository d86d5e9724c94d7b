"""Runs the calls of a corpus with each function of a library changed, in processes of their own."""

from __future__ import annotations

import ast
import importlib
import importlib.util
import json
import os
import re
import signal
import sys
import tempfile
import threading
import traceback
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

from mutations.changed_texts import Mode, first_line, import_changed, set_mode, with_changed_function

__all__ = ["CORPORA", "Function", "differences_of", "functions_of", "named", "preload"]

CORPORA = ("fastapi", "starlette", "ninja", "django", "flask", "marshmallow", "rest_framework")
MAX_SECONDS = 20
"""A changed function may never end."""
N_WARM = 3
"""Plans are made at the second use, or later."""
MAX_CALLS = 5
"""The calls that are tried with a changed function."""
MODES: tuple[Mode, ...] = ("refuses", "returns another")


@dataclass(frozen=True, order=True)
class Function:
    """A function of a library, and the calls of a corpus in which the library calls it."""

    module: str
    name: str
    line: int
    path: str
    calls: tuple[str, ...]
    is_left_out: bool
    """Whether ours calls it less often."""

    @property
    def dotted_name(self) -> str:
        """Its name for `stands_in_for`: a function within it counts as a part."""
        return f"{self.module}.{self.name.partition('.<locals>.')[0]}"


def _in_child(work: Callable[[], Any], seconds: int = 300) -> Any:
    """What work returns in a copy of this process, as JSON; a text where it does not end or raises an error."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 2)  # frameworks log what they refuse
        signal.setitimer(signal.ITIMER_PROF, seconds)  # of its own work: others may keep the machine busy
        signal.alarm(30 * seconds)
        try:
            made = json.dumps(work())
        except BaseException:
            made = json.dumps(traceback.format_exc()[-800:])
        with os.fdopen(writer, "w") as pipe:
            pipe.write(made)
        os._exit(0)
    os.close(writer)
    with os.fdopen(reader) as pipe:
        made = pipe.read()
    os.waitpid(child, 0)
    return json.loads(made) if made else "no end"


def _corpus(name: str) -> Any:
    apps = _declared(name, "APPS")
    if apps is not None:
        importlib.import_module("mutations.project").configure(apps)
    return importlib.import_module(f"mutations.corpora.{name}")


def _declared(name: str, what: str) -> Any:
    """A constant of a corpus, which cannot be imported before a library is changed; None where it has none."""
    path = Path(__file__).parent / "corpora" / f"{name}.py"
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") == what:
            return ast.literal_eval(node.value)
    return None


def _is_of(module: str, libraries: tuple[str, ...]) -> bool:
    return any(f"{module}.".startswith(f"{library}.") for library in libraries)


def preload(name: str) -> None:
    """Import what every child needs."""
    ours = "ssrjson_web._core", "ssrjson_web._known.functions"
    for module in (*_declared(name, "PRELOADED"), "pytest", "asyncio", *ours):
        importlib.import_module(module)
    changed = [one for one in sys.modules if _is_of(one, _declared(name, "LIBRARIES"))]
    assert changed == [], f"PRELOADED of {name} imports {changed}"


def _outcome(call: Callable[[], Any]) -> str:
    try:
        told = repr(call())
    except Exception as error:
        told = f"{type(error).__name__}: {error}"
    return re.sub(r"\b0x[0-9a-f]+", "0x", told)  # addresses


def functions_of(name: str) -> list[Function]:
    """The functions of the libraries that they call themselves in the calls of a corpus."""
    found = _in_child(lambda: _called(name))
    assert isinstance(found, list), found
    return sorted(Function(*one[:4], tuple(one[4]), one[5]) for one in found)


def named(name: str) -> frozenset[str]:
    """The functions that ours name, of all libraries of a corpus."""
    return frozenset(_in_child(lambda: [_corpus(name).__name__, *_every_declared()]))


def _every_declared() -> tuple[str, ...]:
    from ssrjson_web._known.functions import declared

    return declared()


def _counted(call: Callable[[], Any]) -> Counter[CodeType]:
    """How often each function is called, in all threads, once everything is warm."""
    for _ in range(N_WARM):
        _outcome(call)
    counts: Counter[CodeType] = Counter()

    def count(frame: FrameType, event: str, arg: object) -> None:
        if event == "call":
            counts[frame.f_code] += 1

    threading.setprofile(count)
    sys.setprofile(count)
    _outcome(call)
    sys.setprofile(None)
    threading.setprofile(None)  # type: ignore[arg-type]
    return counts.copy()  # threads of a pool go on


def _called(name: str) -> list[tuple[str, str, int, str, list[str], bool]]:
    whats: dict[tuple[str, int], list[str]] = {}
    left_out = set()
    for what, (stock, ours) in _corpus(name).calls().items():
        counts, our_counts = _counted(stock), _counted(ours)
        for code, n in counts.items():
            place = code.co_filename, code.co_firstlineno
            whats.setdefault(place, []).append(what)
            if our_counts[code] < n:
                left_out.add(place)
    libraries = _declared(name, "LIBRARIES")
    modules = {
        spec.origin: module
        for module, one in list(sys.modules.items())
        if _is_of(module, libraries)
        and (spec := getattr(one, "__spec__", None)) is not None
        and str(spec.origin).endswith(".py")
    }
    return [
        (module, qualname, line, path, whats[path, line], (path, line) in left_out)
        for path, module in modules.items()
        for qualname, line in _defined(Path(path).read_text(encoding="utf-8"))
        if (path, line) in whats
    ]


def _defined(text: str) -> Iterator[tuple[str, int]]:
    """The functions of a text, those within functions too, with the lines where they begin."""

    def within(node: ast.AST, prefix: str) -> Iterator[tuple[str, int]]:
        for inner in ast.iter_child_nodes(node):
            if isinstance(inner, (ast.FunctionDef, ast.AsyncFunctionDef)):
                yield prefix + inner.name, first_line(inner)
                yield from within(inner, f"{prefix}{inner.name}.<locals>.")
            elif isinstance(inner, ast.ClassDef):
                yield from within(inner, f"{prefix}{inner.name}.")
            elif not isinstance(inner, ast.expr):
                yield from within(inner, prefix)

    return within(ast.parse(text), "")


def _differences(name: str, function: Function, folder: Path) -> list[str]:
    """What ours does otherwise where a function is changed. Runs in a process that has not imported its library."""
    path = folder / Path(function.path).name
    path.write_text(with_changed_function(Path(function.path).read_text(encoding="utf-8"), function.line))
    import_changed(function.module, path)
    whats = function.calls[:: -(-len(function.calls) // MAX_CALLS)]
    calls = {what: pair for what, pair in _corpus(name).calls().items() if what in whats}
    wrong = []
    for what, (stock, ours) in calls.items():
        expected = _outcome(stock)
        for _ in range(N_WARM):
            got = _outcome(ours)
        if got != expected:
            wrong.append(f"{what}: {got} instead of {expected}")
    for mode in MODES:
        for what, (stock, ours) in calls.items():
            set_mode(mode)
            expected, got = _outcome(stock), _outcome(ours)
            if got != expected:  # what a property returned at the first call, the library may have kept since
                expected = _outcome(stock)
            set_mode("as stock")
            if got != expected:
                wrong.append(f"{what}, where it {mode}: {got} instead of {expected}")
    return wrong


def differences_of(name: str, functions: Sequence[Function]) -> dict[str, list[str]]:
    """The differences between the library's way and ours, by the function that was changed."""
    found = {}
    with tempfile.TemporaryDirectory() as folder:
        for function in functions:
            wrong = _in_child(lambda: _differences(name, function, Path(folder)), MAX_SECONDS)  # noqa: B023
            if wrong:
                found[f"{function.module}.{function.name}"] = [wrong] if isinstance(wrong, str) else wrong
    return found
