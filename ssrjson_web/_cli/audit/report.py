"""An audit as text and as JSON."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from ssrjson_web._cli.audit.places import Audit, Copies
from ssrjson_web._shared.plain_text import text_table

__all__ = ["as_json", "as_text"]

_WIDTH = 100
_HEAD = ("bytes now", "in strings", "would add", "to strings")


def as_text(audit: Audit, *, top: int) -> str:
    """The totals, what they mean, and the `top` places and types."""
    total = audit.total
    blocks = [
        f"{audit.name}: {audit.strings:,} strings among {audit.objects:,} objects\n\n"
        + text_table(("UTF-8 copies", *_HEAD), [("all", *_cells(total))]),
        textwrap.fill(_meaning(total), width=_WIDTH, break_on_hyphens=False),
    ]
    if total.most_bytes:
        blocks += [_table("path", audit.by_path, top=top), _table("held by", audit.by_type, top=top)]
    return "\n\n".join(blocks) + "\n"


def as_json(audit: Audit, *, top: int | None = None) -> str:
    """All figures, in bytes, or those of the `top` places and types; "left_out" says how many are not there."""
    content: dict[str, Any] = asdict(audit)
    for name in ("by_path", "by_type"):
        lines = list(content[name].items())
        content[name] = dict(lines[:top])
        content[f"{name}_left_out"] = len(lines) - len(content[name])
    return json.dumps(content, indent=1) + "\n"


def _meaning(total: Copies) -> str:
    if not total.most_bytes:
        return "None of them holds a UTF-8 copy or could get one: text in ASCII is its own UTF-8."
    held = "No copies so far." if not total.bytes else f"The copies that are there stay until their {_strings(total)}."
    if not total.more_bytes:
        return f"{held} Every string that can have a copy has it: no library can add more."
    return (
        f"{held} A library that leaves copies (orjson, msgspec, pydantic ...; python -m ssrjson_web doctor tells "
        "which do here) would add as much as this at most: once it has encoded each string, and nothing after that. "
        "ssrjson_web adds none, nor does the standard library's json."
    )


def _strings(total: Copies) -> str:
    return "string goes" if total.strings == 1 else "strings go"


def _table(title: str, lines: Mapping[str, Copies], *, top: int) -> str:
    shown = list(lines.items())[:top]
    rows = [(*_cells(copies), name) for name, copies in shown]
    table = text_table((*_HEAD, title), rows, left=(len(_HEAD),))
    rest = list(lines.values())[top:]
    if rest:
        left = sum(rest, Copies())
        table += f"\n... and {len(rest):,} more with {left.bytes:,} bytes now, and {left.more_bytes:,} to add"
    return table


def _cells(copies: Copies) -> tuple[str, str, str, str]:
    return (f"{copies.bytes:,}", f"{copies.strings:,}", f"{copies.more_bytes:,}", f"{copies.more_strings:,}")
