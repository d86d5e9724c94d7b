"""CPython's own tests of json, of the running Python, against stdlib's module or against ours.

A program: `cpython_suite.py stock` or `cpython_suite.py ours` prints a JSON object:
each test's outcome, and how often the core was called. Without a word it does what `make compat` asks for by the
variables that tests/compat/plugin/ssrjson_compat.py explains, and writes its report.
"""

from __future__ import annotations

import importlib
import json
import os
import pkgutil
import sys
import unittest
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

suite = importlib.import_module("test.test_json")  # CPython's, which it installs beside its library or not


class Outcomes(unittest.TestResult):
    """What became of each test, with the last line of its traceback."""

    def __init__(self) -> None:
        super().__init__()
        self.outcomes: dict[str, str] = {}

    def startTest(self, test: unittest.TestCase) -> None:
        super().startTest(test)
        self.outcomes[test.id()] = "ok"

    def addSkip(self, test: unittest.TestCase, reason: str) -> None:
        self.outcomes[test.id()] = f"skipped: {reason}"

    def addFailure(self, test: unittest.TestCase, err: Any) -> None:
        self._add_error(test, err)

    def addError(self, test: unittest.TestCase, err: Any) -> None:
        self._add_error(test, err)

    def addSubTest(self, test: unittest.TestCase, subtest: unittest.TestCase, err: Any) -> None:
        if err is not None:
            self._add_error(test, err)

    def _add_error(self, test: unittest.TestCase, err: Any) -> None:
        self.outcomes[test.id()] = self._exc_info_to_string(err, test).strip().splitlines()[-1]  # type: ignore[attr-defined]


def tests_of(thing: unittest.TestSuite | unittest.TestCase) -> Iterator[unittest.TestCase]:
    if isinstance(thing, unittest.TestCase):
        yield thing
    else:
        for inner in thing:
            yield from tests_of(inner)


def tests_of_the_accelerated_module() -> unittest.TestSuite:
    """The test cases whose `self.json` is json with its C accelerator: the ones for the module that ours replaces."""
    names = [module.name for module in pkgutil.iter_modules(suite.__path__) if module.name.startswith("test_")]
    modules = [suite, *(importlib.import_module(f"{suite.__name__}.{name}") for name in names)]
    loaded = [unittest.defaultTestLoader.loadTestsFromModule(module, pattern="") for module in modules[1:]]
    loaded.append(unittest.defaultTestLoader.loadTestsFromTestCase(suite.TestCTest))
    return unittest.TestSuite(test for part in loaded for test in tests_of(part) if isinstance(test, suite.CTest))


def count_calls(module: Any, calls: dict[str, int], names: list[str]) -> None:
    def counting(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
        def count(*args: Any, **options: Any) -> Any:
            calls[name] += 1
            return function(*args, **options)

        return count

    for name in names:
        calls[name] = 0
        setattr(module, name, counting(name, getattr(module, name)))


def plug_in_ours() -> dict[str, int]:
    """Let the tests use ours; gives the counts of its calls into the core."""
    from ssrjson_web import json as ours

    calls: dict[str, int] = {}
    count_calls(ours, calls, ["_core_dumps", "_core_loads"])
    suite.CTest.json = ours
    suite.CTest.loads = staticmethod(ours.loads)
    suite.CTest.dumps = staticmethod(ours.dumps)
    suite.CTest.JSONDecodeError = staticmethod(ours.JSONDecodeError)
    return calls


def run(subject: str) -> tuple[dict[str, str], dict[str, int]]:
    """What became of each test, and the calls of ours."""
    calls = plug_in_ours() if subject == "ours" else {}
    result = Outcomes()
    tests_of_the_accelerated_module().run(result)
    return result.outcomes, calls


def compat_report(outcomes: dict[str, str], calls: dict[str, int]) -> dict[str, Any]:
    """The report that `make compat` reads."""

    def word(said: str) -> str:
        return "passed" if said == "ok" else "skipped" if said.startswith("skipped") else "failed"

    return {
        "outcomes": {
            test: {"outcome": word(said), "gist": "" if said == "ok" else said} for test, said in outcomes.items()
        },
        "counts": calls,
    }


def main() -> None:
    if len(sys.argv) > 1:
        outcomes, calls = run(sys.argv[1])
        print(json.dumps({"outcomes": outcomes, "calls": calls}))
    else:
        report = compat_report(*run("stock" if os.environ["SSRJSON_COMPAT"] == "stock" else "ours"))
        Path(os.environ["SSRJSON_COMPAT_REPORT"]).write_text(json.dumps(report, indent=1), "utf-8")


if __name__ == "__main__":
    main()
