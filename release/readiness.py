"""Whether a commit can be released: its version, its changelog, its tag, the index."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from datetime import date

from release.files import TREE, ReleaseError
from release.source import git, is_clean
from release.target import FREE_THREADED_PYTHONS, PYTHONS

NAME = "ssrjson_web"


def project_version(pyproject: str) -> str:
    """The version, which stands in pyproject.toml only. Raises ReleaseError."""
    found = re.search(r'^version = "([^"]+)"$', pyproject, re.MULTILINE)
    if found is None:
        raise ReleaseError("pyproject.toml has no version")
    return found[1]


def version_problems(version: str) -> Iterator[str]:
    if not re.fullmatch(r"\d+\.\d+\.\d+((a|b|rc)\d+)?", version):
        yield f"pyproject.toml: {version} is no version to release: write it like 1.2.3 or 1.2.3rc1"


def changelog_problems(changelog: str, version: str) -> Iterator[str]:
    """What is missing in the text of CHANGELOG.md for this version."""
    section = re.search(rf"^## \[{re.escape(version)}\](.*)\n((?:(?!## \[).*\n?)*)", changelog, re.MULTILINE)
    if section is None:
        yield f"CHANGELOG.md has no section for it: write ## [{version}] - {date.today()} above what is released"
        return
    day = section[1].removeprefix(" - ").strip()
    try:
        date.fromisoformat(day)
    except ValueError:
        yield f"CHANGELOG.md: the section [{version}] has no date: write ## [{version}] - {date.today()}"
    if not re.search(r"^- ", section[2], re.MULTILINE):
        yield f"CHANGELOG.md: the section [{version}] is empty"
    unreleased = re.search(r"^## \[Unreleased\]\n((?:(?!## \[).*\n?)*)", changelog, re.MULTILINE)
    if unreleased is None:
        yield "CHANGELOG.md has no section [Unreleased]: write it above the newest release"
    elif re.search(r"^- ", unreleased[1], re.MULTILINE):
        yield f"CHANGELOG.md: [Unreleased] is not empty: move its lines to [{version}]"


def classifier_problems(pyproject: str) -> Iterator[str]:
    """Pythons that get wheels and are not named in pyproject.toml, and the other way round."""
    named = set(re.findall(r'"Programming Language :: Python :: (3\.\d+)"', pyproject))
    built = set(PYTHONS) | {python.removesuffix("t") for python in FREE_THREADED_PYTHONS}
    for version in sorted(named ^ built):
        yield f"Python {version}: " + (
            "wheels are built, and no classifier names it" if version in built else "no wheel"
        )


def readme_problems(readme: str) -> Iterator[str]:
    if "not on PyPI yet" in readme:
        yield "README.md says that the package is not on PyPI yet: leave `pip install ssrjson_web` alone"


def tag_problems(version: str, *, is_tagged: bool) -> Iterator[str]:
    """A tag of this version, which must name this commit in a run for the tag, and must not exist otherwise."""
    tag = f"v{version}"
    commit = git("tag", "--list", tag) and git("rev-list", "-n", "1", tag)
    if is_tagged and commit != git("rev-parse", "HEAD"):
        yield f"the tag {tag} names {commit[:12] or 'nothing'}, not this commit"
    elif not is_tagged and commit:
        yield f"the tag {tag} exists already, for {commit[:12]}: raise the version in pyproject.toml"


def index_problems(version: str) -> Iterator[str]:
    """Whether the package index that pip uses has this version. An index that does not answer is a problem, too."""
    asked = subprocess.run(
        [sys.executable, "-m", "pip", "index", "versions", "--pre", NAME],
        capture_output=True,
        text=True,
        errors="replace",
        check=False,
    )
    yield from index_answer_problems(version, asked.stdout, asked.stderr)


def index_answer_problems(version: str, stdout: str, stderr: str) -> Iterator[str]:
    listed = re.search(r"^Available versions: (.*)$", stdout, re.MULTILINE)
    if listed is None:
        if "No matching distribution found" not in stderr or "connection" in stderr.lower():
            last = (stderr.strip().splitlines() or ["no answer"])[-1]
            yield f"the package index did not say which versions it has: {last}"
    elif version in re.split(r",\s*", listed[1]):
        yield f"the package index has {version} already: raise the version in pyproject.toml"


def problems(*, ask_index: bool, is_tagged: bool = False) -> Iterator[str]:
    """Why the newest commit cannot be released, one line each. Raises ReleaseError outside of a git checkout."""
    pyproject = (TREE / "pyproject.toml").read_text(encoding="utf-8")
    version = project_version(pyproject)
    if not is_clean():
        yield "there are uncommitted changes: commit or remove them (git status)"
    yield from version_problems(version)
    yield from changelog_problems((TREE / "CHANGELOG.md").read_text(encoding="utf-8"), version)
    yield from classifier_problems(pyproject)
    yield from readme_problems((TREE / "README.md").read_text(encoding="utf-8"))
    yield from tag_problems(version, is_tagged=is_tagged)
    if ask_index:
        yield from index_problems(version)
