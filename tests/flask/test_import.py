"""Importing the adapters, and the errors where their frameworks are not installed."""

from __future__ import annotations

from pathlib import Path

import pytest
from helpers.processes import run_python


@pytest.mark.parametrize("name", ["flask", "quart"])
def test_adapter_without_its_framework_is_an_import_error_that_names_the_extra(name: str, tmp_path: Path) -> None:
    snippet = f"""
        import sys
        sys.modules[{name!r}] = None
        import ssrjson_web
        print(ssrjson_web.dumps(["é"]))
        import ssrjson_web.{name}
    """
    done = run_python(snippet, tmp_path)
    assert done.returncode == 1
    assert done.stdout.strip() == '["é"]'
    last_line = done.stderr.strip().splitlines()[-1]
    assert last_line.startswith("ImportError: "), done.stderr
    assert f"ssrjson_web[{name}]" in last_line


def test_adapter_imports_no_other_framework(tmp_path: Path) -> None:
    snippet = """
        import sys
        import ssrjson_web.flask
        others = ("quart", "hypercorn", "starlette", "django", "pydantic", "flask_restx", "flask_restful", "asyncio")
        print([name for name in others if name in sys.modules])
    """
    done = run_python(snippet, tmp_path)
    assert done.stdout.strip() in ("[]", "['asyncio']"), done
