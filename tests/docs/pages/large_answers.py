"""docs/large_answers.md: what its application answers."""

import json
from typing import Any

from starlette.testclient import TestClient


def after(names: dict[str, Any]) -> None:
    response = TestClient(names["app"]).get("/export")
    assert response.json() == [{"id": i} for i in range(100_000)]
    assert response.headers["content-length"] == str(len(response.content))
    assert json.loads(names["asyncio"].run(names["main"]())) == {"rows": [1, 2]}
