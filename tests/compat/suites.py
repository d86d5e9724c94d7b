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

    framework: Literal["starlette", "fastapi"]
    version: str
    age: Literal["oldest", "newest"]
    first_python: tuple[int, int]
    """The release runs on this Python and on newer ones."""
    arguments: Sequence[str] = ()
    """Added to pytest's command line."""
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
        return ("starlette", "fastapi") if self.framework == "fastapi" else ("starlette",)

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
)


def chosen(patterns: Sequence[str]) -> list[Suite]:
    """The suites that one of `patterns` names; all of them for none. Raises ValueError for a word without meaning."""
    for pattern in patterns:
        if not any(suite.is_meant(pattern) for suite in SUITES):
            names = ", ".join(suite.name for suite in SUITES)
            raise ValueError(f"no suite is called {pattern!r}: starlette, fastapi, oldest, newest, or one of {names}")
    return [suite for suite in SUITES if not patterns or any(map(suite.is_meant, patterns))]
