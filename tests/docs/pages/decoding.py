"""docs/decoding.md: documents to decode."""

from typing import Any


def before(names: dict[str, Any]) -> None:
    names["body"] = b'{"title": ["a", 1]}'
    names["lines"] = b"1\n2\n"
    names["text"] = "12345[]"
    names["chunks"] = [b'{"title":', b" 1}"]


def after(names: dict[str, Any]) -> None:
    assert names["decoder"].decode(names["body"]) == {"title": ["a", 1]}
