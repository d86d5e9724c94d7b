"""Keys of what is made for a type, where an equal type may mean another one."""

from __future__ import annotations

from typing import Any, get_args, get_origin

__all__ = ["TypeKey"]


class TypeKey:
    """A type that is the same as another only if both are built alike of the very same parts.

    `A | B == B | A`, but pydantic prefers the first choice. Metadata of `Annotated` may be equal and act otherwise. A
    model that was rebuilt is another type.
    """

    __slots__ = ("_parts", "_shape", "declared")

    def __init__(self, declared: Any) -> None:
        self.declared = declared
        self._parts: list[Any] = []
        self._shape: list[tuple[int, bool]] = []
        self._add(declared)

    def _add(self, declared: Any) -> None:
        arguments = get_args(declared)
        self._shape.append((len(arguments), bool(getattr(declared, "__unpacked__", False))))
        if not arguments:
            schema = vars(declared).get("__pydantic_core_schema__") if isinstance(declared, type) else None
            self._parts += (declared, schema)
            return
        self._parts += (type(declared), get_origin(declared))
        for argument in arguments:
            self._add(argument)

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, TypeKey)
            and self._shape == other._shape
            and all(one is another for one, another in zip(self._parts, other._parts, strict=True))
        )

    def __hash__(self) -> int:
        return hash(tuple(map(id, self._parts)))
