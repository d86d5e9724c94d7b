"""The workflows call make targets that exist, and actions of a fixed version."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parents[2]
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
MAKEFILE = (ROOT / "Makefile").read_text(encoding="utf-8")
TARGETS = set(re.findall(r"^([a-z-]+):", MAKEFILE, re.MULTILINE))


def jobs_of(workflow: Path) -> dict[str, dict]:
    return yaml.safe_load(workflow.read_text(encoding="utf-8"))["jobs"]


def called_targets(job: dict) -> set[str]:
    """What its steps give to make. `make ${{ matrix.target }}` stands for all of the matrix."""
    called: set[str] = set()
    for step in job.get("steps", ()):
        for word in re.findall(r"^make (\S+|\$\{\{.*?\}\})", step.get("run", ""), re.MULTILINE):
            called |= in_matrix(job, "target") if word.startswith("${{") else {word}
    return called


def in_matrix(job: dict, name: str) -> set[str]:
    """The values of a variable of the job's matrix."""
    matrix = job["strategy"]["matrix"]
    return {*matrix[name], *(row[name] for row in matrix.get("include", ()) if name in row)}


def test_workflows_are_found():
    assert {workflow.name for workflow in WORKFLOWS} == {
        "tests.yml",
        "checks.yml",
        "wheels.yml",
        "release.yml",
        "releases.yml",
    }


@pytest.mark.parametrize("workflow", WORKFLOWS, ids=lambda path: path.name)
def test_workflow_calls_make_targets_that_exist(workflow):
    called = set().union(*(called_targets(job) for job in jobs_of(workflow).values()))
    assert called
    assert called - TARGETS == set()


def test_workflows_call_what_a_release_needs():
    called = {target for workflow in WORKFLOWS for job in jobs_of(workflow).values() for target in called_targets(job)}
    assert called >= {
        "test-full",
        "test-newest",
        "lint",
        "sanitize",
        "fuzz",
        "compat",
        "wheels",
        "wheels-native",
        "release-check",
        "sbom",
    }


def test_ci_run_calls_make_targets_that_exist():
    called = re.findall(r"^ *make (\S+)", (ROOT / ".ci" / "run").read_text(encoding="utf-8"), re.MULTILINE)
    assert {"test", "test-rest", "test-oldest", "test-other-pythons"} <= set(called) <= TARGETS


def test_tests_run_on_every_python_of_the_makefile():
    (pythons,) = re.findall(r"^PYTHONS \?= (.*)", MAKEFILE, re.MULTILINE)
    (tests,) = (workflow for workflow in WORKFLOWS if workflow.name == "tests.yml")
    assert {python.removesuffix("-dev") for python in in_matrix(jobs_of(tests)["all"], "python")} == set(
        pythons.split()
    )


@pytest.mark.parametrize("workflow", WORKFLOWS, ids=lambda path: path.name)
def test_workflow_uses_actions_of_a_fixed_version(workflow):
    used = re.findall(r"uses: (\S+)", workflow.read_text(encoding="utf-8"))
    assert [name for name in used if not re.search(r"@v\d+\.\d+\.\d+$", name) and not name.startswith("./")] == []


@pytest.mark.parametrize("workflow", WORKFLOWS, ids=lambda path: path.name)
def test_workflow_may_only_read_unless_a_job_says_more(workflow):
    assert yaml.safe_load(workflow.read_text(encoding="utf-8"))["permissions"] == {"contents": "read"}
