"""The command of `make test-neon`: the core's tests on an emulated AArch64, at `neon` and `portable`."""

from __future__ import annotations

import re
import subprocess
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from platforms.arm64 import TREE, Arm64
from platforms.debian import BUILD, PlatformError, say

__all__ = ["LEFT_OUT", "SELECTION", "Result", "chosen_files", "failures", "run_files"]

LOGS = BUILD / "arm64-logs"
FILE_SECONDS = 7200
TESTS = "tests/core"

SELECTION: tuple[str, ...] = (
    "simd/test_simd.py",
    "isa/test_level.py",
    "decode/test_document.py",
    "decode/test_string.py",
    "decode/test_utf8.py",
    "decode/test_number.py",
    "number/test_float.py",
    "encode/test_html.py",
    "number/test_int.py",
    "encode/test_string.py",
    "encode/test_surrogate.py",
    "isa/test_feature.py",
)
"""The files that exercise vectors most: about ten minutes on two cores."""

_MEMORY = "qemu does not apply a limit of memory to the program that it runs"
LEFT_OUT = {
    f"{TESTS}/encode/test_option.py::test_indent_too_large_raises_and_does_not_wrap_around": _MEMORY,
    f"{TESTS}/encode/test_container.py::test_encode_cycle_without_the_check_raises_recursion_error": _MEMORY,
    f"{TESTS}/encode/test_container.py::test_encode_cycle_through_overridden_methods_raises_as_stdlib": _MEMORY,
    f"{TESTS}/encode/test_container.py::test_encode_containers_without_end_raise_recursion_error": _MEMORY,
}
"""Tests that cannot pass under qemu, with the reason."""


@dataclass(frozen=True, kw_only=True)
class Result:
    """How one file's tests ended."""

    file: str
    status: int
    seconds: float
    summary: str
    """pytest's last line, or the end of the log."""
    log: Path

    @property
    def is_good(self) -> bool:
        """Whether all passed; or none was selected, which is pytest's exit status 5."""
        return self.status in (0, 5)


def run_files(machine: Arm64, files: Sequence[str], words: Sequence[str], *, jobs: int) -> list[Result]:
    """The results of the files, each in a process of its own, with a line of progress for each.

    `words` are added for pytest. Raises PlatformError if a file does not exist.
    """
    for file in files:
        if not (TREE / file.partition("::")[0]).exists():
            raise PlatformError(f"{file} does not exist")
    LOGS.mkdir(parents=True, exist_ok=True)
    results: list[Result] = []
    started = time.monotonic()

    def run_one(file: str) -> None:
        result = _test_file(machine, file, words)
        results.append(result)
        verdict = "" if result.is_good else " FAILED:"
        minutes = (time.monotonic() - started) / 60
        say(f"  {len(results)} of {len(files)}, {minutes:.0f} min: {file}:{verdict} {result.summary}")

    with ThreadPoolExecutor(jobs) as pool:
        list(pool.map(run_one, files))
    return results


def _test_file(machine: Arm64, file: str, words: Sequence[str]) -> Result:
    log = LOGS / (re.sub(r"\W+", "-", file.removeprefix(TESTS)).strip("-") + ".log")
    command = [
        *(str(machine.python), "-m", "pytest", "-q", "--no-header", "-p", "no:cacheprovider", file),
        *(f"--deselect={test}" for test in LEFT_OUT if test.partition("::")[0] == file.partition("::")[0]),
        *words,
    ]
    started = time.monotonic()
    environment = machine.environment() | {"HYPOTHESIS_STORAGE_DIRECTORY": str(BUILD / "arm64-hypothesis")}
    with log.open("w", encoding="utf-8") as output:
        status = _watched(command, environment, output.fileno())
    lines = log.read_text("utf-8", "replace").strip().splitlines() or [f"exit status {status}, no output"]
    return Result(file=file, status=status, seconds=time.monotonic() - started, summary=lines[-1].strip("= "), log=log)


def _watched(command: Sequence[str], environment: dict[str, str], output: int) -> int:
    """The exit status. Ends the program after two hours, and on an exception."""
    with subprocess.Popen(
        command, cwd=TREE, env=environment, stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT
    ) as child:
        try:
            return child.wait(FILE_SECONDS)
        except BaseException as error:
            child.kill()
            if isinstance(error, subprocess.TimeoutExpired):
                return -1
            raise


def chosen_files(words: Sequence[str], *, is_all: bool) -> list[str]:
    """The files to test, relative to the tree: those named, else all of the core's, else the selection."""
    if words:
        return list(words)
    files = {str(file.relative_to(TREE / TESTS)) for file in (TREE / TESTS).rglob("test_*.py")}
    others = sorted(files - set(SELECTION)) if is_all else []
    return [f"{TESTS}/{name}" for name in (*SELECTION, *others)]


def failures(results: Sequence[Result]) -> list[str]:
    """For each file with failures, a line and the names of its failed tests."""
    lines: list[str] = []
    for result in results:
        if not result.is_good:
            lines.append(f"{result.file}: {result.summary} (log: {result.log})")
            log = result.log.read_text("utf-8", "replace")
            lines += [f"  {line}" for line in re.findall(r"^(?:FAILED|ERROR) .*", log, re.MULTILINE)[:20]]
    return lines
