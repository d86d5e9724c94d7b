"""Compiles and links the core for systems that this machine is not: macOS, Windows, other CPUs.

Only what is for riscv64 is run, by qemu.
"""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from platforms.debian import PlatformError, fetch_root, locked
from platforms.emulator import fetch_qemu

from release.files import BUILD, TREE, ReleaseError, run, say
from release.python_files import JARS, jar_folder, linux_headers
from release.target import System, Target
from release.trial import PROGRAM
from release.wheel import cmake_settings, zig_cache

CLASSIFIERS: dict[tuple[System, str], str] = {
    ("macos", "x86_64"): "macosx-x86_64",
    ("macos", "aarch64"): "macosx-arm64",
    ("windows", "x86_64"): "windows-x86_64",
    ("windows", "aarch64"): "windows-x86_64",  # the headers are the same
}
# The first bytes of the format, and the machine's number in it.
MACHO_64 = b"\xcf\xfa\xed\xfe"
MACHO_CPU = {"x86_64": 0x01000007, "aarch64": 0x0100000C}
PE_MACHINE = {"x86_64": 0x8664, "aarch64": 0xAA64}
ELF_MACHINE = {"riscv64": 243, "loongarch64": 258}


@dataclass(frozen=True, order=True)
class OtherCPU(Target):
    """Linux on a CPU that gets no wheels: the core at its portable level."""

    @property
    def zig_target(self) -> str:
        return f"{self.machine}-linux-gnu" + (".2.27" if self.machine == "riscv64" else ".2.36")


def targets() -> list[Target]:
    systems = [Target(python, system, machine) for system, machine in CLASSIFIERS for python in ("3.13", "3.14")]
    usable = [each for each in systems if (each.version, CLASSIFIERS[each.system, each.machine]) in JARS]
    return [*usable, *(OtherCPU("3.13", "manylinux", machine) for machine in ELF_MACHINE)]


def cross_checked(patterns: Sequence[str]) -> int:
    """The exit status: 1 if one does not compile or link."""
    chosen = [each for each in targets() if not patterns or any(pattern in str(each) for pattern in patterns)]
    if not chosen:
        raise ReleaseError(f"none of {', '.join(map(str, targets()))} matches")
    n_faults = 0
    for target in chosen:
        say(f"  {target}")
        try:
            module = linked(target)
            fault = format_fault(module.read_bytes(), target)
            said = f"compiled and linked, {module.stat().st_size / 1000:.0f} KB; {ran(target, module)}"
            if fault:
                said, n_faults = f"WRONG: {fault}", n_faults + 1
        except ReleaseError as error:
            said, n_faults = f"WRONG: {error}", n_faults + 1
        print(f"{target}: {said}", flush=True)
    return int(n_faults > 0)


def linked(target: Target) -> Path:
    """The module. Raises ReleaseError."""
    folder = BUILD / "cross" / str(target)
    shutil.rmtree(folder, ignore_errors=True)
    settings = {**cmake_settings(target, include_folder(target)), **library_settings(target, folder)}
    settings["CMAKE_BUILD_TYPE"] = "Release"
    cache = {"ZIG_GLOBAL_CACHE_DIR": str(zig_cache()), "ZIG_LOCAL_CACHE_DIR": str(zig_cache())}
    log = BUILD / "logs" / f"cross-{target}.log"
    options = [f"-D{name}={value}" for name, value in settings.items()]
    run(["cmake", "-G", "Ninja", "-S", TREE, "-B", folder, *options], environment=cache, log=log)
    run(["cmake", "--build", folder], environment=cache, log=log)
    suffix = ".pyd" if target.system == "windows" else ".so"
    module = folder / f"_core.{target.soabi}{suffix}"
    if not module.is_file():
        raise ReleaseError(f"the build made no {module.name}")
    return module


