"""The documents of `parts`: generated rows and real documents, each with one or two questions."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

from bench.command_output import say
from bench.corpus import wheel_documents
from bench.races.race import Contender, Document, installed
from ssrjson_web import loads

_NOTHING = "/no such key"
# By document: the pointers, and the same parts of the whole value.
_FIELDS: dict[str, tuple[tuple[str, str], Callable[[Any], Any]]] = {
    "twitter": (
        ("/statuses/*/id", "/search_metadata/count"),
        lambda value: {
            "statuses": [{"id": each["id"]} for each in value["statuses"]],
            "search_metadata": {"count": value["search_metadata"]["count"]},
        },
    ),
    "rows": (
        ("/rows/*/id", "/total"),
        lambda value: {"rows": [{"id": row["id"]} for row in value["rows"]], "total": 1},
    ),
}


def documents(size: int) -> Iterator[Document]:
    """Objects: rows, and those of the wheel if it is installed."""
    rows = [{"id": i, "name": f"row {i}", "price": i / 8, "tags": ["a", "b"], "on": True} for i in range(size)]
    yield from _questions("rows", json.dumps({"rows": rows, "total": 1}).encode())
    for name, text in wheel_documents(say).items():
        yield from _questions(name, text if text.lstrip().startswith(b"{") else b'{"all": ' + text + b"}")


def _questions(name: str, text: bytes) -> Iterator[Document]:
    whole = json.loads(text)
    yield _document(f"{name}, nothing", text, _NOTHING, whole, {})
    if name in _FIELDS:
        only, parts_of = _FIELDS[name]
        yield _document(f"{name}, two fields", text, only, whole, parts_of(whole))


def _document(name: str, text: bytes, only: Any, whole: Any, parts: Any) -> Document:
    """The parts by ours, and the whole value, of which they are taken, by each decoder."""
    return Document(
        name=name,
        contenders=[
            Contender(name="loads(only=)", call=partial(loads, only=only)),
            *(
                Contender(name=name, call=decode, view=lambda value: parts if value == whole else value)
                for name, decode in installed(["ssrjson_web.loads", "orjson.loads", "msgspec.json.decode"])
            ),
        ],
        make=lambda: text,
        is_right=lambda found: bool(found == parts),
        n_bytes=len(text),
    )
