"""docs/quickstart.md: what its application answers."""

from typing import Any

from starlette.testclient import TestClient


def after(names: dict[str, Any]) -> None:
    answer = TestClient(names["app"]).get("/books")
    assert answer.content == '{"books":[{"title":"红楼梦"},{"title":"吾輩は猫である"}]}'.encode()
    assert names["json"].__name__ == "ssrjson_web.json"
