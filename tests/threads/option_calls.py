"""Calls with the options of decoding and encoding that keep or make something, on what other threads change.

What holds of a value while it is changed: its list is a run of numbers, its table has pairs of a number as str and the
number.
"""

from __future__ import annotations

import asyncio
import dataclasses
import datetime
import decimal
import enum
import itertools
import json
import random
from collections.abc import Callable
from typing import Any, Literal, NamedTuple, TypedDict

import ssrjson_web
from ssrjson_web._shared.slices import Slices, release

try:
    import numpy
except ImportError:
    numpy = None  # type: ignore[assignment]
try:
    from ssrjson_web.starlette import SSRJSONResponse
except ImportError:  # Starlette is not installed
    SSRJSONResponse = None  # type: ignore[assignment, misc]

__all__ = ["USES", "change"]


class Kind(enum.Enum):
    A = "a"
    B = "b"


class Point(NamedTuple):
    x: int
    y: float = 0.5


class Extra(TypedDict, total=False):
    note: str
    when: datetime.date


@dataclasses.dataclass
class Order:
    id: int
    kind: Kind
    points: list[Point]
    extra: Extra
    price: decimal.Decimal = decimal.Decimal(1)
    state: Literal["new", "old"] = "new"


def made_class(number: int) -> type[Any]:
    """A class of which no thread has a plan yet."""
    return dataclasses.make_dataclass(f"Made{number}", [("a", int), ("b", list[int], dataclasses.field(default=()))])


ORDER = {"id": 1, "kind": "b", "points": [[1, 2.5], [3]], "extra": {"note": "é", "when": "2026-01-02"}, "price": "2.5"}
ORDERS = [{**ORDER, "id": n} for n in range(20)]
TEXT = json.dumps(ORDERS, ensure_ascii=False)
WRONG = TEXT.replace('"kind": "b"', '"kind": "c"')
TYPED = ssrjson_web.Decoder(type=list[Order])
EXPECTED = TYPED.decode(TEXT)
PARTS = ssrjson_web.Decoder(only=("/3/id", "/*/extra/note"))
PARTS_EXPECTED = PARTS.decode(TEXT)
VECTORS = {"id": 7, "vector": [n / 4 for n in range(40)], "rows": [[1, 2, 3]] * 6}
ARRAYS = [ssrjson_web.Decoder(number_arrays="array", number_arrays_from=2)]
if numpy is not None:
    ARRAYS.append(ssrjson_web.Decoder(number_arrays="numpy", number_arrays_from=2))
CANONICAL = ssrjson_web.Encoder(canonical=True)
CAMEL = ssrjson_web.Encoder(key_case="camel")
SNAKE = ssrjson_web.Decoder(key_case="snake")
PLAIN = ssrjson_web.Decoder()
SLICED = SSRJSONResponse.sliced(slice_ms=1e-9, slice_from=0) if SSRJSONResponse is not None else None

fresh_class: list[type[Any]] = [made_class(0)]
"""One class, which a writer replaces."""
changing: dict[str, Any] = {"a_list": [0], "a_table": {"1": 1}, "rows": [{"camel_key": n} for n in range(200)]}
kept: list[Any] = [[n] for n in range(300)]
"""What responses hold, too. Nobody changes it."""


def is_whole(value: Any, numbers: str = "a_list", table: str = "a_table") -> bool:
    run = value[numbers]
    return all(after - before == 1 for before, after in itertools.pairwise(run)) and all(
        int(key) == number for key, number in value[table].items()
    )


def typed(rng: random.Random) -> list[str]:
    wrong = []
    if TYPED.decode(rng.choice([TEXT, TEXT.encode(), bytearray(TEXT.encode())])) != EXPECTED:
        wrong.append("type=")
    try:
        TYPED.decode(WRONG)
        wrong.append("type= took another value")
    except ssrjson_web.JSONTypeError as error:
        if error.steps != (0, "kind"):
            wrong.append(f"type=: a fault at {error.steps}")
    cls = fresh_class[0]
    if ssrjson_web.loads('[{"a": 1, "b": [2]}, {"a": 3}]', type=list[cls]) != [cls(1, [2]), cls(3)]:  # type: ignore[valid-type]
        wrong.append("type= of a new class")
    return wrong


