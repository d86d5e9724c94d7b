"""The suites that `make compat` runs: which releases, which of their tests, and what may differ with ours in place."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Literal

REQUIREMENTS = Path(__file__).parent / "requirements"


@dataclass(frozen=True, kw_only=True)
class Suite:
    """The tests in one release of a framework."""

    framework: Literal["starlette", "fastapi", "djangorestframework", "django", "flask", "falcon"]
    version: str
    age: Literal["oldest", "middle", "newest"]
    first_python: tuple[int, int]
    """The release runs on this Python and on newer ones."""
    arguments: Sequence[str] = ()
    """Added to the command line of the program that runs the tests."""
    labels: Sequence[str] = ()
    """Of Django's tests, those that JSON has a part in."""
    python_path: Sequence[str] = ()
    """Folders of the source distribution that its tests import from."""
    least_calls: Mapping[str, int] = field(default_factory=dict)
    """By the names that the plug-in counts under: with fewer calls in a whole run ours was not in place."""
    expected: Mapping[str, str] = field(default_factory=dict)
    """Tests that fail with ours in place only, each with the reason."""

    @property
    def name(self) -> str:
        """`starlette-1.10.0`."""
        return f"{self.framework}-{self.version}"

    @property
    def plugs(self) -> Sequence[str]:
        """What the plug-in shall plug in."""
        return {
            "starlette": ("starlette",),
            "fastapi": ("starlette", "fastapi"),
            "djangorestframework": ("rest_framework",),
            "django": ("django",),
            "flask": ("flask",),
            "falcon": ("falcon",),
        }[self.framework]

    @property
    def program(self) -> Sequence[str]:
        """Behind the interpreter: the module that runs the tests, and its options."""
        if self.framework == "django":
            return ("-W", "ignore", "-m", "ssrjson_compat_django")
        plug_in = ("-p", "ssrjson_compat", "-p", "no:cacheprovider", "-W", "default", "--color=no", "--tb=short")
        return ("-m", "pytest", *plug_in)

    @property
    def folder(self) -> str:
        """Where in the sources the tests are run."""
        return "tests" if self.framework == "django" else "."

    def selection(self, words: Sequence[str], sources: Path) -> list[str]:
        """The words for a run: those given, and what is to run where they do not say it."""
        if self.framework == "django":
            return [*self.arguments, *(words or self.labels)]
        chosen = [*self.arguments, *words]
        if not any((sources / word.partition("::")[0]).exists() for word in words):
            chosen.append("tests")
        return chosen

    def again(self, tests: Sequence[str]) -> list[str]:
        """The words for another run of the tests, with those that stand in the same file."""
        if self.framework == "django":
            return sorted({test.rpartition(".")[0] for test in tests})
        return sorted({test.partition("::")[0] for test in tests})

    @property
    def requirements(self) -> Path:
        """The packages that the tests need, all pinned; the framework is one of them."""
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
_PATCHES_LOADS = "has json.loads raise what json.loads never raises, and the core does not call it"

# The labels of tests that touch JSON.
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
    "sessions_tests.tests.CookieSessionTests.test_unpickling_exception": "asserts the very class of the serializer",
}

_FLASK_CALLS = {"responses rendered": 25, "texts encoded": 450, "requests parsed": 45}

# Tests of servers in processes of their own, where the plug-in is not.
_FALCON_LEFT_OUT = ("--ignore=tests/test_wsgi_servers.py", "--ignore=tests/asgi/test_asgi_servers.py")
_FALCON_CALLS = {
    "applications set up": 1900,
    "responses rendered": 450,
    "requests parsed": 70,
    "frames sent": 3,
    "frames received": 6,
}
_PATCHES_DUMPS = "replaces the private _dumps by a function that gives text, where ours gives bytes"
_PATCHES_PRIVATE_LOADS = "replaces the private _loads, which ours does not call"
_FALCON_EXPECTED = {
    "tests/asgi/test_sse.py::TestSerializeJson::test_use_media_handler_dumps": _PATCHES_DUMPS,
    "tests/test_httperror.py::TestHTTPError::test_serialize_error_uses_media_handler[asgi]": _PATCHES_DUMPS,
    "tests/test_httperror.py::TestHTTPError::test_serialize_error_uses_media_handler[wsgi]": _PATCHES_DUMPS,
    "tests/test_query_params.py::TestQueryParams::test_get_param_as_json_handler_json[asgi]": _PATCHES_PRIVATE_LOADS,
    "tests/test_query_params.py::TestQueryParams::test_get_param_as_json_handler_json[wsgi]": _PATCHES_PRIVATE_LOADS,
}

