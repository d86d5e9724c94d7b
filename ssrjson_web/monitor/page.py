"""The live page: one HTML file that holds its own style and script."""

from __future__ import annotations

import base64
import functools
import hashlib
import re
from pathlib import Path

__all__ = ["page_headers", "page_html"]


@functools.cache
def page_html() -> bytes:
    """The page as UTF-8. It is the same for all users and contains no figures and no secret."""
    return Path(__file__).with_name("page.html").read_bytes()


@functools.cache
def page_headers() -> tuple[tuple[str, str], ...]:
    """The headers of the page: browsers run the script of this page only, and send requests to this server only."""
    policy = [
        "default-src 'none'",
        f"script-src {_hash_of('script')}",
        f"style-src {_hash_of('style')}",
        "connect-src 'self'",
        "img-src data:",  # an empty icon, so that browsers do not request one
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'",
    ]
    return (
        ("content-type", "text/html; charset=utf-8"),
        ("content-security-policy", "; ".join(policy)),
        ("referrer-policy", "no-referrer"),
    )


def _hash_of(element: str) -> str:
    text = re.search(rf"<{element}>(.*?)</{element}>".encode(), page_html(), re.DOTALL)
    assert text is not None, element
    return f"'sha256-{base64.b64encode(hashlib.sha256(text[1]).digest()).decode()}'"
