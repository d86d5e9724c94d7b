"""What is looked for in a value before pydantic writes it: no code of the application is called for that."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest

pytest.importorskip("pydantic", reason="pydantic is not installed")

from ssrjson_web._models.pydantic.convert import has_iterator_or_repeated_key

READ: list[str] = []


@dataclasses.dataclass(slots=True)
class Noted:
    value: Any

    def __getattribute__(self, name: str) -> Any:
        READ.append(name)
        return object.__getattribute__(self, name)


def test_slot_is_read_without_a_call() -> None:
    READ.clear()
    assert has_iterator_or_repeated_key(Noted([iter("ab")]), is_json=True)
    assert "value" not in READ


def test_empty_slot_holds_nothing() -> None:
    assert not has_iterator_or_repeated_key(Noted.__new__(Noted), is_json=True)
