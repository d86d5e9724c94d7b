"""The documents of `vectors`: one matrix, and the answer of an embeddings service."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

import ssrjson_web
from bench.races.race import Contender, Document, installed, library

_LENGTH = 1_536

Parts = Callable[[Any], list[Any]]
"""Takes the parts that become arrays out of a document's value."""


def documents(size: int) -> Iterator[Document]:
    """Of `size` vectors."""
    draw = random.Random(1)
    vectors = [[draw.gauss(0, 0.03) for _ in range(_LENGTH)] for _ in range(size)]
    short = [[round(number, 8) for number in vector] for vector in vectors]
    ints = [[draw.randrange(-1_000, 1_000) for _ in range(_LENGTH)] for _ in range(size)]

    def whole(value: Any) -> list[Any]:
        return [value]

    def embeddings(value: Any) -> list[Any]:
        return [each["embedding"] for each in value["data"]]

    answer = {"data": [{"index": i, "embedding": row} for i, row in enumerate(short)], "model": "m"}
    yield document("a matrix, all digits", vectors, whole)
    yield document("a matrix, 8 digits", short, whole)
    yield document("a matrix of ints", ints, whole)
    yield document("embeddings, 8 digits", answer, embeddings)


def document(name: str, value: Any, parts: Parts) -> Document:
    """A text, and the ways to its arrays. All give the type, shape and numbers of `np.array`."""
    text = json.dumps(value, separators=(",", ":")).encode()
    expected = [np.array(part) for part in parts(value)]
    decode = ssrjson_web.Decoder(number_arrays="numpy").decode

    def by_lists(loads: Callable[[bytes], Any]) -> Callable[[bytes], list[Any]]:
        return lambda text: [np.array(part) for part in parts(loads(text))]

    contenders = [
        Contender(name="number_arrays", call=lambda text: parts(decode(text))),
        *(
            Contender(name=f"{name} + np.array", call=by_lists(loads))
            for name, loads in installed(["ssrjson_web.loads", "orjson.loads"])
        ),
    ]
    if simdjson := library("simdjson"):
        contenders.append(Contender(name="simdjson's as_buffer", call=lambda text: _by_buffers(simdjson, text, parts)))
    return Document(
        name=name,
        contenders=contenders,
        make=lambda: text,
        is_right=lambda made: _facts(made) == _facts(expected),
        n_bytes=len(text),
    )


def _facts(arrays: Any) -> list[Any]:
    """What is compared of arrays."""
    return [
        (array.dtype, array.shape, array.tobytes()) if type(array) is np.ndarray else type(array) for array in arrays
    ]


def _by_buffers(simdjson: Any, text: bytes, parts: Parts) -> list[Any]:
    made = []
    for part in parts(simdjson.Parser().parse(text)):
        shape = (len(part), _LENGTH) if isinstance(part[0], simdjson.Array) else (_LENGTH,)
        try:
            numbers = np.frombuffer(part.as_buffer(of_type="i"), np.int64)
        except (TypeError, ValueError):  # floats
            numbers = np.frombuffer(part.as_buffer(of_type="d"), np.float64)
        made.append(numbers.reshape(shape))
    return made
