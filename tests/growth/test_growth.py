"""Time is linear in the input, whatever the chunks: the calls that once were not, by counted instructions."""

from __future__ import annotations

import platform
import shutil

import pytest

from growth.run import CPU, counts_of, too_fast

ONCE_QUADRATIC = (
    "digits, fed 1 by 1",
    "lists in depth, taken 20 by 20",
    "long line, 1 by 1",
    "hook before each list, dumps",
    "iterator after each list, in chunks",
    "below cycle, dumps",
)


def test_counts_that_grow_too_fast_are_told() -> None:
    linear = {1: 100, 2: 200, 4: 400}
    steps = {1: 100, 2: 100, 4: 260}  # an array that is made longer
    quadratic = {1: 100, 2: 400, 4: 1600}
    mixed = {1: 200, 2: 500, 4: 1400}
    told = list(too_fast({"linear": linear, "steps": steps, "quadratic": quadratic, "mixed": mixed}))
    assert [line.partition(":")[0] for line in told] == ["quadratic", "mixed"]


@pytest.mark.skipif(shutil.which("valgrind") is None, reason="valgrind is not installed")
@pytest.mark.skipif(platform.machine() != CPU, reason=f"the requests to valgrind are machine code of {CPU}")
def test_work_is_linear_in_the_input() -> None:
    from ssrjson_web import get_current_features

    if "avx2" not in get_current_features()["levels"]:
        pytest.skip("this CPU lacks the level that valgrind supports")
    counts = counts_of(*ONCE_QUADRATIC)
    assert counts.keys() == set(ONCE_QUADRATIC)
    assert list(too_fast(counts)) == []
