"""The suites that `make compat` runs: their releases, their tests, and the expected differences with ours in place.

Those of frameworks, and of packages for REST framework, run on our adapters, and those of marshmallow and of two
libraries that use it after `setup()`. Those of JSON itself run on our `json` drop-in: CPython's, simplejson's, and the
files of JSONTestSuite, which come with the source distribution of pyjson5. orjson's run on `ssrjson_web.orjson`, and so
do those of two libraries that import orjson.
"""

from __future__ import annotations

import os
import platform
import sys
from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Literal

REQUIREMENTS = Path(__file__).parent / "requirements"
CPYTHON_SUITE = Path(__file__).parents[1] / "json" / "cpython_suite.py"
JSON_TEST_SUITE = Path(__file__).parent / "plugin" / "ssrjson_compat_files.py"

Framework = Literal[
    "starlette",
    "fastapi",
    "djangorestframework",
    "drf_spectacular",
    "django_filter",
    "djangorestframework_simplejwt",
    "dj_rest_auth",
    "django",
    "flask",
    "falcon",
    "marshmallow",
    "webargs",
    "flask_smorest",
    "cpython",
    "simplejson",
    "pyjson5",
    "orjson",
    "jupyter_client",
    "langsmith",
]


@dataclass(frozen=True)
class Suite:
    """The tests in one release of a framework, or of a JSON library."""

    framework: Framework
    version: str
    _: KW_ONLY
    age: Literal["oldest", "middle", "newest"] = "newest"
    first_python: tuple[int, int] = (3, 10)
    """The release runs on this Python and on newer ones."""
    arguments: Sequence[str] = ()
    """Arguments added to the command line of the program that runs the tests."""
    files: Sequence[str] = ()
    """The files with the tests that use JSON; empty: all."""
    labels: Sequence[str] = ()
    """The labels of Django's tests that use JSON."""
    python_path: Sequence[str] = ()
    """Folders of the source distribution that its tests import from."""
    least_calls: Mapping[str, int] = field(default_factory=dict)
    """Minimum number of calls by the plug-in's names: with fewer in a whole run ours was not in place."""
    expected: Mapping[str, str] = field(default_factory=dict)
    """Tests that fail only with ours in place, each with the reason."""

    @property
    def name(self) -> str:
        """`starlette-1.10.0`."""
        return f"{self.framework}-{self.version}"

    @property
    def plugs(self) -> Sequence[str]:
        """The plug-in's value of SSRJSON_COMPAT."""
        return {
            "starlette": ("starlette",),
            "fastapi": ("starlette", "fastapi"),
            "djangorestframework": ("rest_framework",),
            "drf_spectacular": ("rest_framework",),
            "django_filter": ("rest_framework",),
            "djangorestframework_simplejwt": ("rest_framework",),
            "dj_rest_auth": ("rest_framework",),
            "django": ("django",),
            "flask": ("flask",),
            "falcon": ("falcon",),
            "marshmallow": ("marshmallow",),
            "webargs": ("marshmallow",),
            "flask_smorest": ("marshmallow", "flask"),
            "cpython": ("cpython",),
            "simplejson": ("simplejson",),
            "pyjson5": ("json_test_suite",),
            "orjson": ("orjson",),
            "jupyter_client": ("orjson",),
            "langsmith": ("orjson",),
        }[self.framework]

    @property
    def tests(self) -> str:
        """The folder of the source distribution that holds the tests; empty if there is none."""
        return {
            "cpython": "",
            "simplejson": "simplejson/tests",
            "pyjson5": "third-party/JSONTestSuite/test_parsing",
            "orjson": "test",
            "langsmith": "tests/unit_tests",
            "dj_rest_auth": "dj_rest_auth/tests",
        }.get(self.framework, "tests")

    @property
    def program(self) -> Sequence[str]:
        """The arguments of the interpreter: the module that runs the tests, and its options."""
        if self.framework == "django":
            return ("-W", "ignore", "-m", "ssrjson_compat_django")
        if self.framework == "cpython":
            return (str(CPYTHON_SUITE),)
        plug_in = ("-p", "ssrjson_compat", "-p", "no:cacheprovider", "-W", "default", "--color=no", "--tb=short")
        return ("-m", "pytest", *plug_in)

    @property
    def folder(self) -> str:
        """The folder of the sources in which the tests are run."""
        return "tests" if self.framework == "django" else "."

    def selection(self, words: Sequence[str], sources: Path) -> list[str]:
        """The arguments of a run: the given ones, and the tests to run if they name none."""
        if self.framework == "django":
            return [*self.arguments, *(words or self.labels)]
        chosen = [*self.arguments, *words]
        if self.framework in ("cpython", "pyjson5"):
            return chosen
        if not any((sources / word.partition("::")[0]).exists() for word in words):
            chosen += self.files or [self.tests]
        return chosen

    def again(self, tests: Sequence[str]) -> list[str]:
        """The arguments for another run of the tests' files."""
        if self.framework == "django":
            return sorted({test.rpartition(".")[0] for test in tests})
        if self.framework in ("cpython", "pyjson5"):
            return []
        return sorted({test.partition("::")[0] for test in tests})

    @property
    def requirements(self) -> Path:
        """The packages that the tests need, all pinned; the framework is one of them."""
        if self.framework == "cpython":
            return REQUIREMENTS / "cpython.txt"
        return REQUIREMENTS / f"{self.name}.txt"

    def is_meant(self, pattern: str) -> bool:
        """Whether a word of the command line names this suite: `starlette`, `newest`, `fastapi-0.*`."""
        return pattern in (self.framework, self.age, self.version) or fnmatchcase(self.name, pattern)


