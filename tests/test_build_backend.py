"""The build backend's decisions: which compiler, which requirements, which one line where there can be no build."""

from __future__ import annotations

import importlib.util
import os
import stat
import subprocess
import sys
import tarfile
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parents[1]
BACKEND = ROOT / "build_backend" / "ssrjson_build.py"


def load_backend() -> ModuleType:
    spec = importlib.util.spec_from_file_location("ssrjson_build", BACKEND)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # dataclasses look their module up
    spec.loader.exec_module(module)
    return module


backend = load_backend()


def install_compiler(folder: Path, name: str, *, macros: str = "", links: bool = True) -> Path:
    """A shell script that answers -dM with `macros`, and everything else with success or a linker's complaint."""
    folder.mkdir(exist_ok=True)
    program = folder / name
    answer = "exit 0" if links else "echo 'clang: error: unable to find a linker' >&2; exit 1"
    program.write_text(f"#!/bin/sh\ncase \"$*\" in *-dM*) printf '{macros}'; exit 0 ;; esac\n{answer}\n")
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    return program


def clang_macros(version: int, *, apple: bool = False) -> str:
    return (
        f"#define __clang__ 1\\n#define __clang_major__ {version}\\n"
        f"{'#define __apple_build_version__ 1' if apple else ''}\\n"
    )


def choose(*, notes: list[str] | None = None, **environment: str):
    return backend.choose_clang(environment, note=(notes if notes is not None else []).append)


def test_choose_clang_with_nothing_on_path_leaves_it_to_ziglang(tmp_path):
    assert choose(PATH=str(tmp_path)) is None


def test_choose_clang_prefers_the_plain_name_then_the_newest(tmp_path):
    for version in (17, 9, 20):
        install_compiler(tmp_path, f"clang-{version}", macros=clang_macros(version))
    assert choose(PATH=str(tmp_path)) == backend.Compiler((str(tmp_path / "clang-20"),), "PATH")
    install_compiler(tmp_path, "clang", macros=clang_macros(18))
    assert choose(PATH=str(tmp_path)) == backend.Compiler((str(tmp_path / "clang"),), "PATH")


def test_choose_clang_passes_over_an_old_one_on_path_and_says_so(tmp_path):
    old = install_compiler(tmp_path, "clang", macros=clang_macros(backend.MIN_CLANG - 1))
    notes: list[str] = []
    assert choose(PATH=str(tmp_path), notes=notes) is None
    assert notes == [f"{old} is Clang {backend.MIN_CLANG - 1}, too old: skipped"]
    new = install_compiler(tmp_path, "clang-16", macros=clang_macros(16))
    assert choose(PATH=str(tmp_path)).command == (str(new),)


def test_choose_clang_passes_over_one_that_cannot_link(tmp_path):
    install_compiler(tmp_path, "clang", macros=clang_macros(19), links=False)
    notes: list[str] = []
    assert choose(PATH=str(tmp_path), notes=notes) is None
    assert "unable to find a linker" in notes[0]


def test_choose_clang_searches_every_folder_of_path(tmp_path):
    install_compiler(tmp_path / "first", "gcc")
    clang = install_compiler(tmp_path / "second", "clang-18", macros=clang_macros(18))
    path = os.pathsep.join([str(tmp_path / "missing"), str(tmp_path / "first"), str(tmp_path / "second")])
    assert choose(PATH=path).command == (str(clang),)


@pytest.mark.parametrize(
    ("apple", "version", "is_good"), [(False, 15, False), (False, 16, True), (True, 14, False), (True, 15, True)]
)
def test_version_fault_knows_apples_numbering(apple, version, is_good):
    macros = {"__clang__": "1", "__clang_major__": str(version)}
    if apple:
        macros["__apple_build_version__"] = "15000040"
    assert (backend.version_fault(macros) is None) is is_good


def test_cc_that_is_clang_wins_over_path(tmp_path):
    install_compiler(tmp_path, "clang", macros=clang_macros(19))
    named = install_compiler(tmp_path / "named", "mine", macros=clang_macros(17))
    chosen = choose(PATH=str(tmp_path), CC=f"{named} -pipe")
    assert chosen == backend.Compiler((str(named), "-pipe"), "$CC")


def test_ssrjson_cc_wins_over_cc(tmp_path):
    first = install_compiler(tmp_path, "first", macros=clang_macros(17))
    second = install_compiler(tmp_path, "second", macros=clang_macros(19))
    assert choose(PATH="", CC=str(second), SSRJSON_CC=str(first)).origin == "$SSRJSON_CC"


def test_ssrjson_cc_zig_asks_for_the_wheel_although_there_is_a_clang(tmp_path):
    install_compiler(tmp_path, "clang", macros=clang_macros(19))
    assert choose(PATH=str(tmp_path), SSRJSON_CC="zig") is None


def test_cc_of_another_compiler_is_passed_over(tmp_path):
    gcc = install_compiler(tmp_path, "gcc", macros="#define __GNUC__ 12\\n")
    clang = install_compiler(tmp_path, "clang", macros=clang_macros(19))
    notes: list[str] = []
    assert choose(PATH=str(tmp_path), CC=str(gcc), notes=notes).command == (str(clang),)
    assert notes == [f"CC={gcc} is not Clang: skipped"]


