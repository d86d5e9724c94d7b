"""Fixtures and hypothesis profiles that every test shares."""

from __future__ import annotations

import gc
import os
import re
import signal
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, settings

TESTS = str(Path(__file__).parent)
if TESTS not in sys.path:  # helpers/, under --import-mode=importlib
    sys.path.insert(0, TESTS)

from ssrjson_web import _core  # noqa: E402

if TYPE_CHECKING:
    from helpers.postgres_server import PostgresServer

# A run in the background may have inherited an ignored SIGINT, and would hand it on to programs that tests interrupt.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# pytest-xdist hands the width of its terminal to its workers. Tables and prose of tests have the usual width.
os.environ.pop("COLUMNS", None)

# quick draws the same examples in every run, so a failure is always somebody's change;
# SSRJSON_TEST_PROFILE=thorough draws new ones, many more of them.
settings.register_profile("quick", max_examples=60, deadline=None, derandomize=True, database=None)
settings.register_profile(
    "thorough", max_examples=5000, deadline=None, print_blob=True, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile(os.environ.get("SSRJSON_TEST_PROFILE", "quick"))

# Names with an address in memory, or with a set of strs: both differ in each process.
NAME_OF_ONE_PROCESS = re.compile(r"\b0x[0-9a-f]{6,}|\{'[^':]*', '")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Refuses names of tests that differ between processes: the workers of pytest-xdist would not agree on them."""
    for item in items:
        if NAME_OF_ONE_PROCESS.search(item.name):
            raise pytest.UsageError(f"{item.nodeid}: the name differs in each process; say ids= or use lasting_repr")


@pytest.fixture(scope="module", params=_core.get_current_features()["levels"])
def isa(request: pytest.FixtureRequest) -> Iterator[str]:
    """The name of the instruction-set level that the core is held to: once for each that this CPU has.

    Module scope, so that hypothesis accepts it and each level is entered once a file.
    """
    previous = _core._use_level(request.param)
    assert _core.get_current_features()["level"] == request.param
    yield request.param
    _core._use_level(previous)


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
    from helpers.postgres_server import postgres_server

    with postgres_server() as server:
        yield server


@pytest.fixture
def frozen_heap() -> Iterator[None]:
    """Keeps what exists already out of the garbage collector's way, so that a test may collect often."""
    gc.collect()
    gc.freeze()
    yield
    gc.unfreeze()


@pytest.fixture
def utf8_cache_switch() -> Iterator[None]:
    """Puts the global UTF-8 cache switch back as it was."""
    enabled = _core.get_current_features()["write_utf8_cache"]
    yield
    _core.write_utf8_cache(enabled)
