"""The uses of JSON libraries in a file of Python. The file is parsed, never imported or run."""

from __future__ import annotations

import ast
import dataclasses
from pathlib import Path

from ssrjson_web._cli.doctor.migration.contents import Contents, parse
from ssrjson_web._cli.doctor.migration.edits import Source, apply, import_edit, is_exchangeable
from ssrjson_web._cli.doctor.migration.findings import Edit, FileReport, Finding
from ssrjson_web._cli.doctor.migration.replacements import CLASSES, LIBRARIES, SETTINGS, FrameworkClass, replacement_of
from ssrjson_web._cli.doctor.migration.uses import names_of_arguments, names_that_are_told_apart, owners_and_tests

__all__ = ["read_python"]

_IMPORTERS = ("import_module", "__import__", "find_spec", "importorskip", "get_module")
_ATTRIBUTES = {
    name: found
    for (_, name), found in reversed(CLASSES.items())
    if name in ("ORJSONResponse", "UJSONResponse", "OrjsonProvider", "ORJSONRenderer", "UJSONRenderer")
}
"""Classes whose names are used by no one else, so that an attribute of any object is one."""
_Function = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)


def read_python(path: Path, data: bytes) -> FileReport:
    """The findings of a source, and its contents with the edits that are without risk."""
    try:
        contents = Contents(data)
    except (SyntaxError, UnicodeDecodeError, LookupError) as error:
        return FileReport(path=path, problem=f"its encoding: {error}")
    try:
        tree = parse(contents.text)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        place = f"line {error.lineno}: " if isinstance(error, SyntaxError) and error.lineno else ""
        return FileReport(path=path, problem=f"{place}{error.args[0] if error.args else error}")
    reader = _Reader(contents.text)
    try:
        reader.read(tree)
        edits = sorted(reader.edits())
        # a patch cannot change what a link names
        after = data if path.is_symlink() else contents.with_text(apply(contents.text, edits))
    except RecursionError:
        return FileReport(path=path, problem="nested too deeply")
    findings = sorted(reader.findings(is_patched=after != data), key=lambda one: (one.line, one.column, one.what))
    return FileReport(path=path, findings=findings, before=data, after=after)