_STARLETTE_CALLS = {
    "responses rendered": 150,
    "requests parsed": 12,
    "frames sent": 25,
    "frames received": 12,
}
_REST_FRAMEWORK_CALLS = {
    "responses rendered": 200,
    "requests parsed": 30,
    "serializers read": 50,
    "serializers loaded": 50,
}
_PATCHES_LOADS = "makes json.loads raise an error that it never raises, and the core does not call it"

# The labels of tests that use JSON.
_DJANGO_LABELS = (
    "asgi",
    "fixtures",
    "forms_tests.field_tests.test_jsonfield",
    "httpwrappers",
    "messages_tests",
    "model_fields.test_jsonfield",
    "requests_tests",
    "serializers",
    "sessions_tests",
    "signing",
    "template_tests.filter_tests.test_json_script",
    "test_client",
    "utils_tests.test_html",
    "view_tests.tests.test_json",
)
_DJANGO_CALLS = {
    "responses rendered": 6,
    "values encoded": 500,
    "sessions dumped": 150,
    "sessions loaded": 60,
    "documents serialized": 100,
}

_DJANGO_EXPECTED = {
    "sessions_tests.tests.CookieSessionTests.test_unpickling_exception": "asserts the exact class of the serializer",
}

_FLASK_CALLS = {"responses rendered": 25, "texts encoded": 450, "requests parsed": 45}

# Tests of servers in separate processes, where the plug-in is not loaded.
_FALCON_LEFT_OUT = ("--ignore=tests/test_wsgi_servers.py", "--ignore=tests/asgi/test_asgi_servers.py")
_FALCON_CALLS = {
    "applications set up": 1900,
    "responses rendered": 450,
    "requests parsed": 70,
    "frames sent": 3,
    "frames received": 6,
}
_PATCHES_DUMPS = "replaces the private _dumps by a function that returns text, where ours returns bytes"
_PATCHES_PRIVATE_LOADS = "replaces the private _loads, which ours does not call"
_FALCON_EXPECTED = {
    "tests/asgi/test_sse.py::TestSerializeJson::test_use_media_handler_dumps": _PATCHES_DUMPS,
    "tests/test_httperror.py::TestHTTPError::test_serialize_error_uses_media_handler[asgi]": _PATCHES_DUMPS,
    "tests/test_httperror.py::TestHTTPError::test_serialize_error_uses_media_handler[wsgi]": _PATCHES_DUMPS,
    "tests/test_query_params.py::TestQueryParams::test_get_param_as_json_handler_json[asgi]": _PATCHES_PRIVATE_LOADS,
    "tests/test_query_params.py::TestQueryParams::test_get_param_as_json_handler_json[wsgi]": _PATCHES_PRIVATE_LOADS,
}

