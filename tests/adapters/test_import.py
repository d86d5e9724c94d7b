"""Importing each adapter: no other framework comes with it, and an error names the extra of its own."""

from __future__ import annotations

import pickle
from importlib.util import find_spec
from pathlib import Path

import pytest
from helpers.processes import run_python

WITHOUT = [
    *(("starlette", "starlette"), ("django", "django"), ("flask", "flask"), ("quart", "quart")),
    *(
        ("fastapi", "fastapi"),
        ("channels", "channels"),
        ("aiohttp", "aiohttp"),
        ("falcon", "falcon"),
        ("litestar", "litestar"),
    ),
    *((adapter, missing) for adapter in ("rest_framework", "ninja") for missing in ("django", adapter)),
]


@pytest.mark.parametrize(("adapter", "missing"), WITHOUT)
def test_adapter_without_its_framework_is_an_import_error_that_names_the_extra(
    adapter: str, missing: str, tmp_path: Path
) -> None:
    snippet = f"""
        import sys
        sys.modules["{missing}"] = sys.modules["{missing}.responses"] = None
        import ssrjson_web
        print(ssrjson_web.dumps(["é"]))
        import ssrjson_web.{adapter}
    """
    done = run_python(snippet, tmp_path)
    assert done.returncode == 1
    assert done.stdout.strip() == '["é"]'
    last_line = done.stderr.strip().splitlines()[-1]
    assert last_line.startswith("ImportError: "), done.stderr
    assert f"ssrjson_web[{adapter.replace('_', '-')}]" in last_line


def test_functions_for_sanic_need_no_sanic(tmp_path: Path) -> None:
    done = run_python("import sys; sys.modules['sanic'] = None; import ssrjson_web.sanic", tmp_path)
    assert done.returncode == 0, done.stderr


OTHERS = {
    "": "starlette fastapi django flask quart litestar pydantic httpx",
    ".django": "starlette fastapi rest_framework ninja pydantic redis django.test",
    ".flask": "quart hypercorn starlette django pydantic flask_restx flask_restful",
    ".rest_framework": "starlette fastapi ninja pydantic ssrjson_web.django",
    ".ninja": "starlette fastapi rest_framework ssrjson_web.rest_framework",
}
NEED_SETTINGS = (".rest_framework", ".ninja")


@pytest.mark.parametrize("adapter", OTHERS, ids=lambda adapter: adapter or "package")
def test_adapter_imports_no_other_framework(adapter: str, tmp_path: Path) -> None:
    if find_spec(adapter[1:] or "ssrjson_web") is None:
        pytest.skip(f"{adapter[1:]} is not installed")
    snippet = f"""
        import sys
        if {adapter in NEED_SETTINGS}:
            from django.conf import settings
            settings.configure()
        import ssrjson_web{adapter}
        print([name for name in "{OTHERS[adapter]}".split() if name in sys.modules])
    """
    done = run_python(snippet, tmp_path)
    assert done.stdout.strip() == "[]", done


def test_classes_for_django_are_pickled_by_the_name_of_the_package() -> None:
    pytest.importorskip("django", reason="Django is not installed")
    import helpers.django_project  # noqa: F401

    from ssrjson_web.django import DjangoJSONEncoder, JSONDecoder, SSRJSONResponse

    for cls in (DjangoJSONEncoder, JSONDecoder, SSRJSONResponse):
        assert cls.__module__ == "ssrjson_web.django"
        assert pickle.loads(pickle.dumps(cls)) is cls
