"""Texts of libraries' functions that the releases have which this package was tested with."""

from __future__ import annotations

import ast
import base64
import functools
import hashlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

__all__ = [
    "FILES",
    "FUNCTIONS",
    "UNREADABLE",
    "VERSIONS",
    "file_fingerprint",
    "function_fingerprints",
    "functions_of_unknown_text",
    "has_texts",
    "known_versions",
    "learn",
    "learn_version",
]

FILES = Path(__file__).with_name("known_files.json")
"""The fingerprints of whole files, by module: of all releases."""
FUNCTIONS = Path(__file__).with_name("known_functions.json")
"""The fingerprints of functions, by module and qualified name. It is read only for a file that is not known."""
VERSIONS = Path(__file__).with_name("known_versions.json")
"""The versions of compiled libraries, which have no texts. Their releases were tested, as those of the files."""

UNREADABLE = (SyntaxError, ValueError, RecursionError, MemoryError)
"""What compilers raise for a text: the last two for one that is nested too deep."""

_SKIPPED = frozenset(("annotation", "returns", "type_comment", "type_params", "ctx", "kind", "lineno", "simple"))
"""Fields of a syntax tree that do not say what a function does."""


def has_texts(module: str) -> bool:
    """Whether the texts of a module's functions are known, of all releases."""
    return module in _known(FILES)


def known_versions(library: str) -> frozenset[str]:
    """The versions of a compiled library that we know."""
    return frozenset(_known(VERSIONS).get(library, "").split())


def functions_of_unknown_text(module: str, text: bytes) -> frozenset[str] | None:
    """The functions of a module's text that no known release has.

    None: the module is of no library that we know, or this Python cannot read it.
    """
    known = _known(FILES).get(module)
    if known is None:
        return None
    if file_fingerprint(text) in known.split():
        return frozenset()
    try:
        found = function_fingerprints(text)
    except UNREADABLE:
        return None
    functions = _known(FUNCTIONS).get(module, {})
    return frozenset(name for name, texts in found.items() if not set(texts) <= set(functions.get(name, "").split()))


def learn(module: str, text: bytes) -> None:
    """Let the text of a module count as known in this process: for the comparison of a release that is not."""
    known = _known(FILES)
    known[module] = f"{known.get(module, '')} {file_fingerprint(text)}"


def learn_version(library: str, version: str) -> None:
    """Let the version of a compiled library count as known in this process."""
    known = _known(VERSIONS)
    known[library] = f"{known.get(library, '')} {version}"


@functools.cache
def _known(table: Path) -> dict[str, Any]:
    loaded: dict[str, Any] = json.loads(table.read_bytes())
    return loaded


def file_fingerprint(text: bytes) -> str:
    """Of a whole file, 128 bits."""
    return _short(text, 16)


def function_fingerprints(text: bytes) -> dict[str, list[str]]:
    """Of each function of a file by its qualified name, the same in all versions of Python.

    Comments, docstrings and annotations do not count.
    """
    found: dict[str, list[str]] = {}
    for name, node in _functions(ast.parse(text), ""):
        found.setdefault(name, []).append(_short(repr(_plain(node)).encode("ascii"), 9))
    return found


def _short(data: bytes, n_bytes: int) -> str:
    return base64.urlsafe_b64encode(hashlib.sha256(data).digest()[:n_bytes]).decode("ascii").rstrip("=")


def _functions(node: ast.AST, prefix: str) -> Iterator[tuple[str, ast.AST]]:
    for inner in ast.iter_child_nodes(node):
        if isinstance(inner, (ast.FunctionDef, ast.AsyncFunctionDef)):
            yield prefix + inner.name, inner
        elif isinstance(inner, ast.ClassDef):
            yield from _functions(inner, f"{prefix}{inner.name}.")
        elif isinstance(inner, ast.stmt):  # `if` and `try` around functions
            yield from _functions(inner, prefix)


def _plain(node: Any) -> Any:
    """Tuples and ASCII texts, without empty fields: `repr` writes them alike in all versions of Python."""
    if isinstance(node, ast.AnnAssign):
        node = ast.Assign(targets=[node.target], value=node.value) if node.value is not None else ast.Pass()
    if isinstance(node, ast.AST):
        fields = [(name, getattr(node, name, None)) for name in sorted(node._fields) if name not in _SKIPPED]
        # 0 is what newer versions of Python write for what older ones do not have
        parts = [(name, _plain(value)) for name, value in fields if value not in (None, [], 0)]
        if isinstance(node, ast.Constant):
            parts = [("value", (type(node.value).__name__, ascii(node.value)))]
        return (type(node).__name__, *parts)
    if isinstance(node, list):
        kept = [item for item in node if not _is_text(item)] if node and isinstance(node[0], ast.stmt) else node
        return tuple(map(_plain, kept))
    return ascii(node)


def _is_text(node: Any) -> bool:
    """Whether it is a docstring, or another text that nobody reads."""
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)
