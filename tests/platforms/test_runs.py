"""The runs under qemu: which files, what counts as passed, what a CPU must give. None is started here."""

from __future__ import annotations

from pathlib import Path

import pytest

from platforms import __main__ as command
from platforms import arm64, cpus, debian, neon


def test_selection_has_files_that_exist_and_comes_first() -> None:
    selected = neon.chosen_files([], is_all=False)
    everything = neon.chosen_files([], is_all=True)
    assert all((arm64.TREE / file).exists() for file in everything)
    assert everything[: len(selected)] == selected
    assert len(everything) == len(set(everything)) == len(list((arm64.TREE / neon.TESTS).rglob("test_*.py")))


def test_tests_left_out_exist_and_have_a_reason() -> None:
    for test, reason in neon.LEFT_OUT.items():
        file, _, name = test.partition("::")
        assert f"def {name.partition('[')[0]}(" in (arm64.TREE / file).read_text("utf-8")
        assert "qemu" in reason


@pytest.mark.parametrize(("status", "is_good"), [(0, True), (5, True), (1, False), (2, False), (-11, False)])
def test_result_is_good_where_no_test_failed(tmp_path: Path, status: int, is_good: bool) -> None:
    log = tmp_path / "log"
    log.write_text("FAILED tests/core/test_a.py::test_b\n1 failed in 2 s\n")
    result = neon.Result(file="a", status=status, seconds=1, summary="1 failed", log=log)
    assert result.is_good is is_good
    shown = [f"a: 1 failed (log: {log})", "  FAILED tests/core/test_a.py::test_b"]
    assert neon.failures([result]) == ([] if is_good else shown)


def test_file_that_does_not_exist_is_an_error(tmp_path: Path) -> None:
    machine = arm64.Arm64(python=tmp_path, paths=())
    with pytest.raises(debian.PlatformError, match=r"^tests/core/test_absent.py does not exist$"):
        neon.run_files(machine, ["tests/core/test_absent.py"], [], jobs=1)


@pytest.mark.parametrize(
    ("printed", "is_good", "shown"),
    [
        ("sse4.2 abc\n", True, "Nehalem          sse4.2     outcomes as here, 2 s"),
        ("portable abc\n", False, "Nehalem          portable, NOT sse4.2 outcomes as here, 2 s"),
        ("sse4.2 abd\n", False, "Nehalem          sse4.2     OUTCOMES DIFFER, 2 s"),
    ],
)
def test_verdict_on_a_cpu(printed: str, is_good: bool, shown: str) -> None:
    verdict = cpus.judge("Nehalem", "sse4.2", printed, "abc", 2)
    assert (verdict.is_good, str(verdict)) == (is_good, shown)


def test_verdict_on_a_cpu_that_printed_nothing_is_an_error() -> None:
    with pytest.raises(debian.PlatformError, match=r"^Nehalem: no digest in ''$"):
        cpus.judge("Nehalem", "sse4.2", "", "abc", 2)


@pytest.mark.parametrize(
    ("error", "words", "status"),
    [
        (debian.UnavailableError("no mirror\n  more"), ["--if-possible"], 0),
        (debian.UnavailableError("no mirror"), [], 2),
        (debian.PlatformError("the build failed"), ["--if-possible"], 2),
    ],
)
def test_what_cannot_be_fetched_is_skipped_only_where_that_is_allowed(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    error: debian.PlatformError,
    words: list[str],
    status: int,
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise error

    monkeypatch.setattr(command, "run_cpus", fail)
    assert command.main(["cpus", *words]) == status
    shown = capsys.readouterr()
    assert (shown.out, shown.err) == (
        ("test-cpus: skipped, no mirror\n", "") if status == 0 else ("", f"error: {error}\n")
    )


def test_cpu_that_is_unknown_is_an_error(capsys: pytest.CaptureFixture[str]) -> None:
    assert command.main(["cpus", "core3"]) == 2
    assert "core3 is not among the CPUs core2duo" in capsys.readouterr().err
