"""The build backend (PEP 517): scikit-build-core, after finding a Clang to build with.

The first of these that works is used:

1. `$SSRJSON_CC`; a fault in it ends the build.
2. `$CC`, if it names a Clang; a fault in it ends the build. The name of another compiler is skipped, because
   many systems set `CC=gcc` for everyone.
3. `clang` on PATH, then `clang-30`, `clang-29` and so on.
4. The `ziglang` wheel: its `zig cc` is Clang. It is a build requirement only where nothing else was found;
   `SSRJSON_CC=zig` selects it explicitly.

On a machine that can't build, the backend stops before any large download, with one line that says what to install.

Run as a program: `check` fails on a machine that can't build, `check-python` only with a Python that is not taken,
`requires` prints the packages to install before
`pip install --no-build-isolation`, `compiler` prints the chosen compiler, `asan-runtime` the library to preload for
`make sanitize`, and `fuzzer-runtime` the libFuzzer that `make fuzz` links.
"""

from __future__ import annotations

import functools
import importlib.util
import os
import platform
import re
import shlex
import shutil
import struct
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

MIN_PYTHON = (3, 10)
MIN_CLANG = 16
MIN_APPLE_CLANG = 15  # Xcode 15, from LLVM 16

# 0.15 and older reject raw -mavx512* flags. Each release so far has changed how flags are read, so the upper bound is
# needed too.
ZIGLANG = "ziglang>=0.16,<0.18"

# Zig's own default is the CPU of the build machine.
ZIG_ARGUMENTS = ("cc", "-mcpu=baseline")

MACHINES = frozenset({"x86_64", "amd64", "aarch64", "arm64"})

# They get the level `portable` alone.
PORTABLE_MACHINES = frozenset({"riscv64", "loongarch64"})

ConfigSettings = dict[str, Any]


class CannotBuild(SystemExit):
    """Ends the build with one line on stderr and no traceback."""

    def __init__(self, message: str) -> None:
        super().__init__(f"ssrjson_web: {message}")


# Requirements of the machine


def check_python(version: tuple[int, int]) -> None:
    if version < MIN_PYTHON:
        raise CannotBuild(
            f"Python {version[0]}.{version[1]} is too old: install Python {MIN_PYTHON[0]}.{MIN_PYTHON[1]} or newer"
        )


def check_implementation(name: str) -> None:
    """`name` is that of `sys.implementation`."""
    if name != "cpython":
        raise CannotBuild(f"it takes CPython, whose objects it reads in place: install one, this is {name}")


def check_machine(machine: str, pointer_bytes: int, byte_order: str) -> None:
    if machine.lower() not in MACHINES | PORTABLE_MACHINES or pointer_bytes != 8 or byte_order != "little":
        raise CannotBuild(
            "it takes a 64-bit little-endian Python on x86-64, aarch64, riscv64 or loongarch64: "
            f"install one, this is a {pointer_bytes * 8}-bit {byte_order}-endian one on {machine or 'an unknown CPU'}"
        )


def check_headers(folders: Iterable[str], package_hint: str) -> None:
    searched = list(dict.fromkeys(folders))
    if not any(Path(folder, "Python.h").is_file() for folder in searched):
        raise CannotBuild(f"Python.h is missing from {' and '.join(searched)}: {package_hint}")


def headers_hint(version: str, os_release: str, *, from_system: bool) -> str:
    """How to install Python.h for Python `version` on the system that `os_release` (the file's text) describes."""
    if not from_system:
        return f"this Python was installed without its headers, reinstall Python {version} with them"
    ids = set(re.findall(r"[\w.-]+", " ".join(re.findall(r"^ID(?:_LIKE)?=(.*)$", os_release, re.MULTILINE))))
    if ids & {"debian", "ubuntu"}:
        return f"apt install python{version}-dev"
    if ids & {"fedora", "rhel", "centos"}:
        return f"dnf install python{version}-devel (python3-devel for the system's own Python)"
    if ids & {"suse", "opensuse"}:
        return f"zypper install python{version.replace('.', '')}-devel"
    if "alpine" in ids:
        return "apk add python3-dev"
    return f"install the development package of Python {version} (Debian: python{version}-dev, Fedora: python3-devel)"


