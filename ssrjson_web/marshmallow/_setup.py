"""The functions that replace methods of marshmallow's `Schema`, and take that back."""

from __future__ import annotations

import functools
import json as stdlib_json
from collections.abc import Callable
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any, Literal

from marshmallow import RAISE, Schema

from ssrjson_web import json
from ssrjson_web._compare.arguments import checked_comparison
from ssrjson_web._known.functions import stands_in_for
from ssrjson_web._known.unknown import tell_of_unknown
from ssrjson_web._shared.disabling import DisablingContext
from ssrjson_web._shared.switch import leaves_all_to_stock
from ssrjson_web.marshmallow._load_key import load_key
from ssrjson_web.marshmallow._loading import LoadPlan, Run
from ssrjson_web.marshmallow._plans import KEPT, Plans, passes
from ssrjson_web.marshmallow._reading import ReadPlan
from ssrjson_web.marshmallow._stock import (
    IS_VERSION_3,
    OPT_OUT,
    OURS,
    STOCK_DESERIALIZE,
    library_name,
)

if TYPE_CHECKING:
    from ssrjson_web._compare.comparison import Comparison

__all__ = ["disabled", "is_set_up", "setup", "teardown"]

_REPLACED: dict[str, Any] = {name: vars(Schema)[name] for name in ("_serialize", "_deserialize", "dumps", "loads")}
_stock_serialize: Callable[..., Any] = _REPLACED["_serialize"]
_STDLIB = {name: getattr(stdlib_json, name) for name in ("dumps", "loads")}
_is_disabled: ContextVar[bool] = ContextVar("ssrjson_web.marshmallow is disabled", default=False)

_wanted: dict[str, Any] = {}
"""What `setup` puts in the place of methods of `Schema`."""
_READ_PLANS: Plans[ReadPlan] = Plans(ReadPlan)
_LOAD_PLANS: Plans[LoadPlan] = Plans(LoadPlan)


def setup(*, compare: float = 0, serve: Literal["stock", "core"] = "stock", mask: bool = True) -> None:
    """Let the core dump and load for all schemas, those that are defined later included. Call it once, at any time.

    A second call does nothing. `teardown` takes it back. A method that somebody else has replaced, before or after
    this module was imported, is left as it is.

    `compare` is a share of dumps and loads that marshmallow and the core both do, to compare them; marshmallow's
    results are given, and so they are by all others. `serve="core"` gives the core's. `mask=False` shows what differs
    as it is. Raises TypeError and ValueError for wrong arguments.
    """
    comparison = checked_comparison(compare, serve, mask)
    if leaves_all_to_stock():
        return
    if not is_set_up():
        tell_of_unknown("marshmallow")
    setattr(Schema, KEPT, None)
    if comparison is not None:
        teardown()
        _wanted.update(_compared_methods(comparison))
    elif not _wanted:
        _wanted.update(_OURS)
    for name, method in _wanted.items():
        if vars(Schema)[name] is _REPLACED[name] and library_name(_REPLACED[name]):
            setattr(Schema, name, method)


def _compared_methods(comparison: Comparison) -> dict[str, Any]:
    """Our methods with trials. Where stock serves, `dumps` and `loads` stay marshmallow's."""
    from ssrjson_web.marshmallow._compare import compared

    made = {name: compared(comparison, name, _OURS[name], _REPLACED[name]) for name in ("_serialize", "_deserialize")}
    OURS.update(made.values())
    return {**_OURS, **made} if comparison.serves_core else made


def teardown() -> None:
    """Give marshmallow's `Schema` its own methods again."""
    for name, method in _wanted.items():
        if vars(Schema)[name] is method:
            setattr(Schema, name, _REPLACED[name])
    OURS.intersection_update(_OURS.values())
    _wanted.clear()


def is_set_up() -> bool:
    """Whether `setup` was called."""
    return bool(_wanted) and all(vars(Schema)[name] is method for name, method in _wanted.items())


def disabled() -> Any:
    """A context manager, and a decorator of functions, within which everything is left to marshmallow.

    It holds for the current thread or asyncio task, and for the tasks that it starts. An `async def` may be decorated.
    """
    return DisablingContext(_is_disabled)


