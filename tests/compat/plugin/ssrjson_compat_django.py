"""Runs Django's own tests in the folder that holds them, with our classes instead of stock's if requested.

    python -m ssrjson_compat_django LABEL...

The variables and the report are those of ssrjson_compat. `runtests.py` uses this module as its settings.
"""

from __future__ import annotations

import os
import runpy
import sys
import unittest
from typing import Any

from ssrjson_compat import MODE, count, note, write_report
from test_sqlite import *  # noqa: F403  # Django's own settings for these tests

TEST_RUNNER = "ssrjson_compat_django.Runner"

if MODE != "stock":
    SESSION_SERIALIZER = "ssrjson_web.django.SSRJSONSerializer"
    SERIALIZATION_MODULES = {
        "json": "ssrjson_web.django.serializers.json",
        "jsonl": "ssrjson_web.django.serializers.jsonl",
    }
    SSRJSON = {"ASCII": True, "COMPACT": False}  # the bytes of stock


def plug_in() -> None:
    """Puts our classes in the modules that the tests import stock's classes from."""
    import django.core.serializers.json
    import django.http
    import django.http.response

    from ssrjson_web.django import DjangoJSONEncoder, SSRJSONResponse, SSRJSONSerializer
    from ssrjson_web.django.serializers import json, jsonl

    count(SSRJSONResponse, "__init__", "responses rendered")
    count(DjangoJSONEncoder, "encode", "values encoded")
    count(DjangoJSONEncoder, "iterencode", "values encoded")
    count(SSRJSONSerializer, "dumps", "sessions dumped")
    count(SSRJSONSerializer, "loads", "sessions loaded")
    count(json.Serializer, "_init_options", "documents serialized")
    count(jsonl.Serializer, "_init_options", "documents serialized")
    django.http.JsonResponse = django.http.response.JsonResponse = SSRJSONResponse
    django.core.serializers.json.DjangoJSONEncoder = DjangoJSONEncoder


class Result(unittest.TextTestResult):
    """Records each outcome."""

    def addSuccess(self, test: unittest.TestCase) -> None:
        super().addSuccess(test)
        note(test.id(), "passed", "")

    def addFailure(self, test: unittest.TestCase, err: Any) -> None:
        super().addFailure(test, err)
        note(test.id(), "failed", self._exc_info_to_string(err, test))  # type: ignore[attr-defined]

    def addError(self, test: unittest.TestCase, err: Any) -> None:
        super().addError(test, err)
        note(test.id(), "error", self._exc_info_to_string(err, test))  # type: ignore[attr-defined]

    def addSubTest(self, test: unittest.TestCase, subtest: unittest.TestCase, err: Any) -> None:
        super().addSubTest(test, subtest, err)
        if err is not None:
            note(test.id(), "failed", self._exc_info_to_string(err, subtest))  # type: ignore[attr-defined]

    def addSkip(self, test: unittest.TestCase, reason: str) -> None:
        super().addSkip(test, reason)
        note(test.id(), "skipped", "")

    def addExpectedFailure(self, test: unittest.TestCase, err: Any) -> None:
        super().addExpectedFailure(test, err)
        note(test.id(), "xfailed", "")

    def addUnexpectedSuccess(self, test: unittest.TestCase) -> None:
        super().addUnexpectedSuccess(test)
        note(test.id(), "xpassed", "")


def __getattr__(name: str) -> Any:
    # made on request: Django's runner needs settings, and this module holds them
    if name != "Runner":
        raise AttributeError(name)
    from django.test.runner import DiscoverRunner

    class Runner(DiscoverRunner):  # type: ignore[misc]
        """Django's, with a report."""

        def get_resultclass(self) -> type[unittest.TestResult]:
            return Result

        def run_tests(self, *args: Any, **options: Any) -> Any:
            failures = super().run_tests(*args, **options)
            write_report()
            return failures

    globals()["Runner"] = Runner
    return Runner


if __name__ == "__main__":
    os.environ["DJANGO_SETTINGS_MODULE"] = "ssrjson_compat_django"
    import ssrjson_compat_django

    if MODE != "stock":
        ssrjson_compat_django.plug_in()
    sys.argv = ["runtests.py", "--settings=ssrjson_compat_django", "--parallel=1", "--noinput", *sys.argv[1:]]
    runpy.run_path("runtests.py", run_name="__main__")
