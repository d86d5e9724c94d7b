"""Pages of Markdown: their blocks of code, their links, and the anchors of their headings."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGES = {
    str(page.relative_to(ROOT)): page
    for page in (
        *(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md")),
        *(
            ROOT / name / "README.md"
            for name in ("core", "core/cache", "tests", "release", "bench", "bench/httparena", "bench/results")
        ),
        *sorted((ROOT / "docs").glob("*.md")),
        *sorted((ROOT / "docs" / "api").glob("*.md")),
    )
}
"""The pages that an adopter or a contributor reads, by their path in the tree."""

FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\[(?:[^\[\]]|\[[^\[\]]*\])*\]\(([^()\s]+)\)")
HEADING = re.compile(r"^#{1,6} +(.+?) *$", re.MULTILINE)


@dataclass(frozen=True)
class Block:
    """A fenced block: its language ("" for none), its text, and the line of the page where the text begins."""

    language: str
    text: str
    line: int


def blocks_of(page: str) -> list[Block]:
    """The fenced blocks of a page's text, in order."""
    return [Block(found[1], found[2], page.count("\n", 0, found.start(2)) + 1) for found in FENCE.finditer(page)]


def prose_of(page: str) -> str:
    """A page's text without its fenced blocks."""
    return FENCE.sub("", page)


def links_of(page: str) -> list[str]:
    """The targets of all inline links and pictures, those in fenced blocks excepted."""
    return LINK.findall(prose_of(page))


def anchors_of(page: str) -> set[str]:
    """The fragments by which a page's headings can be linked, as GitHub and the site make them."""
    seen: Counter[str] = Counter()
    anchors = set()
    for heading in HEADING.findall(prose_of(page)):
        text = LINK.sub(lambda link: link[0].partition("](")[0][1:], heading)
        slug = re.sub(r"[^\w\- ]", "", text.lower()).replace(" ", "-")
        anchors.add(f"{slug}-{seen[slug]}" if seen[slug] else slug)
        seen[slug] += 1
    return anchors
