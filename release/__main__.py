"""The command of a release: wheels, the same again, and what must be true before it is published."""

from __future__ import annotations

import argparse
import hashlib
import shutil
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from release.cross_check import cross_checked
from release.files import BUILD, DIST, ReleaseError, emptied, say
from release.inspection import faults, twine_faults
from release.readiness import problems
from release.sbom import written_sbom
from release.source import git, is_clean, made_from_commit
from release.target import linux_targets, matching
from release.trial import NoInterpreter, tried, version_in
from release.wheel import built, is_of, zig_cache


def parser() -> argparse.ArgumentParser:
    made = argparse.ArgumentParser(prog="python -m release", description=__doc__)
    commands = made.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for name, text in (
        ("wheels", "the source distribution and the Linux wheels of the newest commit, into dist/; each is checked"),
        ("again", "the same wheels once more, with nothing kept from the first time, compared byte by byte"),
        ("cross-check", "the core compiled and linked for macOS, Windows, musl and riscv64"),
    ):
        command = commands.add_parser(name, help=text)
        command.add_argument("patterns", nargs="*", metavar="PATTERN", help="such as cp313, musllinux-x86_64")
    check = commands.add_parser("check", help="whether the newest commit can be released")
    check.add_argument(
        "--tagged", action="store_true", help="the commit has its tag already, as in the run for the tag"
    )
    check.add_argument("--index", action="store_true", help="ask the package index, too, with pip")
    commands.add_parser("sbom", help="build/release/sbom.cdx.json, the parts of what is in dist/")
    return made


def build_wheels(patterns: Sequence[str]) -> int:
    """The exit status: 1 if a wheel is not right."""
    targets = matching(linux_targets(), list(patterns))
    commit = git("rev-parse", "HEAD")
    if not is_clean():
        say("  uncommitted changes are left out")
    source = made_from_commit(commit, BUILD)
    DIST.mkdir(exist_ok=True)
    shutil.copy(source.sdist, DIST)
    list(twine_faults(source.sdist, targets[0]))
    n_faults = 0
    for number, target in enumerate(targets, 1):
        started = time.monotonic()
        say(f"  [{number}/{len(targets)}] {target}")
        try:
            wheel = Path(shutil.copy(built(target, source, BUILD, zig_cache()), DIST))
            seconds = time.monotonic() - started
            wrong = list(faults(wheel, target))
            try:
                run_text = f"runs {tried(wheel, target, version_in(wheel), BUILD)}"
            except NoInterpreter as reason:
                run_text = f"NOT RUN: {reason}"
        except ReleaseError as error:
            wrong, run_text, seconds = [str(error)], "", 0
        n_faults += bool(wrong)
        size = f"{wheel.stat().st_size / 1000:.0f} KB in {seconds:.0f} s" if seconds else "not built"
        print(f"{target}: {'; '.join(['WRONG', *wrong]) if wrong else 'ok'}; {size}; {run_text}", flush=True)
    write_sums()
    print(f"{len(targets) - n_faults} of {len(targets)} wheels of {commit[:12]} are right; they are in dist/")
    return int(n_faults > 0)


def write_sums() -> None:
    """dist/SHA256SUMS, for sha256sum --check."""
    files = sorted(file for file in DIST.iterdir() if file.suffix in {".whl", ".gz"})
    lines = [f"{hashlib.sha256(file.read_bytes()).hexdigest()}  {file.name}\n" for file in files]
    (DIST / "SHA256SUMS").write_text("".join(lines), encoding="utf-8")


def build_again(patterns: Sequence[str]) -> int:
    """The exit status: 1 if a file differs, or if there is nothing to compare."""
    work = emptied(BUILD / "again")
    source = made_from_commit(git("rev-parse", "HEAD"), work)
    pairs: list[tuple[Path, Path]] = [(source.sdist, DIST / source.sdist.name)]
    for target in matching(linux_targets(), list(patterns)):
        first = [wheel for wheel in DIST.glob("*.whl") if is_of(wheel, target)]
        if not first:
            say(f"  {target}: not in dist/")
            continue
        say(f"  {target}")
        pairs.append((built(target, source, work, work / "zig-cache"), first[0]))
    different = [second.name for first, second in pairs if not same(first, second)]
    for name in different:
        print(f"{name}: differs")
    print(f"{len(pairs) - len(different)} of {len(pairs)} files are the same, byte by byte")
    return int(bool(different) or len(pairs) < 2)


def same(first: Path, second: Path) -> bool:
    return second.exists() and first.read_bytes() == second.read_bytes()


def main(words: Sequence[str]) -> int:
    """The exit status."""
    options = parser().parse_args(words)
    try:
        if options.command == "wheels":
            return build_wheels(options.patterns)
        if options.command == "again":
            return build_again(options.patterns)
        if options.command == "cross-check":
            return cross_checked(options.patterns)
        if options.command == "sbom":
            print(written_sbom())
            return 0
        found = list(problems(ask_index=options.index, is_tagged=options.tagged))
        print("\n".join(found) if found else "ready to be released")
        return int(bool(found))
    except (ReleaseError, ValueError) as error:
        say(f"error: {error}")
        return 2
    except KeyboardInterrupt:
        return 130


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
