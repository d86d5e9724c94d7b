"""Memory of decoded values: never more than stdlib's, with shared keys."""

from __future__ import annotations

import json
import sys
from typing import Any

import pytest

from ssrjson_web import _core

pytestmark = pytest.mark.usefixtures("isa")


def sizes(value: Any) -> list[tuple[str, int]]:
    """The type and sys.getsizeof of each object of a decoded value, in the order of the document."""
    own = (type(value).__name__, sys.getsizeof(value))
    if isinstance(value, dict):
        return [own, *(size for key, item in value.items() for part in (key, item) for size in sizes(part))]
    if isinstance(value, list):
        return [own, *(size for item in value for size in sizes(item))]
    return [own]


def assert_no_fatter(document: str) -> None:
    expected = sizes(json.loads(document))
    for source in (document, document.encode()):
        got = sizes(_core.loads(source))
        assert len(got) == len(expected)
        for (got_type, got_size), (expected_type, expected_size) in zip(got, expected, strict=True):
            assert got_type == expected_type
            assert got_size <= expected_size, (
                f"{got_type} of {got_size} bytes, stdlib {expected_size}: {document[:200]}"
            )


def test_decoded_dict_of_each_length_is_no_fatter_than_stdlibs() -> None:
    for length in (*range(1, 130), 200, 300, 1000):
        for key in ("k", "é", "中"):
            assert_no_fatter(json.dumps({f"{key}{i}": i for i in range(length)}, ensure_ascii=False))


def test_decoded_dict_of_21_keys_takes_no_more_than_stdlibs() -> None:
    document = json.dumps({f"key{i}": i for i in range(21)})
    assert sys.getsizeof(_core.loads(document)) <= sys.getsizeof(json.loads(document))


def test_decoded_dicts_in_a_row_are_no_fatter_than_stdlibs() -> None:
    for n_keys in (1, 5, 6, 10, 11, 21, 22, 43, 85, 86):
        assert_no_fatter(json.dumps([{f"key{i}": [row] for i in range(n_keys)} for row in range(10)]))


def test_decoded_dict_with_duplicate_keys_is_no_fatter_than_stdlibs() -> None:
    for length in (1, 5, 10, 30):
        assert_no_fatter("{" + ",".join(f'"k{i % length}":{i}' for i in range(length * 4)) + "}")


def test_decoded_dict_with_an_escaped_key_is_no_fatter_than_stdlibs() -> None:
    assert_no_fatter('[{"a": 1, "\\u0062": 2, "c\\n": 3}, {"a": 1, "b": 2, "c\\n": 3}]')


def test_decoded_list_of_each_length_is_no_fatter_than_stdlibs() -> None:
    for length in (*range(130), 200, 1000, 10_000):
        assert_no_fatter(json.dumps([None] * length))
        assert_no_fatter(json.dumps([[i] for i in range(length)]))


def test_decoded_strings_and_numbers_are_no_fatter_than_stdlibs() -> None:
    texts = [
        "",
        "a",
        "é",
        "中",
        "😀",
        "a" * 100,
        "é" * 100,
        "中" * 100,
        "😀" * 100,
        "a\n" * 50,
        "é\n" * 50,
        "中\n" * 50,
    ]
    numbers = [0, 1, -5, 256, 2**30, 2**60, 2**63, 2**64, 10**40, 1.5, -0.0, 1e300]
    for ensure_ascii in (False, True):
        assert_no_fatter(json.dumps([texts, numbers, dict.fromkeys(texts, 1)], ensure_ascii=ensure_ascii))
        for text in texts:
            assert_no_fatter(json.dumps(text, ensure_ascii=ensure_ascii))


def test_decoded_short_keys_are_shared_within_a_document() -> None:
    for key in ("id", "name", "k" * 30, "é", "имя", "中文", "😀"):
        for document in (
            f'[{{"{key}":1}},{{"x":0,"{key}":2}},{{"{key}":3}}]',
            f'[{{"{key}":{{"{key}":1}}}},[{{"{key}":2}}]]',
        ):
            for source in (document, document.encode()):
                keys = [k for k in all_keys(_core.loads(source)) if k == key]
                assert len(keys) == 3
                # one from the tree of shapes and one from the key cache, where another key took its place there
                assert len({id(k) for k in keys}) <= 2, f"{key} in {document}"


def all_keys(value: Any) -> list[str]:
    if isinstance(value, dict):
        return [k for key, item in value.items() for k in (key, *all_keys(item))]
    return [k for item in value for k in all_keys(item)] if isinstance(value, list) else []


def test_decoded_containers_are_tracked_by_the_garbage_collector_as_stdlibs() -> None:
    import gc
    import weakref

    class Node(list):  # type: ignore[type-arg]
        pass

    for document in ('{"a":[{}]}', '[[{"a":{"b":1}}]]', '[{"a":1},{"a":2},{"a":[]}]'):
        value = _core.loads(document)
        inner = value["a"] if isinstance(value, dict) else value[-1]
        node = Node([value])
        if isinstance(inner, dict):
            inner["cycle"] = node
        else:
            inner.append(node)
        alive = weakref.ref(node)
        del value, inner, node
        gc.collect()
        assert alive() is None, f"a cycle through {document} was not collected"
