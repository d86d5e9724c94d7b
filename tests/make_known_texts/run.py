"""Gets the releases of the libraries that we serve, and writes the tables of `ssrjson_web._known.texts`."""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
import zipfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from ssrjson_web._known.releases import DISTRIBUTIONS
from ssrjson_web._known.tables import COMPILED, PATTERNS, Tables, is_served_file, module_of

PROGRAM = "python -m make_known_texts"
ROOT = Path(__file__).parent.parent.parent
LIBRARIES = {DISTRIBUTIONS.get(module, module): module for module in PATTERNS}
"""The names of packages, with those of their modules."""


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
    return [one for one in versions if tuple(map(int, one.split("."))) >= floor_of(library)]


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
                if is_served_file(LIBRARIES[library], name):
                    yield module_of(name), archive.read(name)


def versions_needed(library: str, folder: Path) -> list[str]:
    """The versions of a library's compiled part that its releases in a folder need."""
    found = {}
    for wheel in wheels(library, folder):
        with zipfile.ZipFile(wheel) as archive:
            text = next(archive.read(name) for name in archive.namelist() if name.endswith(".dist-info/METADATA"))
        needed = re.search(
            rf"^Requires-Dist: {COMPILED[LIBRARIES[library]].replace('_', '[-_]')} ?\(?==([\d.]+)", text.decode(), re.M
        )
        if needed is not None:
            found[tuple(map(int, needed[1].split(".")))] = needed[1]
    return [found[key] for key in sorted(found)]


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
    tables = Tables()
    for library in options.libraries:
        tables.add(texts_of(library, options.folder))
        part = COMPILED.get(LIBRARIES[library])
        if part is not None:
            tables.add_versions(part, versions_needed(library, options.folder))
    for table, text in tables.contents().items():
        table.write_text(text, encoding="ascii")
    n_files, n_functions = sum(map(len, tables.files.values())), sum(map(len, tables.functions.values()))
    print(f"{n_files} texts of {len(tables.files)} modules, {n_functions} functions")
    return 0
