"""docs/starlette.md: what its route, its response classes and its streams send."""

import datetime
from typing import Any

from starlette.routing import Route
from starlette.testclient import TestClient


def after(names: dict[str, Any]) -> None:
    app, rows = names["app"], names["rows"]
    app.routes.append(Route("/class", names["books"]))
    app.routes.append(Route("/array", lambda request: names["SSRJSONStreamingResponse"](rows())))
    app.routes.append(Route("/lines", lambda request: names["SSRJSONLinesResponse"](rows())))
    client = TestClient(app)
    expected = '{"books":[{"title":"红楼梦"}]}'.encode()
    assert [client.get(path).content for path in ("/books", "/class")] == [expected, expected]
    assert client.get("/array").content == b'[{"number":0},{"number":1},{"number":2}]'
    assert client.get("/lines").content == b'{"number":0}\n{"number":1}\n{"number":2}\n'
    assert names["Response"](datetime.date(2026, 11, 21)).body == b'"2026-11-21"'
