"""The extension that installs a provider."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Literal

from flask import Flask, has_request_context, request
from flask.json.provider import DefaultJSONProvider, JSONProvider
from flask.sansio.app import App

from ssrjson_web._compare.arguments import checked_comparison
from ssrjson_web._known.unknown import tell_of_unknown
from ssrjson_web._shared.application import wrong_application
from ssrjson_web._shared.stdlib_decoding import decoder_to_depth
from ssrjson_web._shared.switch import leaves_all_to_stock
from ssrjson_web.flask._provider import SSRJSONFastProvider, SSRJSONProvider

__all__ = ["SSRJSON"]

_PROVIDERS: Mapping[str, type[SSRJSONProvider]] = {"compatible": SSRJSONProvider, "fast": SSRJSONFastProvider}
_OPTIONS = "_options_of_the_extension"
"""The attribute of a class that the extension has made, for the options that are given."""
_REPLACEABLE = (DefaultJSONProvider, *_PROVIDERS.values())


class SSRJSON:
    """Makes the core encode and decode an application's JSON: `SSRJSON(app)`, or `SSRJSON().init_app(app)`.

    `mode="compatible"` writes the bytes of Flask. `mode="fast"` installs `SSRJSONFastProvider`. `ensure_ascii`,
    `sort_keys`, `compact` and `max_depth` set attributes of the provider; None keeps their values. Attributes that
    were set on the application's provider before are kept.

    `compare` is a share of answers and bodies that Flask's provider and ours both do, to compare them; Flask's are
    used, and so they are for all others. `serve="core"` uses the core's. `mask=False` shows what differs as it is.

    Raises TypeError and ValueError for wrong arguments. Raises TypeError for an object that is not a Flask application,
    and for an application whose own provider class does not derive from ours.
    """

    _application_class: ClassVar[type[App]] = Flask

    def __init__(
        self,
        app: App | None = None,
        *,
        mode: Literal["compatible", "fast"] = "compatible",
        ensure_ascii: bool | None = None,
        sort_keys: bool | None = None,
        compact: bool | None = None,
        max_depth: int | None = None,
        compare: float = 0,
        serve: Literal["stock", "core"] = "stock",
        mask: bool = True,
    ) -> None:
        if mode not in _PROVIDERS:
            raise ValueError(f"mode must be one of {', '.join(map(repr, _PROVIDERS))}, not {mode!r}")
        attributes: dict[str, Any] = {"ensure_ascii": ensure_ascii, "sort_keys": sort_keys, "compact": compact}
        for name, value in attributes.items():
            if not isinstance(value, (bool, type(None))):
                raise TypeError(f"{name} must be True, False or None, not {value!r}")
        if max_depth is not None:
            if not isinstance(max_depth, int) or isinstance(max_depth, bool):
                raise TypeError(f"max_depth must be an int or None, not {max_depth!r}")
            decoder_to_depth(max_depth)
        self._comparison = checked_comparison(compare, serve, mask)
        if self._comparison is not None and mode != "compatible":
            raise ValueError("compare needs mode='compatible': what the other one writes is not Flask's")
        if self._comparison is not None and not self._comparison.serves_core and max_depth is not None:
            raise ValueError("max_depth is the core's: with compare it needs serve='core'")
        self._provider_class = _PROVIDERS[mode]
        attributes["max_depth"] = max_depth
        self._options = {name: value for name, value in attributes.items() if value is not None}
        if app is not None:
            self.init_app(app)

    def init_app(self, app: App) -> None:
        """Install the provider, also for templates that are already set up. Raises TypeError as the class does.

        `app.json_provider_class` becomes the provider's class, with the options as attributes, for extensions that
        derive a provider from it.
        """
        if not isinstance(app, self._application_class):
            raise wrong_application("SSRJSON", self._application_class.__name__, self._application_class, app)
        # our provider is installed even so: streams need it, and it leaves all else to Flask's
        is_fast = issubclass(self._provider_class, SSRJSONFastProvider)  # what that writes is its own
        if not leaves_all_to_stock() and not is_fast:
            tell_of_unknown("flask")
        before = app.json
        provider = self._provider_for(app)
        app.json_provider_class = self._class_for(app, provider)
        app.json = provider
        # templates keep the function that they were set up with
        if "jinja_env" in app.__dict__ and app.jinja_env.policies.get("json.dumps_function") == before.dumps:
            app.jinja_env.policies["json.dumps_function"] = provider.dumps

    def _provider_for(self, app: App) -> SSRJSONProvider:
        before = app.json
        if _is_replaceable(type(before)):
            options = {**vars(type(before)).get(_OPTIONS, {}), **self._options}
            cls = _with_options(self._provider_class, options)
            if self._comparison is not None and not leaves_all_to_stock():
                from ssrjson_web.flask._compare import comparing

                cls = comparing(cls, self._comparison, self._route_of_request)
                setattr(cls, _OPTIONS, options)
            provider = cls(app)
            kept = {name: value for name, value in vars(before).items() if name not in ("_app", *self._options)}
            vars(provider).update(kept)
            return provider
        if self._comparison is not None:
            raise TypeError(f"compare needs Flask's own JSON provider class, not {type(before).__name__}")
        if not isinstance(before, self._provider_class):
            raise TypeError(
                f"the application has its own JSON provider class {type(before).__name__}: derive it from "
                f"{self._provider_class.__name__}, or call SSRJSON(app) before the extension that made it"
            )
        for name, value in self._options.items():
            setattr(before, name, value)
        return before

    @staticmethod
    def _route_of_request() -> str:
        """The methods and the path of the request that is answered now; empty where there is none."""
        return f"{request.method} {request.url_rule or 'without a route'}" if has_request_context() else ""

    def _class_for(self, app: App, provider: SSRJSONProvider) -> type[JSONProvider]:
        """The class from which an extension may derive its own provider."""
        current = app.json_provider_class
        if not isinstance(current, type):
            return current
        if _is_replaceable(current):
            made = type(provider)
            return made if _is_replaceable(made) else _with_options(self._provider_class, self._options)
        if issubclass(current, SSRJSONProvider):
            return _with_options(current, self._options)
        return current  # of the application, which does not use it


def _is_replaceable(cls: type) -> bool:
    """Whether it is a class of Flask's or ours, and not the application's own."""
    return cls in _REPLACEABLE or _OPTIONS in vars(cls)


def _with_options(cls: type[SSRJSONProvider], options: dict[str, Any]) -> type[SSRJSONProvider]:
    """The class, or one that is derived from it and has the options as attributes."""
    if not options:
        return cls
    namespace = {"__module__": cls.__module__, "__qualname__": cls.__qualname__, "__doc__": cls.__doc__}
    mark = {_OPTIONS: options} if cls in _PROVIDERS.values() else {}
    metaclass: Any = type(cls)
    made: type[SSRJSONProvider] = metaclass(cls.__name__, (cls,), {**namespace, **mark, **options})
    return made
