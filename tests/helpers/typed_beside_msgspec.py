"""Random types and documents for `loads(type=)`, beside what `msgspec.json.Decoder` makes of them."""

from __future__ import annotations

import json
import sys
from typing import Any, NamedTuple

import msgspec

from helpers.typed_reference import OfMsgspec, damaged, random_spec
from ssrjson_web import Decoder, JSONTypeError

REFUSED = "refused"


class Comparison(NamedTuple):
    n_types: int
    n_documents: int
    n_values: int
    """Documents that were taken."""
    differences: list[str]


def _outcome(decode: Any, document: str) -> Any:
    try:
        return decode(document)
    except (JSONTypeError, msgspec.DecodeError):
        return REFUSED


def _is_same(ours: Any, theirs: Any) -> bool:
    return type(ours) is type(theirs) and repr(ours) == repr(theirs)


def compare(seed: int, n_types: int, n_documents: int = 12) -> Comparison:
    """What differs for types that both take."""
    rng = OfMsgspec(seed)
    n_taken = n_made = 0
    differences = []
    for _ in range(n_types):
        spec = random_spec(rng, 3)
        hint = spec.hint if spec.hint is not None else type(None)
        ours = Decoder(type=hint)
        try:
            theirs = msgspec.json.Decoder(hint)
        except (TypeError, ValueError):
            continue  # it takes less
        n_taken += 1
        for _ in range(n_documents):
            value = spec.sample(rng)
            for _ in range(rng.randint(0, 2)):
                value = damaged(rng, value)
            document = json.dumps(value)
            given, wanted = _outcome(ours.decode, document), _outcome(theirs.decode, document)
            n_made += given is not REFUSED
            if not _is_same(given, wanted):
                differences.append(f"{hint}\n  {document}\n  ours {given!r}\n  msgspec {wanted!r}")
    return Comparison(n_taken, n_taken * n_documents, n_made, differences)


if __name__ == "__main__":
    found = compare(int(sys.argv[1]), int(sys.argv[2]))
    print(*found.differences, sep="\n")
    print(*found[:3])
