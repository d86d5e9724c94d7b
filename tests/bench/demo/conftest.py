"""Invented results, for the tests of reports."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from helpers.demo_results import make_preload, make_run

from bench.demo.results import Failure, Options, Results, Run, describe_demo_machine, package_versions


@pytest.fixture
def make_results() -> Callable[..., Results]:
    """Makes results like those of a whole run, with any part replaced."""

    def make(
        *,
        runs: tuple[Run, ...] = (
            make_run("json", growth_mb=0.1),
            make_run("orjson", growth_mb=26.5),
            make_run("msgspec", growth_mb=26.4),
            make_run("pydantic", growth_mb=26.3),
            make_run("ssrjson_web", growth_mb=0.0),
        ),
        control: tuple[Run, ...] = (
            make_run("orjson", growth_mb=0.1, script="ascii"),
            make_run("ssrjson_web", growth_mb=0.0, script="ascii"),
        ),
        preload: tuple[Run, ...] = (
            make_preload("json", growth_mb=62.8),
            make_preload("orjson", growth_mb=86.9),
            make_preload("ssrjson_web", growth_mb=4.9),
        ),
        failures: tuple[Failure, ...] = (),
        python: str = "CPython 3.11.7",
    ) -> Results:
        return Results(
            options=Options(out=Path("demo-out")),
            machine={**describe_demo_machine(command=["python", "-m", "bench", "demo"]), "python": python},
            versions=package_versions(),
            runs=runs,
            control=control,
            preload=preload,
            failures=failures,
        )

    return make


@pytest.fixture
def without_picture(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leaves the picture out: it takes longer than all other reports."""
    monkeypatch.setitem(sys.modules, "matplotlib", None)


@pytest.fixture
def unpaced(monkeypatch: pytest.MonkeyPatch) -> None:
    """Makes a sweep run as fast as the server answers, so that a generous time limit costs no time."""
    monkeypatch.setattr("bench.demo.sweep._PACED_SHARE", 0.0)