def parts(rng: random.Random) -> list[str]:
    if PARTS.decode(TEXT.encode()) != PARTS_EXPECTED:
        return ["only="]
    if ssrjson_web.loads(f"// é\n{TEXT[:-1]},]", jsonc=True, only=["/2"])[2]["id"] != 2:
        return ["only= of jsonc"]
    return []


def arrays(rng: random.Random) -> list[str]:
    made = rng.choice(ARRAYS).decode(json.dumps(VECTORS))
    same = made["vector"].tolist() == VECTORS["vector"] and [list(row) for row in made["rows"]] == VECTORS["rows"]
    return [] if same else ["number_arrays"]


def cases(rng: random.Random) -> list[str]:
    rows = [{f"a_key{rng.randrange(700)}": n, "first_name": "é"} for n in range(9)]
    text = CAMEL.encode(rows)
    wrong = []
    if PLAIN.decode(text)[0].get("firstName") != "é":
        wrong.append("key_case of encoding")
    if [row["first_name"] for row in SNAKE.decode(text)] != ["é"] * 9:
        wrong.append("key_case of decoding")
    if not is_whole(json.loads(CAMEL.encode(changing)), "aList", "aTable"):
        wrong.append("key_case of what changes")
    return wrong


def canonical(rng: random.Random) -> list[str]:
    text = CANONICAL.encode(changing)
    value = json.loads(text)
    same = json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode() == text
    return [] if same and is_whole(value) else [f"canonical: {text!r}"]


def slices(rng: random.Random) -> list[str]:
    """encode_async of what changes, and responses that release what they were made of."""
    wrong = []

    async def send(message: Any) -> None:
        sent.append(message.get("body", b""))

    async def run() -> None:
        try:
            json.loads(await ssrjson_web.encode_async(changing, slice_ms=1e-9))
        except RuntimeError as error:
            if "changed size during iteration" not in str(error):
                raise
        held = [[kept[:], {"kept": kept}, [[0]] * 50]]
        await release(held, Slices(1e-9))
        if SLICED is not None:
            response = SLICED([kept, {"own": [[n] for n in range(200)]}])
            await response({"type": "http", "method": "GET", "headers": []}, None, send)

    sent: list[bytes] = []
    asyncio.run(run())
    if SLICED is not None and json.loads(b"".join(sent))[0] != [[n] for n in range(300)]:
        wrong.append("a sliced response")
    if kept != [[n] for n in range(300)]:
        wrong.append("a response has released what others have")
    return wrong


USES: dict[str, Callable[[random.Random], list[str]]] = {
    "typed_options": typed,
    "parts_of_documents": parts,
    "number_arrays": arrays,
    "key_cases": cases,
    "canonical": canonical,
    "slices": slices,
}
"""What readers call; each gives what was wrong."""


def change(rng: random.Random) -> None:
    """Change what is shared, as one writer at a time does."""
    numbers, table = changing["a_list"], changing["a_table"]
    if rng.random() < 0.2:
        changing["a_list"] = numbers = [numbers[-1]] if numbers else [0]
    numbers.append(numbers[-1] + 1 if numbers else 0)
    number = rng.randrange(60)
    if rng.random() < 0.1:
        table.clear()
    table[str(number)] = number
    table.pop(str(rng.randrange(60)), None)
    row = rng.choice(changing["rows"])
    row[f"key_{rng.randrange(9)}"] = "é"
    row.pop(f"key_{rng.randrange(9)}", None)
    if rng.random() < 0.3:
        fresh_class[0] = made_class(rng.randrange(10**6))
    if rng.random() < 0.1:
        Order.note = rng.random()  # type: ignore[attr-defined]  # a class that changes gets a new plan
