"""Allocation that fails: at each point in turn, a MemoryError or the right result, and nothing broken after it."""

from __future__ import annotations

from pathlib import Path

import pytest
from child import run_python

pytest.importorskip("_testcapi", reason="this interpreter was built without the hook that makes allocation fail")

CASES = {
    "dumps": "dumps(VALUE)",
    "dumps ascii": "dumps(VALUE, ensure_ascii=True)",
    "dumps indented and sorted": "dumps(VALUE, indent=1, sort_keys=True, separators=('，', '：'))",
    "dumps_to_bytes": "dumps_to_bytes(VALUE)",
    "dumps_to_bytes with a cache": "dumps_to_bytes(VALUE, is_write_cache=True)",
    "dumps_to_bytes of subclasses": "dumps_to_bytes([OrderedDict(a=[1]), Items([1, 2])])",
    "dumps_to_bytes with a hook": "dumps_to_bytes([{1}, {'a': {2}}], default=list)",
    "dumps_to_bytes of a lone surrogate": "outcome_of(dumps_to_bytes, ['é', chr(0xd800), '中'])",
    "dumps of a deep list": "dumps(DEEP)",
    "loads str": "loads(TEXT)",
    "loads bytes": "loads(TEXT.encode())",
    "loads utf-16": "loads(TEXT.encode('utf-16'))",
    "loads deep": "loads('[' * 200 + ']' * 200)",
    "loads malformed": "outcome_of(loads, TEXT[:-3])",
    "loads malformed bytes": "outcome_of(loads, TEXT.encode()[:-3])",
    "loads invalid UTF-8": "outcome_of(loads, b'[\"\\xff\"]')",
    "get_current_features": "get_current_features()",
    "scan_utf8_cache": "scan_utf8_cache(HELD)",
}

SNIPPET = """
    import sys
    from collections import OrderedDict
    import _testcapi
    from ssrjson_web import dumps, dumps_to_bytes, get_current_features, loads, scan_utf8_cache

    class Items(list):
        def __iter__(self):
            return list.__iter__(self)

    VALUE = {{"b": ["é" * 300, "中" * 400, "a" * 3000, 1.5, 10**30, None], "a": {{"😀": [[], {{}}, (1, 2)]}}, "c": -7}}
    TEXT = dumps(VALUE)
    TEXT = TEXT.replace('"c"', '"c\\\\n中"')
    DEEP = loads("[" * 200 + "]" * 200)

    HELD = [type(f"Class{{i}}", (), {{"__slots__": "text"}})() for i in range(70)]  # more than the first tables hold
    for held in HELD:
        held.text = "".join(["中"] * 9)
    HELD += [[b""] for _ in range(3000)]
    dumps_to_bytes(HELD[:70], default=lambda held: held.text, is_write_cache=True)

    def outcome_of(function, argument):
        try:
            return function(argument)
        except (UnicodeError, ValueError) as error:
            return type(error).__name__

    def call():
        return {expression}

    expected = call()
    n_failures = n_passed = n = 0
    while n_passed < 20:  # in a row: then n is beyond the number of allocations
        error = None
        result = None
        _testcapi.set_nomemory(n, n + 1)
        try:
            result = call()
        except MemoryError:
            error = True
        finally:
            _testcapi.remove_mem_hooks()
        if error:
            n_failures += 1
            n_passed = 0
        else:
            assert result == expected, (n, result)
            n_passed += 1
        assert call() == expected, n
        n += 1
    print("ok", n_failures)
"""


@pytest.mark.parametrize("case", CASES)
def test_allocation_that_fails_at_each_point_is_a_memory_error(case: str, isa: str, tmp_path: Path) -> None:
    done = run_python(SNIPPET.format(expression=CASES[case]), tmp_path, SSRJSON_ISA=isa)
    assert done.returncode == 0, done
    word, n_failures = done.stdout.split()
    assert word == "ok"
    assert int(n_failures) > 0
