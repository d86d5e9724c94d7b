"""Importing the adapters, and the errors where their frameworks are not installed."""

from __future__ import annotations

from pathlib import Path

import pytest
from helpers.processes import run_python


@pytest.mark.parametrize("name", ["aiohttp", "falcon", "litestar"])
def test_adapter_without_its_framework_is_an_import_error_that_names_the_extra(name: str, tmp_path: Path) -> None:
    snippet = f"""
        import sys
        sys.modules["{name}"] = None
        import ssrjson_web.{name}
    """
    done = run_python(snippet, tmp_path)
    assert done.returncode == 1
    last_line = done.stderr.strip().splitlines()[-1]
    assert last_line.startswith("ImportError: "), done.stderr
    assert f"ssrjson_web[{name}]" in last_line


def test_functions_for_sanic_need_no_sanic(tmp_path: Path) -> None:
    done = run_python("import sys; sys.modules['sanic'] = None; import ssrjson_web.sanic", tmp_path)
    assert done.returncode == 0, done.stderr
