"""Allocation that fails at each point in turn, or collects garbage: an error or the right result, and no crash."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from allocations.__main__ import run_apart
from allocations.calls import calls
from helpers.builds import IS_FREE_THREADED, crashes_without_memory
from helpers.processes import run_python

from ssrjson_web import _core

NAMES = list(calls())
LEVELS = _core.get_current_features()["levels"]


@pytest.mark.parametrize("level", LEVELS)
def test_allocation_that_fails_at_each_point_is_a_memory_error_and_leaves_nothing(level: str) -> None:
    pytest.importorskip("_testcapi", reason="this interpreter was built without the hook that makes allocation fail")
    if IS_FREE_THREADED and sys.version_info < (3, 14):
        pytest.skip("CPython 3.13t crashes where it has no memory for list() of a class derived from list")
    names = NAMES[LEVELS.index(level) % 2 :: 2]  # each call at every other level; `make test-allocations` makes all
    if crashes_without_memory():
        names = [name for name in names if ": " in name]  # of a table: no Python code of the calls' own
    if sys.version_info >= (3, 12):  # CPython has no memory to ask for the way of a class: it is the library's then
        names = [name for name in names if name != "dict read"]
    results = run_apart(names, level, None)
    assert {name: result for name, result in results.items() if not isinstance(result, int)} == {}
    assert results.keys() == set(names)
    assert all(results.values())


@pytest.mark.parametrize(
    "value",
    [
        "_core.Fragment(bytes([255]) * 3000)",
        "_core.Fragment(chr(0xd800) * 3000)",
        "object.__new__(uuid.UUID)",
        "object.__new__(Colour)",
        "object.__new__(Slotted)",
        "bytes([255]) * 3000",
        "''.join([chr(0xd800)] * 3000)",
        "datetime.datetime(2026, 1, 2, tzinfo=Zone())",
        "decimal.Decimal('1.5')",
        "[decimal.Decimal('1.5'), decimal.Decimal('2.5'), [decimal.Decimal('3.5')]]",
        "{1: 2, 'x' * 100: 3}",
        "{decimal.Decimal(n): [str(n) * 9] for n in range(9)}",
        "[deep() for n in range(50)]",
    ],
)
def test_garbage_collected_within_an_allocation_may_drop_the_document(value: str, tmp_path: Path) -> None:
    snippet = f"""
        import dataclasses, datetime, decimal, enum, gc, threading, uuid
        from ssrjson_web import _core

        class Colour(enum.Enum):
            RED = 1

        @dataclasses.dataclass
        class Slotted:
            __slots__ = ("x",)
            x: int

        class Zone(datetime.tzinfo):
            def utcoffset(self, moment):
                return [datetime.timedelta(0) for _ in range(5)][0]

        class Dropping:
            def __init__(self):
                self.me = self

            def __del__(self):
                for container in document:
                    container.clear()

        def deep():
            value = []
            for _ in range(50):
                value = [value, iter([{{1}}])]
            return value

        def encode(document, way, n, options):
            gc.set_threshold(n, 1, 1)
            gc.enable()
            try:
                if way == 0:
                    _core.dumps(document, natives=True, **options)
                elif way == 1:
                    _core.dumps_to_bytes(document, natives=True, is_write_cache=True, **options)
                else:
                    list(_core.Encoder(natives=True, is_write_cache=True, **options).iterencode(document, 1))
            except (AttributeError, TypeError, ValueError, RuntimeError):
                pass
            gc.disable()

        gc.disable()
        gc.freeze()
        for level in _core.get_current_features()["levels"]:
            _core._use_level(level)
            for n in range(1, 30):
                for options in {{}}, {{"sort_keys": True}}, {{"ensure_ascii": True}}:
                    for way in range(3):
                        made = {value}
                        document = [[made, ["after" * 9]], {{"k": made}}]
                        del made
                        Dropping()
                        # a new thread: its first Decimal makes a context
                        thread = threading.Thread(target=encode, args=(document, way, n, options))
                        thread.start()
                        thread.join()
                        gc.set_threshold(700, 10, 10)
                        gc.collect()
            print(level)
    """
    done = run_python(snippet, tmp_path)
    assert done.stdout.split() == _core.get_current_features()["levels"], done