def check_host() -> None:
    """Raise CannotBuild on a machine where the build can't succeed with any compiler."""
    check_implementation(sys.implementation.name)
    check_python(sys.version_info[:2])
    check_machine(platform.machine(), struct.calcsize("P"), sys.byteorder)
    paths = sysconfig.get_paths()
    try:
        os_release = Path("/etc/os-release").read_text(encoding="utf-8", errors="replace")
    except OSError:
        os_release = ""
    hint = headers_hint(
        f"{sys.version_info[0]}.{sys.version_info[1]}", os_release, from_system=sys.base_prefix in {"/usr", "/"}
    )
    check_headers([paths["include"], paths["platinclude"]], hint)


# Choice of the compiler


@dataclass(frozen=True)
class Probe:
    """The result of trying a compiler."""

    is_clang: bool
    fault: str | None = None  # why it can't be used; None if it can


@dataclass(frozen=True)
class Compiler:
    command: tuple[str, ...]
    origin: str  # "$SSRJSON_CC", "$CC", "PATH" or "ziglang"

    def __str__(self) -> str:
        return f"{shlex.join(self.command)} (from {self.origin})"


_PROBE_SOURCE = """\
#include <stdlib.h>
#include <string.h>
long ssrjson_probe(const char *text) { return labs((long)strlen(text)); }
"""


def probe(command: tuple[str, ...]) -> Probe:
    """Ask `command` for its predefined macros, then have it link a shared library against the C library."""
    with tempfile.TemporaryDirectory(prefix="ssrjson-probe-") as folder:
        source = Path(folder, "probe.c")
        source.write_text(_PROBE_SOURCE, encoding="utf-8")

        def run(*arguments: str) -> subprocess.CompletedProcess[str]:
            return subprocess.run(
                [*command, *arguments, str(source)],
                stdin=subprocess.DEVNULL,
                capture_output=True,
                text=True,
                errors="replace",
                cwd=folder,
                timeout=120,
                check=False,
            )

        try:
            listed = run("-dM", "-E")
            found = dict(re.findall(r"^#define (\w+) (.*)$", listed.stdout, re.MULTILINE))
            if "__clang__" not in found:
                return Probe(is_clang=False, fault="is not Clang")
            if fault := version_fault(found):
                return Probe(is_clang=True, fault=fault)
            # all code is position-independent on Windows, and Clang refuses the option there
            linked = run("-O2", "-shared", *([] if os.name == "nt" else ["-fPIC"]), "-o", str(Path(folder, "probe.so")))
        except FileNotFoundError:
            return Probe(is_clang=False, fault="is not there")
        except (OSError, subprocess.TimeoutExpired) as error:
            return Probe(is_clang=False, fault=f"does not run ({error})")
    if linked.returncode != 0:
        complaint = next((line for line in linked.stderr.splitlines() if "error" in line), "no message")
        return Probe(is_clang=True, fault=f"can't build a shared library ({complaint.strip()})")
    return Probe(is_clang=True)


def version_fault(macros: Mapping[str, str]) -> str | None:
    """Why a Clang with these predefined macros is too old, or None."""
    version = int(macros.get("__clang_major__", "0"))
    if "__apple_build_version__" in macros:
        return None if version >= MIN_APPLE_CLANG else f"is Apple Clang {version}, too old"
    return None if version >= MIN_CLANG else f"is Clang {version}, too old"


def clang_names(names: Iterable[str]) -> list[str]:
    """The names of Clang among `names`, in the order of trial: the plain name, then newest first."""
    versions = {name: found[1] for name in names if (found := re.fullmatch(r"clang(?:-(\d+))?(?:\.exe)?", name))}
    return sorted(versions, key=lambda name: (versions[name] is not None, -int(versions[name] or 0)))


def names_on_path(path: str) -> set[str]:
    names: set[str] = set()
    for folder in path.split(os.pathsep):
        try:
            names.update(entry.name for entry in Path(folder).iterdir())
        except OSError:
            continue
    return names


