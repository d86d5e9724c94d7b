"""The commands that the pages show: each target, subcommand, option, extra and script exists."""

from __future__ import annotations

import functools
import re
import shlex
import subprocess
import sys

import pytest
from helpers.markdown_pages import PAGES, ROOT, blocks_of, prose_of

PROGRAMS = {"ssrjson_web", "bench", "venv"}
TOOLS = {  # not ours: whether they do what the page says is not tested
    "gh": "asks a server about a release",
    "sha256sum": "needs a release",
    "apt": "needs root",
    "callgrind_annotate": "part of valgrind, which the machine may lack",
    "curl": "asks a server of the reader's",
    "gdb": "the machine may lack it",
    "perf": "the machine may lack it",
    "valgrind": "the machine may lack it",
    "export": "the shell's",
    "locust": "test_load_testing.py runs what the page shows",
    "uvicorn": "test_tutorials.py runs what the pages show",
    "django-admin": "likewise",
    "cmp": "likewise",
    "echo": "likewise",
    ".": "activates an environment",
}
PLACEHOLDERS = {"work.py", "reproduce.py"}  # scripts of the reader's
PLACEHOLDERS |= {"ask.py", "fill.py", "manage.py"}  # those of the tutorials
HISTORY = {"CHANGELOG.md"}  # tells of commands as they were
COMMAND_IN_PROSE = re.compile(r"`((?:make [a-z]|python -m |pip install )[^`]*)`")
MAKEFILE = (ROOT / "Makefile").read_text(encoding="utf-8")
PYPROJECT = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
EXTRAS = set(re.findall(r"^([\w-]+) = \[", PYPROJECT.partition("optional-dependencies]")[2].partition("\n[")[0], re.M))


def commands_of(page: str) -> list[str]:
    """The commands of a page's shell blocks, and those in its prose."""
    lines = [line for block in blocks_of(page) if block.language == "sh" for line in joined(block.text).splitlines()]
    return [line for line in lines if line.partition("#")[0].strip()] + COMMAND_IN_PROSE.findall(prose_of(page))


def joined(text: str) -> str:
    return re.sub(r"\\\n *", " ", text)


@functools.cache
def help_of(*command: str) -> str:
    """What `python -m program subcommand --help` prints; empty if there is no such command."""
    ran = subprocess.run([sys.executable, "-m", *command, "--help"], capture_output=True, text=True, cwd=ROOT)
    return ran.stdout if ran.returncode == 0 else ""


def fault_of_program(words: list[str]) -> str | None:
    """What is wrong with the words after `python`, if anything."""
    if words[:1] != ["-m"]:
        is_known = not words or words[0] in PLACEHOLDERS or (ROOT / words[0]).exists()
        return None if is_known else f"no file {words[0]}"
    program, *arguments = words[1:]
    if program == "pytest":
        missing = [name for name in arguments if name.startswith("tests") and not (ROOT / name).exists()]
        return f"no {missing[0]}" if missing else None
    if program not in PROGRAMS:
        return f"no program {program}"
    subcommand = [word for word in arguments[:1] if not word.startswith("-")]
    shown = help_of(program, *subcommand)
    if subcommand == ["run"]:  # what comes after the name of its program is that program's
        names = (place for place, word in enumerate(arguments[1:], 1) if not word.startswith("-"))
        arguments = arguments[: next(names, len(arguments))]
    options = [word.partition("=")[0] for word in arguments if word.startswith("-")]
    unknown = [option for option in options if not re.search(rf"(?<![\w-]){option}(?![\w-])", shown)]
    return None if shown and not unknown else f"{program} {' '.join(subcommand)} has no {' '.join(unknown)}"


def fault_of_make(words: list[str]) -> str | None:
    for word in words:
        name, is_variable, _ = word.partition("=")
        pattern = rf"^{name}:|\$[({{]{name}[)}}]|\$\${name}\b" if is_variable else rf"^{name}:"
        if not re.search(pattern, MAKEFILE, re.MULTILINE):
            return f"make knows no {name}"
    return None


def fault_of_pip(words: list[str]) -> str | None:
    extras = {extra for word in words for found in re.findall(r"\[([\w,-]+)\]", word) for extra in found.split(",")}
    return f"no extra {', '.join(sorted(extras - EXTRAS))}" if extras - EXTRAS else None


def fault_of(command: str) -> str | None:
    """What of a command does not exist; None where all does."""
    for part in re.split(r"&&|;|\|", command):
        words = shlex.split(re.sub(r"\$\([^)]*\)", "x", part), comments=True)
        while words and re.fullmatch(r"[A-Z_]+=.*", words[0]):
            words.pop(0)
        if not words:
            continue
        tool, rest = words[0].rpartition("/")[2], words[1:]
        wrapped = next((i for i, word in enumerate(rest) if word.endswith("bin/python")), None)
        if tool in TOOLS and wrapped is not None:  # perf record ... .venv/bin/python work.py
            tool, rest = "python", rest[wrapped + 1 :]
        checks = {"python": fault_of_program, "make": fault_of_make, "pip": fault_of_pip}
        fault = checks[tool](rest) if tool in checks else None if tool in TOOLS else f"unknown command {tool}"
        if fault:
            return fault
    return None


@pytest.mark.parametrize("page", [name for name in PAGES if name not in HISTORY])
def test_commands_of_page_exist(page: str) -> None:
    found = commands_of(PAGES[page].read_text(encoding="utf-8"))
    assert {command: fault_of(command) for command in found if fault_of(command)} == {}


def test_pages_show_commands() -> None:
    assert all(commands_of(PAGES[page].read_text(encoding="utf-8")) for page in ("README.md", "CONTRIBUTING.md"))


@pytest.mark.parametrize(
    ("command", "fault"),
    [
        ("make demo ARGS=--quick", None),
        ("python -m ssrjson_web run --as-orjson uvicorn --port 8000", None),
        ("python -m ssrjson_web run --as-orjsn uvicorn --port 8000", "ssrjson_web run has no --as-orjsn"),
        ("make domo", "make knows no domo"),
        ("make test NAME=x", "make knows no NAME"),
        ("python -m ssrjson_web doctor --json", None),
        ("python -m ssrjson_web doctor --jsn", "ssrjson_web doctor has no --jsn"),
        ("python -m ssrjson_web doktor", "ssrjson_web doktor has no "),
        ("X=1 python examples/none.py", "no file examples/none.py"),
        ("pip install '.[fastapi,nothing]'", "no extra nothing"),
        ("curl -H 'a: b' http://127.0.0.1:8000/ && frobnicate", "unknown command frobnicate"),
    ],
)
def test_fault_of_names_what_does_not_exist(command: str, fault: str | None) -> None:
    assert fault_of(command) == fault


def test_page_names_every_extra_of_an_adapter() -> None:
    text = PAGES["docs/install.md"].read_text(encoding="utf-8")
    named = re.search(r"^`(models [\w -]+)`\.$", text, re.MULTILINE)
    assert named is not None
    assert set(named[1].split()) == EXTRAS - {
        "bench",
        "demo",
        "docs",
        "ecosystem",
        "lint",
        "load",
        "report",
        "rivals",
        "test",
        "test-core",
        "types",
    }
