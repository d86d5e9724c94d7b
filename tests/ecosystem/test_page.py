"""docs/ecosystem.md: every section has a test that runs its blocks."""

from __future__ import annotations

import re
from pathlib import Path

from ecosystem.page import SECTIONS

FOLDER = Path(__file__).parent
WITHOUT_BLOCK = {"MCP"}


def test_every_block_is_run_by_a_test() -> None:
    source = "".join(path.read_text(encoding="utf-8") for path in sorted(FOLDER.glob("test_*.py")))
    run = {(title, int(number or 0)) for title, number in re.findall(r'run_section\(\s*"([^"]+)"(?:, (\d))?', source)}
    assert run == {(title, number) for title, blocks in SECTIONS.items() for number in range(len(blocks))}
    assert {title for title, blocks in SECTIONS.items() if not blocks} == WITHOUT_BLOCK
    assert len(run) > 20
