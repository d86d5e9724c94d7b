"""Threads with the smallest stack that Python starts: calls need less than that at every level of recursion."""

from __future__ import annotations

import os
import sys
import sysconfig
from pathlib import Path

import pytest
from helpers.processes import run_python

from ssrjson_web import _core

SNIPPET = r"""
import dataclasses, sys, threading
from ssrjson_web import Decoder, Encoder, _core, dumps, dumps_to_bytes, loads
from ssrjson_web._shared import body_items

@dataclasses.dataclass
class Node:
    kids: 'list[Node]'  # typing of Python 3.10 leaves the text within list['Node'] as it is

def fails(call):
    try:
        call()
    except (TypeError, ValueError):
        pass

def within(n, call):
    return list(map(lambda _: within(n - 1, call), (1,))) if n else call()

def nested(value, depth=3):
    return dumps([object()], default=lambda value: nested(value, depth - 1)) if depth else 1

def nested_hook(value, depth=3):
    return loads('[{}]', object_hook=lambda value: nested_hook(value, depth - 1)) if depth else 1

def feed(decoder):
    for chunk in ('[1, {"a": [2, "', 'é\\u4e2d"]}, 1', '2.5e', '3', ']'):
        decoder.feed(chunk)
    decoder.close()

def partial():
    decoder = Decoder(partial='trailing-strings')
    for chunk in ('[1, {"a": [2, "', 'é\\u4e2d"]}, 1', '2.5e', '3'):
        decoder.feed(chunk)
        decoder.value
        decoder.take_items()
    decoder.feed(']')
    decoder.close()

def calls():
    item = '{"key": "value", "中": [1.5e300, true, null, 12345678901234567890123]},'
    objects = '[' + item * 200 + '"\\u4e2d\\n\\ud83d\\ude00"]'
    wide = '["' + '中😀' * 200 + '", 1.7976931348623157e308]'
    for text in ('1', '[1, {"a": "b"}]', objects, wide, '[' + '1,' * 2000 + '1]'):
        loads(text)
        loads(text.encode())
        loads(text.encode('utf-16'))
        value = loads(text, array_hook=list, parse_float=str)
        dumps(value)
        dumps(value, indent=2, sort_keys=True, ensure_ascii=False)
        dumps_to_bytes(value)
        dumps_to_bytes(value, canonical=True, key_case='camel', int53='str')
        loads(text, only='/3')
        loads(text, jsonc=True)
        loads(text, number_arrays='array')
        fails(lambda: loads(text, type=list[dict[str, int]]))
        b''.join(Encoder().iterencode(value))
    for text in ('[1,', '{"a" 1}', '["\\x"]', '[1] 2'):
        fails(lambda: loads(text))
    loads(objects[:-1] + ',' + objects + ']')
    Decoder().decode_lines("[1]\n[2]\r\n")
    Decoder().raw_decode('[1]  ')
    feed(Decoder())
    partial()
    for lines in (False, True):
        list(body_items.items([b'[1', b']'], lines=lines, max_item_size=None, max_depth=None))
    dumps([[1.1, 2.2, 1e300 / 3] * 300, {'a': [[0.1, 0.2]] * 50}])
    nested(1)
    nested_hook(1)
    fails(lambda: dumps({'a': [object()]}))
    if sys.version_info >= (3, 11):  # before, each call of Python code takes of the stack
        within(6, lambda: fails(lambda: dumps({'a': [object()]})))

def deep():
    for depth in (250, 300):
        fails(lambda: made.append(loads('{"kids":[' * depth + ']}' * depth, type=Node)))

def is_enough_for_python(n_bytes):
    try:
        threading.stack_size(n_bytes)
    except ValueError:  # newer Pythons add what libc wants to the least
        return False
    heard = []
    sys.unraisablehook = threading.excepthook = heard.append
    depth = 6 if sys.version_info >= (3, 11) else 0
    thread = threading.Thread(target=within, args=(depth, lambda: fails(lambda: int('x'))))
    thread.start()
    thread.join()
    sys.unraisablehook, threading.excepthook = sys.__unraisablehook__, threading.__excepthook__
    return not heard  # from 3.14 on a RecursionError is ignored where a tuple of errors is caught

smallest = next(n_bytes for n_bytes in range(32 * 1024, 256 * 1024, 8 * 1024) if is_enough_for_python(n_bytes))
made = []
for level in _core.get_current_features()['levels']:
    _core._use_level(level)
    calls()
    # CPython frees up to a hundred containers within each other before it does so without recursion
    for call, n_bytes in ((calls, smallest), (deep, max(smallest, 64 * 1024))):
        threading.stack_size(n_bytes)
        thread = threading.Thread(target=call)
        thread.start()
        thread.join()
        threading.stack_size(0)
    assert len(made) == 1
    made.clear()
    print(level)
print(smallest)
"""


@pytest.mark.skipif("asan" in os.environ.get("LD_PRELOAD", ""), reason="sanitized frames are several times as large")
@pytest.mark.skipif(
    bool(sysconfig.get_config_var("Py_DEBUG")), reason="a debug interpreter needs more than the stack for itself"
)
def test_calls_in_a_thread_with_the_smallest_stack(tmp_path: Path) -> None:
    done = run_python(SNIPPET, tmp_path)
    assert done.returncode == 0, done.stderr[-2000:]
    assert done.stderr == ""
    *levels, smallest = done.stdout.split()
    assert levels == _core.get_current_features()["levels"]
    if sys.version_info < (3, 14):
        assert int(smallest) <= 56 * 1024
