"""Builds one wheel with zig, as if for another machine: nothing of this one gets in."""

from __future__ import annotations

import shutil
from pathlib import Path

from release.files import BUILD, TOOLS, ReleaseError, run
from release.packing import pack_tightly
from release.python_files import linux_headers
from release.source import Source
from release.target import Target


def zig_compiler(target: Target) -> str:
    """The value of CMAKE_C_COMPILER."""
    import ziglang

    zig = Path(next(iter(ziglang.__path__)), "zig")
    return ";".join([str(zig), "cc", "-target", target.zig_target, "-mcpu=baseline"])


def cmake_settings(target: Target, include: Path) -> dict[str, str]:
    settings = {
        "CMAKE_SYSTEM_NAME": target.cmake_system,
        "CMAKE_SYSTEM_PROCESSOR": target.machine,
        "CMAKE_C_COMPILER": zig_compiler(target),
        "Python_INCLUDE_DIR": str(include),
        "SKBUILD_SOABI": target.soabi,
    }
    if target.is_free_threaded:
        settings["Python_FIND_ABI"] = "ANY;ANY;ANY;ON"  # otherwise CMake passes by headers of such a Python
    if target.cmake_system == "Linux":
        settings["SSRJSON_UNWIND_TABLES"] = "OFF"
        settings["CMAKE_MODULE_LINKER_FLAGS"] = "-s"  # the strip of this machine may not know the other's files
    return settings


def built(target: Target, source: Source, work: Path, cache: Path) -> Path:
    """The wheel, in `work`/wheels. Raises ReleaseError. `cache` is zig's, which holds the C libraries it made."""
    settings = cmake_settings(target, linux_headers(target))
    build_folder = work / "cmake" / str(target)
    shutil.rmtree(build_folder, ignore_errors=True)
    wheels = work / "wheels"
    wheels.mkdir(parents=True, exist_ok=True)
    before = set(wheels.glob("*.whl"))
    options = [
        *(f"-Cwheel.tags={tag}" for tag in target.tags),
        *(f"-Ccmake.define.{name}={value}" for name, value in settings.items()),
        "-Ccmake.python-hints=false",
        "-Cinstall.strip=false",
        "-Cwheel.reproducible=true",
        f"-Cbuild-dir={build_folder}",
    ]
    run(
        [
            TOOLS / "python",
            *("-m", "build", "--wheel", "--no-isolation", "--skip-dependency-check"),
            "-o",
            wheels,
            *options,
            source.folder,
        ],
        environment={
            "SOURCE_DATE_EPOCH": source.epoch,
            "ZIG_GLOBAL_CACHE_DIR": str(cache),
            "ZIG_LOCAL_CACHE_DIR": str(cache),
            "CMAKE_GENERATOR": "Ninja",
        },
        log=work / "logs" / f"{target}.log",
    )
    shutil.rmtree(build_folder)
    made = [wheel for wheel in wheels.glob("*.whl") if is_of(wheel, target)]
    if len(made) != 1:
        raise ReleaseError(f"{target}: the build made {sorted(set(wheels.glob('*.whl')) - before)}")
    pack_tightly(made[0])
    return made[0]


def is_of(wheel: Path, target: Target) -> bool:
    """Whether the file's name has the target's tags."""
    python, abi, platforms = wheel.stem.split("-")[-3:]
    return (python, abi) == (target.python_tag, target.abi_tag) and set(platforms.split(".")) == set(
        target.platform_tags
    )


def zig_cache() -> Path:
    return BUILD / "zig-cache"
