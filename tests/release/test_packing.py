"""A wheel that is packed by zopfli: the same members, in fewer bytes, and the same bytes each time."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest

pytest.importorskip("zopfli", reason="zopflipy is not installed")

from release.packing import pack_tightly

TIME = (2026, 11, 23, 1, 2, 4)


def wheel_in(folder: Path) -> Path:
    path = folder / "ssrjson_web-1.0-py3-none-any.whl"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content, mode in (
            ("ssrjson_web/__init__.py", b"text = 'abc'\n" * 500, 0o100644),
            ("ssrjson_web/_core.so", bytes(range(256)) * 200, 0o100755),
            ("ssrjson_web/py.typed", b"", 0o100644),
            ("ssrjson_web/é.txt", "中".encode(), 0o100600),
        ):
            member = zipfile.ZipInfo(name, TIME)
            member.compress_type = zipfile.ZIP_DEFLATED
            member.external_attr = mode << 16
            archive.writestr(member, content)
    return path


def members_of(wheel: Path) -> list[tuple[str, bytes, tuple[int, ...], int]]:
    with zipfile.ZipFile(wheel) as archive:
        assert archive.testzip() is None
        return [(one.filename, archive.read(one), one.date_time, one.external_attr) for one in archive.infolist()]


def test_packed_wheel_has_the_same_members_in_fewer_bytes(tmp_path: Path) -> None:
    wheel = wheel_in(tmp_path)
    members, n_bytes = members_of(wheel), wheel.stat().st_size
    pack_tightly(wheel)
    assert members_of(wheel) == members
    assert wheel.stat().st_size < n_bytes
    assert [*tmp_path.iterdir()] == [wheel]


def test_packing_again_gives_the_same_bytes(tmp_path: Path) -> None:
    wheel = wheel_in(tmp_path)
    pack_tightly(wheel)
    first = wheel.read_bytes()
    pack_tightly(wheel)
    assert wheel.read_bytes() == first
