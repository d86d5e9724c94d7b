"""docs/memory.md: the object to audit, and that its figures are not zero."""

from typing import Any


def before(names: dict[str, Any]) -> None:
    names["catalogue"] = {"books": [{"title": f"红楼梦 {number}"} for number in range(100)]}


def after(names: dict[str, Any]) -> None:
    assert names["found"].total.bytes == 0
    assert names["found"].total.more_bytes > 100 * 9