_SCHEMA_CALLS = {"dumped by plans": 150, "loaded by plans": 200}
_MARSHMALLOWS: Sequence[tuple[str, Literal["oldest", "middle", "newest"], tuple[int, int]]] = (
    ("4.4.0", "newest", (3, 11)),
    ("3.26.2", "middle", (3, 10)),
    ("3.20.0", "oldest", (3, 10)),
)

_NO_DEPTH = "asserts that stdlib raises RecursionError at 100,000 levels, which ours reads and writes"
_CPYTHON_EXPECTED = {
    "test.test_json.test_recursion.TestCRecursion.test_highly_nested_objects_decoding": _NO_DEPTH,
    "test.test_json.test_recursion.TestCRecursion.test_highly_nested_objects_encoding": _NO_DEPTH,
}

# In all of these simplejson differs from the standard library, and ours follows the standard library.
_SIMPLEJSON_DIFFERENCES = {
    "writes Decimal, which the standard library refuses": [
        "test_decimal.py::TestDecimal::test_decimal_defaults",
        "test_decimal.py::TestDecimal::test_decimal_finite_unaffected",
        *(f"test_decimal.py::TestDecimal::test_decimal_nan_{what}" for what in ("allow", "as_key", "as_value", "deny")),
        "test_decimal.py::TestDecimal::test_decimal_nan_deny_message",
    ],
    "writes bytes, as values and as keys, which the standard library refuses": [
        *(f"test_dump.py::TestDump::test_bytes_{what}" for what in ("key", "nested", "toplevel")),
        "test_dump.py::TestDump::test_misbehaving_bytes_subtype",
        "test_dump.py::TestDump::test_stringify_key",
        "test_unicode.py::TestUnicode::test_ensure_ascii_false_bytestring_encoding",
        "test_unicode.py::TestUnicode::test_ensure_ascii_linebreak_encoding",
    ],
    "sorts keys by their JSON text, and the standard library by the keys themselves": [
        "test_dump.py::TestDump::test_encode_truefalse",
        "test_dump.py::TestDictEncodingPaths::test_dict_subclass_items_returning_iterator",
        "test_dump.py::TestDictEncodingPaths::test_skipkeys_slow_path",
    ],
    "writes named tuples as objects and calls _asdict, which the standard library does not": [
        "test_namedtuple.py::TestNamedTuple::test_asdict_dispatch_order",
        "test_namedtuple.py::TestNamedTuple::test_namedtuple_dump",
        "test_namedtuple.py::TestNamedTuple::test_namedtuple_dumps",
    ],
    "writes its RawJSON, which only simplejson has": [
        f"test_raw_json.py::TestRawJson::test_{what}" for what in ("direct", "list", "raw_json_str")
    ],
    "its errors have an end, with line and column": [
        "test_errors.py::TestErrors::test_decode_error",
        "test_errors.py::TestErrors::test_error_is_pickable",
    ],
    "has other messages than the standard library": [
        "test_fail.py::TestFail::test_object_property_error_message",
        "test_fail.py::TestFail::test_truncated_input",
        "test_float.py::TestFloat::test_degenerates_deny_message",
    ],
    "adds its own notes to errors": [
        "test_errors.py::TestErrors::test_add_note_after_asdict_names_the_dict",
        *(f"test_errors.py::TestErrors::test_add_note_{what}_recursion" for what in ("dict", "list")),
        "test_errors.py::TestErrors::test_add_note_nested_error",
        "test_errors.py::TestErrors::test_add_note_uses_type_name",
        "test_errors.py::TestErrors::test_type_name_of_class_with_dotted_name",
    ],
    "refuses NaN when reading, by default": ["test_float.py::TestFloat::test_degenerates_deny"],
    "accepts as indent any value that can multiply a space": [
        "test_dump.py::TestDump::test_indent_unknown_type_acceptance"
    ],
    "reads str that begins with a byte order mark": ["test_unicode.py::TestUnicode::test_strip_bom"],
    # since 3.13 the standard library does so too
    "reports a trailing comma at the comma's own position": [
        "test_decode.py::TestDecode::test_trailing_comma_position",
        "test_decode.py::TestDecode::test_trailing_comma_unexpected_data",
    ],
}
_SIMPLEJSON_EXPECTED = {
    f"simplejson/tests/{test}": f"simplejson {reason}"
    for reason, tests in _SIMPLEJSON_DIFFERENCES.items()
    for test in tests
    if "trailing_comma" not in test or sys.version_info < (3, 13)
}

