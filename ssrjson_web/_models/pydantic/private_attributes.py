"""Models whose private attributes have plain defaults: that pydantic makes them has no effect beside."""

from __future__ import annotations

import functools
from types import CodeType
from typing import Any

from pydantic import BaseModel
from pydantic_core import PydanticUndefined

from ssrjson_web._known.functions import is_own, is_text_known, stands_in_for
from ssrjson_web._models.pydantic.parts import is_plain

__all__ = ["has_plain_private_attributes", "post_init_of"]

_MODULE = "pydantic._internal._model_construction"
_INIT, _NEW = f"{_MODULE}.init_private_attributes", f"{_MODULE}.ModelMetaclass.__new__"
stands_in_for(_INIT, _NEW, left="the validation of models with private attributes")

_MAX_WRAPPERS = 50
_FACTORIES = (list, dict, set)


def post_init_of(cls: type) -> Any:
    """What pydantic calls for each object of a model's class that it has made; it may be replaced at any time."""
    return getattr(cls, "model_post_init", None)


def has_plain_private_attributes(cls: type[BaseModel]) -> bool:
    """Whether nobody sees that an object of a class was not made: its private attributes run no code of users'."""
    return _makes_private_attributes(post_init_of(cls)) and all(map(_is_plain, cls.__private_attributes__.values()))


def _makes_private_attributes(function: Any) -> bool:
    """Whether it makes private attributes, and no more."""
    wrapper = _code_of_wrapper()
    for _ in range(_MAX_WRAPPERS):
        if wrapper is None or getattr(function, "__code__", None) is not wrapper:
            break
        cells = dict(zip(function.__code__.co_freevars, function.__closure__, strict=True))
        function = cells["original_model_post_init"].cell_contents
    return is_own(function, _INIT)


@functools.cache
def _code_of_wrapper() -> CodeType | None:
    """Of what a class has that derives from another one with private attributes: it calls `_INIT`, and what that has.

    None where pydantic makes such classes in a way that we do not know.
    """

    class Base(BaseModel):
        _a: int = 1

    class Derived(Base):
        _b: int = 1

    code: CodeType = Derived.model_post_init.__code__
    is_known = is_text_known(_NEW) and "original_model_post_init" in code.co_freevars
    return code if is_known else None


def _is_plain(attribute: Any) -> bool:
    if attribute.default_factory is not None:
        return attribute.default_factory in _FACTORIES
    return attribute.default is PydanticUndefined or is_plain(attribute.default)
