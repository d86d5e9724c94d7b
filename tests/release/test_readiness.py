"""What stops a release, and what a release says of itself."""

from __future__ import annotations

import hashlib
import json

import pytest

from release import __main__ as command
from release import readiness, sbom
from release.files import ReleaseError

CHANGELOG = """\
# Changelog

## [Unreleased]

## [1.2.0] - 2026-11-22

### Added

- A thing.

## [1.1.0] - 2026-10-01

- Another.
"""


def changelog_problems(text: str, version: str = "1.2.0") -> list[str]:
    return list(readiness.changelog_problems(text, version))


def test_changelog_with_a_dated_section_is_ready():
    assert changelog_problems(CHANGELOG) == []


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        ("## [1.2.0] - 2026-11-22\n", "", "has no section for it: write ## [1.2.0] - "),
        (" - 2026-11-22", "", "the section [1.2.0] has no date"),
        (" - 2026-11-22", " - 2026-13-01", "the section [1.2.0] has no date"),
        ("- A thing.\n", "", "the section [1.2.0] is empty"),
        ("## [Unreleased]\n", "", "has no section [Unreleased]"),
        ("## [Unreleased]\n", "## [Unreleased]\n\n- Later.\n", "[Unreleased] is not empty: move its lines to [1.2.0]"),
    ],
)
def test_changelog_that_is_not_ready_says_what_to_write(old, new, problem):
    (found,) = changelog_problems(CHANGELOG.replace(old, new, 1))
    assert problem in found


def test_changelog_section_of_a_longer_version_is_another():
    (found,) = changelog_problems(CHANGELOG, "1.2")
    assert "no section" in found


@pytest.mark.parametrize(("version", "n"), [("1.2.0", 0), ("1.2.0rc1", 0), ("1.2", 1), ("1.2.0.dev1", 1), ("v1.2", 1)])
def test_version_to_release_has_three_numbers(version, n):
    assert len(list(readiness.version_problems(version))) == n


def test_project_version_is_read_from_pyproject():
    assert readiness.project_version('[project]\nversion = "1.2.0"\n') == "1.2.0"
    with pytest.raises(ReleaseError, match=r"pyproject\.toml has no version"):
        readiness.project_version("[project]\n")


def test_tag_of_this_version_must_not_exist_before_and_must_be_this_commit_in_its_run(monkeypatch):
    answers = {("tag", "--list", "v1.2.0"): "v1.2.0", ("rev-list", "-n", "1", "v1.2.0"): "a" * 40}
    answers |= {("rev-parse", "HEAD"): "b" * 40, ("tag", "--list", "v1.3.0"): ""}
    monkeypatch.setattr(readiness, "git", lambda *words: answers[words])
    assert list(readiness.tag_problems("1.3.0", is_tagged=False)) == []
    (exists,) = readiness.tag_problems("1.2.0", is_tagged=False)
    assert exists == "the tag v1.2.0 exists already, for aaaaaaaaaaaa: raise the version in pyproject.toml"
    (other,) = readiness.tag_problems("1.2.0", is_tagged=True)
    assert other == "the tag v1.2.0 names aaaaaaaaaaaa, not this commit"
    (none,) = readiness.tag_problems("1.3.0", is_tagged=True)
    assert none == "the tag v1.3.0 names nothing, not this commit"
    answers["rev-parse", "HEAD"] = "a" * 40
    assert list(readiness.tag_problems("1.2.0", is_tagged=True)) == []


@pytest.mark.parametrize(
    ("stdout", "stderr", "problem"),
    [
        ("ssrjson_web (1.2.0)\nAvailable versions: 1.2.0, 1.1.0\n", "", "has 1.2.0 already"),
        ("ssrjson_web (1.2.0.1)\nAvailable versions: 1.2.0.1, 1.1.0\n", "", None),
        ("", "ERROR: No matching distribution found for ssrjson_web\n", None),
        ("", "WARNING: Retrying after connection broken\nERROR: No matching distribution found\n", "did not say which"),
        ("", "ERROR: unknown command\n", "did not say which"),
    ],
)
def test_index_that_has_the_version_or_does_not_answer_is_a_problem(stdout, stderr, problem):
    found = list(readiness.index_answer_problems("1.2.0", stdout, stderr))
    assert len(found) == (problem is not None)
    assert problem is None or problem in found[0]


def test_problems_of_a_changed_tree_come_first(monkeypatch):
    monkeypatch.setattr(readiness, "is_clean", lambda: False)
    monkeypatch.setattr(readiness, "git", lambda *words: "")
    first = next(readiness.problems(ask_index=False))
    assert first == "there are uncommitted changes: commit or remove them (git status)"


def test_classifiers_name_the_pythons_that_get_wheels():
    pyproject = (readiness.TREE / "pyproject.toml").read_text(encoding="utf-8")
    assert list(readiness.classifier_problems(pyproject)) == []
    assert list(readiness.classifier_problems(pyproject.replace('3.14"', '3.99"'))) == [
        "Python 3.14: wheels are built, and no classifier names it",
        "Python 3.99: no wheel",
    ]


def test_sums_and_bill_of_materials_have_the_hash_of_each_file(monkeypatch, tmp_path):
    wheel, sdist = tmp_path / "a-1.whl", tmp_path / "a-1.tar.gz"
    wheel.write_bytes(b"wheel")
    sdist.write_bytes(b"source")
    (tmp_path / "notes.txt").touch()
    hashes = {file.name: hashlib.sha256(file.read_bytes()).hexdigest() for file in (sdist, wheel)}
    for module in (command, sbom):
        monkeypatch.setattr(module, "DIST", tmp_path)
    command.write_sums()
    assert (tmp_path / "SHA256SUMS").read_text() == "".join(f"{digest}  {name}\n" for name, digest in hashes.items())
    monkeypatch.setattr(sbom, "BUILD", tmp_path / "build")
    monkeypatch.setattr(sbom, "git", lambda *words: "c" * 40)
    bill = json.loads(sbom.written_sbom().read_text())
    assert (bill["bomFormat"], bill["metadata"]["component"]["name"]) == ("CycloneDX", "ssrjson_web")
    assert {part["name"]: part["hashes"][0]["content"] for part in bill["components"]} == hashes
    assert {"name", "version", "purl", "type"} == set(bill["metadata"]["tools"]["components"][0])


def test_bill_of_materials_of_nothing_says_what_to_make(monkeypatch, tmp_path):
    monkeypatch.setattr(sbom, "DIST", tmp_path)
    with pytest.raises(ReleaseError, match="make wheels"):
        sbom.written_sbom()
