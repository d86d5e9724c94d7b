"""The bytes of a source file as text, and back: a patch must have the bytes of the file."""

from __future__ import annotations

import ast
import codecs
import io
import tokenize
import warnings

__all__ = ["Contents", "parse"]


def parse(source: str | bytes) -> ast.Module:
    """The tree of a source. Raises what `ast.parse` raises."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about escapes in the text
        return ast.parse(source)


class Contents:
    """A file of Python: `text` is what Python parses, without a byte order mark."""

    def __init__(self, data: bytes) -> None:
        """Raises SyntaxError, UnicodeDecodeError or LookupError where the encoding is unknown or wrong."""
        self.data = data
        self._mark = codecs.BOM_UTF8 if data.startswith(codecs.BOM_UTF8) else b""
        self._encoding = _encoding(data)
        self.text = data[len(self._mark) :].decode(self._encoding)

    def with_text(self, text: str) -> bytes:
        """The bytes of the file with another text, in its encoding; its own bytes where that cannot be."""
        try:
            if self._mark + self.text.encode(self._encoding) != self.data:  # an encoding with a state, or several forms
                return self.data
            changed = self._mark + text.encode(self._encoding)
            if _encoding(changed) != self._encoding:  # the line that names it is not among the first two any more
                return self.data
            parse(changed)
        except (SyntaxError, ValueError, LookupError, RecursionError, MemoryError):
            return self.data
        return changed


def _encoding(data: bytes) -> str:
    """As Python finds it. The mark is not a part of it: `utf-8-sig` would drop and add one."""
    name = tokenize.detect_encoding(io.BytesIO(_with_line_feeds(data)).readline)[0]
    return "utf-8" if name == "utf-8-sig" else name


def _with_line_feeds(data: bytes) -> bytes:
    """The first lines, ended as `readline` knows them."""
    return data[:8192].replace(b"\r\n", b"\n").replace(b"\r", b"\n")
