"""An AArch64 Python on this machine: Debian's packages, test packages of PyPI, our core, and qemu to run it."""

from __future__ import annotations

import os
import re
import shutil
from dataclasses import dataclass
from pathlib import Path

from platforms.debian import BUILD, fetch_root, locked, run, say
from platforms.emulator import fetch_qemu
from platforms.pypi import fetch_packages
from platforms.pythons import python_root_packages, use_real_headers
from platforms.zig import fetch_zig, zig_environment

__all__ = ["Arm64"]

TREE = BUILD.parents[1]
SUITE, VERSION = "bookworm", "3.11"
CPU = "cortex-a53"
"""The oldest CPU of 64 bits: an instruction that is not in the base of the architecture is illegal here."""
TARGET = "aarch64-linux-gnu"
SOABI = f"cpython-{VERSION.replace('.', '')}-{TARGET}"
PACKAGES = (
    "pytest>=8",
    "pytest-asyncio",
    "hypothesis",
    "attrs",
    "msgspec",
    "numpy",
    "pydantic",
    "typing_extensions",
    "tzdata",
)
WHEELS = (
    *("--only-binary=:all:", "--platform=manylinux2014_aarch64", "--platform=manylinux_2_28_aarch64"),
    *(f"--python-version={VERSION}", "--implementation=cp"),
)
"""pip's options for packages that this machine cannot run."""

SITE_CUSTOMIZE = """\
# A child of a test starts by the emulator, too.
import os, sys
if os.environ.get("SSRJSON_EMULATED_PYTHON"):
    sys.executable = os.environ["SSRJSON_EMULATED_PYTHON"]
"""


@dataclass(frozen=True, kw_only=True)
class Arm64:
    """What an emulated Python needs."""

    python: Path
    """A program for this machine, which runs the interpreter by qemu."""
    paths: tuple[Path, ...]
    """What the interpreter imports from: our package, and the test packages."""

    @classmethod
    def ready(cls) -> Arm64:
        """Everything fetched and built. A later call only builds what changed. Raises PlatformError."""
        qemu = fetch_qemu("aarch64")
        with locked():
            root = fetch_root(
                "arm64",
                suite=SUITE,
                architecture="arm64",
                packages=python_root_packages(VERSION),
                adapt=lambda folder: use_real_headers(folder, VERSION, "arm64"),
            )
            packages = fetch_packages("arm64-packages", *PACKAGES, options=WHEELS)
            site = _site(_build(root))
            python = _wrapper(qemu, root)
        return cls(python=python, paths=(site, packages))

    def environment(self) -> dict[str, str]:
        """The environment of an emulated interpreter, without this machine's Python settings."""
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "SSRJSON_"))}
        return kept | {
            "PYTHONPATH": os.pathsep.join(map(str, self.paths)),
            "PYTHONSAFEPATH": "1",  # the package of the tree has no compiled core
            "PYTHONDONTWRITEBYTECODE": "1",  # those of the tree are this machine's
            "SSRJSON_EMULATED_PYTHON": str(self.python),
        }


def _build(root: Path) -> Path:
    """The folder of the core for AArch64, and of its tests' libraries. Only what changed is compiled."""
    zig = fetch_zig()
    folder = BUILD / "arm64-core"
    headers = root / "usr" / "include" / f"python{VERSION}"
    settings = [
        *("-G", "Ninja", "-S", str(TREE), "-B", str(folder)),
        *("-DCMAKE_SYSTEM_NAME=Linux", "-DCMAKE_SYSTEM_PROCESSOR=aarch64", "-DCMAKE_BUILD_TYPE=Release"),
        f"-DCMAKE_C_COMPILER={zig};cc;-target;{TARGET}.2.17;-mcpu=baseline",
        *(f"-DPython_INCLUDE_DIR={headers}", f"-DSKBUILD_SOABI={SOABI}", "-DSSRJSON_WERROR=ON"),
        "-DSSRJSON_SIMD_TESTS=ON",
    ]
    key = "\n".join(settings)
    configured = folder / "configured.txt"
    environment = zig_environment()
    if not configured.exists() or configured.read_text("utf-8") != key:
        shutil.rmtree(folder, ignore_errors=True)
        run(["cmake", *settings], environment=environment, blame="the build for AArch64 cannot be configured")
        configured.write_text(key, "utf-8")
    say("  core for AArch64: building, about half a minute the first time")
    run(["cmake", "--build", folder], environment=environment, blame="the build for AArch64 failed")
    return folder


def _site(built: Path) -> Path:
    """A folder with our package, which holds what was built, and with `sitecustomize`."""
    site = BUILD / "arm64-site"
    shutil.rmtree(site, ignore_errors=True)
    shutil.copytree(TREE / "ssrjson_web", site / "ssrjson_web", ignore=shutil.ignore_patterns("__pycache__", "*.so"))
    for library in built.glob("_*.so"):
        shutil.copy(library, site / "ssrjson_web")
    (version,) = re.findall(r'^version = "(.*)"', (TREE / "pyproject.toml").read_text("utf-8"), re.MULTILINE)
    distribution = site / f"ssrjson_web-{version}.dist-info"
    distribution.mkdir()
    (distribution / "METADATA").write_text(f"Metadata-Version: 2.1\nName: ssrjson_web\nVersion: {version}\n", "utf-8")
    (site / "sitecustomize.py").write_text(SITE_CUSTOMIZE, "utf-8")
    return site


def _wrapper(qemu: Path, root: Path) -> Path:
    python = BUILD / "arm64-python"
    python.write_text(
        f'#!/bin/sh\nexec "{qemu}" -cpu {CPU} -L "{root}" "{root}/usr/bin/python{VERSION}" "$@"\n', "utf-8"
    )
    python.chmod(0o755)
    return python
