"""Lone surrogates in JSON text. UTF-8 cannot hold them, but `"\\ud800"` is valid JSON that a client may send."""

from __future__ import annotations

__all__ = ["escape_surrogates", "to_utf8"]


def to_utf8(text: str) -> bytes:
    """JSON text as UTF-8. Lone surrogates in its strings are written as escapes, like `\\ud800`."""
    return text.encode("utf-8", "backslashreplace")


def escape_surrogates(text: str) -> str:
    """JSON text that UTF-8 can hold. Lone surrogates in its strings are escaped."""
    return text if text.isascii() else to_utf8(text).decode()
