"""docs/try_it.md: the token; and that each line compares."""

import os
from typing import Any


def before(names: dict[str, Any]) -> None:
    os.environ["MEMORY_TOKEN"] = "a-token-for-this-test"


def after(names: dict[str, Any]) -> None:
    from fastapi.testclient import TestClient

    from ssrjson_web._compare import comparison
    from ssrjson_web._compare.record import RECORD

    app = names["app"]
    app.get("/")(lambda: {"a": 1})
    names["setup"](app, compare=1.0)
    with TestClient(app) as client:
        assert client.get("/").json() == {"a": 1}
        stats = client.get("/ssrjson/stats", headers={"Authorization": f"Bearer {os.environ['MEMORY_TOKEN']}"}).json()
    assert stats["compared"]["summary"].startswith("1 compared, 0 differ")
    assert RECORD.figures()["left_out"] == {}
    assert comparison._LOG.name == "ssrjson_web.compare"
    names["setup_marshmallow"]()
