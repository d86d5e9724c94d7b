"""docs/quart.md: what its application answers."""

import asyncio
from typing import Any


def after(names: dict[str, Any]) -> None:
    async def get(path: str) -> bytes:
        answer: bytes = await (await names["app"].test_client().get(path)).get_data()
        return answer

    assert asyncio.run(get("/export")) == b'[{"number":0},{"number":1},{"number":2}]'
    assert asyncio.run(get("/export.jsonl")) == b'{"number":0}\n{"number":1}\n{"number":2}\n'
    assert type(names["app"].json).__module__.startswith("ssrjson_web.")