@pytest.mark.parametrize("variable", ["CC", "SSRJSON_CC"])
def test_old_clang_named_explicitly_is_one_line(tmp_path, variable):
    old = install_compiler(tmp_path, "clang-14", macros=clang_macros(14))
    with pytest.raises(backend.CannotBuild) as caught:
        choose(PATH=str(tmp_path), **{variable: str(old)})
    assert str(caught.value) == (
        f"ssrjson_web: {variable}={old} is Clang 14, too old: install Clang 16 or newer "
        f"(Debian, Ubuntu: apt install clang-19), or unset {variable}"
    )


@pytest.mark.parametrize(
    ("variable", "value", "complaint"),
    [
        ("SSRJSON_CC", "/nowhere/clang", "is not there"),
        ("CC", "/nowhere/clang-17", "is not there"),
        ("SSRJSON_CC", "true", "is not Clang"),
        ("SSRJSON_CC", "clang 'half", "can't be read as a command"),
    ],
)
def test_unusable_compiler_named_explicitly_is_one_line(variable, value, complaint):
    with pytest.raises(backend.CannotBuild) as caught:
        choose(PATH=os.defpath, **{variable: value})
    assert complaint in str(caught.value)
    assert "\n" not in str(caught.value)


def test_requirements_add_ziglang_only_without_clang():
    assert backend.requirements(["ninja"], backend.Compiler(("clang",), "PATH")) == ["ninja"]
    assert backend.requirements(["ninja"], None) == ["ninja", backend.ZIGLANG]


@pytest.mark.parametrize("machine", ["x86_64", "AMD64", "aarch64", "arm64", "ARM64", "riscv64", "loongarch64"])
def test_machine_that_is_supported_passes(machine):
    backend.check_machine(machine, 8, "little")


@pytest.mark.parametrize(
    ("machine", "pointer_bytes", "byte_order"),
    [("i686", 4, "little"), ("x86_64", 4, "little"), ("s390x", 8, "big"), ("riscv32", 4, "little"), ("", 8, "little")],
)
def test_machine_that_is_not_supported_is_one_line(machine, pointer_bytes, byte_order):
    with pytest.raises(backend.CannotBuild) as caught:
        backend.check_machine(machine, pointer_bytes, byte_order)
    assert "x86-64, aarch64, riscv64 or loongarch64" in str(caught.value)
    assert f"{pointer_bytes * 8}-bit {byte_order}-endian" in str(caught.value)
    assert "\n" not in str(caught.value)


def test_implementation_other_than_cpython_is_one_line():
    backend.check_implementation("cpython")
    with pytest.raises(backend.CannotBuild) as caught:
        backend.check_implementation("pypy")
    message = "it takes CPython, whose objects it reads in place: install one, this is pypy"
    assert str(caught.value) == f"ssrjson_web: {message}"


def test_check_host_refuses_another_implementation_before_it_looks_for_a_compiler(monkeypatch):
    monkeypatch.setattr(sys.implementation, "name", "graalpy")
    with pytest.raises(backend.CannotBuild, match="this is graalpy"):
        backend.check_host()


def test_python_that_is_too_old_is_one_line():
    with pytest.raises(backend.CannotBuild, match=r"Python 3\.9 is too old: install Python 3\.10 or newer"):
        backend.check_python((3, 9))


def test_headers_in_either_folder_pass(tmp_path):
    (tmp_path / "Python.h").touch()
    backend.check_headers(["/nowhere", str(tmp_path)], "")


def test_headers_that_are_missing_name_the_folder_once_and_the_package():
    with pytest.raises(backend.CannotBuild) as caught:
        backend.check_headers(["/nowhere", "/nowhere"], "apt install python3.11-dev")
    assert str(caught.value) == "ssrjson_web: Python.h is missing from /nowhere: apt install python3.11-dev"


@pytest.mark.parametrize(
    ("os_release", "command"),
    [
        ('NAME="Debian GNU/Linux"\nID=debian\n', "apt install python3.12-dev"),
        ('ID=linuxmint\nID_LIKE="ubuntu debian"\n', "apt install python3.12-dev"),
        ('ID="rocky"\nID_LIKE="rhel centos fedora"\n', "dnf install python3.12-devel"),
        ("ID=alpine\n", "apk add python3-dev"),
        ('ID="opensuse-leap"\nID_LIKE="suse opensuse"\n', "zypper install python312-devel"),
        ("", "install the development package of Python 3.12"),
    ],
)
def test_headers_hint_speaks_the_systems_language(os_release, command):
    assert backend.headers_hint("3.12", os_release, from_system=True).startswith(command)


def test_headers_hint_for_a_python_of_the_users_own_names_no_package():
    hint = backend.headers_hint("3.12", "ID=debian\n", from_system=False)
    assert "reinstall Python 3.12" in hint
    assert "apt" not in hint