def ran(target: Target, module: Path) -> str:
    """What came of running the module. Raises ReleaseError if it fails."""
    if target.machine != "riscv64":
        return "NOT RUN: there is no such machine here, and no Python for it that qemu could run"
    try:
        qemu = fetch_qemu(target.machine)
        with locked():
            root = fetch_root(
                f"{target.machine}-python{target.version}",
                suite="trixie",
                architecture=target.machine,
                packages=(f"python{target.version}",),
            )
    except PlatformError as error:
        return f"NOT RUN: {str(error).splitlines()[0]}"
    site = BUILD / "cross" / f"{target}-site"
    shutil.rmtree(site, ignore_errors=True)
    shutil.copytree(TREE / "ssrjson_web", site / "ssrjson_web", ignore=shutil.ignore_patterns("__pycache__", "*.so"))
    shutil.copy(module, site / "ssrjson_web")
    python = root / "usr" / "bin" / f"python{target.version}"
    environment = {"PYTHONPATH": str(site), "PYTHONDONTWRITEBYTECODE": "1"}
    found = run([qemu, "-L", root, python, "-s", PROGRAM, "", site], environment=environment).split()
    return f"runs by qemu on {found[0]}, {' '.join(found[1:])}"


def include_folder(target: Target) -> Path:
    classifier = CLASSIFIERS.get((target.system, target.machine))
    if classifier is None:
        return linux_headers(target)
    include = jar_folder(target.version, classifier) / "include"
    return include if target.system == "windows" else include / f"python{target.version}"


def library_settings(target: Target, folder: Path) -> dict[str, str]:
    """What else the linker needs of Python, and how zig links a module for macOS."""
    if target.system == "macos":
        return {"CMAKE_PROJECT_INCLUDE": str(Path(__file__).with_name("zig_macos.cmake"))}
    if target.system != "windows":
        return {}
    name = f"python{target.version.replace('.', '')}"
    library = jar_folder(target.version, "windows-x86_64") / "libs" / f"{name}.lib"
    if target.machine == "aarch64":
        folder.mkdir(parents=True)
        library = import_library(library, folder / f"{name}.lib", f"{name}.dll")
    return {"Python_LIBRARY": str(library)}


def import_library(other: Path, made: Path, dll: str) -> Path:
    """An import library for Windows on arm64, of the names in the one for x86-64."""
    names = sorted(
        name.removeprefix("__imp_") for name in archive_symbols(other.read_bytes()) if name.startswith("__imp_")
    )
    definitions = made.with_suffix(".def")
    # what begins with Py and is no function is data; both are taken as they are by `__imp_` names
    definitions.write_text(f"LIBRARY {dll}\nEXPORTS\n" + "".join(f"    {name}\n" for name in names), encoding="utf-8")
    import ziglang

    zig = Path(next(iter(ziglang.__path__)), "zig")
    run([zig, "dlltool", "-m", "arm64", "-d", definitions, "-l", made, "-D", dll])
    return made


def archive_symbols(data: bytes) -> list[str]:
    """The names in the index of an ar archive: its first member."""
    size = int(data[8 + 48 : 8 + 58])
    index = data[8 + 60 : 8 + 60 + size]
    count = int.from_bytes(index[:4], "big")
    return [name.decode("ascii") for name in index[4 + 4 * count :].split(b"\0") if name]


def format_fault(data: bytes, target: Target) -> str | None:
    """What is wrong with the module's format, or None. It must name PyInit__core."""
    if target.system == "macos":
        is_right = data.startswith(MACHO_64) and int.from_bytes(data[4:8], "little") == MACHO_CPU[target.machine]
    elif target.system == "windows":
        header = int.from_bytes(data[0x3C:0x40], "little")
        machine = int.from_bytes(data[header + 4 : header + 6], "little")
        is_right = data.startswith(b"MZ") and machine == PE_MACHINE[target.machine]
    else:
        is_right = data.startswith(b"\x7fELF") and int.from_bytes(data[18:20], "little") == ELF_MACHINE[target.machine]
    if not is_right:
        return f"it is no module for {target.system} on {target.machine}"
    return None if b"PyInit__core" in data else "it does not export PyInit__core"
