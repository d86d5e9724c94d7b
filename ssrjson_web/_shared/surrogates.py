"""Lone surrogates in JSON text, which UTF-8 cannot hold: `"\\ud800"` is valid JSON, so a client may send one."""

from __future__ import annotations

__all__ = ["escape_surrogates", "to_utf8"]


def to_utf8(text: str) -> bytes:
    """JSON text as UTF-8, lone surrogates in its strings as JSON's escape `\\ud800`."""
    return text.encode("utf-8", "backslashreplace")


def escape_surrogates(text: str) -> str:
    """JSON text that UTF-8 can hold: lone surrogates in its strings are escaped."""
    return text if text.isascii() else to_utf8(text).decode()
