"""What a call gave, value or error, in a form that two codecs can be compared by."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable
from typing import Any

Outcome = tuple[object, ...]


def family(error: BaseException) -> str:
    """The name of the first class of the interpreter or of stdlib's json that the error is an instance of."""
    return next(c.__name__ for c in type(error).__mro__ if c.__module__ in ("builtins", "json.decoder"))


def error_outcome(error: BaseException) -> Outcome:
    """The error's family and what a caller can read from it, but for its notes."""
    if isinstance(error, json.JSONDecodeError):
        return ("JSONDecodeError", error.msg, error.pos, error.lineno, error.colno, error.doc, str(error))
    if isinstance(error, UnicodeDecodeError):
        return (family(error), error.encoding, error.start, error.end, error.reason, bytes(error.object))
    if isinstance(error, UnicodeEncodeError):
        return (family(error), error.encoding, error.start, error.end, error.reason, error.object)
    return (family(error), str(error))


def outcome(call: Callable[..., Any], *args: Any, **options: Any) -> Outcome:
    """("value", its repr) or the error's family and details.

    repr tells 1 from 1.0 and True, 0.0 from -0.0, shows nan, and keeps the order of keys.
    """
    try:
        value = call(*args, **options)
    except Exception as error:
        return error_outcome(error)
    return ("value", repr(value))


def shortened(thing: object, n_chars: int = 300) -> str:
    text = repr(thing)
    return text if len(text) <= n_chars else f"{text[: n_chars // 2]} ... {text[-n_chars // 2 :]} ({len(text)} chars)"


def assert_same(got: object, expected: object, case: object) -> None:
    """got == expected; where not, the case, and for texts the neighbourhood of the first difference.

    pytest's own comparison takes minutes over long one-line texts.
    """
    if got == expected and type(got) is type(expected):
        return
    where = ""
    if isinstance(got, (str, bytes)) and type(got) is type(expected):
        assert isinstance(expected, (str, bytes))
        n_common = min(len(got), len(expected))
        at = next((i for i in range(n_common) if got[i] != expected[i]), n_common)
        start = max(0, at - 40)
        got, expected = got[start : at + 40], expected[start : at + 40]
        where = f", first difference at index {at}, shown from {start}"
    raise AssertionError(
        f"case {shortened(case)}{where}\n  got      {shortened(got)}\n  expected {shortened(expected)}"
    )


def assert_same_outcomes(
    ours: Callable[[Any], Any], theirs: Callable[[Any], Any], cases: Iterable[Any], at_least: int = 1
) -> None:
    """Both calls give the same outcome for each case, and there are at least `at_least` cases."""
    n_cases = 0
    for case in cases:
        n_cases += 1
        assert_same(outcome(ours, case), outcome(theirs, case), case)
    assert n_cases >= at_least, f"only {n_cases} cases were generated"


def lasting_repr(value: object) -> str:
    """`repr` without addresses: the workers of pytest-xdist have to agree on the names."""
    return re.sub(r" at 0x[0-9a-f]+", "", repr(value))
