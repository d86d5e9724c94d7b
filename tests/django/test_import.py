"""Importing the adapter, and the error where its framework is not installed."""

from __future__ import annotations

from pathlib import Path

from helpers.processes import run_python


def test_adapter_without_django_is_an_import_error_that_names_the_extra(tmp_path: Path) -> None:
    snippet = """
        import sys
        sys.modules["django"] = None
        import ssrjson_web
        print(ssrjson_web.dumps(["é"]))
        import ssrjson_web.django
    """
    done = run_python(snippet, tmp_path)
    assert done.returncode == 1
    assert done.stdout.strip() == '["é"]'
    last_line = done.stderr.strip().splitlines()[-1]
    assert last_line.startswith("ImportError: "), done.stderr
    assert "ssrjson_web[django]" in last_line


def test_adapter_imports_no_other_framework_and_needs_no_settings(tmp_path: Path) -> None:
    snippet = """
        import sys
        import ssrjson_web.django
        others = ("starlette", "fastapi", "rest_framework", "ninja", "pydantic", "redis", "django.test")
        print([name for name in others if name in sys.modules])
    """
    done = run_python(snippet, tmp_path)
    assert done.stdout.strip() == "[]", done


def test_classes_are_pickled_by_the_name_of_the_package() -> None:
    import pickle

    from ssrjson_web.django import DjangoJSONEncoder, JSONDecoder, SSRJSONResponse

    for cls in (DjangoJSONEncoder, JSONDecoder, SSRJSONResponse):
        assert cls.__module__ == "ssrjson_web.django"
        assert pickle.loads(pickle.dumps(cls)) is cls
