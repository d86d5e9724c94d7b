"""Items of Ninja's streams (`JSONL`, `SSE` and formats of yours), encoded by the core."""

from __future__ import annotations

from typing import Any

import ninja.operation

from ssrjson_web._known.functions import is_own, stands_in_for
from ssrjson_web.ninja._rendering import item_text
from ssrjson_web.ninja._responses import with_dumped_items

__all__ = ["encode_stream"]

_ninja_operation: Any = ninja.operation
_ITEM, _TEXT = "ninja.operation.Operation._validate_stream_item", "ninja.streaming._serialize_item"
stands_in_for(_ITEM, _TEXT, left="the encoding of streams")
_STOCK_ITEM = getattr(_ninja_operation.Operation, "_validate_stream_item", None)
_STOCK_TEXT = getattr(_ninja_operation, "_serialize_item", None)


class _StreamItem:
    """Replaces `_validate_stream_item` of an operation: the text of an item, validated and dumped as Ninja does."""

    def __init__(self, operation: Any) -> None:
        self._operation = operation

    def __call__(self, item: Any, request: Any) -> str:
        operation = self._operation
        context = {"context": {"request": request, "response_status": 200}}
        validated = operation.stream_item_model.model_validate(_ninja_operation.ResponseObject(item), **context)
        dumped = validated.model_dump(
            by_alias=operation.by_alias,
            exclude_unset=operation.exclude_unset,
            exclude_defaults=operation.exclude_defaults,
            exclude_none=operation.exclude_none,
            **(context if _ninja_operation.pydantic_version >= [2, 7] else {}),
        )
        return item_text(dumped["response"])


def encode_stream(operation: Any) -> None:
    """Encode an operation's stream by the core, unless somebody else has replaced that part of Ninja."""
    is_stock = (
        _STOCK_ITEM is not None
        and _STOCK_TEXT is not None
        and type(operation)._validate_stream_item is _STOCK_ITEM
        and _ninja_operation._serialize_item is _STOCK_TEXT
        and "_validate_stream_item" not in vars(operation)
        and is_own(_STOCK_ITEM, _ITEM)
        and is_own(_STOCK_TEXT, _TEXT)
    )
    if is_stock and operation.stream_item_model is not None:
        operation.stream_item_model = with_dumped_items(operation)
        operation._validate_stream_item = _StreamItem(operation)
