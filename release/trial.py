"""Installs a wheel into an empty environment and runs it there: on this machine, by qemu, or with musl's loader."""

from __future__ import annotations

import os
import platform
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from platforms.debian import PlatformError, fetch_root, locked
from platforms.emulator import fetch_qemu
from platforms.pythons import python_root_packages, use_real_headers

from release.files import TOOLS, ReleaseError, emptied, run
from release.python_files import JARS, jar_folder, native_interpreter
from release.target import Target

PROGRAM = Path(__file__).with_name("smoke_program.py")
MUSL_VARIABLE = "SSRJSON_MUSL_PYTHON"
DEBIAN_SUITES = {"3.11": "bookworm", "3.13": "trixie"}
PIP = (TOOLS / "python", "-m", "pip", "--disable-pip-version-check")


@dataclass(frozen=True)
class Interpreter:
    """How to start a Python that wheels of a target are for."""

    command: tuple[str, ...]
    environment: Mapping[str, str]
    how: str


class NoInterpreter(Exception):
    """A wheel cannot be run here; the message says why."""


def interpreter(target: Target) -> Interpreter:
    """Raises NoInterpreter, or ReleaseError if fetching fails."""
    is_native = target.machine == platform.machine()
    if target.system == "musllinux":
        return _musl_interpreter(target)
    if is_native:
        found = native_interpreter(target)
        if isinstance(found, str):
            raise NoInterpreter(found)
        return Interpreter(tuple(found[0]), found[1], "here")
    if target.is_free_threaded or target.machine != "aarch64":
        raise NoInterpreter(f"there is no Python {target.python} for {target.machine} that qemu could run")
    return _emulated_interpreter(target)


def _emulated_interpreter(target: Target) -> Interpreter:
    """Raises NoInterpreter if qemu or the packages of the other machine cannot be had."""
    has_jar = (target.version, "linux-arm64") in JARS
    version = "3.11" if has_jar else target.version  # of the root; the one of 3.11 is that of `make test-neon`
    try:
        qemu = fetch_qemu("aarch64")
        with locked():
            root = fetch_root(
                "arm64" if version == "3.11" else f"arm64-python{version}",
                suite=DEBIAN_SUITES.get(version, "sid"),
                architecture="arm64",
                packages=python_root_packages(version),
                adapt=lambda folder: use_real_headers(folder, version, "arm64"),
            )
    except PlatformError as error:
        raise NoInterpreter(str(error).splitlines()[0]) from None
    emulator: tuple[str, ...] = (str(qemu), "-cpu", "cortex-a53", "-L", str(root))
    if has_jar:
        jar = jar_folder(target.version, "linux-arm64")
        emulator = (*emulator, "-E", f"LD_LIBRARY_PATH={jar}")
        return Interpreter((*emulator, str(jar / "bin" / f"python{target.version}")), {}, "by qemu")
    return Interpreter((*emulator, str(root / "usr" / "bin" / f"python{version}")), {}, "by qemu")


def _musl_interpreter(target: Target) -> Interpreter:
    """The Python that SSRJSON_MUSL_PYTHON names: a command, of any version and machine. Raises NoInterpreter."""
    command = os.environ.get(MUSL_VARIABLE, "").split()
    if not command:
        raise NoInterpreter(f"there is no Python with musl: {MUSL_VARIABLE} may name one")
    ask = (
        "import sys, sysconfig; "
        "print('%d.%d' % sys.version_info[:2] + ('t' if sysconfig.get_config_var('Py_GIL_DISABLED') else ''))"
        "; print(sysconfig.get_config_var('SOABI'))"
    )
    python, soabi = run([*command, "-c", ask]).split()
    if python != target.python or target.machine not in soabi:
        raise NoInterpreter(f"the Python of {MUSL_VARIABLE} is {soabi}")
    return Interpreter(tuple(command), {}, "with musl")


def tried(wheel: Path, target: Target, version: str, work: Path) -> str:
    """How the wheel was run, and at which levels. Raises NoInterpreter if it can't be, ReleaseError if it fails."""
    python = interpreter(target)
    place = emptied(work / "trials" / str(target))
    if python.how == "here":
        run([*python.command, "-m", "venv", "--without-pip", place / "venv"], environment=python.environment)
        command: Sequence[str | Path] = [place / "venv" / "bin" / "python", "-I"]
        (packages,) = place.glob("venv/lib/python*/site-packages")
        _install(wheel, target, packages)
        environment = dict(python.environment)
    else:
        _install(wheel, target, place)
        command = [*python.command, "-s"]
        environment = {**python.environment, "PYTHONPATH": str(place), "PYTHONDONTWRITEBYTECODE": "1"}
    environment["PATH"] = "/nowhere"  # no compiler
    found = run([*command, PROGRAM, version, place], environment=environment).split()
    for level in found[1:]:
        run([*command, PROGRAM, version, place], environment={**environment, "SSRJSON_ISA": level})
    return f"{python.how} on {found[0]}, {' '.join(found[1:])}"


def _install(wheel: Path, target: Target, place: Path) -> None:
    """Installs by the pip of this environment, which checks the tags and need not run on the wheel's Python."""
    run(
        [
            *PIP,
            *("install", "--quiet", "--no-index", "--no-deps", f"--target={place}", "--only-binary=:all:"),
            *(f"--python-version={target.version}", "--implementation=cp", f"--abi={target.abi_tag}"),
            f"--platform={target.platform_tags[0]}",
            wheel,
        ]
    )


def version_in(wheel: Path) -> str:
    found = re.match(r"ssrjson_web-([^-]+)-", wheel.name)
    if found is None:
        raise ReleaseError(f"{wheel.name} is no wheel of ssrjson_web")
    return found[1]
