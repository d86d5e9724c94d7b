"""Vectors of numbers to numpy's arrays: number_arrays beside loads and np.array, ours and of other libraries.

    python -m bench vectors
    python -m bench vectors --vectors 100 --rounds 31

The documents hold 1,000 vectors of 1,536 numbers: as one matrix, and as the answer of an embeddings service. The result
of each rival is compared with that of `json` and `np.array` before: type, shape and each number. They take turns in
each round; the lines have the fastest rounds' CPU time of the thread.
"""

from __future__ import annotations

import argparse
import json
import random
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from bench.command_output import say
from bench.timing import fastest_rounds

LENGTH = 1_536


def documents(n_vectors: int) -> dict[str, tuple[bytes, Callable[[Any], list[Any]]]]:
    """Texts by name, each with what takes the parts that become arrays out of its value."""
    draw = random.Random(1)
    vectors = [[draw.gauss(0, 0.03) for _ in range(LENGTH)] for _ in range(n_vectors)]
    short = [[round(number, 8) for number in vector] for vector in vectors]
    ints = [[draw.randrange(-1_000, 1_000) for _ in range(LENGTH)] for _ in range(n_vectors)]

    def whole(value: Any) -> list[Any]:
        return [value]

    def embeddings(value: Any) -> list[Any]:
        return [each["embedding"] for each in value["data"]]

    def answer(rows: Any) -> Any:
        return {"data": [{"index": i, "embedding": row} for i, row in enumerate(rows)], "model": "m"}

    return {
        "a matrix, all digits": (_text(vectors), whole),
        "a matrix, 8 digits": (_text(short), whole),
        "a matrix of ints": (_text(ints), whole),
        "embeddings, 8 digits": (_text(answer(short)), embeddings),
    }


def _text(value: Any) -> bytes:
    return json.dumps(value, separators=(",", ":")).encode()


def rivals() -> dict[str, Callable[[bytes, Callable[[Any], list[Any]]], list[Any]]]:
    """Calls that make a list of arrays of a text, by name: the libraries that are installed."""
    import numpy as np

    import ssrjson_web

    def by_lists(loads: Callable[[bytes], Any]) -> Callable[[bytes, Callable[[Any], list[Any]]], list[Any]]:
        return lambda text, parts: [np.array(part) for part in parts(loads(text))]

    decode = ssrjson_web.Decoder(number_arrays="numpy").decode
    found: dict[str, Any] = {
        "number_arrays": lambda text, parts: parts(decode(text)),
        "ssrjson_web.loads + np.array": by_lists(ssrjson_web.loads),
    }
    try:
        import orjson
    except ImportError:
        say("orjson is not installed")
    else:
        found["orjson.loads + np.array"] = by_lists(orjson.loads)
    try:
        import simdjson
    except ImportError:
        say("pysimdjson is not installed")
    else:

        def by_buffers(text: bytes, parts: Callable[[Any], list[Any]]) -> list[Any]:
            made = []
            for part in parts(simdjson.Parser().parse(text)):
                shape = (len(part), LENGTH) if isinstance(part[0], simdjson.Array) else (LENGTH,)
                try:
                    numbers = np.frombuffer(part.as_buffer(of_type="i"), np.int64)
                except (TypeError, ValueError):  # floats
                    numbers = np.frombuffer(part.as_buffer(of_type="d"), np.float64)
                made.append(numbers.reshape(shape))
            return made

        found["pysimdjson's as_buffer"] = by_buffers
    return found


def check(text: bytes, parts: Callable[[Any], list[Any]], made: Mapping[str, list[Any]]) -> None:
    """Raises AssertionError where a rival has made other arrays than `json` and `np.array`."""
    import numpy as np

    expected = [np.array(part) for part in parts(json.loads(text))]
    for name, arrays in made.items():
        assert len(arrays) == len(expected), name
        for got, wanted in zip(arrays, expected, strict=True):
            assert type(got) is np.ndarray, name
            assert (got.dtype, got.shape) == (wanted.dtype, wanted.shape), name
            assert got.tobytes() == wanted.tobytes(), name


def _start(options: argparse.Namespace) -> int:
    calls = rivals()
    for name, (text, parts) in documents(options.vectors).items():
        check(text, parts, {rival: call(text, parts) for rival, call in calls.items()})
        fastest = fastest_rounds({rival: partial(call, text, parts) for rival, call in calls.items()}, options.rounds)
        ours = fastest["number_arrays"]
        figures = ", ".join(f"{rival} {took * 1000:.1f} ms (x{took / ours:.2f})" for rival, took in fastest.items())
        say(f"{name}, {len(text) / 1e6:.1f} MB: {figures}")
    return 0


def add_command(commands: Any) -> None:
    """Adds `vectors` to an `argparse` subparsers object."""
    made = commands.add_parser("vectors", help="vectors of numbers to numpy's arrays")
    made.add_argument("--rounds", type=int, default=9, metavar="N", help="default 9")
    made.add_argument("--vectors", type=int, default=1_000, metavar="N", help="default 1000")
    made.set_defaults(start=_start)
