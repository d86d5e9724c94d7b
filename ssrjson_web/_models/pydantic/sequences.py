"""`Sequence` fields in core schemas: pydantic makes of a list a list, of a tuple a tuple, and writes both as lists."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import TypeAdapter

__all__ = ["list_of_sequence"]


def list_of_sequence(schema: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """The schema of the lists that a `Sequence` takes; None: a schema is of no `Sequence`, or not as pydantic's.

    A schema without `serialization` is one of which only the validator matters.
    """
    usual = _usual() if schema["type"] == "json-or-python" else None
    if usual is None or schema["json_schema"]["type"] != "list" or schema["python_schema"]["type"] != "chain":
        return None
    of_list = schema["json_schema"]
    instance, validated = usual["python_schema"]["steps"]
    steps = [{**instance, **_named(schema["python_schema"]["steps"][0])}, {**validated, "schema": of_list}]
    expected = {
        **usual,
        "json_schema": of_list,
        "python_schema": {**usual["python_schema"], "steps": steps},
        "serialization": {**usual["serialization"], "schema": of_list.get("items_schema")},
    }
    compared = {"serialization": expected["serialization"], **schema}
    is_usual = {key: value for key, value in compared.items() if key not in ("ref", "metadata")} == expected
    return of_list if is_usual else None


def _named(instance: Mapping[str, Any]) -> dict[str, Any]:
    """The class that values must be of, by which of its names it is called."""
    is_sequence = getattr(instance.get("cls"), "__origin__", instance.get("cls")) is Sequence
    return {key: instance[key] for key in ("cls", "cls_repr") if is_sequence and key in instance}


@functools.cache
def _usual() -> Mapping[str, Any] | None:
    """The schema of a sequence of ints; None where this pydantic has another one, or makes something else of lists."""
    adapter = TypeAdapter(Sequence[int])
    schema: Any = adapter.core_schema
    made, text = [adapter.validate_python(one) for one in ([1], (1,))], adapter.dump_json([1])
    try:
        _, validated = schema["python_schema"]["steps"]
        is_known = validated["schema"] == schema["json_schema"] == {"type": "list", "items_schema": {"type": "int"}}
        is_known = is_known and schema["serialization"]["schema"] == {"type": "int"}
    except (KeyError, ValueError):
        return None
    return schema if is_known and [*map(type, made)] == [list, tuple] and text == b"[1]" else None
