"""The tables of known texts: which files of a library they are of, what releases add, and how they are written."""

from __future__ import annotations

import importlib.util
import json
from collections.abc import Iterable, Iterator
from fnmatch import fnmatchcase
from pathlib import Path

from ssrjson_web._known.texts import FILES, FUNCTIONS, UNREADABLE, VERSIONS, file_fingerprint, function_fingerprints

__all__ = ["COMPILED", "PATTERNS", "Tables", "is_served_file", "module_of", "texts_of_installed"]

PATTERNS = {
    "marshmallow": ("marshmallow/*.py",),
    "rest_framework": ("rest_framework/*.py", "rest_framework/utils/*.py"),
    "fastapi": (
        *("fastapi/routing.py", "fastapi/encoders.py", "fastapi/exception_handlers.py"),
        *("fastapi/_compat.py", "fastapi/_compat/*.py", "fastapi/dependencies/utils.py", "fastapi/applications.py"),
        "fastapi/telemetry/_api.py",
    ),
    "starlette": tuple(f"starlette/{name}.py" for name in ("requests", "responses", "websockets", "endpoints")),
    "ninja": ("ninja/*.py", "ninja/orm/*.py"),
    "django": (
        *("django/core/serializers/json.py", "django/core/signing.py", "django/core/validators.py"),
        *("django/http/response.py", "django/views/i18n.py"),
        *("django/utils/dateparse.py", "django/utils/timezone.py", "django/utils/duration.py"),
        *(f"django/db/models/{name}.py" for name in ("base", "expressions", "lookups", "manager", "options")),
        *(f"django/db/models/{name}.py" for name in ("query", "query_utils")),
        *(f"django/db/models/fields/{name}.py" for name in ("__init__", "composite", "mixins", "related_descriptors")),
        *(f"django/db/models/sql/{name}.py" for name in ("compiler", "datastructures", "query", "where")),
        "django/db/backends/*/operations.py",
    ),
    "flask": ("flask/json/*.py", "flask/wrappers.py"),
    "pydantic": ("pydantic/main.py", "pydantic/type_adapter.py", "pydantic/_internal/_model_construction.py"),
}
"""The files of each library, by the name of its module, that have functions which ours stand in for."""
COMPILED = {"pydantic": "pydantic_core"}
"""The compiled part of a library, of which each release needs one version."""


def is_served_file(library: str, path: str) -> bool:
    """Whether a file, by its path within an archive or the folder of packages, is one of a library's patterns."""
    return any(fnmatchcase(path, pattern) and path.count("/") == pattern.count("/") for pattern in PATTERNS[library])


def module_of(path: str) -> str:
    """The module of a file."""
    return path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")


def texts_of_installed(library: str) -> Iterator[tuple[str, bytes]]:
    """The modules of the installed release that can be read, with their texts. The library is not imported."""
    spec = importlib.util.find_spec(library)
    for place in (spec.submodule_search_locations or ()) if spec is not None else ():
        folder = Path(place).parent
        for file in sorted(Path(place).rglob("*.py")):
            path = file.relative_to(folder).as_posix()
            if is_served_file(library, path):
                try:
                    text = file.read_bytes()
                    function_fingerprints(text)
                except (OSError, *UNREADABLE):
                    continue
                yield module_of(path), text


class Tables:
    """The fingerprints of files, by module, of functions, by module and qualified name, and compiled versions."""

    def __init__(self) -> None:
        """What the package has."""
        files, functions, versions = (json.loads(table.read_bytes()) for table in (FILES, FUNCTIONS, VERSIONS))
        self.files: dict[str, list[str]] = {module: known.split() for module, known in files.items()}
        self.functions: dict[str, dict[str, list[str]]] = {
            module: {name: texts.split() for name, texts in known.items()} for module, known in functions.items()
        }

        self.versions: dict[str, list[str]] = {name: known.split() for name, known in versions.items()}

    def add_versions(self, part: str, versions: Iterable[str]) -> int:
        """Add versions of a compiled part, and return how many are new."""
        known = self.versions.setdefault(part, [])
        new = [version for version in versions if version not in known]
        known += new
        return len(new)

    def add(self, texts: Iterable[tuple[str, bytes]]) -> int:
        """Add the texts of modules, and return how many are new."""
        n_new = 0
        for module, text in texts:
            known, of_module = self.files.setdefault(module, []), self.functions.setdefault(module, {})
            if file_fingerprint(text) not in known:
                n_new += 1
                known.append(file_fingerprint(text))
                for name, found in function_fingerprints(text).items():
                    of_name = of_module.setdefault(name, [])
                    of_name += sorted(set(found) - set(of_name))
        return n_new

    def contents(self) -> dict[Path, str]:
        """The text of each table, a line for each module and function."""
        files = {module: " ".join(known) for module, known in sorted(self.files.items())}
        functions = {
            module: {name: " ".join(texts) for name, texts in sorted(known.items())}
            for module, known in sorted(self.functions.items())
            if known
        }
        versions = {name: " ".join(known) for name, known in self.versions.items()}
        made = {FILES: files, FUNCTIONS: functions, VERSIONS: versions}
        return {table: f"{json.dumps(content, indent=0)}\n" for table, content in made.items()}
