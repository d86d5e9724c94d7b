"""`python -m ssrjson_web doctor`: what it finds out by trying, and what it makes of it."""

from __future__ import annotations

import dataclasses
import importlib
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import ssrjson_web
from ssrjson_web.__main__ import main
from ssrjson_web._cli.doctor import Examination, examine
from ssrjson_web._cli.doctor.adapters import Framework, find_frameworks
from ssrjson_web._cli.doctor.libraries import LIBRARIES, Library, LibraryTrial, try_libraries
from ssrjson_web._cli.doctor.report import as_json, as_text
from ssrjson_web._cli.doctor.trial import KINDS, PROBE_CHARS, Span, spans_with_copies

COMMAND = [sys.executable, "-m", "ssrjson_web", "doctor"]
OURS = tuple(library for library in LIBRARIES if library.name in ("json", "ssrjson_web"))
COPY_BYTES = 3 * PROBE_CHARS + 1

NONE: list[Span] = []
ALL: list[Span] = [(2, None)]
ALL_DECODED: list[Span] = [(3, None)]

# Of the peers, as their UTF-8 handling is known: what they leave in encoded strings and in a decoded str.
LEAVING = {
    **dict.fromkeys(
        ["orjson", "msgspec", "pydantic", "blitzjson", "fastsimdjson", "oxjson", "rapidjson", "strata", "yjson"],
        (ALL, ALL_DECODED),
    ),
    "django-bolt": (ALL, NONE),
    "drf-oxide": (ALL, NONE),
    "isojson": (ALL, ALL_DECODED),
    "isojson 0.3.0": (NONE, ALL_DECODED),
    "rjson": ([(2, 255)], [(3, 4095)]),
    "rjson.dumps_str": (NONE, [(3, 4095)]),
    "ssrjson": (ALL, NONE),
}


def first_length_with_copy(library: Library) -> int:
    """The shortest string that has a copy once it is encoded, by its size: CPython counts the copy into it."""
    encode = compile(library.encode, library.name, "exec")
    for n_chars in range(2, 100):
        text = "中" * n_chars
        bytes_before = sys.getsizeof(text)
        exec(encode, {library.module: importlib.import_module(library.module), "content": {"text": text}})
        if sys.getsizeof(text) > bytes_before:
            return n_chars
    pytest.skip(f"{library.name} leaves strings of fewer than 100 characters alone on this CPU")


# ---- libraries --------------------------------------------------------------------------------


@pytest.mark.parametrize("library", LIBRARIES, ids=lambda library: library.name)
def test_trial_tells_which_strings_a_library_leaves_copies_in(library: Library) -> None:
    if not library.is_installed:
        pytest.skip(f"{library.name} is not installed")
    (trial,) = try_libraries([library])
    assert trial.failure is None
    usual = LEAVING.get(library.name, (NONE, NONE))
    encoded, decoded = LEAVING.get(f"{library.name} {trial.version}", usual)
    if library.name == "ssrjson":  # it leaves short strings alone at some levels of the CPU
        encoded = [(first_length_with_copy(library), None)]
    assert trial.encoded == {kind: [list(span) for span in encoded] for kind in KINDS}
    assert trial.decoded == ({kind: [list(span) for span in decoded] for kind in KINDS} if library.decode else {})
    assert trial.copy_bytes == (COPY_BYTES if encoded and encoded[-1][1] is None else 0)
    assert trial.leaves_copies is bool(encoded)
    assert (trial.version is None) is (library.name == "json")


@pytest.mark.parametrize(
    ("leaves", "spans"),
    [
        (lambda n: False, []),
        (lambda n: True, [(3, None)]),
        (lambda n: n < 256, [(3, 255)]),
        (lambda n: n >= 256, [(256, None)]),
        (lambda n: n == 3, [(3, 3)]),
        (lambda n: n == 1000, [(1000, None)]),
        (lambda n: 17 <= n <= 99 or n > 600, [(17, 99), (601, None)]),
        (lambda n: n not in range(40, 200), [(3, 39), (200, None)]),
    ],
)
def test_spans_are_exact_where_the_lengths_that_are_tried_differ(leaves: Callable[[int], bool], spans: Any) -> None:
    assert spans_with_copies(leaves, 3, 1000) == spans


