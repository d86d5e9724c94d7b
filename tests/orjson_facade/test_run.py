"""`python -m ssrjson_web run --as-orjson`: a program that imports orjson gets ours."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = """\
import sys
import orjson
from orjson import OPT_SORT_KEYS, dumps

assert __name__ == "__main__"
print(orjson.__name__, sys.argv[1:], dumps({"b": 1, "a": "é"}, option=OPT_SORT_KEYS).decode())
"""
SAID = """ssrjson_web.orjson ['--port', '8000', '-h'] {"a":"é","b":1}\n"""


def run(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "ssrjson_web", "run", *words],
        cwd=folder,
        env={**os.environ, "PYTHONUTF8": "1"},
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=60,
        check=False,
    )


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "shop").mkdir()
    (tmp_path / "shop" / "__init__.py").touch()
    (tmp_path / "shop" / "__main__.py").write_text(PROGRAM, encoding="utf-8")
    (tmp_path / "shop" / "serve.py").write_text("from neighbour import name\n" + PROGRAM, encoding="utf-8")
    (tmp_path / "shop" / "neighbour.py").write_text("name = 1\n", encoding="utf-8")
    return tmp_path


@pytest.mark.parametrize("program", ["shop", str(Path("shop", "serve.py"))])
def test_program_imports_ours_and_gets_its_arguments(folder: Path, program: str) -> None:
    done = run(folder, "--as-orjson", program, "--port", "8000", "-h")
    assert (done.stdout, done.stderr, done.returncode) == (SAID, "", 0)


def test_program_in_a_package_that_forks_has_ours_in_its_children(folder: Path) -> None:
    if not hasattr(os, "fork"):
        pytest.skip("there is no fork")
    text = "import os\nchild = os.fork()\nif child:\n    os.waitpid(child, 0)\n    raise SystemExit(0)\n" + PROGRAM
    (folder / "shop" / "forks.py").write_text(text, encoding="utf-8")
    assert run(folder, "--as-orjson", "shop.forks", "--port", "8000", "-h").stdout == SAID


@pytest.mark.parametrize(
    ("text", "status", "said"),
    [
        ("raise SystemExit(7)", 7, ""),
        ("raise OSError('the disk is full')", 1, "OSError: the disk is full"),
        ("1 / 0", 1, "ZeroDivisionError"),
        ("import absent", 1, "ModuleNotFoundError: No module named 'absent'"),
    ],
)
def test_end_of_the_program_is_the_end_of_the_command(folder: Path, text: str, status: int, said: str) -> None:
    (folder / "shop" / "ends.py").write_text(text, encoding="utf-8")
    for program in ("shop.ends", str(Path("shop", "ends.py"))):
        done = run(folder, "--as-orjson", program)
        assert done.returncode == status
        assert said in done.stderr
        assert bool(said) == ("Traceback" in done.stderr)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--as-orjson", "absent"], "ssrjson_web run: error: there is no module absent\n"),
        (["--as-orjson", "absent.part"], "ssrjson_web run: error: there is no module absent.part\n"),
        (["--as-orjson", "shop/absent.py"], "ssrjson_web run: error: there is no file shop/absent.py\n"),
        (["shop"], "python -m ssrjson_web run: error: the following arguments are required: --as-orjson"),
        (["--as-orjson"], "python -m ssrjson_web run: error: the following arguments are required: MODULE|FILE.py"),
    ],
)
def test_wrong_usage_is_told_in_a_line(folder: Path, words: list[str], message: str) -> None:
    done = run(folder, *words)
    assert done.returncode == 2
    assert done.stderr.startswith(message)
    assert done.stderr.count("\n") == 1
