"""docs/flask.md: what its applications answer."""

from typing import Any

from helpers.connexion_standin import stand_in


def before(names: dict[str, Any]) -> None:
    stand_in()


def after(names: dict[str, Any]) -> None:
    client = names["app"].test_client()
    assert client.get("/export").data == b'[{"number":0},{"number":1},{"number":2}]'
    assert client.get("/export.jsonl").data == b'{"number":0}\n{"number":1}\n{"number":2}\n'
    assert names["app"].json.dumps("红") == '"红"'
    assert names["Shop"]("shop").json.dumps(names["Price"](150)) == "1.5"
    assert names["service"].app.json.dumps({"b": 1, "a": "é"}) == r'{"a": "\u00e9", "b": 1}'
