"""The archive of a wheel, as small as deflate can make it: zopfli looks for the shortest stream, in seconds."""

from __future__ import annotations

import zipfile
from pathlib import Path

__all__ = ["pack_tightly"]


def pack_tightly(wheel: Path) -> None:
    """Compress the members of a wheel again: the same names, bytes, times and permissions, in the same order."""
    import zopfli

    with zipfile.ZipFile(wheel) as archive:
        members = [(member, archive.read(member)) for member in archive.infolist()]
    packed = wheel.with_suffix(".packed")
    # as many blocks as make it smaller, instead of at most 15
    with zopfli.ZipFile(packed, "w", zipfile.ZIP_DEFLATED, block_splitting_max=0) as archive:
        for member, content in members:
            made = zipfile.ZipInfo(member.filename, member.date_time)
            made.compress_type = zipfile.ZIP_DEFLATED
            made.create_system, made.external_attr = member.create_system, member.external_attr
            archive.writestr(made, content)
    packed.replace(wheel)
