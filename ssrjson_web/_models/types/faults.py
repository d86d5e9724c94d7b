"""The exception that tells where a document does not fit a type."""

from __future__ import annotations

import json
from typing import Any

_SHOWN_STEPS = 12
"""At the beginning and at the end of a path; those between them are left out."""
_SHOWN_CHARS = 40
"""Of a key."""


def _step_text(step: str | int) -> str:
    if isinstance(step, int):
        return f"[{step}]"
    if step.isidentifier() and len(step) <= _SHOWN_CHARS:
        return f".{step}"
    return f"[{json.dumps(step if len(step) <= _SHOWN_CHARS else step[:_SHOWN_CHARS] + '...')}]"


def path_text(steps: tuple[str | int, ...]) -> str:
    """The path of steps, as the notes of errors of encoding have it: `$.items[3].price`."""
    texts = [_step_text(step) for step in steps]
    if len(texts) > 2 * _SHOWN_STEPS:
        texts = [*texts[:_SHOWN_STEPS], "...", *texts[-_SHOWN_STEPS:]]
    return "$" + "".join(texts)


def error_of(
    cls: type[Any],
    reason: str,
    message: str,
    expected: str | None,
    given: str | None,
    steps: tuple[str | int, ...],
    text: str,
    position: int,
) -> Any:
    """A JSONTypeError with its attributes, for a value that begins at a position of a text."""
    path = path_text(steps)
    error = cls(f"{message} at {path}", text, position)
    error.path = path
    error.steps = steps
    error.reason = reason
    error.expected = expected
    error.given = given
    return error
