"""The cases of a library by stock and by ours, in the process that has imported both."""

from __future__ import annotations

import importlib
import time
import warnings
from collections.abc import Callable
from typing import Any

from ssrjson_web._cli.served import import_adapter
from ssrjson_web._known.releases import version_of
from ssrjson_web._known.tables import COMPILED, texts_of_installed
from ssrjson_web._known.texts import learn, learn_version
from ssrjson_web._known.unknown import unknown_functions

__all__ = ["compare"]

_MAX_SHOWN = 5


def compare(library: str) -> dict[str, Any]:
    """How many cases are alike, the first that are not, the seconds, and the functions that are not known.

    The texts of the installed release count as known: what differs is to be found, and not left to stock.
    """
    for module, text in texts_of_installed(library):
        learn(module, text)
    version = version_of(COMPILED.get(library, ""))
    if version is not None:
        learn_version(COMPILED[library], version)
    import_adapter(library)
    corpus = importlib.import_module(f"ssrjson_web._cli.verify.corpora.{library}")
    unknown = [one._asdict() for one in unknown_functions()]
    warnings.simplefilter("ignore")
    started = time.monotonic()
    n_alike, n_cases = 0, 0
    differences: list[list[str]] = []
    for label, stock, ours in corpus.pairs():
        n_cases += 1
        expected, found = _outcome(stock), _outcome(ours)
        n_alike += expected == found
        if expected != found and len(differences) < _MAX_SHOWN:
            differences.append([label, expected, found])
    return {
        "n_cases": n_cases,
        "n_alike": n_alike,
        "differences": differences,
        "seconds": time.monotonic() - started,
        "unknown": unknown,
    }


def _outcome(call: Callable[[], Any]) -> str:
    """What is returned, with its types, or the error that is raised."""
    try:
        return repr(call())
    except Exception as error:
        # ours derive from those of stock
        cls = next(base for base in type(error).__mro__ if not f"{base.__module__}.".startswith("ssrjson_web."))
        return f"{cls.__module__}.{cls.__qualname__}: {error}"