# Its own command line: two workers, tests of one group in the same one.
_TWO_WORKERS = ("-n", "2", "--dist", "loadgroup")

SUITES: Sequence[Suite] = (
    Suite(
        framework="starlette",
        version="1.10.0",
        age="newest",
        first_python=(3, 10),
        least_calls=_STARLETTE_CALLS,
    ),
    Suite(
        framework="starlette",
        version="0.40.0",
        age="oldest",
        first_python=(3, 8),
        least_calls=_STARLETTE_CALLS,
    ),
    Suite(
        framework="fastapi",
        version="0.165.0",
        age="newest",
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
        framework="fastapi",
        version="0.115.2",
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
    Suite(
        framework="djangorestframework",
        version="3.18.3",
        age="newest",
        first_python=(3, 10),
        least_calls={"responses rendered": 200, "requests parsed": 30},
    ),
    Suite(
        framework="djangorestframework",
        version="3.15.0",
        age="oldest",
        first_python=(3, 8),
        least_calls={"responses rendered": 200, "requests parsed": 30},
    ),
    Suite(
        framework="django",
        version="6.1.3",
        age="newest",
        first_python=(3, 12),
        labels=_DJANGO_LABELS,
        least_calls=_DJANGO_CALLS,
        expected=_DJANGO_EXPECTED,
    ),
    Suite(
        framework="django",
        version="5.2.19",
        age="middle",
        first_python=(3, 10),
        labels=_DJANGO_LABELS,
        least_calls=_DJANGO_CALLS,
        expected=_DJANGO_EXPECTED,
    ),
    Suite(
        framework="django",
        version="4.2.30",
        age="oldest",
        first_python=(3, 8),
        labels=_DJANGO_LABELS,
        least_calls=_DJANGO_CALLS,
        expected=_DJANGO_EXPECTED,
    ),
    Suite(
        framework="flask",
        version="3.1.3",
        age="newest",
        first_python=(3, 9),
        least_calls=_FLASK_CALLS,
    ),
    Suite(
        framework="flask",
        version="3.0.0",
        age="oldest",
        first_python=(3, 8),
        least_calls=_FLASK_CALLS,
    ),
    Suite(
        framework="falcon",
        version="4.4.0",
        age="newest",
        first_python=(3, 9),
        arguments=_FALCON_LEFT_OUT,
        least_calls=_FALCON_CALLS,
        expected=_FALCON_EXPECTED,
    ),
    Suite(
        framework="falcon",
        version="4.0.0",
        age="oldest",
        first_python=(3, 8),
        arguments=_FALCON_LEFT_OUT,
        least_calls=_FALCON_CALLS,
        expected=_FALCON_EXPECTED,
    ),
)


def chosen(patterns: Sequence[str]) -> list[Suite]:
    """The suites that one of `patterns` names; all of them for none. Raises ValueError for a word without meaning."""
    for pattern in patterns:
        if not any(suite.is_meant(pattern) for suite in SUITES):
            names = ", ".join(suite.name for suite in SUITES)
            frameworks = ", ".join(dict.fromkeys(suite.framework for suite in SUITES))
            raise ValueError(f"no suite is called {pattern!r}: {frameworks}, oldest, newest, or one of {names}")
    return [suite for suite in SUITES if not patterns or any(map(suite.is_meant, patterns))]