def _replaces(name: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    return functools.wraps(_REPLACED[name])


@_replaces("_serialize")
def _serialize(self: Any, obj: Any, *, many: bool = False) -> Any:
    if not many or obj is None:
        if passes(self, None, 1) or _is_disabled.get():
            return _stock_serialize(self, obj)
        found = _READ_PLANS.find(self, None, 1)
        made = found[0].read(found[1], obj) if found is not None else NotImplemented
        return made if made is not NotImplemented else _stock_serialize(self, obj)
    return _stock_serialize(self, obj, many=many) if _is_disabled.get() else _serialize_many(self, obj)


def _serialize_many(schema: Any, obj: Any) -> Any:
    things = list(obj) if type(obj) is tuple else obj
    n_things = len(things) if type(things) is list else 16
    if passes(schema, None, n_things) and type(schema)._serialize is _serialize:
        return [_stock_serialize(schema, thing) for thing in things]
    found = _READ_PLANS.find(schema, None, n_things)
    if found is None:
        return _stock_serialize(schema, obj, many=True)
    plan, bound = found
    if type(things) is not list or (plan.basis.awaited and n_things > 2):
        return _one_by_one(schema, things)
    made = plan.read_all(bound, things)
    return made if made is not NotImplemented else _stock_serialize(schema, obj, many=True)


def _one_by_one(schema: Any, things: Any) -> list[Any]:
    """The dicts of what is iterated, and of a list whose first item shows which schemas are within."""
    made = []
    for thing in things:
        made.append(_serialize(schema, thing))
    return made


@_replaces("_deserialize")
def _deserialize(
    self: Any,
    data: Any,
    *,
    error_store: Any,
    many: bool = False,
    partial: Any = None,
    unknown: Any = RAISE,
    index: Any = None,
) -> Any:
    found = None
    if not (_is_disabled.get() or (many and type(data) is not list)):
        n_items = len(data) if many else 1
        key = load_key(partial, unknown)
        if key is not None and not passes(self, key, n_items):
            found = _LOAD_PLANS.find(self, key, n_items)
    made: Any = NotImplemented
    if found is not None and many and found[0].basis.awaited and len(data) > 2:
        # the first item shows which schemas are within
        return [
            _deserialize(self, item, error_store=error_store, partial=partial, unknown=unknown, index=n)
            for n, item in enumerate(data)
        ]
    if found is not None:
        run = Run(self, error_store, partial, unknown, index)
        made = found[0].load_all(found[1], data, run) if many else found[0].load(found[1], data, run)
    if made is NotImplemented:
        return STOCK_DESERIALIZE(
            self, data, error_store=error_store, many=many, partial=partial, unknown=unknown, index=index
        )
    return made


@_replaces("dumps")
def _dumps(self: Any, obj: Any, *args: Any, many: bool | None = None, **kwargs: Any) -> Any:
    dumped = self.dump(obj, many=many)
    return _of_module(self, "dumps")(dumped, *args, **kwargs)


if IS_VERSION_3:

    @_replaces("loads")
    def _loads(
        self: Any, json_data: Any, *, many: Any = None, partial: Any = None, unknown: Any = None, **kwargs: Any
    ) -> Any:
        data = _of_module(self, "loads")(json_data, **kwargs)
        return self.load(data, many=many, partial=partial, unknown=unknown)

else:

    @_replaces("loads")
    def _loads(
        self: Any, s: Any, /, *, many: Any = None, partial: Any = None, unknown: Any = None, **kwargs: Any
    ) -> Any:
        data = _of_module(self, "loads")(s, **kwargs)
        return self.load(data, many=many, partial=partial, unknown=unknown)


def _of_module(schema: Any, name: str) -> Callable[..., Any]:
    """A function of the schema's `render_module`: the core's, if it is the standard library's."""
    function: Callable[..., Any] = getattr(schema.opts.render_module, name)
    if function is not _STDLIB[name] or _is_disabled.get() or getattr(type(schema), OPT_OUT, True) is False:
        return function
    ours: Callable[..., Any] = getattr(json, name)
    return ours


_OURS = {"_serialize": _serialize, "_deserialize": _deserialize, "dumps": _dumps, "loads": _loads}
for _name in _OURS:
    stands_in_for(f"marshmallow.schema.Schema.{_name}", left=f"`{_name}` of all schemas")
OURS.update(_OURS.values())
