"""The compressors that a web server can use, with their levels."""

from __future__ import annotations

import gzip
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from typing import Any

__all__ = ["PACKAGES", "Codec", "codecs"]

Transform = Callable[[bytes], bytes]

PACKAGES = ("isal", "zlib-ng", "backports.zstd", "zstandard", "brotli")


@dataclass(frozen=True, kw_only=True)
class Codec:
    """A compressor at one level."""

    name: str
    """The module or package, and the level."""
    coding: str
    """What `Content-Encoding` says."""
    compress: Transform
    decompress: Transform


def codecs(missing: Callable[[str], None]) -> list[Codec]:
    """Every compressor that can be imported; `missing` gets a line for each other."""
    found: list[Codec] = []
    for module, make in (
        ("gzip", _zlib),
        ("isal.igzip", _isal),
        ("zlib_ng.gzip_ng", _zlib_ng),
        ("compression.zstd" if sys.version_info >= (3, 14) else "backports.zstd", _zstd),
        ("zstandard", _zstandard),
        ("brotli", _brotli),
    ):
        try:
            imported = import_module(module)
        except ImportError as error:
            missing(f"left out: {error}")
            continue
        found += make(imported)
    return found


def _gzips(name: str, module: Any, levels: tuple[int, ...]) -> Iterator[Codec]:
    for level in levels:
        yield Codec(
            name=f"{name} {level}",
            coding="gzip",
            compress=partial(module.compress, compresslevel=level),
            decompress=gzip.decompress,  # stdlib's, whatever wrote it
        )


def _zlib(module: Any) -> Iterator[Codec]:
    return _gzips("zlib", module, (9, 6, 5, 1))


def _isal(module: Any) -> Iterator[Codec]:
    return _gzips("isal", module, (3, 2, 1, 0))


def _zlib_ng(module: Any) -> Iterator[Codec]:
    return _gzips("zlib-ng", module, (9, 6, 4, 2, 1))


def _zstd(module: Any) -> Iterator[Codec]:
    for level in (9, 6, 4, 3, 1):
        yield Codec(
            name=f"zstd {level}",
            coding="zstd",
            compress=partial(module.compress, level=level),
            decompress=module.decompress,
        )


def _zstandard(module: Any) -> Iterator[Codec]:
    def compress(body: bytes) -> bytes:
        compressed: bytes = module.ZstdCompressor(level=3).compress(body)  # as middlewares do, one for each body
        return compressed

    yield Codec(name="zstandard 3", coding="zstd", compress=compress, decompress=module.ZstdDecompressor().decompress)


def _brotli(module: Any) -> Iterator[Codec]:
    for quality in (6, 5, 4, 2, 1, 0):
        yield Codec(
            name=f"brotli {quality}",
            coding="br",
            compress=partial(module.compress, quality=quality),
            decompress=module.decompress,
        )
