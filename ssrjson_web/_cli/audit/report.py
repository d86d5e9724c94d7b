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
    """The totals, what they mean, and the `top` paths and types."""
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
    """All figures in bytes, or those of the `top` paths and types; "left_out" is the number of the others."""
    content: dict[str, Any] = asdict(audit)
    for name in ("by_path", "by_type"):
        lines = list(content[name].items())
        content[name] = dict(lines[:top])
        content[f"{name}_left_out"] = len(lines) - len(content[name])
    return json.dumps(content, indent=1) + "\n"


def _meaning(total: Copies) -> str:
    if not total.most_bytes:
        return "No string holds a cached UTF-8 copy or could get one: the data of an ASCII string is its UTF-8 form."
    held = (
        "There are no copies so far." if not total.bytes else f"The existing copies stay until their {_strings(total)}."
    )
    if not total.more_bytes:
        return f"{held} Every string that can have a copy has one: no library can add more."
    return (
        f"{held} A library that makes copies would add at most this much, when it has encoded each string once, and "
        "nothing after that. Such libraries are orjson, msgspec and pydantic; python -m ssrjson_web doctor shows which "
        "of yours are. ssrjson_web and the standard library's json add none."
    )


def _strings(total: Copies) -> str:
    return "string is freed" if total.strings == 1 else "strings are freed"


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