class _Reader:
    """Names that are bound to libraries and classes, and where they are used.

    A library or a class is known by a key: `orjson`, `fastapi.responses.JSONResponse`.
    """

    def __init__(self, text: str) -> None:
        self._source = Source(text)
        self._found: list[tuple[Finding, str]] = []
        """Each with the key of what the patch must replace for it."""
        self._modules: dict[str, str] = {}
        """The library that a name is."""
        self._names: dict[str, tuple[str, str]] = {}
        """The library and the name in it that a name is."""
        self._classes: dict[str, tuple[str, str]] = {}
        """The key in CLASSES of the class that a name is."""
        self._bound: dict[str, str] = {}
        """The key of what a name is."""
        self._imports: list[tuple[ast.Import | ast.ImportFrom, set[str]]] = []
        """Statements, each with the keys of what it imports."""
        self._used: dict[str, set[str]] = {}
        """The names of each library that the file uses."""
        self._refused: set[str] = set()
        """The keys of what is used in a way that an exchange would change."""
        self._calls: dict[ast.expr, ast.Call] = {}
        """The call of a function."""
        self._known_uses: set[ast.AST] = set()
        """Names of libraries that are the owners of attributes, or are only tested for being there."""
        self._settings: dict[str, Edit] = {}
        """By the place as a key."""

    def read(self, tree: ast.Module) -> None:
        for node in ast.walk(tree):
            if isinstance(node, ast.Import):
                self._read_import(node)
            elif isinstance(node, ast.ImportFrom):
                self._read_import_from(node)
        self._read_aliases(tree)
        self._walk(tree, frozenset())

    def findings(self, *, is_patched: bool) -> list[Finding]:
        """All uses; `is_patched`: whether the edits are in the patch."""
        patched = {*self._exchanged(), *self._settings} if is_patched else set()
        return [dataclasses.replace(found, is_patched=key in patched) for found, key in self._found]

    # ---- imports

    def _bind(self, name: str, key: str) -> None:
        """A name that is one of two libraries, as after `try` and `except ImportError`, stays as it is."""
        if self._bound.setdefault(name, key) != key:
            self._refused |= {key, self._bound[name]}

    def _read_import(self, node: ast.Import) -> None:
        found = set()
        for alias in node.names:
            module = alias.name if alias.name in LIBRARIES else alias.name.partition(".")[0]
            if module not in LIBRARIES:
                if alias.name == "msgspec":
                    self._modules[f"{alias.asname or 'msgspec'}.json"] = "msgspec.json"
                continue
            found.add(module)
            if alias.name == module:
                self._modules[alias.asname or module] = module
                self._bind(alias.asname or module, module)
            else:  # import json.decoder
                self._used.setdefault(module, set()).add(alias.name.split(".")[1])
                if alias.asname is None:
                    self._modules[module] = module
            drop_in = LIBRARIES[module].drop_in
            self._find(node, module, f"import {alias.name}", self._import_text(module, alias.asname, drop_in))
        if found:
            self._imports.append((node, found))

    @staticmethod
    def _import_text(module: str, asname: str | None, drop_in: str | None) -> str:
        if drop_in is None:
            return "import ssrjson_web"
        return f"from ssrjson_web import {module}" + (f" as {asname}" if asname else "")

    def _read_import_from(self, node: ast.ImportFrom) -> None:
        if node.level or node.module is None:
            return
        if node.module == "msgspec":
            for alias in node.names:
                if alias.name == "json":
                    self._modules[alias.asname or "json"] = "msgspec.json"
                    self._bind(alias.asname or "json", "msgspec.json")
                    self._find(node, "msgspec.json", "from msgspec import json", "import ssrjson_web")
            return
        module = node.module if node.module in LIBRARIES else node.module.partition(".")[0]
        keys = set()
        for alias in node.names:
            bound = alias.asname or alias.name
            if module in LIBRARIES:
                name = alias.name if node.module == module else node.module.split(".")[1]
                self._used.setdefault(module, set()).add(name)
                self._names[bound] = (module, alias.name)
                self._bind(bound, module)
                keys.add(module)
                self._find(node, module, f"from {node.module} import {alias.name}", replacement_of(module, name))
            elif (node.module, alias.name) in CLASSES:
                key = f"{node.module}.{alias.name}"
                self._classes[bound] = (node.module, alias.name)
                self._bind(bound, key)
                keys.add(key)
                found = CLASSES[node.module, alias.name]
                self._find(
                    node, found.framework, f"from {key.rpartition('.')[0]} import {alias.name}", _text(found), key
                )
        if keys:
            self._imports.append((node, keys))

    def _read_aliases(self, tree: ast.Module) -> None:
        """Names that are assigned a name of a library: `dumps = orjson.dumps`."""
        for node in ast.walk(tree):
            if isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Name):
                used = self._used_at(node.value)
                if used is not None:
                    self._names.setdefault(node.targets[0].id, used)

    # ---- uses

    def _walk(self, node: ast.AST, hidden: frozenset[str]) -> None:
        """Look at a node and all within it; `hidden` are names that functions around it have for something else."""
        if isinstance(node, _Function):
            hidden |= names_of_arguments(node)
        self._known_uses.update(owners_and_tests(node))
        for name in names_that_are_told_apart(node):
            if name in self._classes:
                self._refused.add(".".join(self._classes[name]))
        self._look(node, hidden)
        for child in ast.iter_child_nodes(node):
            self._walk(child, hidden)

    def _look(self, node: ast.AST, hidden: frozenset[str]) -> None:
        if isinstance(node, ast.Attribute) and _root_of(node) not in hidden:
            self._look_at_attribute(node)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and node.id not in hidden:
            self._look_at_name(node)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value in SETTINGS:
            self._look_at_setting(node, SETTINGS[node.value])
        elif isinstance(node, ast.Call):
            self._calls[node.func] = node
            self._look_at_call(node)

    def _look_at_attribute(self, node: ast.Attribute) -> None:
        used = self._used_at(node)
        if used is not None:
            module, name = used
            self._used.setdefault(module, set()).add(name)
            if not isinstance(node.ctx, ast.Load):  # the library itself is changed, for all that use it
                self._refused.add(module)
            self._find(node, module, f"{module}.{name}", replacement_of(module, name, self._calls.get(node)))
        elif node.attr in _ATTRIBUTES:  # `responses.ORJSONResponse`
            self._find(node, _ATTRIBUTES[node.attr].framework, node.attr, _text(_ATTRIBUTES[node.attr]), "")

    def _look_at_name(self, node: ast.Name) -> None:
        if node.id in self._names:
            module, name = self._names[node.id]
            self._find(node, module, f"{module}.{name}", replacement_of(module, name, self._calls.get(node)))
        elif node.id in self._classes:
            found, key = CLASSES[self._classes[node.id]], self._classes[node.id]
            self._find(node, found.framework, key[1], _text(found), ".".join(key))
        elif node.id in self._modules and node not in self._known_uses:
            self._refused.add(self._modules[node.id])  # it is handed to something that may use any name of it

    def _look_at_setting(self, node: ast.Constant, found: FrameworkClass) -> None:
        key = f"{node.lineno}:{node.col_offset}"
        edit = self._source.replace_text(node, f"{found.module}.{found.name}") if found.is_safe else None
        if edit is not None:
            self._settings[key] = edit
        self._find(node, found.framework, repr(node.value), _text(found, repr(f"{found.module}.{found.name}")), key)

    def _look_at_call(self, node: ast.Call) -> None:
        function = node.func
        name = function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")
        if name in _IMPORTERS and node.args and isinstance(node.args[0], ast.Constant):
            module = node.args[0].value
            if isinstance(module, str) and module in LIBRARIES:
                drop_in = LIBRARIES[module].drop_in or "ssrjson_web"
                self._find(node, module, f'{name}("{module}")', f'{name}("{drop_in}")', "")

    def _used_at(self, node: ast.expr) -> tuple[str, str] | None:
        """The library and the name in it that an expression means."""
        if isinstance(node, ast.Attribute):
            owner = _dotted(node.value)
            if owner in self._modules:
                return self._modules[owner], node.attr
        elif isinstance(node, ast.Name):
            return self._names.get(node.id)
        return None

    def _find(
        self, node: ast.stmt | ast.expr, library: str, what: str, replacement: str, key: str | None = None
    ) -> None:
        column = self._source.column(node.lineno, node.col_offset)
        found = Finding(line=node.lineno, column=column, library=library, what=what, replacement=replacement)
        self._found.append((found, library if key is None else key))

    # ---- edits

    def edits(self) -> list[Edit]:
        """The replacements that change nothing else."""
        return [*self._import_edits(self._exchanged()).values(), *self._settings.values()]

    def _exchanged(self) -> set[str]:
        """The keys of what is exchanged: in all places of the file or in none."""
        keys = {key for _, imported in self._imports for key in imported} - self._refused
        exchanged = {key for key in keys if self._is_exchangeable(key)}
        while True:
            edits = self._import_edits(exchanged)
            kept = {key for node, imported in self._imports if node not in edits for key in imported & exchanged}
            if not kept:
                return exchanged
            exchanged -= kept

    def _is_exchangeable(self, key: str) -> bool:
        if key in LIBRARIES:
            return is_exchangeable(key, self._used.get(key, set()))
        module, _, name = key.rpartition(".")
        return CLASSES[module, name].is_safe

    def _import_edits(self, exchanged: set[str]) -> dict[ast.stmt, Edit]:
        found = ((node, import_edit(self._source, node, exchanged)) for node, keys in self._imports if keys & exchanged)
        return {node: edit for node, edit in found if edit is not None}


def _text(found: FrameworkClass, name: str = "") -> str:
    text = name or f"{found.name} of {found.module}"
    return f"{text}; {found.risk}" if found.risk else text


def _dotted(node: ast.expr) -> str | None:
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute):
        owner = _dotted(node.value)
        return None if owner is None else f"{owner}.{node.attr}"
    return None


def _root_of(node: ast.expr) -> str:
    while isinstance(node, ast.Attribute):
        node = node.value
    return node.id if isinstance(node, ast.Name) else ""
