"""Gets the releases of the libraries that we serve, and writes the tables of `ssrjson_web._plans.texts`."""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
import zipfile
from collections.abc import Iterator, Sequence
from fnmatch import fnmatchcase
from pathlib import Path

from ssrjson_web._plans.texts import FILES, FUNCTIONS, VERSIONS, file_fingerprint, function_fingerprints

PROGRAM = "python -m known_texts"
ROOT = Path(__file__).parent.parent.parent
LIBRARIES = {
    "marshmallow": ("marshmallow/*.py",),
    "djangorestframework": ("rest_framework/*.py", "rest_framework/utils/*.py"),
    "fastapi": (
        *("fastapi/routing.py", "fastapi/encoders.py", "fastapi/exception_handlers.py"),
        *("fastapi/_compat.py", "fastapi/_compat/*.py", "fastapi/dependencies/utils.py", "fastapi/applications.py"),
    ),
    "starlette": tuple(f"starlette/{name}.py" for name in ("requests", "responses", "websockets", "endpoints")),
    "django-ninja": ("ninja/*.py", "ninja/orm/*.py"),
    "django": tuple(
        f"django/{name}.py" for name in ("core/serializers/json", "core/signing", "http/response", "views/i18n")
    ),
    "flask": ("flask/json/*.py", "flask/wrappers.py"),
    "pydantic": ("pydantic/main.py", "pydantic/type_adapter.py"),
}
"""The files of each library that have functions which ours stand in for."""
COMPILED = {"pydantic": "pydantic_core"}
"""The compiled part of a library, of which each release needs one version."""
FIRST_AND_LAST = ("django",)
"""Libraries of which the first and the last release of each series are enough: wheels are large, fixes last."""


def floor_of(library: str) -> tuple[int, ...]:
    """The oldest version that pyproject.toml asks for."""
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    found = re.search(rf'"{library}>=([\d.]+)"', text)
    if found is None:
        raise SystemExit(f"{PROGRAM}: pyproject.toml names no oldest version of {library}")
    return tuple(map(int, found[1].split(".")))


def versions_of(library: str) -> list[str]:
    """The final releases since the oldest one that we serve, by the package index."""
    command = [sys.executable, "-m", "pip", "index", "versions", library, "--python-version", "3.14"]
    listing = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    versions = re.findall(r"[\d.]+(?=,|\n)", listing.partition("Available versions:")[2].partition("\n")[0] + "\n")
    served = [one for one in versions if tuple(map(int, one.split("."))) >= floor_of(library)]
    if library not in FIRST_AND_LAST:
        return served
    series = {tuple(one.split(".")[:2]): one for one in served}  # newest first, so that these are the first ones
    lasts = {tuple(one.split(".")[:2]): one for one in reversed(served)}
    return [*dict.fromkeys((*series.values(), *lasts.values()))]


def wheels(library: str, folder: Path, version: str = "") -> list[Path]:
    """The wheels of a library that are in a folder. Old ones have capitals in their names."""
    start = f"{library.replace('-', '_')}-{version}"
    return sorted(file for file in folder.glob("*.whl") if file.name.lower().startswith(start))


def download(library: str, folder: Path) -> None:
    """Get the wheels that are not there yet."""
    for version in versions_of(library):
        if not wheels(library, folder, f"{version}-"):
            command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary", ":all:"]
            command += ["--python-version", "3.14", "--dest", str(folder), f"{library}=={version}"]
            if subprocess.run(command, check=False).returncode != 0:
                print(f"{library} {version} has no wheel, and is left out", file=sys.stderr)


def texts_of(library: str, folder: Path) -> Iterator[tuple[str, bytes]]:
    """The modules of all releases that are in a folder, with their texts."""
    for wheel in wheels(library, folder):
        with zipfile.ZipFile(wheel) as archive:
            for name in archive.namelist():
                if any(
                    fnmatchcase(name, pattern) and name.count("/") == pattern.count("/")
                    for pattern in LIBRARIES[library]
                ):
                    module = name.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
                    yield module, archive.read(name)


def versions_needed(library: str, folder: Path) -> list[str]:
    """The versions of a library's compiled part that its releases in a folder need."""
    found = {}
    for wheel in wheels(library, folder):
        with zipfile.ZipFile(wheel) as archive:
            text = next(archive.read(name) for name in archive.namelist() if name.endswith(".dist-info/METADATA"))
        needed = re.search(
            rf"^Requires-Dist: {COMPILED[library].replace('_', '[-_]')} ?\(?==([\d.]+)", text.decode(), re.M
        )
        if needed is not None:
            found[tuple(map(int, needed[1].split(".")))] = needed[1]
    return [found[key] for key in sorted(found)]


def present() -> tuple[dict[str, list[str]], dict[str, dict[str, list[str]]]]:
    """What the two tables have."""
    files, functions = (json.loads(table.read_bytes()) for table in (FILES, FUNCTIONS))
    by_module = {module: {name: texts.split() for name, texts in known.items()} for module, known in functions.items()}
    return {module: known.split() for module, known in files.items()}, by_module


def tables(folder: Path, libraries: Sequence[str]) -> tuple[dict[str, list[str]], dict[str, dict[str, list[str]]]]:
    """What the two tables have, and what releases in a folder add."""
    files, functions = present()
    for library in libraries:
        for module, text in texts_of(library, folder):
            known, of_module = files.setdefault(module, []), functions.setdefault(module, {})
            if file_fingerprint(text) not in known:
                known.append(file_fingerprint(text))
                for name, found in function_fingerprints(text).items():
                    texts = of_module.setdefault(name, [])
                    texts += sorted(set(found) - set(texts))
    return files, functions


def write(files: dict[str, list[str]], functions: dict[str, dict[str, list[str]]]) -> None:
    """Write the tables, a line for each module and function."""
    joined = {module: " ".join(known) for module, known in sorted(files.items())}
    FILES.write_text(json.dumps(joined, indent=0) + "\n", encoding="ascii")
    by_module = {
        module: {name: " ".join(texts) for name, texts in sorted(known.items())}
        for module, known in sorted(functions.items())
        if known
    }
    FUNCTIONS.write_text(json.dumps(by_module, indent=0) + "\n", encoding="ascii")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command and return its exit status."""
    parser = argparse.ArgumentParser(prog=PROGRAM, description=__doc__)
    parser.add_argument("folder", type=Path, help="where wheels are, and are put")
    parser.add_argument("libraries", nargs="*", default=[*LIBRARIES], help="which ones; by default all")
    parser.add_argument("--offline", action="store_true", help="use the wheels that are there")
    options = parser.parse_args(arguments)
    options.folder.mkdir(parents=True, exist_ok=True)
    for library in () if options.offline else options.libraries:
        download(library, options.folder)
    files, functions = tables(options.folder, options.libraries)
    write(files, functions)
    versions = json.loads(VERSIONS.read_bytes()) if VERSIONS.exists() else {}
    for library in COMPILED.keys() & set(options.libraries):
        versions[COMPILED[library]] = " ".join(versions_needed(library, options.folder))
    VERSIONS.write_text(json.dumps(versions, indent=0) + "\n", encoding="ascii")
    n_files, n_functions = sum(map(len, files.values())), sum(map(len, functions.values()))
    print(f"{n_files} texts of {len(files)} modules, {n_functions} functions")
    return 0
