"""What a pydantic TypeAdapter says, written by the core: validated values to the bytes that pydantic would give."""

from __future__ import annotations

from typing import Any

from pydantic import TypeAdapter
from pydantic_core import SchemaSerializer

from ssrjson_web._core import Encoder
from ssrjson_web.models.plan import Plan, PlanField
from ssrjson_web.models.pydantic import FLOATS, UNCOVERED, SchemaReader, writes_nan

__all__ = ["AdapterEncoder"]

_ANYTHING = SchemaSerializer({"type": "any"})


class AdapterEncoder:
    """Encodes values that an adapter has validated, as the adapter would, and leaves no UTF-8 copy in their strings.

    `like_dump_json`: the bytes of `adapter.dump_json`, else those of Starlette's JSONResponse for
    `adapter.dump_python(mode="json")`, whose floats and NaN differ. Errors are those of the same call.
    """

    def __init__(
        self,
        adapter: TypeAdapter[Any],
        *,
        include: Any = None,
        exclude: Any = None,
        by_alias: bool = True,
        exclude_unset: bool = False,
        exclude_defaults: bool = False,
        exclude_none: bool = False,
        like_dump_json: bool,
    ) -> None:
        self._adapter = adapter
        self._like_dump_json = like_dump_json
        self._flags: dict[str, Any] = {
            "by_alias": by_alias,
            "exclude_unset": exclude_unset,
            "exclude_defaults": exclude_defaults,
            "exclude_none": exclude_none,
        }
        self._options: dict[str, Any] = {"include": include, "exclude": exclude, **self._flags}
        self._encoder = Encoder(
            models=True,
            exact_types=True,
            floats=FLOATS if like_dump_json else "repr",
            nan_as_null=like_dump_json,
            allow_nan=False,
            default=self._convert_anything,
            **self._flags,
        )
        schema = adapter.core_schema
        rule = UNCOVERED
        if include is None and exclude is None and isinstance(schema, dict):
            reader = SchemaReader(schema)
            rule = reader.rule(reader.schema, getattr(adapter, "_config", None) or {})
        # NaN is written here and null there: only pydantic's own text tells which, at the price of copies in strings
        self._is_pydantics = like_dump_json and writes_nan(schema)
        plan = Plan("root", (PlanField("root", "root", "root", rule),), convert=self._convert)
        self._root = type("Root", (), {"__ssrjson_plan__": plan})

    def _convert(self, root: Any, *_options: bool) -> Any:
        return self._adapter.dump_python(root.root, mode="json", **self._options)

    def _convert_anything(self, value: Any) -> Any:
        return _ANYTHING.to_python(value, mode="json", **self._flags)

    def encode(self, value: Any) -> bytes:
        if self._is_pydantics:
            return self._adapter.dump_json(value, **self._options)
        root = self._root()
        root.__dict__["root"] = value
        try:
            return self._encoder.encode(root)
        except Exception:
            return self._encode_as_stock(value)

    def _encode_as_stock(self, value: Any) -> bytes:
        """Where the core refuses, pydantic decides; what it refuses too is its own error."""
        try:
            return self._encoder.encode(self._adapter.dump_python(value, mode="json", **self._options))
        except Exception:
            if self._like_dump_json:
                return self._adapter.dump_json(value, **self._options)
            raise
