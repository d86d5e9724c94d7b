"""Of which values of decoded JSON models can be made without validation."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from pydantic import BaseModel, TypeAdapter

from ssrjson_web._core import _Acceptance
from ssrjson_web._models.acceptance import Acceptance, AcceptedField
from ssrjson_web._models.pydantic.acceptance_reader import AcceptanceReader, Output
from ssrjson_web._models.pydantic.attributes import AttributesWay
from ssrjson_web._models.pydantic.parts import JSON_TYPES, SchemaPart
from ssrjson_web._models.pydantic.rules import Schema

__all__ = ["ModelsAcceptanceReader"]


class ModelsAcceptanceReader(AcceptanceReader):
    """Reads of which values of decoded JSON models can be made without validation.

    With `like_validate_json` they are those of `validate_json`, otherwise those of `validate_python`.
    """

    is_for_json = True

    def __init__(self, schema: Schema, *, like_validate_json: bool = False) -> None:
        super().__init__(schema)
        self.is_like_validate_json = like_validate_json

    def read(self, config: Mapping[str, Any]) -> _Acceptance | None:
        return super().read(config) if _makes_equal_models() else None

    def _any(self) -> Acceptance:
        return None

    def _is_serialized_otherwise(self, schema: Schema) -> bool:
        return False

    def _read_acceptance(self, schema: Schema, config: Mapping[str, Any], depth: int) -> Acceptance:
        validated = {key: value for key, value in schema.items() if key != "serialization"}
        return super()._read_acceptance(validated, config, depth)

    def _made_by(self, part: SchemaPart) -> tuple[Sequence[type], Callable[[Any], Any] | None]:
        if self.is_like_validate_json and not part.is_alike_in_json():
            return (), None
        return JSON_TYPES, part.validator()

    def _outputs(self, cls: Any, fields: Schema, config: Mapping[str, Any]) -> Mapping[str, Output] | None:
        return dict.fromkeys(fields["fields"], Output(None))

    def _way_of(self, schema: Schema, fields: tuple[AcceptedField, ...]) -> AttributesWay | None:
        return None


@functools.cache
def _makes_equal_models() -> bool:
    """Whether a model that the core makes cannot be told from one of this pydantic.

    It may have attributes that this module does not know, and that would be absent.
    """

    class Probe(BaseModel):
        n: int
        text: str = "a"

    adapter = TypeAdapter(Probe)
    acceptance = AcceptanceReader.read(ModelsAcceptanceReader(adapter.core_schema), {})
    if acceptance is None:
        return False
    ours, theirs = acceptance.for_models({"n": 1}), adapter.validate_python({"n": 1})
    names = ("__dict__", "__pydantic_extra__", "__pydantic_fields_set__", "__pydantic_private__")
    return type(ours) is Probe and all(getattr(ours, name, _ABSENT) == getattr(theirs, name, _ABSENT) for name in names)


_ABSENT = object()
