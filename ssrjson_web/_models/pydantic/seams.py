"""Functions of pydantic that ours stand in for: whether they are known, and nobody has replaced them."""

from __future__ import annotations

from pydantic import BaseModel, TypeAdapter

from ssrjson_web._known.functions import Seams, decorates

__all__ = ["ADAPTERS", "MODEL_DUMP"]

decorates("pydantic.type_adapter", "_frame_depth.<locals>.wrapper.<locals>.wrapped")  # pydantic 2.8 and 2.9

ADAPTERS = Seams(
    lambda: (
        TypeAdapter.validate_python,
        TypeAdapter.validate_json,
        TypeAdapter.dump_python,
        TypeAdapter.dump_json,
    ),
    *(f"pydantic.type_adapter.TypeAdapter.{name}" for name in ("validate_python", "validate_json")),
    *(f"pydantic.type_adapter.TypeAdapter.{name}" for name in ("dump_python", "dump_json")),
    left="the validation and encoding of types",
)
MODEL_DUMP = Seams(
    lambda: (BaseModel.model_dump,), "pydantic.main.BaseModel.model_dump", left="the encoding of models in answers"
)
