"""The profiles of HttpArena that are measured here: their requests, and the answers that they must get."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

__all__ = ["PROFILES", "Ask", "Profile", "dataset", "write_dataset"]

N_ITEMS = 50
_WORDS = {
    "name": ("Alpha", "Basic", "Core", "Delta", "Edge", "Fast", "Grand", "Micro", "Nano", "Prime"),
    "thing": ("Adapter", "Cable", "Drill", "Frame", "Lamp", "Motor", "Relay", "Sensor", "Valve", "Widget"),
    "category": ("books", "clothing", "electronics", "home", "sports", "tools"),
    "tags": ("compact", "eco", "fast", "limited", "new", "popular", "sale", "wireless"),
}


@dataclass(frozen=True, kw_only=True)
class Ask:
    """One request, and what is right about its answer."""

    method: str = "GET"
    path: str
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes = b""
    is_chunked: bool = False
    media_type: str
    is_right: Callable[[bytes], bool]
    """Whether the unpacked body is right."""


@dataclass(frozen=True, kw_only=True)
class Profile:
    """Requests that are sent in turn."""

    name: str
    asks: Callable[[], Sequence[Ask]]
    n_connections: int
    needs_database: bool = False
    is_compressed: bool = False


def dataset() -> list[dict[str, Any]]:
    """50 items of the kind that HttpArena mounts as `/data/dataset.json`: ASCII, integers, lists, an inner object."""
    rng = random.Random(50)
    return [
        {
            "id": number + 1,
            "name": f"{rng.choice(_WORDS['name'])} {rng.choice(_WORDS['thing'])}",
            "category": rng.choice(_WORDS["category"]),
            "price": rng.randint(5, 500),
            "quantity": rng.randint(1, 100),
            "active": rng.random() < 0.7,
            "tags": rng.sample(_WORDS["tags"], k=rng.randint(2, 4)),
            "rating": {"score": rng.randint(1, 50), "count": rng.randint(1, 500)},
        }
        for number in range(N_ITEMS)
    ]


def write_dataset(folder: Path) -> Path:
    """The file with the items, for `DATASET_PATH`."""
    path = folder / "dataset.json"
    path.write_text(json.dumps(dataset()), encoding="utf-8")
    return path


def _items(count: int, m: int, **headers: str) -> Ask:
    items = [{**item, "total": item["price"] * item["quantity"] * m} for item in dataset()[:count]]
    expected = {"items": items, "count": count}
    return Ask(
        path=f"/json/{count}?m={m}",
        headers=headers,
        media_type="application/json",
        is_right=lambda body: json.loads(body) == expected,
    )


def _text(path: str, text: str, **more: Any) -> Ask:
    return Ask(path=path, media_type="text/plain", is_right=lambda body: body == text.encode(), **more)


def _json() -> list[Ask]:
    pairs = ((1, 3), (5, 7), (10, 2), (15, 5), (25, 4), (40, 8), (50, 6))
    return [_items(count, m) for count, m in pairs]


def _json_compressed() -> list[Ask]:
    return [_items(count, m, **{"Accept-Encoding": "gzip, br"}) for count, m in ((25, 4), (40, 8), (50, 6))]


def _baseline() -> list[Ask]:
    path, text = "/baseline11?a=13&b=42", {"Content-Type": "text/plain"}
    return [
        _text(path, "55"),
        _text(path, "75", method="POST", headers=text, body=b"20"),
        _text(path, "75", method="POST", headers=text, body=b"20", is_chunked=True),
    ]


def _upload() -> list[Ask]:
    kind = {"Content-Type": "application/octet-stream"}
    sizes = [kilobytes << 10 for kilobytes in (500, 2 << 10, 10 << 10, 20 << 10)]
    return [_text("/upload", str(size), method="POST", headers=kind, body=b"x" * size) for size in sizes]


def _database() -> list[Ask]:
    return [_rows(10, 50, limit) for limit in (5, 10, 20, 35, 50)]


def _rows(low: int, high: int, limit: int) -> Ask:
    def is_right(body: bytes) -> bool:
        answer = json.loads(body)
        items = answer["items"]
        return (
            answer["count"] == len(items) == limit
            and all(low <= item["price"] <= high for item in items)
            and all(type(item["tags"]) is list and type(item["active"]) is bool for item in items)
            and all(type(item["rating"]["score"]) is int and type(item["rating"]["count"]) is int for item in items)
        )

    return Ask(path=f"/async-db?min={low}&max={high}&limit={limit}", media_type="application/json", is_right=is_right)


PROFILES = (
    Profile(name="json", asks=_json, n_connections=64),
    Profile(name="json-comp", asks=_json_compressed, n_connections=64, is_compressed=True),
    Profile(name="async-db", asks=_database, n_connections=64, needs_database=True),
    Profile(name="upload", asks=_upload, n_connections=8),
    Profile(name="baseline", asks=_baseline, n_connections=64),
)
