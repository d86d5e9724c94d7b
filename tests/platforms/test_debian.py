"""What is fetched for other platforms: the mirror of this machine, finished folders, links, wrong usage."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from platforms import debian
from platforms.__main__ import main

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="Debian's packages are for Linux")

ONE_LINE = """\
deb https://packages.example/apt cloud-sdk-bookworm main
deb https://docker.example/linux/debian bookworm stable
# deb http://old.example/debian bookworm main
deb-src http://source.example/debian bookworm main
deb [arch=amd64 signed-by=/keys/debian.gpg] http://mirror.example/debian bookworm main contrib
"""
STANZAS = """\
Types: deb
URIs: https://deb.node.example/node_20.x
Suites: nodistro
Components: main

Types: deb
# a comment
URIs: http://mirror.example/debian
Suites: bookworm bookworm-updates
Components: main
Signed-By: /keys/debian.gpg
"""


@pytest.fixture
def sources(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder in the place of /etc/apt."""
    (tmp_path / "sources.list.d").mkdir()
    monkeypatch.setattr(debian, "SOURCES", tmp_path)
    monkeypatch.delenv(debian.MIRROR_VARIABLE, raising=False)
    return tmp_path


@pytest.mark.parametrize(
    ("file", "text"),
    [("sources.list", ONE_LINE), ("sources.list.d/debian.list", ONE_LINE), ("sources.list.d/debian.sources", STANZAS)],
)
def test_mirror_of_sources_is_the_one_of_a_debian_suite(sources: Path, file: str, text: str) -> None:
    (sources / file).write_text(text)
    found = debian.mirror()
    assert found == debian.Mirror(uri="http://mirror.example/debian", key="/keys/debian.gpg")
    assert found.line("sid", "arm64") == (
        "deb [arch=arm64 lang=none target=Packages signed-by=/keys/debian.gpg] http://mirror.example/debian sid main\n"
    )


def test_mirror_where_sources_name_none_raises_with_the_variable(sources: Path) -> None:
    (sources / "sources.list").write_text("deb http://archive.example/ubuntu noble main\n")
    with pytest.raises(debian.PlatformError, match=f"not Debian; {debian.MIRROR_VARIABLE} may name a mirror"):
        debian.mirror()


def test_mirror_of_the_variable_comes_first(sources: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (sources / "sources.list").write_text(ONE_LINE)
    monkeypatch.setenv(debian.MIRROR_VARIABLE, "http://other.example/debian")
    assert debian.mirror().uri == "http://other.example/debian"


def test_finished_folder_is_made_once_for_a_key(tmp_path: Path) -> None:
    made: list[str] = []

    def make(folder: Path) -> None:
        made.append(folder.name)
        (folder / "file").write_text(str(len(made)))

    for key, n_made in (("a", 1), ("a", 1), ("b", 2), ("a", 3)):
        folder = debian.finished(tmp_path / "root", key, make)
        assert (folder / "file").read_text() == str(n_made)
    assert [file.name for file in tmp_path.iterdir()] == ["root"]


def test_finished_folder_that_fails_leaves_the_old_one(tmp_path: Path) -> None:
    debian.finished(tmp_path / "root", "a", lambda folder: (folder / "file").touch())

    def fail(folder: Path) -> None:
        raise debian.PlatformError("no answer")

    with pytest.raises(debian.PlatformError):
        debian.finished(tmp_path / "root", "b", fail)
    assert sorted(file.name for file in tmp_path.rglob("*")) == [".stamp", "file", "root"]
    assert debian.finished(tmp_path / "root", "a", fail) == tmp_path / "root"


def test_absolute_links_to_files_of_the_root_become_relative(tmp_path: Path) -> None:
    (tmp_path / "usr" / "lib").mkdir(parents=True)
    (tmp_path / "lib").symlink_to("usr/lib")
    (tmp_path / "usr" / "lib" / "real").write_text("inside")
    loader, outside = tmp_path / "usr" / "loader", tmp_path / "usr" / "outside"
    loader.symlink_to("/lib/real")
    outside.symlink_to("/etc/absent")
    debian._keep_links_inside(tmp_path)
    assert loader.read_text() == "inside"
    assert str(loader.readlink()) == "../lib/real"
    assert str(outside.readlink()) == "/etc/absent"


def test_program_that_is_not_installed_is_an_error_of_one_line(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(debian, "BUILD", tmp_path)
    with pytest.raises(debian.PlatformError, match=r"^apt-get is not installed: Debian's packages cannot be fetched"):
        debian.Apt.prepared("sid", "arm64")


def test_run_of_a_failing_program_says_its_last_lines() -> None:
    with pytest.raises(debian.PlatformError, match=r"^no root:\n  one\n  two$"):
        debian.run(["sh", "-c", "echo one; echo two >&2; exit 3"], blame="no root")


def test_command_without_words_is_wrong_usage(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as raised:
        main([])
    assert raised.value.code == 2
    assert "the following arguments are required: COMMAND" in capsys.readouterr().err


def test_help_names_the_commands(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as raised:
        main(["--help"])
    assert raised.value.code == 0
    assert "python" in capsys.readouterr().out
