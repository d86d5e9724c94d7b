"""Fields of ours are copied as FastAPI's are."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient
from pydantic import BaseModel

from ssrjson_web.fastapi._body import AcceptingField
from ssrjson_web.fastapi._field import EncodingField


class Item(BaseModel):
    name: str = "é"


def fields() -> tuple[Any, Any]:
    app = FastAPI()

    @app.post("/", response_model=Item)
    def endpoint(item: Item) -> Any:
        return item

    route: Any = app.routes[-1]
    return route.response_field, route.dependant.body_params[0]


@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy])
@pytest.mark.parametrize("is_used", [False, True])
def test_copy_of_a_field_is_a_field(copied: Callable[[Any], Any], is_used: bool) -> None:
    response_field, body_field = fields()
    encoding, accepting = EncodingField(response_field), AcceptingField(body_field)
    options: dict[str, Any] = {"mode": "json"}
    if is_used:
        for _ in range(2):
            value, _errors = encoding.validate({"name": "a"}, {}, loc=("response",))
            encoding.serialize(value, **options)
            accepting.validate({"name": "a"}, {}, loc=("body",))
    made = copied(encoding)
    assert type(made) is EncodingField
    assert (made._field is response_field) is (copied is copy.copy)
    for _ in range(2):
        value, errors = made.validate({"name": "é"}, {}, loc=("response",))
        assert not errors
        assert made.serialize(value, **options).body == '{"name":"é"}'.encode()
    accepted = copied(accepting)
    assert type(accepted) is AcceptingField
    assert accepted.name == accepting.name
    for _ in range(2):
        assert accepted.validate({"name": "é"}, {}, loc=("body",))[0] == Item()


@pytest.mark.parametrize("cls", [EncodingField, AcceptingField])
def test_field_that_is_not_made_yet_has_no_attributes(cls: Any) -> None:
    empty = cls.__new__(cls)
    for name in ("_field", "name", "__setstate__", "__deepcopy__"):
        with pytest.raises(AttributeError):
            getattr(empty, name)


def test_routes_and_applications_with_our_fields_are_copied() -> None:
    from ssrjson_web.fastapi import setup

    app = FastAPI()

    @app.post("/", response_model=Item)
    def endpoint(item: Item) -> Any:
        return item

    setup(app)
    client = TestClient(app)
    assert client.post("/", json={"name": "é"}).json() == {"name": "é"}
    route = copy.copy(app.routes[-1])
    assert copy.copy(route.response_field).name == route.response_field.name  # type: ignore[attr-defined]
