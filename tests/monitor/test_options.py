"""Options: what is malformed fails when the middleware is made, and the message names the option."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from ssrjson_web import asgi, wsgi
from ssrjson_web.monitor.options import Options

TOKEN = "0123456789abcdef"

WRONG: list[tuple[str, Any, type[Exception]]] = [
    ("enabled", 1, TypeError),
    ("enabled", None, TypeError),
    ("token", b"0123456789abcdef", TypeError),
    ("token", "", ValueError),
    ("token", "0123456789abcde", ValueError),
    ("token", "0123456789 abcdef", ValueError),
    ("token", "0123456789abcdeé", ValueError),
    ("token", "0123456789abcdef\n", ValueError),
    ("prefix", None, TypeError),
    ("prefix", "", ValueError),
    ("prefix", "/", ValueError),
    ("prefix", "ssrjson", ValueError),
    ("prefix", "/ssrjson/", ValueError),
    ("prefix", "/a b", ValueError),
    ("prefix", "/a\n", ValueError),
    ("observe", "json", TypeError),
    ("observe", [1], TypeError),
    ("observe", ["yaml"], ValueError),
    ("server_timing", "yes", TypeError),
    ("page", 0, TypeError),
    ("share", "", TypeError),
    ("share", 5, TypeError),
    ("sample_every", "1", TypeError),
    ("sample_every", True, TypeError),
    ("sample_every", 0, ValueError),
    ("sample_every", float("nan"), ValueError),
    ("trim_every", -1, ValueError),
    ("scan_every", 1e9, ValueError),
]


@pytest.mark.parametrize("middleware", [asgi.MemoryMiddleware, wsgi.MemoryMiddleware])
@pytest.mark.parametrize(("name", "value", "error"), WRONG)
def test_malformed_option_is_refused_by_name(middleware: Any, name: str, value: Any, error: type[Exception]) -> None:
    with pytest.raises(error, match=f"^{name}\\b"):
        middleware(lambda: None, **{"enabled": True, "share": False, name: value})


@pytest.mark.parametrize("middleware", [asgi.MemoryMiddleware, wsgi.MemoryMiddleware])
def test_unknown_option_is_refused_by_name(middleware: Any) -> None:
    with pytest.raises(TypeError, match="tokens"):
        middleware(lambda: None, tokens=TOKEN)


@pytest.mark.parametrize("token", ["short-token-15c", "0123456789 abcdef"])
def test_refusal_of_a_token_does_not_show_it(token: str) -> None:
    with pytest.raises(ValueError, match=r"^token") as raised:
        Options(token=token)
    assert token not in str(raised.value)


def test_options_do_not_show_the_token() -> None:
    assert TOKEN not in repr(Options(token=TOKEN))


@pytest.mark.parametrize("share", [True, False, "/tmp/x", Path("x")])
def test_folder_to_share_may_be_named(share: Any) -> None:
    assert Options(share=share).share == share


def test_middleware_that_is_not_enabled_makes_nothing() -> None:
    assert asgi.MemoryMiddleware(lambda: None, token=TOKEN).monitor is None  # type: ignore[arg-type, return-value]
    assert wsgi.MemoryMiddleware(lambda: None, token=TOKEN).monitor is None  # type: ignore[arg-type, return-value]
