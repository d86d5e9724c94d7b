"""docs/flask.md: what its applications answer."""

from typing import Any


def after(names: dict[str, Any]) -> None:
    client = names["app"].test_client()
    assert client.get("/export").data == b'[{"number":0},{"number":1},{"number":2}]'
    assert client.get("/export.jsonl").data == b'{"number":0}\n{"number":1}\n{"number":2}\n'
    assert names["app"].json.dumps("红") == '"红"'
    assert names["Shop"]("shop").json.dumps(names["Price"](150)) == "1.5"
