"""Importing the adapters of REST framework and of Ninja, and the errors where their frameworks are not installed."""

from __future__ import annotations

from pathlib import Path

import pytest
from helpers.processes import run_python


@pytest.mark.parametrize("adapter", ["rest_framework", "ninja"])
@pytest.mark.parametrize("missing", ["django", "its own"])
def test_adapter_without_its_framework_is_an_import_error_that_names_the_extra(
    adapter: str, missing: str, tmp_path: Path
) -> None:
    snippet = f"""
        import sys
        sys.modules[{(adapter if missing == "its own" else missing)!r}] = None
        import ssrjson_web.{adapter}
    """
    done = run_python(snippet, tmp_path)
    assert done.returncode == 1
    last_line = done.stderr.strip().splitlines()[-1]
    assert last_line.startswith("ImportError: "), done.stderr
    extra = adapter.replace("_", "-")
    assert f"ssrjson_web[{extra}]" in last_line


@pytest.mark.parametrize(
    ("adapter", "others"),
    [
        ("rest_framework", ("starlette", "fastapi", "ninja", "pydantic", "ssrjson_web.django")),
        ("ninja", ("starlette", "fastapi", "rest_framework", "ssrjson_web.rest_framework")),
    ],
)
def test_adapter_imports_no_other_framework(adapter: str, others: tuple[str, ...], tmp_path: Path) -> None:
    snippet = f"""
        import sys
        from django.conf import settings
        settings.configure()
        import ssrjson_web.{adapter}
        print([name for name in {others!r} if name in sys.modules])
    """
    done = run_python(snippet, tmp_path)
    assert done.stdout.strip() == "[]", done
