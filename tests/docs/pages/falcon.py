"""docs/falcon.md: its application has the options of the last block."""

import datetime
from typing import Any

from falcon.testing import TestClient


def after(names: dict[str, Any]) -> None:
    class Books:
        def on_post(self, req: Any, resp: Any) -> None:
            resp.media = [req.media, datetime.date(2026, 11, 21)]

    names["app"].add_route("/books", Books())
    client = TestClient(names["app"])
    headers = {"Content-Type": "application/json"}
    assert client.simulate_post("/books", body='{"title":"红"}', headers=headers).json == [
        {"title": "红"},
        "2026-11-21",
    ]
    assert client.simulate_post("/books", body="[" * 51 + "]" * 51, headers=headers).status_code == 400
