"""How names are used in a tree: what an exchange of modules and classes would change."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import NamedTuple

__all__ = ["Change", "changes", "names_of_arguments", "names_that_are_told_apart", "owners_and_tests"]

_BY_CLASS = ("isinstance", "issubclass", "register", "patch", "object", "setattr", "delattr")
"""Calls that look at which class it is, or change it."""

_SETTERS = ("setattr", "delattr", "setitem", "delitem", "patch", "object", "dict", "multiple")
"""Calls that change the object, or what is named by the text, that they get first: builtins, mock, pytest's."""
_MUTATORS = ("update", "setdefault", "pop", "popitem", "clear", "__setattr__", "__delattr__", "__setitem__")


class Change(NamedTuple):
    """A place where something of an object is replaced, added or removed."""

    owner: ast.expr
    """The object, or the text that names it."""
    items: tuple[ast.expr, ...]
    """What may name the part of it."""
    is_lasting: bool
    """Whether it is for all that run later, not only within a test."""


def changes(node: ast.AST) -> Iterator[Change]:
    """What a node itself changes."""
    if isinstance(node, ast.Attribute) and not isinstance(node.ctx, ast.Load):
        yield Change(node.value, (), True)
    elif isinstance(node, ast.Subscript) and not isinstance(node.ctx, ast.Load):
        yield Change(node.value, (node.slice,), True)
    elif isinstance(node, ast.Call):
        function = node.func
        name = function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")
        given = [*node.args, *(keyword.value for keyword in node.keywords if keyword.arg == "target")]
        if name in _SETTERS and given:
            yield Change(given[0], tuple(given[1:]), isinstance(function, ast.Name) and name != "patch")
        elif name in _MUTATORS and isinstance(function, ast.Attribute):
            yield Change(function.value, tuple(given), True)


def owners_and_tests(node: ast.AST) -> Iterator[ast.AST]:
    """Parts of a node that are names whose attributes are used, or that are only tested: `if orjson is None`."""
    if isinstance(node, ast.Attribute):
        yield node.value
    elif isinstance(node, ast.Compare) and all(isinstance(ops, (ast.Is, ast.IsNot)) for ops in node.ops):
        yield from (node.left, *node.comparators)
    elif isinstance(node, (ast.If, ast.IfExp, ast.While, ast.Assert)):
        yield node.test
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        yield node.operand
    elif isinstance(node, ast.Expr):
        yield node.value


def names_that_are_told_apart(node: ast.AST) -> Iterator[str]:
    """Names of classes whose identity matters: the framework's objects are of its own class, not of ours."""
    parts: list[ast.AST] = []
    if isinstance(node, ast.Compare):
        parts = [node.left, *node.comparators]
    elif isinstance(node, ast.Call):
        name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        if name in _BY_CLASS:
            parts = list(node.args)
    elif isinstance(node, ast.Dict):
        parts = [key for key in node.keys if key is not None]
    elif isinstance(node, ast.Set):
        parts = list(node.elts)
    elif isinstance(node, ast.Subscript):
        # an annotation as list[JSONResponse] tells nothing apart
        parts = [node.slice] if not isinstance(node.ctx, ast.Load) else []
    elif isinstance(node, ast.MatchClass):
        parts = [node.cls]
    elif isinstance(node, ast.Attribute) and not isinstance(node.ctx, ast.Load):
        parts = [node.value]
    for part in parts:
        for inner in ast.walk(part):
            if isinstance(inner, ast.Name):
                yield inner.id


def names_of_arguments(node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda) -> frozenset[str]:
    """The names that a function has for its arguments."""
    arguments = node.args
    every = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
    every += [one for one in (arguments.vararg, arguments.kwarg) if one is not None]
    return frozenset(one.arg for one in every)
