"""The set-up of a suite: the framework's source distribution, and an environment with its packages and our wheel."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import tarfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from compat.suites import Suite

ROOT = Path(__file__).resolve().parents[2]
PIP_SECONDS = 1800


class SetUpError(Exception):
    """A requirement of a suite is not available; the message is the end of the program's output."""


@dataclass(frozen=True, kw_only=True)
class Workshop:
    """The folder in which suites are unpacked and environments made, one for each Python."""

    folder: Path

    @classmethod
    def of_this_python(cls) -> Workshop:
        """`build/compat/3.11`, for the Python that runs this."""
        return cls(folder=ROOT / "build" / "compat" / f"{sys.version_info[0]}.{sys.version_info[1]}")

    def wheel(self) -> Path:
        """Our wheel, built from the present source tree. Raises SetUpError."""
        target = self.folder / "wheel"
        shutil.rmtree(target, ignore_errors=True)
        _run(
            [
                *_pip(Path(sys.executable), "wheel"),
                *("--no-build-isolation", "--no-deps", f"--wheel-dir={target}"),
                f"--config-settings=build-dir={self.folder / 'core'}",
                str(ROOT),
            ]
        )
        (wheel,) = target.glob("*.whl")
        return wheel

    def sources(self, suite: Suite) -> Path:
        """The release's unpacked source distribution; empty where Python itself has the tests. Raises SetUpError."""
        target = self.folder / suite.name / "sources"
        if not suite.tests:
            target.mkdir(parents=True, exist_ok=True)
        elif not (target / suite.tests).is_dir():
            downloads = self.folder / "downloads"
            what = f"{suite.framework}=={suite.version}"
            _run(
                [
                    *_pip(Path(sys.executable), "download"),
                    *(f"--no-binary={suite.framework}", "--no-deps", "-d", str(downloads), what),
                ]
            )
            with tarfile.open(downloads / f"{suite.name}.tar.gz") as archive:
                _unpack(archive, downloads)
            shutil.rmtree(target, ignore_errors=True)
            target.parent.mkdir(parents=True, exist_ok=True)
            (downloads / suite.name).rename(target)
        return target

    def python(self, suite: Suite, wheel: Path) -> Path:
        """The interpreter of the suite's environment, which is created if it does not exist. Raises SetUpError."""
        folder = self.folder / suite.name / "environment"
        python = folder / "bin" / "python"
        _once(folder / "packages.stamp", suite.requirements, lambda: self._fill(folder, suite))
        install = [*_pip(python, "install"), "--no-deps", "--force-reinstall", str(wheel)]
        _once(folder / "wheel.stamp", wheel, lambda: _run(install))
        return python

    def _fill(self, folder: Path, suite: Suite) -> None:
        _run([sys.executable, "-m", "venv", "--clear", str(folder)])
        _run([*_pip(folder / "bin" / "python", "install"), "-r", str(suite.requirements)])


def _once(stamp: Path, source: Path, act: Callable[[], None]) -> None:
    """Calls the action unless it was done since the last change of `source`."""
    digest = hashlib.sha256(source.read_bytes()).hexdigest()
    if not stamp.exists() or stamp.read_text() != digest:
        act()
        stamp.write_text(digest)


def _pip(python: Path, command: str) -> list[str]:
    return [str(python), "-m", "pip", "--disable-pip-version-check", "--quiet", command]


def _unpack(archive: tarfile.TarFile, target: Path) -> None:
    if hasattr(tarfile, "data_filter"):
        archive.extractall(target, filter="data")
    else:
        archive.extractall(target)


def _run(command: Sequence[str]) -> None:
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    try:
        done = subprocess.run(
            command, env=environment, capture_output=True, text=True, errors="replace", timeout=PIP_SECONDS
        )
    except subprocess.TimeoutExpired as error:
        raise SetUpError(f"{' '.join(command[:5])} ... took over {PIP_SECONDS} s") from error
    if done.returncode != 0:
        said = "\n".join((done.stdout + done.stderr).strip().splitlines()[-8:])
        raise SetUpError(f"{' '.join(command[:7])} ... failed:\n{said}")
