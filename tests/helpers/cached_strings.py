"""Strings with a cached UTF-8 copy inside, as libraries leave them that ask CPython for one."""

from __future__ import annotations

import ctypes

from ssrjson_web import utf8_cache_size


def fill_cache(text: str) -> None:
    """Have CPython keep a copy in the string."""
    as_utf8 = ctypes.pythonapi.PyUnicode_AsUTF8AndSize
    as_utf8.restype = ctypes.c_void_p
    assert as_utf8(ctypes.py_object(text), None)


def plain(n_bytes: int) -> str:
    """A new str whose UTF-8 cache would take `n_bytes`, its NUL included."""
    text = "".join(["é"] * ((n_bytes - 1) // 2) + ["x"] * ((n_bytes - 1) % 2))
    assert utf8_cache_size(text) == 0 < 3 < n_bytes
    return text


def cached(n_bytes: int) -> str:
    """A new str whose UTF-8 cache takes `n_bytes`, its NUL included."""
    text = plain(n_bytes)
    fill_cache(text)
    assert utf8_cache_size(text) == n_bytes
    return text
