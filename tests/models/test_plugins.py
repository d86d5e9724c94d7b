"""Plugins of pydantic: validation is skipped where none of them listens, and heard where one does."""

from __future__ import annotations

from typing import Any

import pytest
from helpers.pydantic_plugins import Plugin, installed_plugins
from pydantic import BaseModel, TypeAdapter, ValidationError

from ssrjson_web._models.adapter import AdapterEncoder, models_acceptance, models_obstacle
from ssrjson_web._models.pydantic.plugins import listener_of
from ssrjson_web.models import TypedDecoder, TypedEncoder

EVENTS = ("on_enter", "on_success", "on_error", "on_exception")


@pytest.fixture
def plugins(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    return installed_plugins(monkeypatch)


def adapter_of_item() -> TypeAdapter[Any]:
    class Item(BaseModel):
        name: str

    return TypeAdapter(list[Item])


@pytest.mark.parametrize("events", [(), ("on_error",), ("on_exception", "on_error")], ids=str)
def test_values_skip_validation_where_no_plugin_would_hear_of_them(plugins: dict[str, Any], events: Any) -> None:
    plugin = plugins["silent"] = Plugin(*events)
    adapter = adapter_of_item()
    assert type(adapter.validator).__name__ == "PluggableSchemaValidator"
    encoder = AdapterEncoder(adapter, like_dump_json=True)
    assert encoder.obstacle == "" == models_obstacle(adapter)
    assert encoder.encode_unvalidated([{"name": "é"}]) == '[{"name":"é"}]'.encode()
    assert models_acceptance(adapter) is not None
    assert models_acceptance(adapter, like_validate_json=True) is not None
    assert TypedEncoder(adapter).encode([{"name": "é"}]) == '[{"name":"é"}]'.encode()
    assert plugin.heard == []
    with pytest.raises(ValidationError):
        TypedEncoder(adapter).encode([{"name": 1}])
    assert [event for event, _ in plugin.heard] == [event for event in events if event == "on_error"]


@pytest.mark.parametrize("event", ["on_enter", "on_success"])
def test_values_are_validated_where_a_plugin_hears_of_them(plugins: dict[str, Any], event: str) -> None:
    plugin = plugins["listening"] = Plugin(event)
    adapter = adapter_of_item()
    encoder = AdapterEncoder(adapter, like_dump_json=True)
    assert encoder.obstacle == f"the plugin {Plugin.__module__}"
    assert models_obstacle(adapter) == f"the plugin {Plugin.__module__}"
    assert encoder.encode_unvalidated([{"name": "é"}]) is None
    assert models_acceptance(adapter) is None
    adapter.validate_python([{"name": "é"}])
    adapter.validate_json('[{"name": "é"}]')
    stock, plugin.heard = plugin.heard, []
    TypedEncoder(adapter).encode([{"name": "é"}])
    TypedDecoder(adapter).decode('[{"name": "é"}]')
    assert plugin.heard == stock != []


def test_wrapper_that_is_not_pydantics_is_named(plugins: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    """Logfire replaces what makes the wrappers."""
    from pydantic.plugin import _schema_validator

    def build_wrapper(function: Any, handlers: Any) -> Any:
        return (lambda *values, **named: function(*values, **named)) if handlers else function

    monkeypatch.setattr(_schema_validator, "build_wrapper", build_wrapper)
    plugins["silent"] = Plugin()
    assert listener_of(adapter_of_item().validator) == ""
    plugins["listening"] = Plugin("on_error")
    assert listener_of(adapter_of_item().validator) == f"the plugin {__name__}"


def test_type_that_is_not_complete_is_named() -> None:
    class Later(BaseModel):
        model_config = {"defer_build": True}
        name: str

    adapter = TypeAdapter(Later, config=None)
    if type(adapter.validator).__name__ == "MockValSer":
        assert listener_of(adapter.validator) == "a type that is not defined yet"
    assert listener_of(object()) == "a validator that is not pydantic's"
