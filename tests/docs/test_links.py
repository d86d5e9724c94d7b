"""Links of README, docs/ and the other pages: each leads to a file of the tree, and to a heading that is there."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from helpers.markdown_pages import PAGES, ROOT, anchors_of, links_of, prose_of


def broken_links(text: str, folder: Path) -> list[str]:
    """The relative links of a page that lead nowhere; `folder` is the page's."""
    broken = []
    for link in links_of(text):
        name, _, anchor = link.partition("#")
        if "://" in link:
            continue
        target = folder / name
        anchors = anchors_of(target.read_text(encoding="utf-8") if name else text) if anchor and target.exists() else ()
        if not target.exists() or (anchor and anchor not in anchors):
            broken.append(link)
    return broken


@pytest.mark.parametrize("name", PAGES)
def test_links_of_page_lead_to_files_and_headings(name: str) -> None:
    page = PAGES[name]
    assert broken_links(page.read_text(encoding="utf-8"), page.parent) == []


def test_readme_links_every_page_of_a_framework_and_the_index() -> None:
    linked = {link.partition("#")[0] for link in links_of(PAGES["README.md"].read_text(encoding="utf-8"))}
    index = {f"docs/{link}" for link in links_of(PAGES["docs/index.md"].read_text(encoding="utf-8"))}
    pages = {str(page.relative_to(ROOT)) for page in (ROOT / "docs").glob("*.md")}
    assert pages - index == {"docs/index.md"}
    frameworks = {name for name in pages if (ROOT / "docs" / "api" / Path(name).name).exists()} - {"docs/memory.md"}
    assert frameworks - linked == set()


def test_broken_links_names_files_and_headings_that_are_not_there(tmp_path: Path) -> None:
    (tmp_path / "other.md").write_text("# One\n## Two `x`: three\n## One\n")
    good = "[a](other.md#two-x-three) [b](other.md#one-1) [c](#here) ![d](other.md) [e](https://nowhere.example/#x)"
    bad = "[f](gone.md) [g](other.md#gone) [h](#gone)"
    text = f"# Here\n{good} {bad}\n```\n[i](gone.md)\n```\n"
    assert broken_links(text, tmp_path) == ["gone.md", "other.md#gone", "#gone"]


def test_readme_has_at_most_150_lines() -> None:
    assert len(PAGES["README.md"].read_text(encoding="utf-8").splitlines()) <= 150


def broken_tables(text: str) -> list[str]:
    """Lines of tables that are not shown as cells of a table.

    The first lines of those without a header, such as the rest of one that an empty line has cut, and rows with another
    number of cells than their header: a bar ends a cell within code, too.
    """
    tables = re.findall(r"(?:^\|.*\n)+", prose_of(text) + "\n", re.MULTILINE)
    broken = []
    for first, *others in map(str.splitlines, tables):
        if not others or not re.fullmatch(r"\|[-|: ]+\|", others[0]):
            broken.append(first)
        broken += [row for row in others if n_cells(row) != n_cells(first)]
    return broken


def n_cells(row: str) -> int:
    return len(re.findall(r"(?<!\\)\|", row)) - 1


@pytest.mark.parametrize("name", PAGES)
def test_tables_of_page_are_whole(name: str) -> None:
    assert broken_tables(PAGES[name].read_text(encoding="utf-8")) == []


def test_broken_tables_are_cut_by_an_empty_line_or_have_a_bar_within_a_cell() -> None:
    table = "x\n\n| a | b |\n|---|:--|\n| 1 | 2 |\n"
    assert broken_tables(table + "\n| 3 | 4 |\n\n") == ["| 3 | 4 |"]
    assert broken_tables(table + "| `int | str` | 4 |\n| `int \\| str` | 4 |") == ["| `int | str` | 4 |"]
    assert broken_tables(table + "```\n| x |\n```\n") == []
