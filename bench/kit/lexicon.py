"""The words that the demo's catalogue is written in, one lexicon a script; `lexicon.json` has them, divided by bars."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

__all__ = ["LEXICONS", "SCRIPTS", "Lexicon", "script_words"]


@dataclass(frozen=True, kw_only=True)
class Lexicon:
    """Parts to build product records from; every tuple has enough items to make the records differ."""

    qualities: tuple[str, ...]
    products: tuple[str, ...]
    clauses: tuple[str, ...]
    given_names: tuple[str, ...]
    family_names: tuple[str, ...]
    word_separator: str
    clause_separator: str
    sentence_end: str
    sentences: tuple[int, int]
    """Minimum and maximum number of sentences in a description: about 300 to 600 characters."""


_DIVIDED = ("qualities", "products", "clauses", "given_names", "family_names")


def _lexicon(parts: dict[str, Any]) -> Lexicon:
    divided = {name: tuple(parts[name].split(" | ")) for name in _DIVIDED}
    return Lexicon(**{**parts, **divided, "sentences": tuple(parts["sentences"])})


LEXICONS = {
    name: _lexicon(parts)
    for name, parts in json.loads(Path(__file__).with_name("lexicon.json").read_text("utf-8")).items()
}

SCRIPTS = {
    "mixed": ("chinese", "japanese", "russian", "french", "emoji"),
    **{name: (name,) for name in LEXICONS},
}
"""The choices of `--script`: the lexicons that the records use in turn."""


def script_words(script: str) -> str:
    """The name of a script of SCRIPTS for readers: `Chinese, Japanese, ...`."""
    odd = {"emoji": "emoji", "ascii": "ASCII"}
    return ", ".join(odd[name] if name in odd else name.capitalize() for name in SCRIPTS[script])
