"""`python -m ssrjson_web verify`: it finds what an installed release does otherwise, and adds what is new of it."""

from __future__ import annotations

import importlib
import importlib.util
import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from ssrjson_web._cli.served import ADAPTERS, is_installed
from ssrjson_web._cli.verify import command
from ssrjson_web._known import tables, texts
from ssrjson_web._known.tables import PATTERNS, Tables, is_served_file, module_of, texts_of_installed
from ssrjson_web._known.texts import FILES, file_fingerprint


def verify(*arguments: str, path: Path | None = None) -> subprocess.CompletedProcess[str]:
    code = (
        "import sys; sys.path[:0] = sys.argv[1:2]; from ssrjson_web.__main__ import main; sys.exit(main(sys.argv[2:]))"
    )
    return subprocess.run(
        [sys.executable, "-c", code, str(path or Path(__file__).parent), "verify", *arguments],
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )


def copied(library: str, folder: Path, file: str, old: str, new: str) -> None:
    """A copy of the installed release with one change."""
    spec = importlib.util.find_spec(library)
    assert spec is not None
    assert spec.submodule_search_locations
    path = shutil.copytree(spec.submodule_search_locations[0], folder / library) / file
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new, 1), encoding="utf-8")


@pytest.mark.parametrize("library", [name for name in ADAPTERS if name not in ("rest_framework", "marshmallow")])
def test_installed_release_does_what_ours_do(library: str) -> None:
    if not is_installed(library):
        pytest.skip(f"{library} is not installed")
    done = verify(library)
    assert (done.returncode, done.stderr) == (0, "")
    assert " cases, all alike, " in done.stdout
    assert done.stdout.count("\n") == 1


@pytest.mark.full
@pytest.mark.parametrize("library", ["rest_framework", "marshmallow"])
def test_installed_release_of_serializers_does_what_ours_do(library: str) -> None:
    test_installed_release_does_what_ours_do(library)


def test_function_that_does_something_else_in_a_new_release_is_found(tmp_path: Path) -> None:
    copied(
        "flask",
        tmp_path,
        "json/provider.py",
        "        kwargs.setdefault",
        "        obj = [obj]\n        kwargs.setdefault",
    )
    done = verify("flask", "--patch", path=tmp_path)
    assert done.returncode == 1
    assert done.stdout == ""  # no patch for what differs
    head, label, stock, ours, *_ = done.stderr.splitlines()
    assert " differ, " in head
    assert head.endswith(", 1 files of no known release")
    assert label.startswith("  /")
    assert [line[:11] for line in (stock, ours)] == ["    stock: ", "    ours:  "]
    assert stock[11:] != ours[11:]


def test_new_release_without_a_difference_is_a_patch(tmp_path: Path) -> None:
    copied("flask", tmp_path, "json/provider.py", "def _default(o", "def added(): return 1\n\n\ndef _default(o")
    done = verify("flask", "--patch", path=tmp_path)
    assert done.returncode == 0
    assert "all alike" in done.stderr
    lines = done.stdout.splitlines()
    assert lines[:2] == [
        f"{sign} {at}/ssrjson_web/_known/known_files.json" for sign, at in (("---", "a"), ("+++", "b"))
    ]
    (added,) = (line for line in lines if line.startswith('+"flask.json.provider"'))
    text = (tmp_path / "flask" / "json" / "provider.py").read_bytes()
    assert file_fingerprint(text) in added
    assert any(line.startswith('+"added": "') for line in lines)
    applied = shutil.copytree(FILES.parent, tmp_path / "ssrjson_web" / "_known")
    if shutil.which("patch") is None:
        pytest.skip("there is no patch")
    subprocess.run(["patch", "-p1"], input=done.stdout, text=True, cwd=tmp_path, check=True, capture_output=True)
    assert json.loads((applied / FILES.name).read_text())["flask.json.provider"].endswith(file_fingerprint(text))


def test_libraries_that_are_not_there_are_one_line(monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    from ssrjson_web.__main__ import main

    monkeypatch.setattr(command, "is_installed", lambda library: False)
    assert main(["verify"]) == 0
    assert capsys.readouterr().out == "None of the libraries is installed.\n"
    assert main(["verify", "flask", "ninja"]) == 1
    error = capsys.readouterr().err
    assert error == "ssrjson_web verify: flask and ninja cannot be found: install it, or do not name it\n"


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("def broken(:\n", "SyntaxError: "),
        ("raise SystemExit(3)", "ended with status 3"),
        ("import no_such", "no_such"),
    ],
)
def test_library_that_cannot_be_imported_is_one_line(text: str, reason: str, tmp_path: Path) -> None:
    (tmp_path / "flask").mkdir()
    (tmp_path / "flask" / "__init__.py").write_text(text)
    done = verify("flask", path=tmp_path)
    assert (done.returncode, done.stderr) == (1, "")
    assert done.stdout.count("\n") == 1
    assert ": could not be compared: " in done.stdout
    assert reason in done.stdout


def test_write_adds_to_the_tables_of_the_installation(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = [tmp_path / table.name for table in (texts.FILES, texts.FUNCTIONS)]
    for table, copy in zip((texts.FILES, texts.FUNCTIONS), made, strict=True):
        copy.write_bytes(table.read_bytes())
    monkeypatch.setattr(tables, "FILES", made[0])
    monkeypatch.setattr(tables, "FUNCTIONS", made[1])
    before = made[0].read_bytes()
    text = b"def f(): return 5\n"
    monkeypatch.setattr(command, "texts_of_installed", lambda library: [("flask.json", text)])
    command._add_texts([], is_written=True)
    assert made[0].read_bytes() == before
    command._add_texts(["flask"], is_written=True)
    assert json.loads(made[0].read_text())["flask.json"].endswith(file_fingerprint(text))
    assert json.loads(made[1].read_text())["flask.json"]["f"]
    assert Tables().add([("flask.json", text)]) == 0


# ---- tables -----------------------------------------------------------------------------------


def test_tables_are_written_as_they_are() -> None:
    assert {table: table.read_text(encoding="ascii") for table in Tables().contents()} == Tables().contents()


@pytest.mark.parametrize(
    ("path", "module"),
    [
        ("flask/json/provider.py", "flask.json.provider"),
        ("flask/json/__init__.py", "flask.json"),
        ("flask/wrappers.py", "flask.wrappers"),
        ("flask/app.py", ""),
        ("flask/json/more/deep.py", ""),
    ],
)
def test_file_is_served_by_its_place(path: str, module: str) -> None:
    assert is_served_file("flask", path) is bool(module)
    assert not module or module_of(path) == module


def test_each_library_has_an_adapter_and_patterns() -> None:
    assert ADAPTERS.keys() == PATTERNS.keys()


def test_texts_that_cannot_be_read_are_left_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "marshmallow"
    folder.mkdir()
    (folder / "__init__.py").write_text("raise SystemExit")
    (folder / "fields.py").write_text("def broken(:\n")
    (folder / "schema.py").write_bytes(b"x = '\0'")
    (folder / "utils.py").mkdir()
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.delitem(sys.modules, "marshmallow", raising=False)
    importlib.invalidate_caches()
    assert [module for module, _ in texts_of_installed("marshmallow")] == ["marshmallow"]
    monkeypatch.setattr(sys, "path", [str(tmp_path / "empty")])
    importlib.invalidate_caches()
    assert list(texts_of_installed("marshmallow")) == []
