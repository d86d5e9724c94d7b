"""The uses of JSON libraries in a file of Python. The file is parsed, never imported or run."""

from __future__ import annotations

import ast
import warnings
from collections.abc import Iterator
from pathlib import Path

from ssrjson_web._cli.doctor.migration.edits import Source, import_edit, is_exchangeable
from ssrjson_web._cli.doctor.migration.findings import Edit, FileReport, Finding
from ssrjson_web._cli.doctor.migration.replacements import CLASSES, LIBRARIES, SETTINGS, FrameworkClass, replacement_of

__all__ = ["read_python"]

_IMPORTERS = ("import_module", "__import__", "find_spec", "importorskip", "get_module")
_Function = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)


def read_python(path: Path, text: str) -> FileReport:
    """The findings of a source text, and the edits that are without risk."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about escapes in the text
            tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        place = f"line {error.lineno}: " if isinstance(error, SyntaxError) and error.lineno else ""
        return FileReport(path=path, problem=f"{place}{error.args[0] if error.args else error}")
    reader = _Reader(text)
    try:
        reader.read(tree)
    except RecursionError:
        return FileReport(path=path, problem="nested too deeply")
    findings = sorted(reader.findings, key=lambda one: (one.line, one.column, one.what))
    return FileReport(path=path, findings=findings, text=text, edits=sorted(reader.edits()))


class _Reader:
    """Names that are bound to libraries, and where they are used."""

    def __init__(self, text: str) -> None:
        self.findings: list[Finding] = []
        self._source = Source(text)
        self._modules: dict[str, str] = {}
        """The library that a name is."""
        self._names: dict[str, tuple[str, str]] = {}
        """The library and the name in it that a name is."""
        self._classes: dict[str, tuple[str, str]] = {}
        """The key in CLASSES of the class that a name is."""
        self._imports: list[tuple[ast.Import | ast.ImportFrom, set[str]]] = []
        """Statements, each with the libraries that it imports."""
        self._used: dict[str, set[str]] = {}
        """The names of each library that the file uses."""
        self._renamed: list[tuple[ast.expr, FrameworkClass, tuple[str, str]]] = []
        self._settings: list[tuple[ast.Constant, FrameworkClass]] = []

    def read(self, tree: ast.Module) -> None:
        for node in ast.walk(tree):
            if isinstance(node, ast.Import):
                self._read_import(node)
            elif isinstance(node, ast.ImportFrom):
                self._read_import_from(node)
        self._read_aliases(tree)
        self._walk(tree, frozenset())

    # ---- imports

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
                    self._find(node, "msgspec.json", "from msgspec import json", "import ssrjson_web")
            return
        module = node.module if node.module in LIBRARIES else node.module.partition(".")[0]
        for alias in node.names:
            bound = alias.asname or alias.name
            if module in LIBRARIES:
                name = alias.name if node.module == module else node.module.split(".")[1]
                self._used.setdefault(module, set()).add(name)
                self._names[bound] = (module, alias.name)
                self._find(node, module, f"from {node.module} import {alias.name}", replacement_of(module, name))
            elif (node.module, alias.name) in CLASSES:
                self._classes[bound] = (node.module, alias.name)
                found = CLASSES[node.module, alias.name]
                self._find(node, found.framework, f"from {node.module} import {alias.name}", _class_text(found))
        if module in LIBRARIES:
            self._imports.append((node, {module}))
        elif any((node.module, alias.name) in CLASSES for alias in node.names):
            self._imports.append((node, set()))

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
            hidden |= _names_of_arguments(node)
        self._look(node, hidden)
        for child in ast.iter_child_nodes(node):
            self._walk(child, hidden)

    def _look(self, node: ast.AST, hidden: frozenset[str]) -> None:
        if isinstance(node, ast.Attribute) and _root_of(node) not in hidden:
            used = self._used_at(node)
            if used is not None:
                module, name = used
                self._used.setdefault(module, set()).add(name)
                self._find(node, module, f"{module}.{name}", replacement_of(module, name))
            else:
                self._look_at_class(node)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and node.id not in hidden:
            if node.id in self._names:
                module, name = self._names[node.id]
                self._find(node, module, f"{module}.{name}", replacement_of(module, name))
            elif node.id in self._classes:
                found = CLASSES[self._classes[node.id]]
                self._find(node, found.framework, self._classes[node.id][1], _class_text(found))
                self._renamed.append((node, found, self._classes[node.id]))
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value in SETTINGS:
            found = SETTINGS[node.value]
            self._find(node, found.framework, repr(node.value), repr(f"{found.module}.{found.name}"))
            self._settings.append((node, found))
        elif isinstance(node, ast.Call):
            self._look_at_call(node)

    def _look_at_class(self, node: ast.Attribute) -> None:
        """A class as an attribute of its module: `responses.ORJSONResponse`."""
        if node.attr in ("ORJSONResponse", "UJSONResponse", "OrjsonProvider", "ORJSONRenderer", "UJSONRenderer"):
            found = next(found for (_, name), found in CLASSES.items() if name == node.attr)
            self._find(node, found.framework, node.attr, _class_text(found))

    def _look_at_call(self, node: ast.Call) -> None:
        function = node.func
        name = function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")
        if name in _IMPORTERS and node.args and isinstance(node.args[0], ast.Constant):
            module = node.args[0].value
            if isinstance(module, str) and module in LIBRARIES:
                drop_in = LIBRARIES[module].drop_in or "ssrjson_web"
                self._find(node, module, f'{name}("{module}")', f'{name}("{drop_in}")')

    def _used_at(self, node: ast.expr) -> tuple[str, str] | None:
        """The library and the name in it that an expression means."""
        if isinstance(node, ast.Attribute):
            owner = _dotted(node.value)
            if owner in self._modules:
                return self._modules[owner], node.attr
        elif isinstance(node, ast.Name):
            return self._names.get(node.id)
        return None

    def _find(self, node: ast.stmt | ast.expr, library: str, what: str, replacement: str) -> None:
        column = self._source.column(node.lineno, node.col_offset)
        self.findings.append(
            Finding(line=node.lineno, column=column, library=library, what=what, replacement=replacement)
        )

    # ---- edits

    def edits(self) -> Iterator[Edit]:
        """The replacements that change nothing else."""
        exchanged = {module for module, names in self._all_used() if is_exchangeable(module, names)}
        for node, libraries in self._imports:
            edit = import_edit(self._source, node, exchanged) if libraries <= exchanged else None
            if edit is not None:
                yield edit
        for renamed, found, key in self._renamed:
            if found.is_safe and isinstance(renamed, ast.Name) and renamed.id == key[1] and self._is_imported_once(key):
                start = self._source.offset(renamed.lineno, renamed.col_offset)
                yield Edit(start, start + len(renamed.id), found.name)
        for constant, found in self._settings:
            edit = self._source.replace_text(constant, f"{found.module}.{found.name}")
            if found.is_safe and edit is not None:
                yield edit

    def _all_used(self) -> Iterator[tuple[str, set[str]]]:
        for module in {module for _, libraries in self._imports for module in libraries}:
            yield module, self._used.get(module, set())

    def _is_imported_once(self, key: tuple[str, str]) -> bool:
        """Whether the one statement that imports a class can be rewritten, so that its uses may be."""
        nodes = [node for node, _ in self._imports if isinstance(node, ast.ImportFrom) and node.module == key[0]]
        named = [node for node in nodes if key[1] in [alias.name for alias in node.names]]
        return len(named) == 1 and import_edit(self._source, named[0], set()) is not None


def _class_text(found: FrameworkClass) -> str:
    return f"{found.name} of {found.module}"


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


def _names_of_arguments(node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda) -> frozenset[str]:
    arguments = node.args
    every = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
    every += [one for one in (arguments.vararg, arguments.kwarg) if one is not None]
    return frozenset(one.arg for one in every)