def choose_clang(
    environment: Mapping[str, str],
    *,
    probe: Callable[[tuple[str, ...]], Probe] = probe,
    note: Callable[[str], None] = lambda _: None,
) -> Compiler | None:
    """The Clang to build with, or None if the `ziglang` wheel is needed.

    Raises CannotBuild if an explicitly named one can't be used; `note` is called with what was skipped, and why.
    """
    advice = f"install Clang {MIN_CLANG} or newer (Debian, Ubuntu: apt install clang-19), or unset"
    for variable in ("SSRJSON_CC", "CC"):
        value = environment.get(variable, "").strip()
        if not value:
            continue
        if variable == "SSRJSON_CC" and value == "zig":
            return None
        try:
            command = tuple(shlex.split(value))
        except ValueError as error:
            raise CannotBuild(f"{variable}={value} can't be read as a command ({error})") from None
        found = probe(command)
        if found.fault is None:
            return Compiler(command, f"${variable}")
        if variable == "SSRJSON_CC" or found.is_clang or "clang" in Path(command[0]).name:
            raise CannotBuild(f"{variable}={value} {found.fault}: {advice} {variable}")
        note(f"CC={value} {found.fault}: skipped")

    path = environment.get("PATH", os.defpath)
    for name in clang_names(names_on_path(path)):
        program = shutil.which(name, path=path)
        if program is None:
            continue
        found = probe((program,))
        if found.fault is None:
            return Compiler((program,), "PATH")
        note(f"{program} {found.fault}: skipped")
    return None


def requirements(base: Iterable[str], compiler: Compiler | None) -> list[str]:
    return [*base, *([] if compiler else [ZIGLANG])]


def note(message: str) -> None:
    print(f"ssrjson_web: {message}", file=sys.stderr, flush=True)


@functools.cache
def this_machines_clang() -> Compiler | None:
    check_host()
    if os.name == "nt":
        os.environ.setdefault("CMAKE_GENERATOR", "Ninja")  # that of Visual Studio ignores the compiler's name
    return choose_clang(os.environ, note=note)


# zig cc


def zig_compiler() -> Compiler:
    """`zig cc` from the installed `ziglang` wheel."""
    advice = f"install Clang {MIN_CLANG} or newer (Debian, Ubuntu: apt install clang-19), or pip install '{ZIGLANG}'"
    try:
        import ziglang
    except ImportError:
        raise CannotBuild(f"there is no usable Clang on PATH and no ziglang wheel: {advice}") from None
    zig = Path(next(iter(ziglang.__path__)), "zig.exe" if os.name == "nt" else "zig")
    command = (str(zig), *ZIG_ARGUMENTS)
    os.environ.update(zig_cache_environment(os.environ))
    if fault := probe(command).fault:
        raise CannotBuild(f"{zig} {fault}: {advice}")
    return Compiler(command, "ziglang")


def zig_cache_environment(environment: Mapping[str, str]) -> dict[str, str]:
    """Environment variables that give zig a writable cache, also for a user without a home."""
    if os.name == "nt" or environment.get("ZIG_GLOBAL_CACHE_DIR"):
        return {}
    cache = Path(environment.get("XDG_CACHE_HOME") or Path(environment.get("HOME") or "/nonexistent", ".cache"), "zig")
    try:
        cache.mkdir(parents=True, exist_ok=True)
        writable = os.access(cache, os.W_OK)
    except OSError:
        writable = False
    if writable:
        return {}
    return {"ZIG_GLOBAL_CACHE_DIR": str(Path(tempfile.gettempdir(), f"ssrjson-zig-cache-{os.getuid()}"))}


# The hooks of PEP 517 and PEP 660


def with_compiler(settings: ConfigSettings | None) -> dict[str, Any]:
    """`settings` with CMAKE_C_COMPILER, unless they already have one."""
    completed = dict(settings or {})
    if "cmake.define.CMAKE_C_COMPILER" not in completed:
        compiler = this_machines_clang() or zig_compiler()
        note(f"building with {compiler}")
        completed["cmake.define.CMAKE_C_COMPILER"] = ";".join(compiler.command)
        if build_folder := completed.get("build-dir"):
            forget_other_compiler(Path(build_folder), compiler)
    return completed


def forget_other_compiler(build_folder: Path, compiler: Compiler) -> None:
    """Empty a kept build folder that was configured for another compiler.

    CMake would configure it again, but without the compiler's arguments and with every option at its default.
    """
    record = build_folder / "compiler.txt"
    command = shlex.join(compiler.command)
    if build_folder.is_dir() and not (record.is_file() and record.read_text(encoding="utf-8") == command):
        shutil.rmtree(build_folder)
    build_folder.mkdir(parents=True, exist_ok=True)
    record.write_text(command, encoding="utf-8")


def set_django_ninja_aside() -> None:
    """Keep scikit-build-core from importing Django Ninja, which has the build tool's module name, `ninja`.

    Without Django's settings it cannot be imported.
    """
    spec = importlib.util.find_spec("ninja")
    places = spec.submodule_search_locations if spec is not None else None
    if any(Path(place, "operation.py").is_file() for place in places or ()):
        sys.modules["ninja"] = None  # type: ignore[assignment]  # an import is an ImportError then
        # the tool, if its wheel is in this environment too
        os.environ["PATH"] = os.pathsep.join([os.environ.get("PATH", os.defpath), sysconfig.get_path("scripts")])


