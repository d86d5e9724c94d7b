"""Compare ssrjson_web.orjson with orjson on random trees, as `make check-orjson ARGS='...'` does.

Each tree is written by both, without a hook and with one: the bytes, or the errors with their causes, must be the same.
"""

from __future__ import annotations

import random
import traceback
from collections.abc import Sequence
from typing import Any

import numpy as np
import orjson
from helpers.checks import Progress, one_or_more
from helpers.processes import ctrl_c_noted

from check_orjson.parity import MASKS, assert_dumps_alike
from check_orjson.trees import RandomTrees
from ssrjson_web import orjson as ours
from ssrjson_web._cli.command_line import Parser

PROGRAM = "python -m check_orjson"

ALL_MASKS = [*MASKS, ours.OPT_SERIALIZE_NUMPY, ours.OPT_SERIALIZE_NUMPY | ours.OPT_NON_STR_KEYS | ours.OPT_NAIVE_UTC]
_TYPES = ("i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8", "?", "M8[s]", "M8[ms]", "M8[us]", "M8[ns]")


def array_of_numpy(draw: random.Random) -> Any:
    """An array, of up to three dimensions, or a scalar."""
    kind = draw.choice(_TYPES)
    shape = [draw.randrange(4) for _ in range(draw.randrange(1, 4))]
    n_bytes = np.dtype(kind).itemsize * int(np.prod(shape))
    if kind[0] == "M":  # of years that each library writes
        numbers = np.array([draw.randrange(2**31) for _ in range(int(np.prod(shape)))], dtype="i8")
        array = numbers.astype(kind).reshape(shape)
    elif kind == "?":
        array = np.array([draw.random() < 0.5 for _ in range(n_bytes)], dtype=kind).reshape(shape)
    else:
        array = np.frombuffer(draw.randbytes(n_bytes), dtype=kind).reshape(shape)
    return array.flat[0] if array.size and draw.random() < 0.3 else array


def trees_for(option: int, seed: str) -> RandomTrees:
    arrays = array_of_numpy if option & ours.OPT_SERIALIZE_NUMPY else None
    return RandomTrees(seed, has_other_keys=bool(option & ours.OPT_NON_STR_KEYS), arrays=arrays)


def check(option: int, count: int, seed: int, interrupted: Sequence[int] = ()) -> int:
    """The number of values that were compared: `count`. Raises AssertionError where a value is written differently."""
    progress = Progress()
    trees = trees_for(option, f"{seed} {option}")
    for n_done in range(count):
        assert_dumps_alike(orjson, trees.tree(), option)
        if interrupted:
            raise KeyboardInterrupt
        progress.show(lambda n_done=n_done: f"option {option}: {n_done:,} trees, no difference so far")
    return count


def main(arguments: list[str] | None = None) -> int:
    """The exit status: 0 where nothing differs from orjson, 1 where something does. Ctrl-C: KeyboardInterrupt."""
    parser = Parser(prog=PROGRAM, description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--count", type=one_or_more, default=1_000_000, metavar="N", help="for each option: a million")
    parser.add_argument("--seed", type=int, default=1, metavar="S", help="seed of the random trees, default 1")
    options = parser.parse_args(arguments)
    if orjson.__version__ != ours.__version__:
        parser.error(f"orjson {orjson.__version__} is installed; {ours.__version__} is the release that is followed")
    n_done = 0
    with ctrl_c_noted() as interrupted:
        for option in ALL_MASKS:
            try:
                n_done += check(option, options.count, options.seed, interrupted)
            except AssertionError:
                traceback.print_exc()
                print(f"differs: option {option}, --seed {options.seed}")
                return 1
    what = f"{n_done:,} trees with {len(ALL_MASKS)} options (seed {options.seed})"
    print(f"{what}: written as orjson {ours.__version__} does")
    return 0
