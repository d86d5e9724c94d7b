"""What the compiled module exports, and that each object file keeps to its level's instructions."""

from __future__ import annotations

import functools
import json
import platform
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from ssrjson_web import _core

ROOT = Path(__file__).parents[1]
IS_X86 = platform.machine().lower() in {"x86_64", "amd64"}

# Instructions by their names in the disassembly, `v...` being VEX or EVEX. tzcnt is allowed everywhere: it is written
# `rep bsf`, and older CPUs run it as that.
VEX = re.compile(r"v(?!err|erw|mcall|mread)[a-z0-9]+")
AVX2_LEVEL = re.compile(r"andn|bextr|bls(i|r|msk)|bzhi|mulx|p(dep|ext)|rorx|s(ar|hl|hr)x|lzcnt|movbe")
SSE42_LEVEL = re.compile(
    r"popcnt|crc32|pshufb|palignr|pabs[bwd]|ph(add|sub)\w*|pmaddubsw|pmulhrsw|psign[bwd]|ptest|pcmpeqq|pcmpgtq"
    r"|pcmp[ei]str[im]|p(min|max)(sb|sd|uw|ud)|pmov[sz]x\w+|pmul(ld|dq)|packusdw|pinsr[bdq]|pextr[bdq]|pblend\w+"
    r"|(round|blendv?|dp)[ps][sd]|insertps|extractps|mpsadbw|phminposuw|lddqu|mov(d|sh|sl)dup|h(add|sub)p[sd]"
    r"|addsubp[sd]|movntdqa"
)
C_FILES = {file.stem: file for file in (ROOT / "core").rglob("*.c")}
# compiled twice: for the portable level, and for all others, of which sse4.2 is the lowest
_TWICE = re.search(
    r"add_library\(\s*shared_\$\{level\} OBJECT\s+([^)]+)\)", (ROOT / "CMakeLists.txt").read_text("utf-8")
)
SHARED = {Path(name).stem for name in _TWICE[1].split()} if _TWICE else set[str]()
PUBLIC = {f"{stem}_public" for stem in SHARED}
LAYOUTS = {f"{stem}_layouts" for stem in SHARED}
# compiled once, for every CPU
COMPILED_ONCE = C_FILES.keys() - SHARED - {"codec"}
EVEX_OPERAND = re.compile(r"%zmm|%k[0-7]\b|%[xy]mm(1[6-9]|2\d|3[01])")


def tool(*names: str) -> str:
    found = next((path for name in names if (path := shutil.which(name))), None)
    if found is None:
        pytest.skip(f"none of {', '.join(names)} is installed")
    return found


def output_of(*command: str) -> str:
    return subprocess.run(command, capture_output=True, text=True, check=True, timeout=300).stdout


def built_objects() -> dict[str, Path]:
    """Object files of the last `make build`: codecs by level, others by file, with the suffix of their functions."""
    database = ROOT / "compile_commands.json"
    if not database.exists():
        pytest.skip("no compile_commands.json: `make build` leaves one")
    objects = {}
    for entry in json.loads(database.read_text(encoding="utf-8")):
        if not Path(entry["directory"], entry["file"]).is_relative_to(ROOT / "core"):
            continue  # libraries of tests
        arguments = shlex.split(entry["command"])
        path = Path(entry["directory"], arguments[arguments.index("-o") + 1])
        level = next((flag.partition("=")[2] for flag in arguments if flag.startswith("-DSSRJSON_LEVEL=")), None)
        stem = Path(entry["file"]).stem
        if level is None or stem in COMPILED_ONCE:
            objects[stem] = path
        elif stem == "codec":
            objects[level] = path
        else:
            objects[f"{stem}_{'public' if '-DSSRJSON_PUBLIC_API' in arguments else 'layouts'}"] = path
    if not all(path.exists() for path in objects.values()):
        pytest.skip("compile_commands.json names objects of a build that is gone: `make build` renews it")
    return objects


def instructions(objdump: str, path: Path) -> list[tuple[str, str]]:
    """Mnemonic, without its prefixes, and operands of every instruction in an object file."""
    listing = output_of(objdump, "--disassemble", "--no-show-raw-insn", str(path))
    found = re.findall(
        r"^\s*[0-9a-f]+:\s+((?:(?:rep\w*|lock|data16|notrack|bnd|cs|ds)\s+)*)(\w+)\s*(.*)$", listing, re.M
    )
    return [(mnemonic, operands) for _, mnemonic, operands in found]


