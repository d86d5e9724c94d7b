"""A provider whose answers and values of bodies are made by Flask's own and by ours, to compare them."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable, Iterable
from types import SimpleNamespace
from typing import Any, ClassVar

from flask.json.provider import DefaultJSONProvider

from ssrjson_web._compare.comparison import Comparison, tell_of_fault
from ssrjson_web._compare.values import look_at_unknown, once_only
from ssrjson_web.flask._provider import SSRJSONProvider
from ssrjson_web.flask._writers import STOCK_DEFAULT

__all__ = ["comparing"]

_ATTRIBUTES = ("ensure_ascii", "sort_keys", "compact", "mimetype", "default")


class _ComparingProvider(SSRJSONProvider):
    """`SSRJSONProvider` with trials. Where stock serves, it does what Flask's own provider does."""

    comparison: ClassVar[Comparison]
    route: ClassVar[Callable[[], str]]
    ours: ClassVar[type[SSRJSONProvider]]

    def dumps(self, obj: Any, **kwargs: Any) -> str:
        text: str = self._as(self._served()).dumps(obj, **kwargs)
        return text

    def loads(self, s: str | bytes, **kwargs: Any) -> Any:
        if not kwargs:
            self._try("value of the body", lambda one: one.loads(s), lambda: "")
        return self._as(self._served()).loads(s, **kwargs)

    def response(self, *args: Any, **kwargs: Any) -> Any:
        def body(one: Any) -> bytes:
            one._app = SimpleNamespace(debug=one._app.debug, response_class=lambda body, **_: body)
            made = one.response(*args, **kwargs)
            return made.encode() if isinstance(made, str) else made  # as werkzeug does

        self._try("answer", body, lambda: self._reason_not_to([args, kwargs]))
        return self._as(self._served()).response(*args, **kwargs)

    def _served(self) -> type[DefaultJSONProvider]:
        return self.ours if self.comparison.serves_core else DefaultJSONProvider

    def _as(self, cls: type[DefaultJSONProvider]) -> Any:
        """A provider of another class with the attributes that this one has now."""
        other = object.__new__(cls)
        vars(other).update({name: getattr(self, name) for name in _ATTRIBUTES})
        vars(other).update(vars(self))
        return other

    def _try(self, part: str, way: Callable[[Any], Any], reason_not_to: Callable[[], str]) -> None:
        """Compare what both do, if it is the turn of that. Never raises."""
        trial = None
        try:
            route = type(self).route()
            trial = self.comparison.begin(route) if route else None
            reason = "" if trial is None else reason_not_to()
            if trial is not None and reason:
                trial.leave_out(reason)
            elif trial is not None:
                stock, core = self._as(DefaultJSONProvider), self._as(self.ours)
                trial.compare(part, stock=functools.partial(way, stock), core=functools.partial(way, core))
                trial.end()
        except Exception:
            tell_of_fault("a route of Flask")

    def _reason_not_to(self, value: Any) -> str:
        if self.default is not STOCK_DEFAULT:
            return "`default` of the provider would run twice"
        return once_only(value, _look)


def _look(value: Any) -> tuple[str, Iterable[Any]]:
    cls = type(value)
    names = [field.name for field in dataclasses.fields(cls)] if dataclasses.is_dataclass(cls) else []
    held = getattr(value, "__dict__", {})
    if not names or any(name not in held for name in names) or hasattr(cls, "__html__"):
        return look_at_unknown(value)
    return "", [held[name] for name in names]


def comparing(ours: type[SSRJSONProvider], comparison: Comparison, route: Callable[[], str]) -> type[SSRJSONProvider]:
    """The class of a provider that compares `ours` with Flask's. `route` gives the name of the request's."""
    namespace = {"__module__": ours.__module__, "__qualname__": ours.__qualname__, "__doc__": ours.__doc__}
    own = {"comparison": comparison, "route": staticmethod(route), "ours": ours}
    return type(ours.__name__, (_ComparingProvider, ours), {**namespace, **own})