def test_text_tells_lengths_and_where_kinds_of_text_differ(examination: Examination) -> None:
    def line(**spans: Any) -> str:
        trial = LibraryTrial(name="fake", version="1", copy_bytes=0, encoded=spans, decoded={})
        text = as_text(dataclasses.replace(examination, libraries=(trial,)))
        return next(line for line in text.splitlines() if line.startswith("  fake"))

    assert "1        below 256        -" in line(latin=[(2, 255)], emoji=[(2, 255)])
    assert "1        from 1,000       -" in line(latin=[(1000, None)])
    assert "1        17 to 99 and from 2,000  -" in line(latin=[(17, 99), (2000, None)])
    assert "1        latin: none, emoji: all lengths  -" in line(latin=[], emoji=[(2, None)])


def fake(folder: Path, monkeypatch: pytest.MonkeyPatch, code: str, *, encode: str = "fake_json.dumps(content)") -> Any:
    (folder / "fake_json.py").write_text(code)
    monkeypatch.syspath_prepend(folder)
    monkeypatch.delitem(sys.modules, "fake_json", raising=False)
    library = Library(name="fake", module="fake_json", distribution="fake-json", encode=encode)
    (trial,) = try_libraries([library], seconds=20)
    return trial


@pytest.mark.parametrize(
    ("code", "failure"),
    [
        ("raise ImportError('needs libjson.so.7')", "ImportError: needs libjson.so.7"),
        ("1 / 0", "ZeroDivisionError: division by zero"),
        ("", "AttributeError: module 'fake_json' has no attribute 'dumps'"),
        ("raise SystemExit(7)", "ended with status 7"),
        ("import os, signal; os.kill(os.getpid(), signal.SIGSEGV)", "ended by SIGSEGV"),
        ("import os; os._exit(0)", "ended without a result"),
    ],
)
def test_trial_of_a_broken_library_is_a_failure_with_its_reason(
    code: str, failure: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    trial = fake(tmp_path, monkeypatch, code)
    assert trial == LibraryTrial(name="fake", version=None, copy_bytes=None, failure=failure)
    assert not trial.leaves_copies


def test_trial_of_a_library_that_hangs_ends(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "fake_json.py").write_text("import time; time.sleep(600)")
    monkeypatch.syspath_prepend(tmp_path)
    library = Library(name="fake", module="fake_json", distribution=None, encode="pass")
    (trial,) = try_libraries([library], seconds=0.5)
    assert trial.failure == "not finished after 0.5 s"


def test_trial_is_not_misled_by_what_a_library_prints(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    code = "import sys; print('5 of 7'); sys.stderr.write('12'); dumps = repr"
    assert fake(tmp_path, monkeypatch, code).copy_bytes == 0


def test_trials_leave_out_what_is_not_installed_and_keep_the_order() -> None:
    missing = Library(name="missing", module="no_such_json", distribution="no-such-json", encode="pass")
    assert [trial.name for trial in try_libraries([OURS[1], missing, OURS[0]])] == ["ssrjson_web", "json"]


def test_trials_import_no_library_here() -> None:
    code = "import sys, ssrjson_web._cli.doctor as d; d.examine(); print(*sys.modules, sep='\\n')"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert not {"orjson", "msgspec", "pydantic", "fastapi", "django"} & set(ran.stdout.split())


# ---- frameworks -------------------------------------------------------------------------------


def test_frameworks_are_those_of_the_extras_with_an_adapter() -> None:
    root = Path(__file__).parent.parent
    extras = (root / "pyproject.toml").read_text(encoding="utf-8").partition("[project.optional-dependencies]")[2]
    extras = extras.partition("\n[")[0]
    names = {
        name
        for name in (extra.replace("-", "_") for extra in re.findall(r"^([\w-]+) = \[", extras, re.MULTILINE))
        if any((root / "ssrjson_web" / file).exists() for file in (f"{name}.py", f"{name}/__init__.py"))
    }
    assert {"fastapi", "django", "flask", "rest_framework"} <= names
    found = find_frameworks()
    assert {framework.adapter for framework in found} == {f"ssrjson_web.{name}" for name in names}
    assert all(framework.oldest for framework in found)
    assert [framework.adapter for framework in found] == sorted(framework.adapter for framework in found)


@pytest.mark.parametrize(
    ("requirement", "expected"),
    [
        ('starlette>=0.40; extra == "starlette"', ("ssrjson_web.starlette", "starlette", "0.40")),
        ("starlette>=0.40,<2; extra == 'starlette'", ("ssrjson_web.starlette", "starlette", "0.40")),
        ("starlette (>=0.40) ; extra == 'starlette'", ("ssrjson_web.starlette", "starlette", "0.40")),
        ('starlette; python_version > "3" and extra == "starlette"', ("ssrjson_web.starlette", "starlette", None)),
        (
            'djangorestframework>=3.15; extra == "rest-framework"',
            ("ssrjson_web.rest_framework", "djangorestframework", "3.15"),
        ),
    ],
)
def test_framework_of_a_requirement(requirement: str, expected: tuple[str, str, str | None]) -> None:
    (framework,) = find_frameworks([requirement])
    assert (framework.adapter, framework.package, framework.oldest) == expected


@pytest.mark.parametrize(
    "requirement", ["numpy", 'pytest>=8; extra == "test"', 'fastapi>=0.130; extra == "demo"', 'x; extra == "nothing"']
)
def test_requirement_of_no_adapter_is_no_framework(requirement: str) -> None:
    assert find_frameworks([requirement]) == ()


@pytest.mark.parametrize(
    ("installed", "oldest", "is_too_old"),
    [
        (None, "2", False),
        ("1.9", None, False),
        ("1.9", "1.10", True),
        ("1.10", "1.9", False),
        ("1.10.0rc1", "1.10", False),
        ("1.10", "1.10", False),
        ("1.9.9", "1.10.0", True),
        ("2", "2.0", False),
        ("2.0", "2", False),
        ("unknown", "2", False),
    ],
)
def test_framework_is_too_old_by_its_numbers(installed: str | None, oldest: str | None, is_too_old: bool) -> None:
    framework = Framework(adapter="ssrjson_web.x", package="x", oldest=oldest, installed=installed)
    assert framework.is_too_old is is_too_old


# ---- problems ---------------------------------------------------------------------------------


def test_examination_of_a_sound_installation_has_no_problems(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SSRJSON_ISA", raising=False)
    monkeypatch.setattr("ssrjson_web._cli.doctor.examination.find_frameworks", lambda: ())
    found = examine(OURS)
    assert found.problems == ()
    assert found.features == ssrjson_web.get_current_features()
    assert "No problems found." in as_text(found)


def test_lower_level_by_the_variable_is_a_problem_and_by_the_best_name_is_none(tmp_path: Path) -> None:
    levels = ssrjson_web.get_current_features()["levels"]
    for level in levels:
        environment = {**os.environ, "SSRJSON_ISA": level}
        ran = subprocess.run([*COMMAND, "--json"], env=environment, cwd=tmp_path, capture_output=True, text=True)
        found = json.loads(ran.stdout)
        about = [problem for problem in found["problems"] if "SSRJSON_ISA" in problem]
        assert found["features"]["level"] == found["isa_variable"] == level
        assert len(about) == (level != levels[-1])
        assert ran.returncode == bool(found["problems"])
        if about:
            assert about[0].startswith(f"SSRJSON_ISA={level} limits the core to {level}, but this CPU can run")
            assert "Unset SSRJSON_ISA" in about[0]


def test_framework_that_is_too_old_is_a_problem(monkeypatch: pytest.MonkeyPatch) -> None:
    old = Framework(adapter="ssrjson_web.starlette", package="starlette", oldest="0.40", installed="0.27.0")
    monkeypatch.setattr("ssrjson_web._cli.doctor.examination.find_frameworks", lambda: (old,))
    found = examine(OURS)
    (problem,) = (problem for problem in found.problems if "SSRJSON_ISA" not in problem)
    assert problem.startswith("ssrjson_web.starlette needs starlette 0.40 or newer, and 0.27.0 is installed: pip")
    assert "0.27.0, too old" in as_text(found)


def test_core_of_another_version_is_a_problem(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ssrjson_web._cli.doctor.examination.find_frameworks", lambda: ())
    monkeypatch.setattr("ssrjson_web._cli.doctor.examination.metadata.version", lambda _name: "0.0.1")
    problems = " ".join(examine(()).problems)
    assert f"The compiled core has version {ssrjson_web.__version__}, but the package has version 0.0.1" in problems


@pytest.mark.parametrize(
    ("trial", "words"),
    [
        (
            LibraryTrial(name="ssrjson_web", version="1", copy_bytes=None, failure="ended by SIGILL"),
            "ssrjson_web cannot encode in a new process: ended by SIGILL",
        ),
        (LibraryTrial(name="ssrjson_web", version="1", copy_bytes=9), "ssrjson_web cached a UTF-8 copy"),
        (LibraryTrial(name="orjson", version="1", copy_bytes=None, failure="ended by SIGILL"), None),
        (LibraryTrial(name="orjson", version="1", copy_bytes=9), None),
    ],
)
def test_only_our_own_trial_can_be_a_problem(
    trial: LibraryTrial, words: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("SSRJSON_ISA", raising=False)
    monkeypatch.setattr("ssrjson_web._cli.doctor.examination.find_frameworks", lambda: ())
    monkeypatch.setattr("ssrjson_web._cli.doctor.examination.try_libraries", lambda _libraries: (trial,))
    problems = examine().problems
    assert len(problems) == (words is not None)
    assert (words or "") in " ".join(problems)


# ---- reports ----------------------------------------------------------------------------------


@pytest.fixture
def examination() -> Examination:
    features = {**ssrjson_web.get_current_features(), "level": "avx2", "levels": ["portable", "avx2"]}
    return Examination(
        python="CPython 3.13.0",
        system="Linux 6 x86_64",
        features=features,  # type: ignore[arg-type]
        isa_variable=None,
        frameworks=(
            Framework(adapter="ssrjson_web.django", package="django", oldest="4.2", installed="5.2"),
            Framework(adapter="ssrjson_web.starlette", package="starlette", oldest=None, installed=None),
        ),
        libraries=(
            LibraryTrial(name="json", version=None, copy_bytes=0),
            LibraryTrial(
                name="orjson",
                version="3.13.0",
                copy_bytes=3001,
                encoded={"latin-1": ALL, "emoji": ALL},
                decoded={"latin-1": ALL_DECODED, "emoji": ALL_DECODED},
            ),
            LibraryTrial(name="msgspec", version="0.22.0", copy_bytes=3001),
            LibraryTrial(name="ujson", version="6", copy_bytes=None, failure="ended by SIGSEGV"),
        ),
        problems=(),
    )


def test_text_tells_core_frameworks_and_libraries(examination: Examination) -> None:
    text = as_text(examination)
    rows = [line.split() for line in text.splitlines()]
    assert text.startswith(f"ssrjson_web {ssrjson_web.__version__}, CPython 3.13.0, Linux 6 x86_64\n")
    assert ["level", "avx2"] in rows
    assert ["can", "run", "here", "portable,", "avx2"] in rows
    assert ["ssrjson_web.django", "django", ">=", "4.2", "5.2"] in rows
    assert ["ssrjson_web.starlette", "starlette", "any", "-"] in rows
    assert ["json", "-", "-", "-", "none"] in rows
    assert ["orjson", "3.13.0", "all", "lengths", "all", "lengths", "3,001", "bytes"] in rows
    assert "could not be tried: ended by SIGSEGV" in text
    assert "encoded with orjson or msgspec keeps its copy" in text
    assert "encoded with orjson keeps its" in as_text(
        dataclasses.replace(examination, libraries=examination.libraries[:2])
    )
    assert "its copy" not in as_text(dataclasses.replace(examination, libraries=examination.libraries[:1]))
    assert text.endswith("\nNo problems found.\n")
    assert max(map(len, text.splitlines())) <= 100


def test_text_ends_with_what_is_to_be_done(examination: Examination) -> None:
    text = as_text(dataclasses.replace(examination, isa_variable="avx2", problems=("One thing. " * 20, "Another.")))
    assert "avx2, limited by SSRJSON_ISA=avx2" in text
    assert "\n\nProblems:\n- One thing. One" in text
    assert text.endswith("\n- Another.\n")
    assert max(map(len, text.splitlines())) <= 100


def test_text_without_package_data_says_so(examination: Examination) -> None:
    assert "unknown: ssrjson_web is on the path" in as_text(dataclasses.replace(examination, frameworks=()))


def test_json_is_the_examination(examination: Examination) -> None:
    assert json.loads(as_json(examination)) == json.loads(json.dumps(dataclasses.asdict(examination)))


# ---- the command ------------------------------------------------------------------------------


def test_command_prints_the_report_and_nothing_else(tmp_path: Path) -> None:
    ran = subprocess.run(COMMAND, cwd=tmp_path, capture_output=True, text=True)
    assert ran.returncode == ("Problems:" in ran.stdout)
    assert ran.stderr == ""
    assert ran.stdout.startswith(f"ssrjson_web {ssrjson_web.__version__}, ")


def test_command_interrupted_stops_without_a_traceback(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupted() -> Any:
        raise KeyboardInterrupt

    monkeypatch.setattr("ssrjson_web._cli.doctor.command.examine", interrupted)
    assert main(["doctor"]) == 130
    assert capsys.readouterr() == ("", "Stopped.\n")


def test_command_help_tells_the_statuses(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        main(["doctor", "--help"])
    assert caught.value.code == 0
    assert "exit status: 0; 1 if something should be done" in capsys.readouterr().out


# ---- functions of frameworks ------------------------------------------------------------------


def test_function_that_is_not_known_is_a_problem(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A library that stands first on the path is another release to the new process."""
    stock = Path(importlib.import_module("marshmallow").__file__ or "").parent
    copied = shutil.copytree(stock, tmp_path / "marshmallow")
    text = (copied / "fields.py").read_text(encoding="utf-8")
    changed = text.replace("    def _validated(self, value", "    def _validated(self, value_, value=None", 1)
    assert changed != text
    (copied / "fields.py").write_text(changed, encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    frameworks = tuple(found for found in find_frameworks() if found.adapter == "ssrjson_web.marshmallow")
    monkeypatch.setattr("ssrjson_web._cli.doctor.examination.find_frameworks", lambda: frameworks)
    found = examine(OURS)
    (unknown,) = found.unknown
    assert unknown.reason == "its text is that of no known release"
    (problem,) = (problem for problem in found.problems if "SSRJSON_ISA" not in problem)
    assert re.match(r"marshmallow [\d.]+: not known is marshmallow\.fields\.\w+\._validated \(its text", problem)
    assert "Left to stock: what such fields load. Upgrade ssrjson_web" in problem
    assert json.loads(as_json(found))["unknown"][0]["name"] == unknown.name
    (copied / "fields.py").write_text(f"{text}\ndef broken(:\n", encoding="utf-8")
    (problem,) = (problem for problem in examine(OURS).problems if "SSRJSON_ISA" not in problem)
    assert problem == "ssrjson_web.marshmallow cannot be imported in a new process: SyntaxError: invalid syntax"