def test_module_exports_its_init_function_alone():
    listing = output_of(tool("nm", "llvm-nm"), "--dynamic", "--defined-only", _core.__file__)
    exported = {line.split()[-1].partition("@")[0] for line in listing.splitlines()}
    assert exported - {"_init", "_fini"} == {"PyInit__core"}


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="the names are those of ELF")
def test_module_copies_memory_by_the_c_library():
    """One call into zig's runtime library, such as a division of 128 bits, would link that library's memcpy, which is
    half as fast."""
    listing = output_of(tool("nm", "llvm-nm"), "--dynamic", "--undefined-only", _core.__file__)
    imported = {line.split()[-1].partition("@")[0] for line in listing.splitlines()}
    assert "memcpy" in imported


@functools.cache
def shared_tables() -> set[str]:
    """Constant tables of which the linker keeps the copy of any level."""
    with tempfile.TemporaryDirectory() as made:
        output_of(sys.executable, str(ROOT / "core" / "generate_tables.py"), made)
        texts = [file.read_text("utf-8") for folder in (made, ROOT / "core") for file in Path(folder).rglob("*.h")]
    return {name for text in texts for name in re.findall(r"^SHARED_TABLE const [\w ]+ (\w+)\[", text, re.M)}


def symbols(path: Path, which: str) -> dict[str, str]:
    """Symbols of an object file that other files define or use, with their kinds."""
    listing = output_of(tool("nm", "llvm-nm"), which, "--extern-only", str(path))
    return {line.split()[-1]: line.split()[-2] for line in listing.splitlines()}


def functions_defined(path: Path) -> set[str]:
    """What an object file defines for others beside its shared tables."""
    defined = symbols(path, "--defined-only")
    tables = {name for name, kind in defined.items() if kind == "V"}  # weak data, never code
    assert tables <= shared_tables()
    return set(defined) - tables


def test_codec_objects_define_their_codec_and_shared_tables_alone():
    codecs = {name: path for name, path in built_objects().items() if name not in COMPILED_ONCE | PUBLIC | LAYOUTS}
    usable = {level.replace(".", "") for level in _core.get_current_features()["levels"]}
    assert usable <= set(codecs)
    for level, path in codecs.items():
        assert functions_defined(path) == {f"ssrjson_codec_{level}"}


def test_objects_that_are_compiled_twice_define_the_same_functions_with_their_suffix():
    built = built_objects()
    assert {"slow_path", "writer"} <= SHARED
    assert built.keys() >= PUBLIC
    for name in (PUBLIC | LAYOUTS) & built.keys():
        stem, _, suffix = name.rpartition("_")
        functions = {function.removesuffix("_public") for function in functions_defined(built[f"{stem}_public"])}
        assert functions_defined(built[name]) == {f"{function}_{suffix}" for function in functions}


def test_objects_call_what_is_compiled_twice_in_their_own_way_alone():
    built = built_objects()
    functions = {function for name in (PUBLIC | LAYOUTS) & built.keys() for function in functions_defined(built[name])}
    for name, path in built.items():
        suffix = "_public" if name == "portable" or name in PUBLIC else "_layouts"
        called = functions & symbols(path, "--undefined-only").keys()
        assert all(function.endswith(suffix) for function in called)
        assert not called or name not in COMPILED_ONCE  # which serve the portable level, too


@pytest.mark.skipif(not IS_X86, reason="levels differ in instructions on x86-64 only")
@pytest.mark.parametrize("name", [*sorted(COMPILED_ONCE | PUBLIC | LAYOUTS), "portable", "sse42", "avx2"])
def test_object_holds_no_instruction_above_its_level(name):
    forbidden = []
    if name != "avx2":
        forbidden += [VEX, AVX2_LEVEL]
    if name not in {"avx2", "sse42"} | LAYOUTS:
        forbidden += [SSE42_LEVEL]
    above = [
        f"{mnemonic} {operands}"
        for mnemonic, operands in instructions(tool("objdump", "llvm-objdump"), built_objects()[name])
        if EVEX_OPERAND.search(operands) or any(pattern.fullmatch(mnemonic) for pattern in forbidden)
    ]
    assert above == []


@pytest.mark.skipif(not IS_X86, reason="levels differ in instructions on x86-64 only")
@pytest.mark.parametrize(("level", "register"), [("avx2", "%ymm"), ("avx512", "%zmm")])
def test_codec_uses_the_registers_of_its_level(level, register):
    listed = instructions(tool("objdump", "llvm-objdump"), built_objects()[level])
    assert any(register in operands for _, operands in listed)
