"""Counting cached UTF-8 copies."""

from __future__ import annotations

import ctypes
import json

import pytest

from bench.utf8_cache import graph_cache_bytes, string_cache_bytes

touch = ctypes.pythonapi.PyUnicode_AsUTF8
touch.restype, touch.argtypes = ctypes.c_char_p, [ctypes.py_object]


@pytest.mark.parametrize("unit", ["é", "中", "😀"])
def test_copy_is_its_bytes_and_a_nul(unit: str) -> None:
    text = (unit * 9).encode().decode()
    assert string_cache_bytes(text) == 0
    touch(text)
    assert string_cache_bytes(text) == len(text.encode()) + 1


def test_ascii_never_holds_a_copy() -> None:
    text = b"abc".decode()
    touch(text)
    assert string_cache_bytes(text) == 0


def test_graph_counts_keys_and_values_each_string_once() -> None:
    graph = json.loads('{"键键": ["值值值", {"a": "值值"}]}')
    graph["again"] = graph["键键"][0]
    assert graph_cache_bytes(graph) == 0
    for text in (*graph, graph["again"], graph["键键"][1]["a"]):
        touch(text)
    assert graph_cache_bytes(graph) == (6 + 1) + (9 + 1) + (6 + 1)
