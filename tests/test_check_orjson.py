"""The check of ssrjson_web.orjson itself: it passes, and finds what another module would do wrong."""

from __future__ import annotations

from typing import Any

import pytest

pytest.importorskip("orjson", reason="orjson is not installed: nothing to compare with")

import orjson as theirs
from check_orjson import run
from check_orjson.parity import assert_dumps_alike

pytestmark = pytest.mark.skipif(
    theirs.__version__ != run.ours.__version__, reason="another orjson than the one that is followed"
)


@pytest.mark.parametrize("option", run.ALL_MASKS)
def test_random_trees_are_written_as_orjson_does(isa: str, option: int) -> None:
    assert run.check(option, 400, 20261123) == 400


def test_trees_depend_on_the_seed_alone() -> None:
    ours, again, other = (run.trees_for(0, seed) for seed in ("1", "1", "2"))
    assert [repr(ours.tree()) for _ in range(50)] == [repr(again.tree()) for _ in range(50)]
    assert [repr(other.tree()) for _ in range(50)] != [repr(ours.tree()) for _ in range(50)]


def test_difference_is_found() -> None:
    class Wrong:
        @staticmethod
        def dumps(value: Any, **options: Any) -> bytes:
            written: bytes = theirs.dumps(value, **options)
            return written.replace(b"1.5", b"1.50")

    with pytest.raises(AssertionError):
        assert_dumps_alike(Wrong, [1.5], 0)
