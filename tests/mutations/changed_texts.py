"""Texts of modules in which one function is another, and modules that are imported from such a text."""

from __future__ import annotations

import ast
import builtins
import datetime as dt
import decimal
import importlib.util
import sys
import uuid
from collections.abc import Callable, Mapping
from importlib.machinery import ModuleSpec, SourceFileLoader
from pathlib import Path
from typing import Any, Literal

__all__ = ["Mode", "Refusal", "first_line", "import_changed", "set_mode", "with_changed_function"]

Mode = Literal["as stock", "refuses", "returns another"]
_mode: Mode = "as stock"
_REFUSE, _OTHER = "__mutations_refuse__", "__mutations_other__"


class Refusal(ValueError):
    """What a changed function raises."""


def set_mode(mode: Mode) -> None:
    """What the changed function does from now on."""
    global _mode
    _mode = mode


def _refuse() -> None:
    if _mode == "refuses":
        raise Refusal("refused by a later release")


_OTHERS: Mapping[type, Callable[[Any], Any]] = {
    bool: lambda value: not value,
    int: lambda value: value + 100,
    float: lambda value: value + 0.5,
    str: lambda value: f"{value}!",
    bytes: lambda value: value + b"!",
    list: lambda value: [*value, *value[:1]],
    tuple: lambda value: value + value[:1],
    dict: lambda value: {**value, "!": 1},
    decimal.Decimal: lambda value: value + 1,
    dt.datetime: lambda value: value + dt.timedelta(days=1),
    dt.date: lambda value: value + dt.timedelta(days=1),
    dt.time: lambda value: value.replace(microsecond=(value.microsecond + 1) % 1_000_000),
    dt.timedelta: lambda value: value + dt.timedelta(days=1),
    uuid.UUID: lambda value: uuid.UUID(int=value.int ^ 1),
}


def _other(value: Any) -> Any:
    made = _OTHERS.get(type(value))
    return value if made is None or _mode != "returns another" else made(value)


class _Changed(ast.NodeTransformer):
    """Changes what a function returns and yields. Functions within it stay."""

    def visit_FunctionDef(self, node: Any) -> Any:
        return node

    visit_AsyncFunctionDef = visit_Lambda = visit_ClassDef = visit_FunctionDef

    def _other_value(self, node: Any) -> Any:
        self.generic_visit(node)
        if node.value is not None:
            node.value = ast.Call(ast.Name(_OTHER, ast.Load()), [node.value], [])
        return node

    visit_Return = visit_Yield = _other_value


def first_line(node: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    """The first line of a function as its code object has it."""
    return min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])


def with_changed_function(text: str, line: int) -> str:
    """The text of a module whose function that begins at a line can refuse, and return something else."""
    tree = ast.parse(text)
    for node in ast.walk(tree):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and first_line(node) == line:
            changer = _Changed()
            body = [changer.visit(statement) for statement in node.body]
            n_docs = int(ast.get_docstring(node, clean=False) is not None)
            node.body = [*body[:n_docs], ast.parse(f"{_REFUSE}()").body[0], *body[n_docs:]]
    return ast.unparse(ast.fix_missing_locations(tree))


class _Finder:
    """Finds one module in another file."""

    def __init__(self, name: str, path: Path) -> None:
        self._name, self._path = name, path

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> ModuleSpec | None:
        if name != self._name:
            return None
        found = next(
            spec for finder in sys.meta_path if finder is not self and (spec := finder.find_spec(name, path, target))
        )
        within = found.submodule_search_locations
        loader = SourceFileLoader(name, str(self._path))
        return importlib.util.spec_from_file_location(
            name, self._path, loader=loader, submodule_search_locations=within
        )


def import_changed(module: str, path: Path) -> None:
    """From now on, a module that is not imported yet is imported from a file. In its text a function is changed."""
    assert module not in sys.modules, module
    setattr(builtins, _REFUSE, _refuse)
    setattr(builtins, _OTHER, _other)
    sys.meta_path.insert(0, _Finder(module, path))  # type: ignore[arg-type]
