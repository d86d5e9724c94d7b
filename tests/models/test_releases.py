"""Releases of pydantic-core that are known, and those that are not."""

from __future__ import annotations

import importlib.metadata
import re
import types
from typing import Any

import pytest

pytest.importorskip("pydantic", reason="pydantic is not installed")

import pydantic_core
from pydantic import BaseModel, TypeAdapter

from ssrjson_web._known.texts import known_versions
from ssrjson_web._models.adapter import AdapterEncoder, bodies_maker, models_obstacle
from ssrjson_web._models.pydantic import releases
from ssrjson_web._models.pydantic.plans import plan_of


@pytest.fixture
def _another_release(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(releases, "_is_known", None)
    monkeypatch.setattr(pydantic_core, "__version__", "2.99.0")


class Item(BaseModel):
    name: str
    price: float = 0.5


def test_installed_release_is_known() -> None:
    required = importlib.metadata.requires("pydantic") or []
    needed = next(found[1] for one in required if (found := re.match(r"pydantic-core==([\d.]+)", one)))
    assert needed in known_versions("pydantic_core")
    assert releases.obstacle_of_core() == ""


@pytest.mark.usefixtures("_another_release")
def test_unknown_release_that_does_alike_is_accepted(monkeypatch: pytest.MonkeyPatch) -> None:
    assert releases.obstacle_of_core() == ""
    monkeypatch.setattr(releases, "_does_alike", lambda: False)
    assert releases.obstacle_of_core() == "", "it is checked once"


@pytest.mark.usefixtures("_another_release")
@pytest.mark.parametrize("method", ["validate_python", "validate_json", "dump_json"])
def test_unknown_release_that_does_something_else_is_left_alone(method: str, monkeypatch: pytest.MonkeyPatch) -> None:
    stock: Any = getattr(TypeAdapter, method)

    def changed(self: Any, value: Any, **options: Any) -> Any:
        made = stock(self, value, **options)
        if method == "dump_json":
            return made.replace(b"red", b"blue")
        return made.model_copy(update={"name": "other"}) if getattr(made, "ratio", None) == 1.5 else made

    monkeypatch.setattr("ssrjson_web._models.adapter.ADAPTERS", types.SimpleNamespace(are_known=lambda: True))
    monkeypatch.setattr(TypeAdapter, method, changed)
    assert releases.obstacle_of_core() == "pydantic-core 2.99.0, which is not known"
    monkeypatch.undo()
    monkeypatch.setattr(releases, "_is_known", False)
    adapter = TypeAdapter(list[Item])
    assert bodies_maker(adapter) is None
    assert models_obstacle(adapter) == f"pydantic-core {pydantic_core.__version__}, which is not known"
    encoder = AdapterEncoder(adapter, like_dump_json=True)
    assert encoder.encode_unvalidated([Item(name="é")]) is None
    assert encoder.encode([Item(name="é")]) == adapter.dump_json([Item(name="é")])
    assert plan_of(Item).kind == "opaque"
