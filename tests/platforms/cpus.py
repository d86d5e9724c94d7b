"""The command of `make test-cpus`: older x86-64 CPUs by qemu, with the level that each must choose."""

from __future__ import annotations

import os
import sys
import time
from dataclasses import dataclass

from platforms.debian import BUILD, PlatformError, native_architecture, run, say
from platforms.emulator import fetch_qemu

__all__ = ["CPUS", "Verdict", "judge", "run_cpus"]

CORPUS = BUILD.parents[1] / "tests" / "helpers" / "level_corpus.py"
CPUS = {
    "core2duo": "portable",  # 2006: SSSE3, without SSE4.2
    "Nehalem": "sse4.2",  # 2008
    "SandyBridge": "sse4.2",  # 2011: AVX, without AVX2
    "Haswell": "avx2",  # 2013
    "EPYC": "avx2",  # 2017
    "Haswell,-bmi2": "sse4.2",  # a part of a level is not the level
    "Haswell,-xsave": "sse4.2",  # an operating system that does not save wide registers
    "Nehalem,-popcnt": "portable",
}
"""qemu's names of CPUs, with features taken off, and the level that the core must choose. qemu has no AVX-512."""


@dataclass(frozen=True, kw_only=True)
class Verdict:
    """What one CPU gave."""

    cpu: str
    expected: str
    level: str
    is_digest_equal: bool
    seconds: float

    @property
    def is_good(self) -> bool:
        """Whether level and outcomes are right."""
        return self.level == self.expected and self.is_digest_equal

    def __str__(self) -> str:
        digest = "outcomes as here" if self.is_digest_equal else "OUTCOMES DIFFER"
        level = self.level if self.level == self.expected else f"{self.level}, NOT {self.expected}"
        return f"{self.cpu:<16} {level:<10} {digest}, {self.seconds:.0f} s"


def judge(cpu: str, expected: str, printed: str, digest: str, seconds: float) -> Verdict:
    """The verdict on what `level_corpus.py` printed. Raises PlatformError where that is no level and digest."""
    level, _, found = printed.strip().partition(" ")
    if not found:
        raise PlatformError(f"{cpu}: no digest in {printed!r}")
    return Verdict(cpu=cpu, expected=expected, level=level, is_digest_equal=found == digest, seconds=seconds)


def run_cpus(cpus: dict[str, str], *, n_seeds: int) -> list[Verdict]:
    """The verdicts on the CPUs, with a line of progress for each. Raises PlatformError."""
    if native_architecture() != "amd64":
        raise PlatformError("x86-64 CPUs are emulated with this machine's Python, which must be an x86-64 one")
    qemu = fetch_qemu("x86_64")
    python = [sys.executable, "-s", str(CORPUS), str(n_seeds)]
    environment = {name: value for name, value in os.environ.items() if name not in ("SSRJSON_ISA", "PYTHONPATH")}
    here = run(python, environment=environment)
    say(f"  here: {here.strip()}")
    verdicts = []
    for cpu, expected in cpus.items():
        started = time.monotonic()
        printed = run([qemu, "-cpu", cpu, *python], environment=environment, blame=f"{cpu}: the core does not run")
        verdict = judge(cpu, expected, printed, here.split()[1], time.monotonic() - started)
        say(f"  {verdict}")
        verdicts.append(verdict)
    return verdicts
