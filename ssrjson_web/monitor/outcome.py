"""How a request ended: the class of its status, or why its response is not complete."""

from __future__ import annotations

__all__ = ["ABORTED", "FAILED", "OTHER", "OUTCOMES", "RAISED", "has_no_body", "of_exception", "of_status"]

RAISED = "raised"
"""The application raised, or returned, before its response was complete."""
ABORTED = "aborted"
"""The client disconnected, or the server cancelled the request, before the response was complete."""
OTHER = "other"
"""A complete response with a status outside 100 to 599."""

_CLASSES = ("1xx", "2xx", "3xx", "4xx", "5xx")
_BY_HUNDRED = dict(enumerate(_CLASSES, 1))
OUTCOMES = (*_CLASSES, OTHER, RAISED, ABORTED)
FAILED = ("5xx", RAISED)
"""Outcomes that are the application's fault."""


def of_status(status: object) -> str:
    """The outcome of a response that was sent completely."""
    return _BY_HUNDRED.get(status // 100, OTHER) if isinstance(status, int) else OTHER


def of_exception(error: BaseException, *, is_client_gone: bool) -> str:
    """The outcome of a request whose response was cut off by an exception.

    Servers cancel with exceptions that do not derive from `Exception`: CancelledError, Trio's Cancelled, GeneratorExit,
    SystemExit.
    """
    return RAISED if isinstance(error, Exception) and not is_client_gone else ABORTED


def has_no_body(method: str, status: object) -> bool:
    """Whether servers send no body, even if the application returns one. Source: RFC 9110, 6.4.1."""
    return method == "HEAD" or status in (204, 304) or (isinstance(status, int) and 100 <= status < 200)