def get_requires_for_build_wheel(config_settings: ConfigSettings | None = None) -> list[str]:
    compiler = this_machines_clang()
    set_django_ninja_aside()
    from scikit_build_core import build

    return requirements(build.get_requires_for_build_wheel(config_settings), compiler)


def get_requires_for_build_editable(config_settings: ConfigSettings | None = None) -> list[str]:
    compiler = this_machines_clang()
    set_django_ninja_aside()
    from scikit_build_core import build

    return requirements(build.get_requires_for_build_editable(config_settings), compiler)


def get_requires_for_build_sdist(config_settings: ConfigSettings | None = None) -> list[str]:
    set_django_ninja_aside()
    from scikit_build_core import build

    return build.get_requires_for_build_sdist(config_settings)


def prepare_metadata_for_build_wheel(metadata_directory: str, config_settings: ConfigSettings | None = None) -> str:
    set_django_ninja_aside()
    from scikit_build_core import build

    return build.prepare_metadata_for_build_wheel(metadata_directory, config_settings)


def prepare_metadata_for_build_editable(metadata_directory: str, config_settings: ConfigSettings | None = None) -> str:
    set_django_ninja_aside()
    from scikit_build_core import build

    return build.prepare_metadata_for_build_editable(metadata_directory, config_settings)


def build_sdist(sdist_directory: str, config_settings: ConfigSettings | None = None) -> str:
    set_django_ninja_aside()
    from scikit_build_core import build

    return build.build_sdist(sdist_directory, config_settings)


def build_wheel(
    wheel_directory: str, config_settings: ConfigSettings | None = None, metadata_directory: str | None = None
) -> str:
    settings = with_compiler(config_settings)
    set_django_ninja_aside()
    from scikit_build_core import build

    return build.build_wheel(wheel_directory, settings, metadata_directory)


def build_editable(
    wheel_directory: str, config_settings: ConfigSettings | None = None, metadata_directory: str | None = None
) -> str:
    settings = with_compiler(config_settings)
    set_django_ninja_aside()
    from scikit_build_core import build

    return build.build_editable(wheel_directory, settings, metadata_directory)


def clang_runtime(library: str, suffix: str, what: str) -> str:
    """The path of one of the libraries that come with Clang; `what` names it in the error if there is none."""
    advice = "sanitizers need a Clang with compiler-rt (Debian, Ubuntu: apt install clang-19 libclang-rt-19-dev)"
    compiler = this_machines_clang()
    if compiler is None:
        raise CannotBuild(f"there is no usable Clang on PATH: {advice}")
    for name in (f"libclang_rt.{library}{suffix}", f"libclang_rt.{library}-{platform.machine()}{suffix}"):
        # Clang prints a path, or only the name if it has no such file.
        path = subprocess.check_output([*compiler.command, f"-print-file-name={name}"], text=True).strip()
        if Path(path).is_absolute() and Path(path).is_file():
            return path
    raise CannotBuild(f"{compiler} has no {what}: {advice}")


def asan_runtime() -> str:
    """The shared library that must be loaded before an interpreter that imports a build with AddressSanitizer."""
    return clang_runtime("asan", ".so", "AddressSanitizer")


def fuzzer_runtime() -> str:
    """The archive of libFuzzer that leaves the main function to the program: Python here."""
    return clang_runtime("fuzzer_no_main", ".a", "libFuzzer")


def main(arguments: list[str]) -> None:
    if arguments == ["check"]:
        if this_machines_clang() is None:
            note("building with the Clang in the ziglang wheel, a download of about 100 MB, once")
    elif arguments == ["check-python"]:
        check_implementation(sys.implementation.name)
        check_python(sys.version_info[:2])
    elif arguments == ["requires"]:
        print(*get_requires_for_build_editable(), sep="\n")
    elif arguments == ["compiler"]:
        print(shlex.join((this_machines_clang() or zig_compiler()).command))
    elif arguments == ["asan-runtime"]:
        print(asan_runtime())
    elif arguments == ["fuzzer-runtime"]:
        print(fuzzer_runtime())
    else:
        raise SystemExit(
            "usage: ssrjson_build.py check | check-python | requires | compiler | asan-runtime | fuzzer-runtime"
        )


if __name__ == "__main__":
    main(sys.argv[1:])
