"""The files of JSONTestSuite: y_ must be accepted, n_ rejected, and for all of them ours must give stdlib's result.

`make compat` runs it in the source distribution with the files, without ours and with it.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from ssrjson_compat import MODE, counts

FOLDER = Path("third-party/JSONTestSuite/test_parsing").absolute()
FILES = sorted(path.name for path in FOLDER.iterdir())
PIECE_BYTES = 7
IS_OURS = MODE != "stock"


def outcome(call: Callable[[], Any]) -> str:
    """The value, or the error with its message."""
    try:
        value = call()
    except ValueError as error:
        return f"{type(error).__name__}: {error}"
    except RecursionError:
        return "RecursionError"  # the depth at which it is raised, and so its message, depends on the caller
    return repr(value)


def subject_loads(document: bytes | str) -> Any:
    if not IS_OURS:
        return json.loads(document)
    from ssrjson_web import json as ours

    counts["documents parsed"] += 1
    return ours.loads(document)


def fed(document: bytes) -> Any:
    """The result for the document in pieces; with stdlib for the whole document."""
    if not IS_OURS:
        return json.loads(document)
    from ssrjson_web import Decoder

    decoder = Decoder()
    for start in range(0, len(document), PIECE_BYTES):
        decoder.feed(document[start : start + PIECE_BYTES])
    counts["documents parsed"] += 1
    return decoder.close()


def is_taken(document: bytes) -> bool:
    """Whether the strictest options accept it."""

    def refuse(word: str) -> None:
        raise ValueError(word)

    try:
        if IS_OURS:
            from ssrjson_web import loads

            counts["documents parsed"] += 1
            loads(document, allow_nan=False)
        else:
            json.loads(document, parse_constant=refuse)
    except (ValueError, RecursionError):
        return False
    return True


@pytest.mark.parametrize("name", [name for name in FILES if name[0] in "yn"])
def test_is_taken_or_refused_as_its_name_says(name: str) -> None:
    assert is_taken((FOLDER / name).read_bytes()) == (name[0] == "y")


@pytest.mark.parametrize("name", FILES)
def test_bytes_go_as_with_stdlib(name: str) -> None:
    document = (FOLDER / name).read_bytes()
    assert outcome(lambda: subject_loads(document)) == outcome(lambda: json.loads(document))


@pytest.mark.parametrize("name", FILES)
def test_str_goes_as_with_stdlib(name: str) -> None:
    document = (FOLDER / name).read_bytes().decode("utf-8", "surrogateescape")
    assert outcome(lambda: subject_loads(document)) == outcome(lambda: json.loads(document))


@pytest.mark.parametrize("name", FILES)
def test_pieces_go_as_the_whole(name: str) -> None:
    document = (FOLDER / name).read_bytes()
    assert outcome(lambda: fed(document)) == outcome(lambda: json.loads(document))
