"""Replacements in a source text, by place, so that its layout and comments stay."""

from __future__ import annotations

import ast
import re

from ssrjson_web._cli.doctor.migration.findings import Edit
from ssrjson_web._cli.doctor.migration.replacements import CLASSES, LIBRARIES, has_same_name

__all__ = ["Source", "apply", "import_edit", "is_exchangeable"]

_LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+\Z")
"""Lines as Python's tokenizer ends them: `str.splitlines` ends them at form feeds, U+2028 and others, too."""


class Source:
    """A text whose places are lines, from 1 on, and bytes of a line in UTF-8, as `ast` has them."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._lines: list[str] = _LINE.findall(text)
        self._starts = [0]
        for line in self._lines:
            self._starts.append(self._starts[-1] + len(line))

    def column(self, line: int, n_bytes: int) -> int:
        """The column in characters, from 1 on."""
        return self.offset(line, n_bytes) - self._starts[line - 1] + 1

    def offset(self, line: int, n_bytes: int) -> int:
        """The index in the text."""
        line_text = self._lines[line - 1]
        if not line_text.isascii():
            n_bytes = len(line_text.encode("utf-8", "surrogatepass")[:n_bytes].decode("utf-8", "replace"))
        return self._starts[line - 1] + n_bytes

    def span(self, node: ast.stmt | ast.expr) -> tuple[int, int]:
        """The indices of a node's beginning and end."""
        assert node.end_lineno is not None
        assert node.end_col_offset is not None
        return self.offset(node.lineno, node.col_offset), self.offset(node.end_lineno, node.end_col_offset)

    def replace_text(self, node: ast.Constant, text: str) -> Edit | None:
        """Another text in the quotes of a literal; None where it is not simply quoted."""
        start, end = self.span(node)
        literal = self.text[start:end]
        quote = literal[:1]
        if quote not in ("'", '"') or literal != quote + str(node.value) + quote:
            return None
        return Edit(start + 1, end - 1, text)

    def is_alone(self, node: ast.stmt) -> bool:
        """Whether a statement begins its line, no other one follows, and there is no comment in it."""
        start, end = self.span(node)
        before = self.text[self._starts[node.lineno - 1] : start]
        after = re.split(r"[\r\n]", self.text[end:], maxsplit=1)[0].strip()
        return not before.strip() and not after.startswith((";", "\\")) and "#" not in self.text[start:end]

    def between_lines(self, node: ast.stmt) -> str:
        """What goes between two statements in the place of one: the end of its line, and its indentation."""
        line = self._lines[node.lineno - 1]
        end = line[len(line.rstrip("\r\n")) :]
        if not end:  # the last line, without an end
            first = self._lines[0]
            end = first[len(first.rstrip("\r\n")) :] or "\n"
        indentation = self.text[self._starts[node.lineno - 1] : self.span(node)[0]]
        return end + indentation.rpartition("\f")[2]  # after a form feed Python counts columns from 0


def is_exchangeable(module: str, names: set[str]) -> bool:
    """Whether our module has all names of a library that a file uses."""
    return LIBRARIES[module].drop_in is not None and all(has_same_name(module, name) for name in names)


def import_edit(source: Source, node: ast.Import | ast.ImportFrom, exchanged: set[str]) -> Edit | None:
    """An import statement with our modules and classes in the places of those that are exchanged.

    None where it cannot be, or where it names none of them. What it binds keeps its name: other modules may import it
    from this one.
    """
    if not source.is_alone(node):
        return None
    lines = _of_import(node, exchanged) if isinstance(node, ast.Import) else _of_import_from(node, exchanged)
    if lines is None:
        return None
    start, end = source.span(node)
    return Edit(start, end, source.between_lines(node).join(lines))


def _of_import(node: ast.Import, exchanged: set[str]) -> list[str] | None:
    lines = []
    kept = [alias for alias in node.names if alias.name not in exchanged]
    if len(kept) == len(node.names):
        return None
    if any(alias.name.partition(".")[0] in exchanged for alias in kept):  # import json.decoder
        return None
    if kept:
        lines.append("import " + ", ".join(map(_alias_text, kept)))
    lines += [f"from ssrjson_web import {_alias_text(alias)}" for alias in node.names if alias.name in exchanged]
    return lines


def _of_import_from(node: ast.ImportFrom, exchanged: set[str]) -> list[str] | None:
    assert node.module is not None
    if node.module in LIBRARIES:
        names = ", ".join(map(_alias_text, node.names))
        return [f"from {LIBRARIES[node.module].drop_in} import {names}"] if node.module in exchanged else None
    replaced = [alias for alias in node.names if f"{node.module}.{alias.name}" in exchanged]
    if not replaced:
        return None
    kept = [alias for alias in node.names if alias not in replaced]
    lines = [f"from {node.module} import {', '.join(map(_alias_text, kept))}"] if kept else []
    for alias in replaced:
        found = CLASSES[node.module, alias.name]
        bound = alias.asname or alias.name
        lines.append(f"from {found.module} import {found.name}" + (f" as {bound}" if bound != found.name else ""))
    return lines


def _alias_text(alias: ast.alias) -> str:
    return f"{alias.name} as {alias.asname}" if alias.asname else alias.name


def apply(text: str, edits: list[Edit]) -> str:
    """The text with all edits, which are in the order of the text and do not overlap."""
    pieces = []
    place = 0
    for edit in edits:
        assert edit.start >= place
        pieces += [text[place : edit.start], edit.text]
        place = edit.end
    return "".join(pieces) + text[place:]
