"""docs/litestar.md: what its application answers."""

from typing import Any

from litestar.testing import TestClient


def after(names: dict[str, Any]) -> None:
    with TestClient(names["app"]) as client:
        assert client.get("/books").content == '{"books":[{"title":"红楼梦"}]}'.encode()
    assert names["app"].response_class is names["SSRJSONResponse"]
