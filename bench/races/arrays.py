"""The documents of `arrays`: of the libraries that are installed."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator
from typing import Any

import ssrjson_web
from bench.races.race import Contender, Document, installed, library

_LENGTH = 1_536


def documents(size: int) -> Iterator[Document]:
    """Arrays of nanoarrow, vectors of torch, arrays and a table of pyarrow."""
    draw = random.Random(1)
    numbers = [None if i % 7 == 0 else draw.randint(-(10**6), 10**6) for i in range(10 * size)]
    if nanoarrow := library("nanoarrow"):
        ints = nanoarrow.Array(numbers, nanoarrow.int64())
        yield document("nanoarrow, ints", ints, ints.to_pylist)
    if torch := library("torch"):
        torch.manual_seed(1)
        vectors = torch.randn(max(1, size // 100), _LENGTH)
        yield document("torch, float32", vectors, vectors.tolist)
        narrow = vectors.to(torch.bfloat16)
        yield document("torch, bfloat16", narrow, narrow.tolist)
    if pa := library("pyarrow"):
        words = ["alpha", "beta", "gamma", "Zürich", "北京"]
        ints = pa.array(numbers)
        yield document("pyarrow, ints", ints, ints.to_pylist)
        texts = pa.array([f"{draw.choice(words)} {i}" for i in range(10 * size)])
        yield document("pyarrow, texts", texts, texts.to_pylist)
        table = pa.table(
            {
                "id": range(size),
                "name": [f"{draw.choice(words)} {i}" for i in range(size)],
                "score": [None if i % 10 == 0 else draw.random() for i in range(size)],
                "tags": [[draw.choice(words)] * (i % 4) for i in range(size)],
            }
        )
        yield document("pyarrow, a table", table, table.to_pylist)


def document(name: str, array: Any, as_list: Callable[[], Any]) -> Document:
    """An array, written by ours, and as a list by each encoder. All give the values of `json`."""
    text = json.dumps(as_list())
    expected = json.loads(text)

    def of_list(encode: Callable[[Any], bytes]) -> Callable[[Any], bytes]:
        return lambda array: encode(as_list())

    return Document(
        name=name,
        contenders=[
            Contender(name="arrays=True", call=ssrjson_web.Encoder(arrays=True).encode),
            *(
                Contender(name=f"a list, {name}", call=of_list(encode))
                for name, encode in installed(["ssrjson_web.dumps_to_bytes", "orjson.dumps"])
            ),
        ],
        make=lambda: array,
        is_right=lambda written: json.loads(written) == expected,
        n_bytes=len(text),
    )
