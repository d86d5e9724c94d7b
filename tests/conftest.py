"""Fixtures and hypothesis profiles that every test shares."""

from __future__ import annotations

import gc
import inspect
import os
import re
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, settings

TESTS = str(Path(__file__).parent)
if TESTS not in sys.path:  # helpers/, under --import-mode=importlib
    sys.path.insert(0, TESTS)

from ssrjson_web import _core  # noqa: E402

if TYPE_CHECKING:
    from helpers.servers import PostgresServer

# A run in the background may have inherited an ignored SIGINT, and would hand it on to programs that tests interrupt.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# pytest-xdist hands the width of its terminal to its workers. Tables and prose of tests have the usual width.
os.environ.pop("COLUMNS", None)

# quick and full draw the same examples in every run, so a failure is always somebody's change;
# SSRJSON_TEST_PROFILE=thorough draws new ones, many more of them.
settings.register_profile("quick", max_examples=20, deadline=None, derandomize=True, database=None)
settings.register_profile("full", max_examples=100, deadline=None, derandomize=True, database=None)
settings.register_profile(
    "thorough", max_examples=5000, deadline=None, print_blob=True, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile(os.environ.get("SSRJSON_TEST_PROFILE", "quick"))

# Names with an address in memory, or with a set of strs: both differ in each process.
NAME_OF_ONE_PROCESS = re.compile(r"\b0x[0-9a-f]{6,}|\{'[^':]*', '")


# Tests of reports, of checks with commands of their own, and of servers under load.
FULL = {"bench", "compat", "soak", "test_check_floats.py"}

LEVELS: list[str] = os.environ.get("SSRJSON_TEST_LEVELS", "").split() or _core.get_current_features()["levels"]
REUSABLE_FIXTURES = {"utf8_cache_switch"}

if os.environ.get("SSRJSON_TEST_COLLECTIONS"):  # make test-collecting
    from collecting.hook import collect_at_each_call

    collect_at_each_call()


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Marks what only `make test-full` runs. Refuses names of tests on which two workers would not agree."""
    for item in items:
        if item.path.relative_to(TESTS).parts[0] in FULL:
            item.add_marker("full")
        if NAME_OF_ONE_PROCESS.search(item.name):
            raise pytest.UsageError(f"{item.nodeid}: the name differs in each process; say ids= or use lasting_repr")


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Makes a test of each level of a test that has fixtures of its own; the others run at all levels in one go."""
    if "isa" in metafunc.fixturenames and has_own_fixtures(metafunc.definition):
        metafunc.parametrize("isa", LEVELS, indirect=True, scope="module")


def has_own_fixtures(test: pytest.Function) -> bool:
    """Whether something is set up for each call of the test, which it would find used at the second level."""
    fixtures = test._fixtureinfo.name2fixturedefs
    own = (name for name, defined in fixtures.items() if defined[-1].scope == "function")
    return bool(set(own) - REUSABLE_FIXTURES) or inspect.iscoroutinefunction(test.obj)


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> bool | None:
    """Calls a test at one level after the other, if `isa` is not a parameter of it."""
    callspec = getattr(pyfuncitem, "callspec", None)
    if "isa" not in pyfuncitem.fixturenames or (callspec and "isa" in callspec.params):
        return None
    arguments = {name: pyfuncitem.funcargs[name] for name in pyfuncitem._fixtureinfo.argnames}
    skipped = []
    for level in LEVELS:
        if "isa" in arguments:
            arguments["isa"] = level
        with held_to(level):
            try:
                pyfuncitem.obj(**arguments)
            except pytest.skip.Exception as reason:
                skipped.append(reason)
            except BaseException:
                print(f"at level {level}")
                raise
    if len(skipped) == len(LEVELS):
        raise skipped[0]
    return True


@contextmanager
def held_to(level: str) -> Iterator[str]:
    """The core at this level."""
    previous = _core._use_level(level)
    assert _core.get_current_features()["level"] == level
    try:
        yield level
    finally:
        _core._use_level(previous)


@pytest.fixture(scope="module")
def isa(request: pytest.FixtureRequest) -> Iterator[str]:
    """The name of the instruction-set level that the core is held to: each that this CPU has, in turn.

    Module scope, so that hypothesis accepts it.
    """
    with held_to(getattr(request, "param", LEVELS[-1])) as level:
        yield level


@pytest.fixture
def objects_in_place(isa: str) -> None:
    """Leaves out the level that reads and makes objects through Python's public C API only."""
    if isa == "portable" or not _core.get_current_features()["known_layouts"]:
        pytest.skip("objects are not read in place here")


@pytest.fixture(scope="session")
def postgres() -> Iterator[PostgresServer]:
    """A PostgreSQL server of this session alone; tests are skipped where none is installed."""
    if sys.platform == "win32":
        pytest.skip("the server is started as on POSIX")
    from helpers.servers import postgres_server

    with postgres_server() as server:
        yield server


@pytest.fixture(scope="module", autouse=True)
def frozen_heap() -> None:
    """Keeps collected tests and imported modules out of the garbage collector's way: many tests collect often."""
    gc.collect()
    gc.freeze()


@pytest.fixture
def whole_heap() -> Iterator[None]:
    """Shows the garbage collector what was frozen, too, for a test that goes through all objects."""
    gc.unfreeze()
    yield
    gc.collect()
    gc.freeze()


@pytest.fixture
def utf8_cache_switch() -> Iterator[None]:
    """Puts the global UTF-8 cache switch back as it was."""
    enabled = _core.get_current_features()["write_utf8_cache"]
    yield
    _core.write_utf8_cache(enabled)
