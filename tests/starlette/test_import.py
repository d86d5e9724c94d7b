"""Importing the adapter, and the error where its framework is not installed."""

from __future__ import annotations

from pathlib import Path

from helpers.processes import run_python


def test_package_imports_no_framework(tmp_path: Path) -> None:
    snippet = """
        import sys
        import ssrjson_web
        frameworks = ("starlette", "fastapi", "django", "flask", "quart", "litestar", "pydantic", "httpx")
        print([name for name in frameworks if name in sys.modules])
    """
    done = run_python(snippet, tmp_path)
    assert done.stdout.strip() == "[]", done


def test_adapter_without_starlette_is_an_import_error_that_names_the_extra(tmp_path: Path) -> None:
    snippet = """
        import sys
        sys.modules["starlette"] = sys.modules["starlette.responses"] = None
        import ssrjson_web
        print(ssrjson_web.dumps(["é"]))
        import ssrjson_web.starlette
    """
    done = run_python(snippet, tmp_path)
    assert done.returncode == 1
    assert done.stdout.strip() == '["é"]'
    last_line = done.stderr.strip().splitlines()[-1]
    assert last_line.startswith("ImportError: "), done.stderr
    assert "ssrjson_web[starlette]" in last_line
