"""The site that `make docs` builds: it builds in strict mode, and shows what lies outside of docs/."""

from __future__ import annotations

import html
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from helpers.markdown_pages import PAGES, ROOT, blocks_of

pytestmark = pytest.mark.full
FRAMEWORKS = sorted(
    name for name, page in PAGES.items() if page.parent.name == "docs" and (page.parent / "api" / page.name).exists()
)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the site, built for this module."""
    for package in ("material", "mkdocstrings_handlers.python"):
        pytest.importorskip(package, reason="mkdocs is not installed: pip install 'ssrjson_web[docs]'")
    folder = tmp_path_factory.mktemp("site")
    ran = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(folder)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=300,
        env={**os.environ, "NO_MKDOCS_2_WARNING": "1"},
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr
    return folder


def test_make_docs_fails_where_mkdocs_warns() -> None:
    (line,) = [line for line in (ROOT / "Makefile").read_text(encoding="utf-8").splitlines() if "mkdocs build" in line]
    assert "--strict" in line
    assert " -q" not in line  # which hides warnings from --strict


def test_api_page_shows_the_defaults_of_options(site: Path) -> None:
    text = html.unescape(re.sub(r"<[^>]+>", "", (site / "api" / "core.html").read_text(encoding="utf-8")))
    assert "check_circular: bool = True,\n" in text
    assert 'timespec: Timespec = "auto",\n' in text
    assert 'duplicate_keys: Literal["last", "error"] = "last",\n' in text
    assert "= ..." not in text
    assert "The JSON text of an object as UTF-8 bytes." in text


def test_site_leads_from_a_page_to_the_example_outside_of_docs(site: Path) -> None:
    assert 'href="tree/examples/fastapi_app.py.html"' in (site / "fastapi.html").read_text(encoding="utf-8")
    assert "吾輩は猫である" in (site / "tree" / "examples" / "fastapi_app.py.html").read_text(encoding="utf-8")


def test_site_shows_public_names_with_their_docstrings(site: Path) -> None:
    page = (site / "api" / "fastapi.html").read_text(encoding="utf-8")
    assert 'id="ssrjson_web.fastapi.SSRJSONRoute"' in page
    assert 'id="ssrjson_web.fastapi.setup"' in page


def test_site_loads_nothing_from_another_host(site: Path) -> None:
    for page in site.rglob("*.html"):
        text = page.read_text(encoding="utf-8")
        assert 'src="http' not in text, page
        assert 'rel="stylesheet" href="http' not in text, page


@pytest.mark.parametrize("name", FRAMEWORKS)
def test_page_of_framework_begins_with_lines_to_copy(name: str) -> None:
    first = next(block for block in blocks_of(PAGES[name].read_text(encoding="utf-8")))
    assert (first.language, first.line <= 6) in {("python", True), ("sh", True)}


def test_pages_of_frameworks_are_known() -> None:
    assert {"docs/fastapi.md", "docs/django.md", "docs/sanic.md"} < set(FRAMEWORKS)
