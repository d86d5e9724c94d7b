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
    "responses rendered": 20,
    "requests parsed": 5,
    "frames sent": 10,
    "frames received": 2,
}
_FASTAPI_CALLS = {
    "responses rendered": 1000,
    "requests parsed": 400,
    "frames sent": 2,
    "applications set up": 300,
    "results encoded": 500,
    "models encoded": 200,
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
        arguments=(*_TWO_WORKERS, "tests"),
        python_path=("docs_src",),
        least_calls=_FASTAPI_CALLS,
        expected={},
    ),
    Suite(
        framework="fastapi",
        version="0.115.2",
        age="oldest",
        first_python=(3, 8),
        arguments=("-n", "2", "tests"),
        python_path=("docs_src",),
        least_calls=_FASTAPI_CALLS,
        expected={},
    ),
)


def chosen(patterns: Sequence[str]) -> list[Suite]:
    """The suites that one of `patterns` names; all of them for none. Raises ValueError for a word without meaning."""
    for pattern in patterns:
        if not any(suite.is_meant(pattern) for suite in SUITES):
            names = ", ".join(suite.name for suite in SUITES)
            raise ValueError(f"no suite is called {pattern!r}: starlette, fastapi, oldest, newest, or one of {names}")
    return [suite for suite in SUITES if not patterns or any(map(suite.is_meant, patterns))]
