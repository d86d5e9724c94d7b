"""Names of wheels and of what is inside, and the headers that they are built with."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from release.cross_check import archive_symbols, format_fault
from release.files import ReleaseError
from release.python_files import JARS, adapted_config
from release.target import PYTHONS, Target, linux_targets, matching
from release.wheel import is_of

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize(
    ("target", "tags", "module", "zig"),
    [
        (
            Target("3.13", "manylinux", "x86_64"),
            ("cp313-cp313-manylinux_2_17_x86_64", "cp313-cp313-manylinux2014_x86_64"),
            "cpython-313-x86_64-linux-gnu",
            "x86_64-linux-gnu.2.17",
        ),
        (
            Target("3.14t", "musllinux", "aarch64"),
            ("cp314-cp314t-musllinux_1_2_aarch64",),
            "cpython-314t-aarch64-linux-musl",
            "aarch64-linux-musl",
        ),
        (Target("3.10", "musllinux", "x86_64"), ("cp310-cp310-musllinux_1_2_x86_64",), "", "x86_64-linux-musl"),
        (
            Target("3.14", "macos", "aarch64"),
            ("cp314-cp314-macosx_11_0_arm64",),
            "cpython-314-darwin",
            "aarch64-macos.11.0-none",
        ),
        (Target("3.13", "windows", "x86_64"), ("cp313-cp313-win_amd64",), "cp313-win_amd64", "x86_64-windows-gnu"),
    ],
    ids=str,
)
def test_target_has_the_names_of_its_platform(target, tags, module, zig):
    assert target.tags == tags
    assert target.soabi == module
    assert target.zig_target == zig


def test_targets_are_every_python_on_both_libcs_and_both_cpus():
    targets = linux_targets()
    assert len(targets) == len(set(targets)) == 4 * 9
    assert {target.version for target in targets} == set(PYTHONS)
    minimum = re.search(r'^requires-python = ">=(.*)"$', (ROOT / "pyproject.toml").read_text("utf-8"), re.MULTILINE)
    assert minimum is not None
    assert PYTHONS[0] == minimum[1]


def test_matching_takes_all_or_those_of_a_pattern_and_refuses_an_unknown_one():
    assert matching(linux_targets(), []) == linux_targets()
    chosen = [str(target) for target in matching(linux_targets(), ["cp313-musllinux", "cp315t-many.*aarch64"])]
    assert chosen == ["cp315t-manylinux-aarch64", "cp313-musllinux-x86_64", "cp313-musllinux-aarch64"]
    with pytest.raises(ValueError, match=r"no wheel matches 'cp39'"):
        matching(linux_targets(), ["cp313", "cp39"])


def test_wheel_is_of_the_target_whose_tags_it_has():
    name = "ssrjson_web-0.1.0-cp313-cp313{}-manylinux2014_x86_64.manylinux_2_17_x86_64.whl"
    target = Target("3.13", "manylinux", "x86_64")
    assert is_of(Path(name.format("")), target)
    assert not is_of(Path(name.format("t")), target)
    assert not is_of(Path(name.format("")), Target("3.13", "musllinux", "x86_64"))


CONFIG = """\
#define HAVE_GCC_ASM_FOR_X64 1
#define SIZEOF_LONG 8
/* #undef Py_GIL_DISABLED */
"""


def test_config_for_another_cpu_or_without_the_gil_differs_in_known_lines():
    assert adapted_config(CONFIG, is_free_threaded=False, is_x86=True) == CONFIG
    arm = adapted_config(CONFIG, is_free_threaded=True, is_x86=False)
    assert arm == "#define SIZEOF_LONG 8\n#define Py_GIL_DISABLED 1\n"


def test_config_of_an_old_python_has_no_build_without_the_gil():
    with pytest.raises(ReleaseError, match=r"no header of Python 3\.13 or newer"):
        adapted_config("#define SIZEOF_LONG 8\n", is_free_threaded=True, is_x86=True)


def test_jars_are_fixed_by_version_and_hash():
    for (version, _), (release, sha256) in JARS.items():
        assert release.startswith(f"{version}.")
        assert re.fullmatch(r"[0-9a-f]{64}", sha256)


def test_tools_are_fixed_by_version():
    lines = (ROOT / "release" / "requirements.txt").read_text("utf-8").splitlines()
    assert [line for line in lines if not re.fullmatch(r"#.*|[\w-]+==[\d.]+", line)] == []


def test_archive_symbols_are_the_names_of_the_index():
    names = b"PyList_New\0__imp_PyList_New\0"
    index = (2).to_bytes(4, "big") + bytes(8) + names
    header = b"/".ljust(48) + str(len(index)).encode().ljust(10) + b"`\n"
    assert archive_symbols(b"!<arch>\n" + header + index) == ["PyList_New", "__imp_PyList_New"]


def test_format_of_a_module_is_that_of_its_system_and_cpu():
    arm_mac = Target("3.14", "macos", "aarch64")
    module = b"\xcf\xfa\xed\xfe\x0c\0\0\x01..._PyInit__core"
    assert format_fault(module, arm_mac) is None
    assert format_fault(module, Target("3.14", "macos", "x86_64")) == "it is no module for macos on x86_64"
    assert format_fault(module, Target("3.14", "windows", "x86_64")) == "it is no module for windows on x86_64"
    assert format_fault(module[:12], arm_mac) == "it does not export PyInit__core"