def test_zig_cache_without_a_writable_home_goes_to_the_temporary_folder(tmp_path):
    writable = {"HOME": str(tmp_path)}
    assert backend.zig_cache_environment(writable) == {}
    occupied = tmp_path / "file"
    occupied.touch()
    moved = backend.zig_cache_environment({"HOME": str(occupied)})
    assert "zig-cache" in moved["ZIG_GLOBAL_CACHE_DIR"]
    assert backend.zig_cache_environment({"HOME": str(occupied), "ZIG_GLOBAL_CACHE_DIR": "/x"}) == {}


def test_build_folder_is_emptied_only_when_the_compiler_changes(tmp_path):
    folder = tmp_path / "build"
    first, second = backend.Compiler(("clang-18",), "PATH"), backend.Compiler(("zig", "cc"), "ziglang")
    backend.forget_other_compiler(folder, first)
    (folder / "CMakeCache.txt").touch()
    backend.forget_other_compiler(folder, first)
    assert (folder / "CMakeCache.txt").exists()
    backend.forget_other_compiler(folder, second)
    assert not (folder / "CMakeCache.txt").exists()


def run_backend(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    kept = {name: value for name, value in os.environ.items() if name not in {"CC", "SSRJSON_CC"}}
    return subprocess.run(
        [sys.executable, str(BACKEND), *arguments],
        env=kept | environment,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


def test_backend_as_a_program_ends_with_one_line_and_no_traceback():
    refused = run_backend("requires", SSRJSON_CC="/nowhere/clang")
    assert refused.returncode == 1
    assert refused.stdout == ""
    assert refused.stderr.count("\n") == 1
    assert "SSRJSON_CC=/nowhere/clang is not there" in refused.stderr


def test_backend_requires_ziglang_where_path_has_no_clang(tmp_path):
    pytest.importorskip("scikit_build_core", reason="the backend's other requirements come from it")
    listed = run_backend("requires", PATH=str(tmp_path))
    assert listed.returncode == 0, listed.stderr
    assert backend.ZIGLANG in listed.stdout.splitlines()


@pytest.mark.full
def test_sdist_carries_everything_that_the_build_reads(tmp_path):
    pytest.importorskip("scikit_build_core", reason="it makes the sdist")
    script = (
        f"import sys; sys.path.insert(0, 'build_backend'); import ssrjson_build as b; b.build_sdist({str(tmp_path)!r})"
    )
    subprocess.run([sys.executable, "-c", script], cwd=ROOT, check=True, capture_output=True, timeout=120)
    (archive,) = tmp_path.glob("*.tar.gz")
    with tarfile.open(archive) as opened:
        carried = {Path(*Path(name).parts[1:]) for name in opened.getnames()}
    sources = [path for path in (ROOT / "core").rglob("*") if path.suffix in {".c", ".h"}]
    package = [path for path in (ROOT / "ssrjson_web").rglob("*") if path.suffix in {".py", ".pyi", ".typed"}]
    top = [ROOT / name for name in ("CMakeLists.txt", "pyproject.toml", "README.md", "LICENSE")]
    needed = {path.relative_to(ROOT) for path in [*sources, *package, *top, BACKEND]}
    assert needed <= carried
    assert not [
        path for path in carried if path.suffix == ".so" or path.parts[0].startswith((".venv", "build/", "dist"))
    ]


def test_django_ninja_beside_the_build_tools_is_not_taken_for_ninja(tmp_path):
    package = tmp_path / "ninja"
    package.mkdir()
    (package / "__init__.py").write_text("raise RuntimeError('needs settings')\n")
    (package / "operation.py").write_text("")
    program = (
        "import os, sys, sysconfig; import ssrjson_build\n"
        "ssrjson_build.set_django_ninja_aside()\n"
        "from scikit_build_core.program_search import get_ninja_programs\n"
        "programs = [str(program.path) for program in get_ninja_programs()]\n"
        f"assert not any({str(package)!r} in program for program in programs), programs\n"
        "assert sysconfig.get_path('scripts') in os.environ['PATH'].split(os.pathsep)\n"
        "print(sys.modules['ninja'])\n"
    )
    path = os.pathsep.join([str(tmp_path), str(BACKEND.parent)])
    done = subprocess.run(
        [sys.executable, "-c", program],
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert (done.stdout, done.returncode) == ("None\n", 0), done.stderr


def test_clang_without_a_runtime_library_is_refused_with_the_package_to_install(monkeypatch):
    monkeypatch.setattr(backend, "this_machines_clang", lambda: None)
    with pytest.raises(backend.CannotBuild, match="apt install clang-19 libclang-rt-19-dev"):
        backend.fuzzer_runtime()
    monkeypatch.setattr(backend, "this_machines_clang", lambda: backend.Compiler(("clang",), "PATH"))
    monkeypatch.setattr(backend.subprocess, "check_output", lambda command, text: "libclang_rt.fuzzer_no_main.a\n")
    with pytest.raises(backend.CannotBuild, match=r"clang .* has no libFuzzer: .*libclang-rt-19-dev"):
        backend.fuzzer_runtime()
