"""The house as it stands: floors of core/, lengths of files, nothing of one machine in them."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
CORE = ROOT / "core"
FLOORS = {"base": 0, "simd": 1, "text": 2, "number": 2, "pyobject": 3, "encode": 4, "decode": 4}
FLOORS |= {"isa": 5, "inspect": 5, "module": 6}
FIRST_FLOOR_WITH_PYTHON = 3
MOST_LINES = 700
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


def is_generated(text: str) -> bool:
    return any("enerated by" in line for line in text.splitlines()[:8])


def core_files() -> list[Path]:
    return sorted(file for file in CORE.rglob("*") if file.suffix in (".c", ".h"))


def floor_of(file: Path) -> int:
    folder = file.relative_to(CORE).parts[:-1]
    assert folder and folder[0] in FLOORS, f"{file.relative_to(ROOT)}: its folder has no floor"
    return FLOORS[folder[0]]


def includes(file: Path) -> Iterator[tuple[str, Path | None]]:
    """Each included name, with the file where it is one of core's."""
    for bracket, name in INCLUDE.findall(file.read_text(encoding="utf-8")):
        candidates = (file.parent / name, CORE / name) if bracket == '"' else ()
        yield name, next((path.resolve() for path in candidates if path.is_file()), None)


def test_core_includes_only_its_own_floor_or_lower_ones() -> None:
    assert len(core_files()) > 10
    wrong = []
    for file in core_files():
        for name, included in includes(file):
            if included is not None and floor_of(included) > floor_of(file):
                wrong.append(f"{file.relative_to(ROOT)} (floor {floor_of(file)}) includes {name}")
    assert wrong == []


def test_core_includes_resolve_inside_core() -> None:
    wrong = []
    for file in core_files():
        quoted = {name for bracket, name in INCLUDE.findall(file.read_text(encoding="utf-8")) if bracket == '"'}
        for name, included in includes(file):
            if name in quoted and (included is None or not included.is_relative_to(CORE)):
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
        if text is not None and not is_generated(text) and text.count("\n") > MOST_LINES:
            wrong.append(f"{file.relative_to(ROOT)}: {text.count(chr(10))} lines")
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


def test_package_modules_import_no_other_adapter() -> None:
    adapters = {"starlette", "fastapi", "django", "rest_framework", "ninja", "flask", "quart"}
    adapters |= {"litestar", "falcon", "aiohttp", "sanic", "clients"}
    allowed = {("fastapi", "starlette"), ("rest_framework", "django"), ("ninja", "django"), ("quart", "flask")}
    wrong = []
    for file in (ROOT / "ssrjson_web").rglob("*.py"):
        name = file.relative_to(ROOT / "ssrjson_web").parts[0].removesuffix(".py")
        for imported in re.findall(r"(?:from|import) ssrjson_web\.(\w+)", file.read_text(encoding="utf-8")):
            if name in adapters and imported in adapters - {name} and (name, imported) not in allowed:
                wrong.append(f"{file.relative_to(ROOT)} imports ssrjson_web.{imported}")
    assert wrong == []


def test_package_init_only_reexports() -> None:
    import ast

    body = ast.parse((ROOT / "ssrjson_web" / "__init__.py").read_text(encoding="utf-8")).body
    kinds = {type(node).__name__ for node in body}
    assert kinds <= {"Expr", "ImportFrom", "Assign", "Try"}, kinds
    for node in body:
        if isinstance(node, ast.Try):  # what a missing or an unusable core is called, and nothing else
            assert [type(inner) for inner in node.body] == [ast.ImportFrom]
            assert [ast.unparse(handler.type or node) for handler in node.handlers] == [
                "ModuleNotFoundError",
                "ImportError",
            ]
