"""What can be said of a wheel without running it."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterator
from pathlib import Path

from release.files import TOOLS, ReleaseError, run
from release.target import Target

MAX_BYTES = 1_000_000
C_LIBRARIES = {"libc.so.6", "libm.so.6", "libpthread.so.0", "libdl.so.2", "librt.so.1", "libc.so"}


def faults(wheel: Path, target: Target) -> Iterator[str]:
    """What is wrong with a Linux wheel: its size, what it exports, what it needs, its tags by auditwheel, twine."""
    size = wheel.stat().st_size
    if size > MAX_BYTES:
        yield f"{size:,} bytes, over {MAX_BYTES:,}"
    yield from module_faults(wheel, target)
    for check in (auditwheel_faults, twine_faults):
        try:
            yield from check(wheel, target)
        except ReleaseError as error:
            yield str(error)


def module_faults(wheel: Path, target: Target) -> Iterator[str]:
    """Of the compiled module: its name, the one exported symbol, the libraries, paths of the build machine."""
    from elftools.elf.elffile import ELFFile

    suffix = f".{target.soabi}.so" if target.soabi else ".so"
    with zipfile.ZipFile(wheel) as archive:
        modules = [name for name in archive.namelist() if name.endswith((".so", ".pyd"))]
        if modules != [f"ssrjson_web/_core{suffix}"]:
            yield f"its modules are {modules}"
            return
        data = archive.read(modules[0])
    elf = ELFFile(io.BytesIO(data))
    machine = {"EM_X86_64": "x86_64", "EM_AARCH64": "aarch64"}.get(elf["e_machine"])
    if machine != target.machine:
        yield f"it is for {elf['e_machine']}"
    symbols = list(elf.get_section_by_name(".dynsym").iter_symbols())
    exported = {each.name for each in symbols if each["st_shndx"] != "SHN_UNDEF" and each.name}
    if exported != {"PyInit__core"}:
        yield f"it exports {sorted(exported)}"
    if "memcpy" not in {each.name for each in symbols}:
        yield "it has a memcpy of its own, slower than the C library's: see tests/test_symbols.py"
    tags = list(elf.get_section_by_name(".dynamic").iter_tags())
    if needed := {each.needed for each in tags if each.entry.d_tag == "DT_NEEDED"} - C_LIBRARIES:
        yield f"it needs {sorted(needed)}"
    if any(each.entry.d_tag in ("DT_RPATH", "DT_RUNPATH") for each in tags):
        yield "it has a path of the build machine for libraries"


def auditwheel_faults(wheel: Path, target: Target) -> Iterator[str]:
    # this machine's libc.so, which may be a text for the linker, is not musl's
    elsewhere = ("--ldpaths", "/nowhere") if target.system == "musllinux" else ()
    found = run([TOOLS / "auditwheel", "show", "--json", *elsewhere, wheel])
    if not any(f'"{tag}"' in found for tag in target.platform_tags):
        yield f"auditwheel finds another platform: {found}"


def twine_faults(wheel: Path, target: Target) -> Iterator[str]:
    run([TOOLS / "twine", "--no-color", "check", "--strict", wheel])
    yield from ()
