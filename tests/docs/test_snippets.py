"""The code that README and docs/ show: Python runs, and commands exist."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from helpers.markdown_pages import PAGES, blocks_of

DRIVER = Path(__file__).with_name("run_page.py")
TEXTS = {name: page.read_text(encoding="utf-8") for name, page in PAGES.items()}
WITH_PYTHON = [
    name for name, text in TEXTS.items() if any(block.language in ("python", "pycon") for block in blocks_of(text))
]
WITH_PYTHON.remove("docs/ecosystem.md")  # its blocks need other libraries and servers: see tests/ecosystem
WITH_PYTHON.remove("docs/load_testing.md")  # its blocks are two files of two processes: see test_load_testing.py
for _name in ("fastapi", "rest_framework"):  # files, likewise: see test_tutorials.py
    WITH_PYTHON.remove(f"docs/tutorial_{_name}.md")
LANGUAGES = {"python", "pycon", "sh", ""}  # nothing else is checked by any test; blocks without one are output


def run(page: str, folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-X", "utf8", str(DRIVER), page],
        cwd=folder,
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=300,
    )


@pytest.mark.full
@pytest.mark.parametrize("page", WITH_PYTHON)
def test_python_of_page_runs(page: str, tmp_path: Path) -> None:
    ran = run(page, tmp_path)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    n_blocks = sum(block.language in ("python", "pycon") for block in blocks_of(TEXTS[page]))
    assert f"{page}: {n_blocks} blocks ran" in ran.stdout


@pytest.mark.parametrize("page", PAGES)
def test_page_has_only_blocks_of_languages_that_are_checked(page: str) -> None:
    assert {block.language for block in blocks_of(TEXTS[page])} <= LANGUAGES


def test_every_file_of_pages_belongs_to_a_page_with_python() -> None:
    known = {Path(page).stem.lower() for page in WITH_PYTHON}
    assert {file.stem for file in DRIVER.with_name("pages").glob("*.py")} - known == set()
