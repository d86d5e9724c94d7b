"""The uses of JSON libraries in a file of Python. The file is parsed, never imported or run."""

from __future__ import annotations

import ast
import dataclasses
from pathlib import Path

from ssrjson_web._cli.doctor.migration.contents import Contents, parse
from ssrjson_web._cli.doctor.migration.edits import Source, apply, import_edit, is_exchangeable
from ssrjson_web._cli.doctor.migration.findings import Edit, FileReport, Finding
from ssrjson_web._cli.doctor.migration.replacements import (
    CLASSES,
    LIBRARIES,
    SETTINGS,
    FrameworkClass,
    has_same_name,
    replacement_of,
)
from ssrjson_web._cli.doctor.migration.uses import (
    Change,
    changes,
    names_of_arguments,
    names_that_are_told_apart,
    owners_and_tests,
)

__all__ = ["read_python"]

_IMPORTERS = ("import_module", "__import__", "find_spec", "importorskip", "get_module")
_ATTRIBUTES = {
    name: found
    for (_, name), found in reversed(CLASSES.items())
    if name in ("ORJSONResponse", "UJSONResponse", "OrjsonProvider", "ORJSONRenderer", "UJSONRenderer")
}
"""Classes whose names are used by no one else, so that an attribute of any object is one."""
_LONGEST = 60
"""Characters of an expression that a reason shows."""
_ENCODING = "the file's encoding does not give the same bytes again"
_IMPORT = "its import shares its line or has a comment in it, or a submodule is imported, too"
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
    why_not = "" if after != data else "a patch cannot change what a link names" if path.is_symlink() else _ENCODING
    findings = sorted(reader.findings(why_not), key=lambda one: (one.line, one.column, one.what))
    return FileReport(path=path, findings=findings, before=data, after=after, changed=reader.changed)


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
        self._parts: dict[str, str] = {}
        """The library that a name is something of, deeper within it."""
        self._classes: dict[str, tuple[str, str]] = {}
        """The key in CLASSES of the class that a name is."""
        self._bound: dict[str, str] = {}
        """The key of what a name is."""
        self._imports: list[tuple[ast.Import | ast.ImportFrom, set[str]]] = []
        """Statements, each with the keys of what it imports."""
        self._used: dict[str, set[str]] = {}
        """The names of each library that the file uses."""
        self._refused: dict[str, str] = {}
        """The keys of what is used in a way that an exchange would change, each with the reason."""
        self.changed: dict[str, str] = {}
        """The libraries that are changed for all that use them, each with the place."""
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

    def findings(self, why_not: str) -> list[Finding]:
        """All uses. `why_not`: why no edit is in the patch, if there are edits."""
        edited = {*self._exchanged(), *self._settings}
        reasons = {key: why_not if key in edited else self._reason(key) for _, key in self._found}
        return [
            dataclasses.replace(found, is_patched=not reasons[key], reason=reasons[key]) for found, key in self._found
        ]

    # ---- imports

    def _bind(self, name: str, key: str) -> None:
        """A name that is one of two libraries, as after `try` and `except ImportError`, stays as it is."""
        if self._bound.setdefault(name, key) != key:
            for one in (key, self._bound[name]):
                self._refuse(one, f"{name} is also a name of something else")

    def _refuse(self, key: str, reason: str) -> None:
        self._refused.setdefault(key, reason)

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
                else:
                    self._parts[alias.asname] = module
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
                library = self._library_of(node.value)
                if used is not None:
                    self._names.setdefault(node.targets[0].id, used)
                elif library is not None and isinstance(node.value, ast.Attribute):
                    self._parts.setdefault(node.targets[0].id, library)

    # ---- uses

    def _walk(self, node: ast.AST, hidden: frozenset[str]) -> None:
        """Look at a node and all within it; `hidden` are names that functions around it have for something else."""
        if isinstance(node, _Function):
            hidden |= names_of_arguments(node)
        self._known_uses.update(owners_and_tests(node))
        for name in names_that_are_told_apart(node):
            if name in self._classes:
                self._refuse(".".join(self._classes[name]), f"line {getattr(node, 'lineno', '?')} tells it apart")
        for change in changes(node):
            self._look_at_change(change, hidden)
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
            self._refuse(self._modules[node.id], f"line {node.lineno} hands it on whole, to use any name of it")

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

    def _look_at_change(self, change: Change, hidden: frozenset[str]) -> None:
        """Note that a library is changed, for all that use it: `json.encoder.c_make_encoder = None`."""
        owner = change.owner
        library = None if _root_of(owner) in hidden else self._library_of(owner)
        if isinstance(owner, ast.Constant) and isinstance(owner.value, str):  # patch("json.dumps")
            library = next((name for name in LIBRARIES if owner.value.startswith(f"{name}.")), None)
        if _text_of(owner) == "sys.modules":
            texts = {one.value for item in change.items for one in ast.walk(item) if isinstance(one, ast.Constant)}
            library = next((name for name in LIBRARIES if name in texts), None)
        if library is not None:
            place = f"line {owner.lineno} changes {_text_of(owner)}"
            self._refuse(library, place)
            if change.is_lasting:
                self.changed.setdefault(library, place)

    def _library_of(self, node: ast.expr) -> str | None:
        """The library that an expression is a part of, at any depth."""
        while True:
            dotted = _dotted(node)
            if dotted in self._modules:
                return self._modules[dotted]
            if isinstance(node, ast.Name):
                return self._names[node.id][0] if node.id in self._names else self._parts.get(node.id)
            within = _within(node)
            if within is None:
                return None
            node = within

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
        keys = {key for _, imported in self._imports for key in imported} - self._refused.keys()
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

    def _reason(self, key: str) -> str:
        """Why what a key means is not exchanged."""
        if key in self._refused:
            return self._refused[key]
        if key in LIBRARIES:
            drop_in = LIBRARIES[key].drop_in
            if drop_in is None:
                return "no module of ours has the same names"
            missing = sorted(name for name in self._used.get(key, ()) if not has_same_name(key, name))
            return f"{drop_in} has no {', '.join(missing)}" if missing else _IMPORT
        module, _, name = key.rpartition(".")
        if (module, name) in CLASSES:
            return CLASSES[module, name].risk or _IMPORT
        return "only imports, and settings that are the same, are exchanged"

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


def _within(node: ast.expr) -> ast.expr | None:
    """What an expression takes a part of."""
    if isinstance(node, (ast.Attribute, ast.Subscript)):
        return node.value
    is_vars = isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in ("vars", "getattr")
    return node.args[0] if is_vars and isinstance(node, ast.Call) and node.args else None


def _root_of(node: ast.expr) -> str:
    within: ast.expr | None = node
    while within is not None:
        node, within = within, _within(within)
    return node.id if isinstance(node, ast.Name) else ""


def _text_of(node: ast.expr) -> str:
    """The source of an expression, and the text of a constant."""
    text = str(node.value) if isinstance(node, ast.Constant) else ast.unparse(node)
    return text if len(text) <= _LONGEST else text[:_LONGEST] + "..."
