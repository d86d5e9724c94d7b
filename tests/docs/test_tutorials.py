"""The tutorials as their readers follow them: files are written, servers started, and what commands print is compared.

A block of Python begins with the comment that names its file: `# shop.py` is the file, `# shop.py, after: LINE` is put
behind that line of it, and `# shop.py, at the end` is added. Commands run in order, in one folder. A block without a
language after them is what they print; `...` stands for anything.
"""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from helpers.markdown_pages import PAGES, Block, blocks_of
from helpers.servers import STOP_S, accepts, free_port, wait_for

pytestmark = pytest.mark.full
HEADER = re.compile(r"# ([\w./]+)(?:, (after: (.*)|at the end))?\n")
SERVER = re.compile(r"uvicorn |python manage\.py runserver")
LEFT_OUT = ("pip install", "python -m venv")
"""Commands that the environment of the tests has done before."""
PORT = "8000"


class Reader:
    """Follows a page in a folder of its own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.port = str(free_port())
        self.server: subprocess.Popen[bytes] | None = None
        path = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])
        self.environment = {**os.environ, "PATH": path, "PYTHONUTF8": "1"}
        self.environment.pop("DJANGO_SETTINGS_MODULE", None)  # of tests that ran before in this process

    def write(self, text: str) -> None:
        header = HEADER.match(text)
        assert header is not None, f"no file is named: {text[:40]}"
        file = self.folder / header[1]
        file.parent.mkdir(parents=True, exist_ok=True)
        body = text[header.end() :].replace(PORT, self.port)
        if header[3] is not None:
            before = file.read_text("utf-8")
            line = f"\n{header[3]}\n"
            assert before.count(line) == 1
            body = before.replace(line, f"{line}{body}")
        elif header[2] is not None:
            body = f"{file.read_text('utf-8')}\n{body}"
        file.write_text(body, "utf-8")

    def run(self, commands: str) -> str:
        """What the commands of a block print together."""
        printed = ""
        for command in commands.replace("\\\n", " ").replace(PORT, self.port).splitlines():
            if command.startswith("export "):
                name, _, value = command.removeprefix("export ").partition("=")
                self.environment[name] = value
            elif SERVER.match(command):
                self.start(command)
            elif not command.startswith(LEFT_OUT):
                printed += self.shell(command)
        return printed

    def shell(self, command: str) -> str:
        done = subprocess.run(
            ["/bin/sh", "-c", command],
            cwd=self.folder,
            env=self.environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=300,
            encoding="utf-8",
        )
        return done.stdout if done.stdout.endswith("\n") or not done.stdout else done.stdout + "\n"

    def start(self, command: str) -> None:
        self.stop()
        with (self.folder / "server.log").open("ab") as log:
            self.server = subprocess.Popen(
                command.split(), cwd=self.folder, env=self.environment, stdout=log, stderr=log, start_new_session=True
            )
        wait_for(self.server, lambda: accepts(int(self.port)))

    def stop(self) -> None:
        if self.server is not None:
            os.killpg(self.server.pid, signal.SIGINT)  # the server and what it started, in a session of its own
            self.server.wait(STOP_S)
            self.server = None


def is_shown(shown: str, printed: str) -> bool:
    """Whether a page shows what was printed."""
    pattern = r".*".join(re.escape(part) for part in shown.split("..."))
    return re.fullmatch(pattern, printed, re.DOTALL) is not None


def follow(reader: Reader, blocks: list[Block], page: str) -> int:
    """Do what the blocks say; the number of outputs that were compared."""
    printed, n_compared = "", 0
    for block in blocks:
        if block.language == "python":
            reader.write(block.text)
        elif block.language == "sh":
            printed = reader.run(block.text)
        else:
            assert is_shown(block.text, printed), f"{page}, line {block.line}: printed\n{printed}"
            n_compared += 1
    return n_compared


@pytest.mark.skipif(shutil.which("curl") is None, reason="the machine has no curl")
@pytest.mark.parametrize("page", ["docs/tutorial_fastapi.md", "docs/tutorial_rest_framework.md"])
def test_each_step_of_a_tutorial_shows_what_the_page_says(page: str, tmp_path: Path) -> None:
    reader = Reader(tmp_path)
    try:
        assert follow(reader, blocks_of(PAGES[page].read_text("utf-8")), page) >= 4
    finally:
        reader.stop()


def test_is_shown_takes_dots_for_anything_and_nothing_else() -> None:
    assert is_shown("a ... c\n", "a b\nb c\n")
    assert not is_shown("a ... c\n", "a b\n")
    assert not is_shown("a.c\n", "abc\n")
