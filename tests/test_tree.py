"""The house as it stands: floors of core/, lengths of files, nothing of one machine in them."""

from __future__ import annotations

import ast
import re
import shutil
import subprocess
from collections.abc import Iterator
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
CORE = ROOT / "core"
FLOORS = {
    "base": 0,
    "simd": 1,
    "text": 2,
    "number": 2,
    "pyobject": 3,
    "cache": 3,
    "encode": 4,
    "schema": 4,
    "decode": 4,
}
FLOORS |= {"isa": 5, "inspect": 5, "module": 6}
FIRST_FLOOR_WITH_PYTHON = 3
MADE_AT_BUILD = frozenset(re.findall(r'"(\w+/\w+\.h)": ', (CORE / "generate_tables.py").read_text("utf-8")))
MAX_LINES = 1000
MAX_LINES_OF_FUNCTION = 150
C_FUNCTION = re.compile(r"^(\w[^;{}=#]*\) \{)\n.*?^\}", re.MULTILINE | re.DOTALL)
CODE_SUFFIXES = {".c", ".h", ".py", ".pyi", ".toml", ".txt", ".md", ".yml", ".yaml", ".sh", ""}
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*([<"])([^>"]+)[>"]', re.MULTILINE)


def tracked_files() -> list[Path]:
    """What git keeps or would keep of this tree: new files count, ignored ones do not."""
    git = shutil.which("git")
    if git is None or not (ROOT / ".git").exists():
        pytest.skip("not a git checkout: which files belong to the tree is not known")
    listing = subprocess.run(
        [git, "-C", str(ROOT), "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        capture_output=True,
        check=True,
    )
    names = listing.stdout.decode().rstrip("\0").split("\0")
    return [ROOT / name for name in names if (ROOT / name).is_file()]


def text_of(file: Path) -> str | None:
    """The file's text; None for one that is no UTF-8 text."""
    data = file.read_bytes()
    try:
        return None if b"\0" in data else data.decode()
    except UnicodeDecodeError:
        return None


def core_files() -> list[Path]:
    return sorted(file for file in CORE.rglob("*") if file.suffix in (".c", ".h"))


def floor_of(file: Path) -> int:
    folder = file.relative_to(CORE).parts[:-1]
    assert folder, f"{file.relative_to(ROOT)} is in no room"
    assert folder[0] in FLOORS, f"{file.relative_to(ROOT)}: its folder has no floor"
    return FLOORS[folder[0]]


def includes(file: Path) -> Iterator[tuple[str, Path | None]]:
    """Each included name, with the file where it is one of core's."""
    for bracket, name in INCLUDE.findall(file.read_text(encoding="utf-8")):
        candidates = (file.parent / name, CORE / name) if bracket == '"' else ()
        yield name, next((path.resolve() for path in candidates if path.is_file()), None)


def unit_of(file: Path) -> str:
    """What a source, its header and its template have in common."""
    return file.relative_to(CORE).as_posix().removesuffix(file.suffix).removesuffix(".tmpl")


def test_core_includes_only_its_own_floor_or_lower_ones() -> None:
    assert len(core_files()) > 10
    wrong = []
    for file in core_files():
        for name, included in includes(file):
            if included is not None and floor_of(included) > floor_of(file):
                wrong.append(f"{file.relative_to(ROOT)} (floor {floor_of(file)}) includes {name}")
    assert wrong == []


def test_core_has_no_circle_of_files() -> None:
    """A source and its header count as one: whoever reads one of them needs no file that needs it."""
    needs: dict[str, set[str]] = {}
    for file in core_files():
        needs.setdefault(unit_of(file), set()).update(unit_of(included) for _, included in includes(file) if included)
    for unit, others in needs.items():
        others.discard(unit)
    TopologicalSorter(needs).prepare()  # raises CycleError, which names the files


def test_core_includes_resolve_inside_core() -> None:
    wrong = []
    for file in core_files():
        quoted = {name for bracket, name in INCLUDE.findall(file.read_text(encoding="utf-8")) if bracket == '"'}
        for name, included in includes(file):
            if name in quoted - MADE_AT_BUILD and (included is None or not included.is_relative_to(CORE)):
                wrong.append(f"{file.relative_to(ROOT)} includes {name}")
    assert wrong == []


def test_core_floors_without_an_interpreter_never_include_python() -> None:
    wrong = []
    for file in core_files():
        if floor_of(file) < FIRST_FLOOR_WITH_PYTHON:
            wrong += [f"{file.relative_to(ROOT)}: {name}" for name, _ in includes(file) if "python" in name.lower()]
    assert wrong == []


def test_core_encode_and_decode_never_include_each_other() -> None:
    wrong = []
    for file in core_files():
        folder = file.relative_to(CORE).parts[0]
        for name, included in includes(file):
            other = {"encode": "decode", "decode": "encode"}.get(folder)
            if included is not None and included.relative_to(CORE).parts[0] == other:
                wrong.append(f"{file.relative_to(ROOT)} includes {name}")
    assert wrong == []


def test_core_files_say_their_licence() -> None:
    wrong = [
        f"{file.relative_to(ROOT)}" for file in core_files() if "SPDX-License-Identifier: MIT" not in file.read_text()
    ]
    assert wrong == []


def test_tree_has_no_overlong_files() -> None:
    wrong = []
    for file in tracked_files():
        text = text_of(file) if file.suffix in CODE_SUFFIXES else None
        if text is not None and text.count("\n") > MAX_LINES:
            wrong.append(f"{file.relative_to(ROOT)}: {text.count(chr(10))} lines")
    assert wrong == []


def functions_of(file: Path) -> Iterator[tuple[int, int]]:
    """The line of each function of a file of that length, and how many lines it has."""
    text = file.read_text(encoding="utf-8") if file.suffix in (".py", ".c", ".h") else ""
    if text.count("\n") <= MAX_LINES_OF_FUNCTION:
        return
    if file.suffix == ".py":
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
                yield node.lineno, (node.end_lineno or 0) - node.lineno + 1
        return
    for found in C_FUNCTION.finditer(text):
        yield text.count("\n", 0, found.start()) + 1, found[0].count("\n") + 1


def test_no_function_has_more_than_150_lines() -> None:
    found = [(file, *one) for file in tracked_files() for one in functions_of(file)]
    assert len({file.suffix for file, *_ in found}) == 3
    wrong = [f"{file.relative_to(ROOT)}:{line}: {n}" for file, line, n in found if n > MAX_LINES_OF_FUNCTION]
    assert wrong == []


def test_tree_has_no_paths_of_one_machine() -> None:
    folders = "|".join(("root", "home", "work", "Users", "mnt"))
    path = re.compile(rf"""(?:^|[\s"'`=(:,])/(?:{folders})/[\w.]""", re.MULTILINE)
    wrong = []
    for file in tracked_files():
        text = text_of(file)
        for match in path.finditer(text or ""):
            wrong.append(f"{file.relative_to(ROOT)}:{(text or '').count(chr(10), 0, match.end()) + 1}")
    assert wrong == []


ADAPTERS = {"starlette", "fastapi", "django", "rest_framework", "ninja", "flask", "quart"}
ADAPTERS |= {"litestar", "falcon", "aiohttp", "sanic", "channels", "clients", "logging", "marshmallow"}


def imports_of_package() -> Iterator[tuple[Path, str, str]]:
    """Each import of one part of the package by another: the file, its part, and the part that it imports."""
    package = ROOT / "ssrjson_web"
    for file in package.rglob("*.py"):
        part = file.relative_to(package).parts[0].removesuffix(".py")
        text = file.read_text(encoding="utf-8")
        for imported in re.findall(r"^\s*(?:from|import) ssrjson_web\.(\w+)", text, re.MULTILINE):
            yield file.relative_to(ROOT), part, imported
        for names in re.findall(r"^\s*from ssrjson_web import ([\w, ]+)", text, re.MULTILINE):
            for name in names.split(","):
                yield file.relative_to(ROOT), part, name.split()[0]


def test_package_names_no_page_that_an_installed_user_lacks() -> None:
    files = [file for file in (ROOT / "ssrjson_web").rglob("*.py*") if "__pycache__" not in file.parts]
    assert [str(file) for file in files if re.search(r"\bdocs/\w+\.md", text_of(file) or "")] == []


@pytest.mark.parametrize("adapter", ["rest_framework", "marshmallow"])
def test_each_module_that_says_it_of_stock_fields_is_imported(adapter: str) -> None:
    folder = ROOT / "ssrjson_web" / adapter / "_fields"
    saying = {file.stem for file in folder.glob("*.py") if re.search(r"^stock\(", text_of(file) or "", re.MULTILINE)}
    imported = re.findall(r"^from \S+ import (.+)$", text_of(folder / "__init__.py") or "", re.MULTILINE)
    assert len(saying) > 4
    assert saying <= set(", ".join(imported).split(", ")), (
        f"{folder.name}/__init__.py lacks a module that says `stock(`"
    )


def test_package_modules_import_no_other_adapter() -> None:
    allowed = {("fastapi", "starlette"), ("rest_framework", "django"), ("ninja", "django"), ("quart", "flask")}
    wrong = [
        f"{file} imports ssrjson_web.{imported}"
        for file, part, imported in imports_of_package()
        if part in ADAPTERS and imported in ADAPTERS - {part} and (part, imported) not in allowed
    ]
    assert wrong == []


def test_package_imports_only_its_own_floor_or_lower_ones() -> None:
    floors = {
        "_core": 0,
        "__init__": 1,
        "_shared": 1,
        "_compare": 1,
        "json": 1,
        "memory": 1,
        "orjson": 1,
        "_models": 2,
        "_known": 2,
        "monitor": 2,
        "models": 3,
        "asgi": 3,
        "wsgi": 3,
    }
    floors |= dict.fromkeys(ADAPTERS, 3) | {"_cli": 4, "audit": 5, "__main__": 5}
    found = list(imports_of_package())
    assert len(found) > 100
    assert {part for _, part, _ in found} <= floors.keys()
    wrong = [
        f"{file} (floor {floors[part]}) imports ssrjson_web.{imported}"
        for file, part, imported in found
        if floors.get(imported, 0) > floors[part]  # names of the package itself are the core's
    ]
    assert wrong == []


def test_bench_imports_the_public_api_only() -> None:
    private = re.compile(r"\bssrjson_web(\.\w+)*\._\w+|\bfrom ssrjson_web import .*\b_\w+")
    wrong = [
        f"{file.relative_to(ROOT)}: {found[0]}"
        for file in (ROOT / "bench").rglob("*.py")
        for found in private.finditer(file.read_text(encoding="utf-8"))
    ]
    assert wrong == []


def test_oldest_frameworks_that_are_tested_are_those_that_pyproject_asks_for() -> None:
    pyproject, makefile = ((ROOT / name).read_text(encoding="utf-8") for name in ("pyproject.toml", "Makefile"))
    extras = pyproject.partition("[project.optional-dependencies]")[2].partition("\ntest = [")[0]
    asked = dict(re.findall(r'^[\w-]+ = \[.*"([\w-]+)>=([\d.]+)"\]', extras, re.MULTILINE))
    asked |= dict(re.findall(r'^fastapi = \["(fastapi)>=([\d.]+)"', extras, re.MULTILINE))
    pinned = dict(re.findall(r"\b([\w-]+)==([\d.]+)", makefile.partition("\nOLDEST := ")[2].partition("\nPYTHONS")[0]))
    assert "pydantic==$(shell sed" in makefile
    assert len(pinned) > 8
    others = {name: pin for name, pin in pinned.items() if not f"{pin}.".startswith(f"{asked[name]}.")}
    assert others == {}


def test_selection_for_other_pythons_has_tests_of_each_adapter() -> None:
    selection = (ROOT / "Makefile").read_text(encoding="utf-8").partition("\nSELECTION := $(addprefix tests/,")[2]
    chosen = [ROOT / "tests" / name for name in re.findall(r"[\w/.]+", selection.partition(")")[0])]
    files = [file for one in chosen for file in (one.rglob("test_*.py") if one.is_dir() else [one])]
    imported = {
        name for file in files for name in re.findall(r"\bssrjson_web\.(\w+)", file.read_text(encoding="utf-8"))
    }
    assert imported >= ADAPTERS


def test_map_of_the_pydantic_reader_names_each_module() -> None:
    folder = ROOT / "ssrjson_web" / "_models" / "pydantic"
    named = re.findall(r"^    (\w+) {2,}\S", (folder / "__init__.py").read_text(encoding="utf-8"), re.MULTILINE)
    assert sorted(named) == sorted(file.stem for file in folder.glob("*.py") if file.stem != "__init__")


def test_package_init_only_reexports() -> None:
    body = ast.parse((ROOT / "ssrjson_web" / "__init__.py").read_text(encoding="utf-8")).body
    kinds = {type(node).__name__ for node in body}
    assert kinds <= {"Expr", "ImportFrom", "Assign", "Try"}, kinds
    for node in body:
        if isinstance(node, ast.Try):  # only to explain a missing or unusable core
            assert [type(inner) for inner in node.body] == [ast.ImportFrom]
            assert [ast.unparse(handler.type or node) for handler in node.handlers] == [
                "ModuleNotFoundError",
                "ImportError",
            ]
