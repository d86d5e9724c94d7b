"""Headers and interpreters of every Python, from packages of fixed version and hash.

CPython 3.10 to 3.14 come from Maven Central: the jars of org.bytedeco:cpython hold CPython as its own licence (PSF)
allows, for Linux, macOS and Windows, with headers and import libraries. 3.15 comes from Debian, which fixes no version.

The headers of one version are the same on every Linux, but for `pyconfig.h`. Between x86-64 and aarch64 that file
differs in names which only CPython's own sources read (compared for 3.14: assembler, HACL, readline, support tier).
A free-threaded build's one defines Py_GIL_DISABLED.
"""

from __future__ import annotations

import hashlib
import platform
import shutil
import zipfile
from pathlib import Path

from platforms.debian import PlatformError
from platforms.pythons import fetch_python

from release.files import BUILD, ReleaseError, emptied, run, say
from release.target import Target

PLUGIN = "org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy"

JARS = {
    ("3.10", "linux-x86_64"): ("3.10.8-1.5.8", "2f101b1aa06effdbda3c318c1728b13f22b571707c7b7704abaf5d19a33aa981"),
    ("3.11", "linux-x86_64"): ("3.11.3-1.5.9", "668b42f6a8b1a9789de7d3ca54a81fefb754cd8e885554b42858bbcbc0dd497c"),
    ("3.12", "linux-x86_64"): ("3.12.1-1.5.10", "a135fcf4dc01adebf7ea439252276fc3196db80f7e0dd3da0b61f1ec489b68bd"),
    ("3.13", "linux-x86_64"): ("3.13.5-1.5.12", "50ad91aa0baa57f0235bb666b87d8bf2a44e215d28c250de1030502906af143b"),
    ("3.14", "linux-x86_64"): ("3.14.3-1.5.13", "eb5f1a6fe2dc498ac18927189a37f28a47b0ba06ae6bd85112eff023fe2eb46f"),
    ("3.10", "linux-arm64"): ("3.10.8-1.5.8", "b14738d971f43bcb7e74242980d0a621c4464b9a7f1294d22c17f9186b32db09"),
    ("3.11", "linux-arm64"): ("3.11.3-1.5.9", "c98d023d4f79bdae2fb8973443324e48bb39e5b8f149a24e9d0317eb165d7925"),
    ("3.12", "linux-arm64"): ("3.12.1-1.5.10", "4876e6a9eb45c4e2faf7c9f9ef8cb9f16a462c45c3440d4c2e15e6acc8f4e0df"),
    ("3.14", "linux-arm64"): ("3.14.3-1.5.13", "75d0ac8f457bdb2d6b684796c282ce4da1e0c377a02b954de2c718f80901a15f"),
    ("3.13", "macosx-arm64"): ("3.13.5-1.5.12", "b9ccb29cafe9c0f9bf341fa1573ac0f112d3557c13c398115ab91926091fdc0a"),
    ("3.13", "macosx-x86_64"): ("3.13.5-1.5.12", "0c79e881075b8d7752be384a429a8b53d14ba00d939a7d04074deb1b1d3db19c"),
    ("3.14", "macosx-arm64"): ("3.14.3-1.5.13", "49a3055dc8f182744736f0c832f7637f0d515da7830b2049fa7da9f86220dbb1"),
    ("3.13", "windows-x86_64"): ("3.13.5-1.5.12", "cfe5502ffa7ea369be707b6d88bf68344732a7800450665080fb4267c01bfeae"),
    ("3.14", "windows-x86_64"): ("3.14.3-1.5.13", "3291bf3d8f405335ac21dbe55780521fdfd295b0f9f43f7e6e8c55bedd709cb3"),
}

# What CPython's configure finds on x86-64 only.
X86_NAMES = (
    "HAVE_GCC_ASM_FOR_X64",
    "HAVE_GCC_ASM_FOR_X87",
    "_Py_HACL_CAN_COMPILE_VEC128",
    "_Py_HACL_CAN_COMPILE_VEC256",
)


def jar_folder(version: str, classifier: str) -> Path:
    """A CPython that was unpacked from its jar. Raises ReleaseError without Maven, or if the jar is another one."""
    release, sha256 = JARS[version, classifier]
    folder = BUILD / "pythons" / f"{release}-{classifier}"
    root = folder / "org" / "bytedeco" / "cpython" / classifier
    if (folder / "complete").exists():
        return root
    say(f"  CPython {release.partition('-')[0]} for {classifier}: from Maven")
    emptied(folder)
    artifact = f"org.bytedeco:cpython:{release}:jar:{classifier}"
    run(["mvn", "-q", "-B", PLUGIN, f"-Dartifact={artifact}", f"-DoutputDirectory={folder}"], folder=folder)
    (jar,) = folder.glob("*.jar")
    if hashlib.sha256(jar.read_bytes()).hexdigest() != sha256:
        raise ReleaseError(f"{artifact} is not the file that release/python_files.py names by its SHA-256")
    with zipfile.ZipFile(jar) as archive:
        archive.extractall(folder)
    jar.unlink()
    for program in (root / "bin").glob("python3*"):
        program.chmod(0o755)
    (folder / "complete").touch()
    return root


def debian_python(version: str) -> Path:
    """The interpreter of a Python from Debian."""
    try:
        return Path(fetch_python(version))
    except PlatformError as error:
        raise ReleaseError(str(error)) from None


def linux_headers(target: Target) -> Path:
    """A folder with Python.h for a Linux target."""
    if (target.version, "linux-x86_64") in JARS:
        source = jar_folder(target.version, "linux-x86_64") / "include" / f"python{target.version}"
    else:
        source = debian_python(target.version).parents[1] / "include" / f"python{target.version}"
    folder = BUILD / "include" / f"{target.python}-{target.machine}"
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(source, folder)
    config = folder / "pyconfig.h"
    text = config.read_text(encoding="utf-8")
    config.write_text(
        adapted_config(text, is_free_threaded=target.is_free_threaded, is_x86=target.machine == "x86_64"),
        encoding="utf-8",
    )
    return folder


def adapted_config(text: str, *, is_free_threaded: bool, is_x86: bool) -> str:
    """The text of a pyconfig.h of Linux on x86-64, changed for another build. Raises ReleaseError for an odd one."""
    lines = text.splitlines(keepends=True)
    if not is_x86:
        lines = [line for line in lines if not line.startswith(tuple(f"#define {name} " for name in X86_NAMES))]
    changed = "".join(lines)
    if is_free_threaded:
        undefined = "/* #undef Py_GIL_DISABLED */"
        if undefined not in changed:
            raise ReleaseError("pyconfig.h does not mention Py_GIL_DISABLED: it is no header of Python 3.13 or newer")
        changed = changed.replace(undefined, "#define Py_GIL_DISABLED 1")
    return changed


def native_interpreter(target: Target) -> tuple[list[str], dict[str, str]] | str:
    """The command of an interpreter of this machine and its environment, or why there is none."""
    if target.is_free_threaded:
        program = shutil.which(f"python{target.python}")
        return ([program], {}) if program else f"there is no python{target.python} on PATH"
    if platform.machine() != "x86_64":
        program = shutil.which(f"python{target.version}")
        return ([program], {}) if program else f"there is no python{target.version} on PATH"
    if (target.version, "linux-x86_64") in JARS:
        root = jar_folder(target.version, "linux-x86_64")
        return [str(root / "bin" / f"python{target.version}")], {"LD_LIBRARY_PATH": str(root)}
    return [str(debian_python(target.version))], {}
