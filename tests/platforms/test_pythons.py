"""Pythons that are installed: found on PATH and under pyenv, and only where they can build the core."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from platforms import __main__ as command
from platforms import pythons
from platforms.debian import UnavailableError

RUNNING = f"{sys.version_info[0]}.{sys.version_info[1]}"


def program(folder: Path, name: str, said: str, status: int = 0) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    made = folder / name
    made.write_text(f"#!/bin/sh\necho '{said}'\nexit {status}\n")
    made.chmod(0o755)
    return made


@pytest.fixture
def nothing_installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of pyenv; PATH has only what is put into `bin` beside it."""
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}:/usr/bin:/bin")
    monkeypatch.setenv("PYENV_ROOT", str(tmp_path / "pyenv"))
    return tmp_path / "pyenv" / "versions"


def test_python_on_path_comes_first(nothing_installed: Path, tmp_path: Path) -> None:
    assert pythons.find_python("3.99") is None
    kept = program(nothing_installed / "3.99.1" / "bin", "python3.99", "3.99 True")
    assert pythons.find_python("3.99") == kept
    on_path = program(tmp_path / "bin", "python3.99", "3.99 True")
    assert pythons.find_python("3.99") == on_path


def test_newest_release_of_pyenv_is_taken(nothing_installed: Path) -> None:
    for release in ("3.99.2", "3.99.10", "3.99.10t", "3.98.11"):
        name = f"python{release.rpartition('.')[0]}" + ("t" if release.endswith("t") else "")
        said = "3.99t True" if release.endswith("t") else f"{release[:4]} True"
        program(nothing_installed / release / "bin", name, said)
    assert pythons.find_python("3.99") == nothing_installed / "3.99.10" / "bin" / "python3.99"
    assert pythons.find_python("3.99t") == nothing_installed / "3.99.10t" / "bin" / "python3.99t"


@pytest.mark.parametrize(("said", "status"), [("3.99 False", 0), ("3.98 True", 0), ("3.99t True", 0), ("", 127)])
def test_python_that_cannot_build_the_core_is_passed_over(nothing_installed: Path, said: str, status: int) -> None:
    program(nothing_installed / "3.99.1" / "bin", "python3.99", said, status)
    assert pythons.find_python("3.99") is None


def test_running_python_has_its_own_version_and_headers() -> None:
    version = RUNNING + sys.abiflags.replace("d", "")
    assert pythons._can_build(Path(sys.executable), version)


def test_free_threaded_python_is_not_fetched() -> None:
    with pytest.raises(UnavailableError, match=r"^Debian has no Python 3.13t: install it"):
        pythons.fetch_python("3.13t")


@pytest.mark.parametrize(
    ("words", "fetched", "shown"),
    [
        (["3.99"], {"3.99"}, ("3.99 of Debian\n", "", 0)),
        (["3.99", "3.98"], {"3.99", "3.98"}, ("3.99 of Debian\n", "", 0)),
        (["3.99", "3.98"], {"3.98"}, ("3.98 of Debian\n", "", 0)),
        (["3.99", "3.98"], set(), ("", "error: no 3.99\n  no mirror\n", 2)),
        (["3.99", "3.98", "--if-possible"], set(), ("", "Python 3.99 or 3.98: skipped, no 3.99\n", 0)),
        (["3.99", "3.98", "--if-possible"], {"3.98"}, ("3.98 of Debian\n", "", 0)),
        (["3.99", "--installed"], {"3.99"}, ("", "", 0)),
    ],
)
def test_first_version_that_can_be_had_is_taken(
    nothing_installed: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    words: list[str],
    fetched: set[str],
    shown: tuple[str, str, int],
) -> None:
    def fetch(version: str) -> str:
        if version not in fetched:
            raise UnavailableError(f"no {version}\n  no mirror")
        return f"{version} of Debian"

    monkeypatch.setattr(command, "fetch_python", fetch)
    status = command.main(["python", *words])
    printed = capsys.readouterr()
    assert (printed.out, printed.err, status) == shown
