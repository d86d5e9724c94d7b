"""The command of platforms that this machine does not have: what is fetched for them stays in `build/platforms/`."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from platforms.arm64 import Arm64
from platforms.cpus import CPUS, run_cpus
from platforms.debian import PlatformError, UnavailableError, say
from platforms.neon import LEFT_OUT, chosen_files, failures, run_files
from platforms.pythons import fetch_python, find_python


def parser() -> argparse.ArgumentParser:
    made = argparse.ArgumentParser(
        prog="python -m platforms",
        description="Platforms that this machine does not have, without root rights. What is fetched stays in "
        "build/platforms/, and a second run fetches nothing. The exit status is 2 where a platform cannot be had.",
    )
    commands = made.add_subparsers(dest="command", required=True, metavar="COMMAND")
    python = commands.add_parser("python", help="find or fetch a Python, and print the path of the interpreter")
    python.add_argument(
        "versions",
        nargs="+",
        metavar="VERSION",
        help="such as 3.14, or 3.14t for a free-threaded build; of several the first that can be had",
    )
    which = python.add_mutually_exclusive_group()
    which.add_argument("--fetch", action="store_true", help="fetch it from Debian even where one is installed")
    which.add_argument("--installed", action="store_true", help="fetch nothing: print nothing where none is installed")
    neon = commands.add_parser("neon", help="the core's tests on an emulated AArch64, at neon and portable")
    neon.add_argument("files", nargs="*", metavar="FILE", help="tests/core/simd/test_simd.py; a selection by default")
    neon.add_argument("--all", action="store_true", help="all tests of the core, an hour or two")
    neon.add_argument("--jobs", type=int, default=os.cpu_count() or 1, metavar="N", help="files at once; default: CPUs")
    neon.epilog = "What follows -- goes to pytest: neon tests/core/number/test_float.py -- -k repr -x"
    cpus = commands.add_parser("cpus", help="the level that older x86-64 CPUs choose, and what it gives")
    cpus.add_argument("cpus", nargs="*", metavar="CPU", help=f"of {' '.join(CPUS)}; all by default")
    cpus.add_argument("--seeds", type=int, default=1, metavar="N", help="how many sets of documents; default 1")
    for command in (python, neon, cpus):
        command.add_argument("--if-possible", action="store_true", help="succeed where packages cannot be fetched")
    return made


def test_neon(options: argparse.Namespace, words: Sequence[str]) -> int:
    """The exit status: 1 where a test failed."""
    files = chosen_files(options.files, is_all=options.all)
    machine = Arm64.ready()
    say(f"{len(files)} files of tests, {options.jobs} at once; {len(LEFT_OUT)} tests that qemu cannot run are left out")
    results = run_files(machine, files, words, jobs=options.jobs)
    print("\n".join([*failures(results), f"{sum(each.is_good for each in results)} of {len(results)} files passed"]))
    return int(not all(each.is_good for each in results))


def test_cpus(options: argparse.Namespace) -> int:
    """The exit status: 1 where a CPU chose another level, or gave something else than this machine."""
    for cpu in options.cpus:
        if cpu not in CPUS:
            raise PlatformError(f"{cpu} is not among the CPUs {' '.join(CPUS)}")
    verdicts = run_cpus({cpu: CPUS[cpu] for cpu in options.cpus or CPUS}, n_seeds=options.seeds)
    print(f"{sum(each.is_good for each in verdicts)} of {len(verdicts)} CPUs are right")
    return int(not all(each.is_good for each in verdicts))


def first_python(options: argparse.Namespace) -> Path | None:
    """The interpreter of the first version that can be had. Raises PlatformError where there is none to fetch."""
    reasons = []
    for version in options.versions:
        if not options.fetch and (found := find_python(version)):
            return found
        if not options.installed:
            try:
                return fetch_python(version)
            except UnavailableError as error:
                reasons.append(error)
    if reasons:
        raise reasons[0]
    return None


def main(words: Sequence[str]) -> int:
    """The exit status."""
    at = words.index("--") if "--" in words else len(words)
    options = parser().parse_args(words[:at])
    try:
        if options.command == "neon":
            return test_neon(options, words[at + 1 :])
        if options.command == "cpus":
            return test_cpus(options)
        if python := first_python(options):
            print(python)
    except PlatformError as error:
        if isinstance(error, UnavailableError) and options.if_possible:
            is_python = options.command == "python"  # whose standard output is a path, or nothing
            what = f"Python {' or '.join(options.versions)}" if is_python else f"test-{options.command}"
            print(f"{what}: skipped, {str(error).splitlines()[0]}", file=sys.stderr if is_python else sys.stdout)
            return 0
        say(f"error: {error}")
        return 2
    except KeyboardInterrupt:
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