_JSON_TEST_SUITE_EXPECTED = {
    f"::test_{way}[n_structure_{name}.json]": "stdlib raises RecursionError, ours reads on and rejects the rest"
    for way in ("bytes_go_as_with_stdlib", "str_goes_as_with_stdlib", "pieces_go_as_the_whole")
    for name in ("100000_opening_arrays", "open_array_object")
}

# For a source distribution without settings pytest would use those of our tree.
_NO_SETTINGS = (f"--config-file={os.devnull}", "--rootdir=.")

# This is its own command line: two workers, with all tests of a group in the same one.
_TWO_WORKERS = ("-n", "2", "--dist", "loadgroup")

_ORJSON_EXPECTED = {
    "test/test_api.py::TestApi::test_dumps_module_str": "dumps.__module__ is ssrjson_web.orjson",
    "test/test_api.py::TestApi::test_loads_module_str": "loads.__module__ is ssrjson_web.orjson",
    "test/test_fragment.py::TestFragment::test_fragment_fragment_eq": "fragments of equal contents are equal",
    "test/test_fragment.py::TestFragment::test_fragment_repr": "the repr of a fragment shows its contents",
}

SUITES: Sequence[Suite] = (
    Suite("starlette", "1.10.0", least_calls=_STARLETTE_CALLS),
    Suite("starlette", "0.40.0", age="oldest", first_python=(3, 8), least_calls=_STARLETTE_CALLS),
    Suite(
        "fastapi",
        "0.165.0",
        first_python=(3, 11),
        arguments=_TWO_WORKERS,
        python_path=("docs_src",),
        least_calls={
            "responses rendered": 600,
            "requests parsed": 350,
            "frames sent": 20,
            "applications set up": 1800,
            "results encoded": 1800,
            "models encoded": 500,
        },
        expected={
            "tests/test_dump_json_fast_path.py::test_explicit_response_class_uses_json_dumps": "counts the calls of "
            "json.dumps, which is not called",
            "tests/test_tutorial/test_body/test_tutorial001.py::test_other_exceptions[tutorial001]": _PATCHES_LOADS,
        },
    ),
    Suite(
        "fastapi",
        "0.115.2",
        age="oldest",
        first_python=(3, 8),
        arguments=("-n", "2"),
        python_path=("docs_src",),
        least_calls={
            "responses rendered": 450,
            "requests parsed": 150,
            "frames sent": 2,
            "applications set up": 550,
            "results encoded": 800,
            "models encoded": 200,
        },
        expected={
            "tests/test_tutorial/test_body/test_tutorial001.py::test_other_exceptions": _PATCHES_LOADS,
            "tests/test_tutorial/test_body/test_tutorial001_py310.py::test_other_exceptions": _PATCHES_LOADS,
        },
    ),
    Suite("djangorestframework", "3.18.3", least_calls=_REST_FRAMEWORK_CALLS),
    Suite("djangorestframework", "3.15.0", age="oldest", first_python=(3, 8), least_calls=_REST_FRAMEWORK_CALLS),
    Suite(
        "drf_spectacular",
        "0.30.0",
        arguments=(*_NO_SETTINGS, "--ignore=tests/contrib/test_rest_framework_gis.py"),  # it needs GDAL
        least_calls={"serializers read": 5},
    ),
    Suite(
        "django_filter",
        "26.2",
        first_python=(3, 11),
        arguments=(*_NO_SETTINGS, "--ds=tests.settings"),
        least_calls={"serializers read": 5},
    ),
    Suite(
        "djangorestframework_simplejwt",
        "5.5.1",
        least_calls={"serializers loaded": 10},
    ),
    Suite(
        "dj_rest_auth",
        "7.2.0",
        arguments=(*_NO_SETTINGS, "--ds=dj_rest_auth.tests.settings"),
        python_path=("", "dj_rest_auth", "dj_rest_auth/tests"),
        least_calls={"serializers loaded": 10},
    ),
    Suite(
        "django",
        "6.1.3",
        first_python=(3, 12),
        labels=_DJANGO_LABELS,
        least_calls=_DJANGO_CALLS,
        expected=_DJANGO_EXPECTED,
    ),
    Suite(
        "django", "5.2.19", age="middle", labels=_DJANGO_LABELS, least_calls=_DJANGO_CALLS, expected=_DJANGO_EXPECTED
    ),
    Suite(
        "django",
        "4.2.30",
        age="oldest",
        first_python=(3, 8),
        labels=_DJANGO_LABELS,
        least_calls=_DJANGO_CALLS,
        expected=_DJANGO_EXPECTED,
    ),
    Suite("flask", "3.1.3", first_python=(3, 9), least_calls=_FLASK_CALLS),
    Suite("flask", "3.0.0", age="oldest", first_python=(3, 8), least_calls=_FLASK_CALLS),
    Suite(
        "falcon",
        "4.4.0",
        first_python=(3, 9),
        arguments=_FALCON_LEFT_OUT,
        least_calls=_FALCON_CALLS,
        expected=_FALCON_EXPECTED,
    ),
    Suite(
        "falcon",
        "4.0.0",
        age="oldest",
        first_python=(3, 8),
        arguments=_FALCON_LEFT_OUT,
        least_calls=_FALCON_CALLS,
        expected=_FALCON_EXPECTED,
    ),
    *(
        Suite("marshmallow", version, age=age, first_python=first_python, least_calls=_SCHEMA_CALLS)
        for version, age, first_python in _MARSHMALLOWS
    ),
    Suite(
        "webargs",
        "8.7.1",
        files=("tests/test_core.py", "tests/test_flaskparser.py"),
        least_calls={"loaded by plans": 100},
    ),
    Suite(
        "flask_smorest",
        "0.47.0",
        least_calls={"dumped by plans": 150, "loaded by plans": 100},
    ),
    Suite(
        "cpython",
        platform.python_version(),
        least_calls={"_core_dumps": 50, "_core_loads": 50},
        expected=_CPYTHON_EXPECTED,
    ),
    Suite(
        "simplejson",
        "4.3.0",
        arguments=_NO_SETTINGS,
        least_calls={"texts encoded": 100, "documents parsed": 100},
        expected=_SIMPLEJSON_EXPECTED,
    ),
    Suite(
        "pyjson5",
        "2.0.1",
        arguments=(*_NO_SETTINGS, "--noconftest", "--import-mode=importlib", str(JSON_TEST_SUITE)),
        least_calls={"documents parsed": 1200},
        expected=_JSON_TEST_SUITE_EXPECTED,
    ),
    Suite(
        "orjson",
        "3.13.0",
        arguments=_NO_SETTINGS,
        least_calls={"texts encoded": 1000, "documents parsed": 300},
        expected=_ORJSON_EXPECTED,
    ),
    Suite(
        "jupyter_client",
        "8.10.0",
        arguments=(*_NO_SETTINGS, "-p", "no:pytest_jupyter"),  # which imports orjson before ours is in its place
        files=("tests/test_session.py", "tests/test_jsonutil.py"),
        least_calls={"texts encoded": 50, "documents parsed": 50},
    ),
    Suite(
        "langsmith",
        "0.15.0",
        arguments=(*_NO_SETTINGS, "-o", "asyncio_mode=auto", "-p", "no:langsmith_plugin"),
        files=tuple(
            f"tests/unit_tests/{name}"
            for name in (
                "secret",
                "test_client.py",
                "test_multipart_attachment_reencode.py",
                "test_operations.py",
                "test_otel_exporter.py",
                "test_replica_serialization.py",
                "test_run_trees.py",
            )
        ),
        least_calls={"texts encoded": 200},
    ),
)


def chosen(patterns: Sequence[str]) -> list[Suite]:
    """The suites that one of `patterns` names; all if there are none. Raises ValueError if nothing matches."""
    for pattern in patterns:
        if not any(suite.is_meant(pattern) for suite in SUITES):
            names = ", ".join(suite.name for suite in SUITES)
            frameworks = ", ".join(dict.fromkeys(suite.framework for suite in SUITES))
            raise ValueError(f"no suite is called {pattern!r}: {frameworks}, oldest, newest, or one of {names}")
    return [suite for suite in SUITES if not patterns or any(map(suite.is_meant, patterns))]
