"""The blocks of docs/ecosystem.md, which the tests of each library run."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from helpers.markdown_pages import PAGES, blocks_of

from ssrjson_web import Recorder, utf8_cache_size
from ssrjson_web._core import current_recorder

PAGE = PAGES["docs/ecosystem.md"].read_text(encoding="utf-8")
SECTIONS = {
    title: [block.text for block in blocks_of(text) if block.language == "python"]
    for title, text in re.findall(r"^### (.+?)$(.*?)(?=^#{2,3} |\Z)", PAGE, re.MULTILINE | re.DOTALL)
}
TEXT = "红楼梦 – «é» 😀"
VALUE: dict[str, Any] = {"title": TEXT, "n": [1, 2.5, None, True], "inner": {"k": "v"}}


def fresh(text: str = TEXT) -> str:
    """A str of its own, without a cached UTF-8 copy."""
    return "".join(list(text))


def fresh_value() -> dict[str, Any]:
    return {**VALUE, "title": fresh()}


def run_section(title: str, number: int = 0, **names: Any) -> dict[str, Any]:
    """Run a block of a section with these names: all names afterwards."""
    names["__name__"] = "ecosystem"
    exec(compile(SECTIONS[title][number], f"docs/ecosystem.md: {title}", "exec"), names)
    return names


@contextmanager
def recorded() -> Iterator[Recorder]:
    """What the core encodes and decodes in the block, if it runs in the same context."""
    recorder = Recorder()
    token = current_recorder.set(recorder)
    try:
        yield recorder
    finally:
        current_recorder.reset(token)


def has_no_copy(value: dict[str, Any]) -> bool:
    return utf8_cache_size(value["title"]) == 0
